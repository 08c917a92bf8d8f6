//go:build !linux

package check

import (
	"context"
	"errors"
)

// OnNode runs on compute nodes only, which are Linux.
func OnNode(context.Context, string) error {
	return errors.New("a compute node is looked at on Linux only")
}
