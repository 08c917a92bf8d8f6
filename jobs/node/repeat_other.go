//go:build !linux

package node

import (
	"context"
	"errors"
)

// Repeat needs Linux: adopting orphans (PR_SET_CHILD_SUBREAPER) and /proc.
func Repeat(context.Context, Options) error {
	return errors.New("repeat needs Linux: it adopts and ends the server's processes with prctl and /proc")
}

// Sweep needs Linux for the same reason.
func Sweep(context.Context, Options) error {
	return errors.New("sweep needs Linux: it finds processes in /proc")
}
