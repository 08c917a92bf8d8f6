//go:build !linux

package wire

import "errors"

const rawAvailable = false

func newRaw(Config) (Wire, error) {
	return nil, errors.New("the raw wire needs epoll, which this system doesn't have")
}
