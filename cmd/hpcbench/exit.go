package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Exit codes, as in the README.
const (
	codeFine        = 0
	codeRegressed   = 1 // or a gate not met
	codeUsage       = 2 // usage or configuration
	codeInvalid     = 3 // an invalid measurement
	codeFailed      = 4 // Slurm, the container or the server failed
	codeInterrupted = 130
)

// codeError carries the exit code of what went wrong. A nil err was reported already.
type codeError struct {
	code int
	err  error
}

func (e codeError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e codeError) Unwrap() error { return e.err }

// usage marks an error as one of usage or configuration.
func usage(err error) error { return codeError{codeUsage, err} }

// failed marks an error as one of Slurm, the container or the server.
func failed(err error) error { return codeError{codeFailed, err} }

// tell prints an error and answers the exit code.
func tell(err error, stderr io.Writer) int {
	if err == nil {
		return codeFine
	}
	code := codeFailed
	var coded codeError
	switch {
	case errors.As(err, &coded):
		code = coded.code
		if coded.err == nil {
			return code
		}
	case errors.Is(err, context.Canceled):
		code = codeInterrupted
	}
	fmt.Fprintf(stderr, "hpcbench: %s\n", strings.TrimRight(err.Error(), "\n"))
	return code
}
