package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"hpcbench/results"
)

// Error is why a call has no good answer.
type Error struct {
	Class string // one of results.Error…
	Op    string // what was tried
	Err   error
	// Stale says that a connection that had been open before was closed by the
	// server without a byte of an answer: the request may be sent again on
	// another one, as the server can't have worked on it to an end.
	Stale bool
}

// Error tells what was tried and what came of it.
func (e *Error) Error() string { return e.Op + ": " + e.Err.Error() }

// Unwrap answers the cause.
func (e *Error) Unwrap() error { return e.Err }

// Class is the class of an error (results.Error…): an Error's own, else by its
// cause. It is empty for nil.
func Class(err error) string {
	var own *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &own):
		return own.Class
	}
	return classify(err)
}

func fail(class, op, format string, args ...any) *Error {
	return &Error{Class: class, Op: op, Err: fmt.Errorf(format, args...)}
}

// wrap classifies err, unless it is an Error already.
func wrap(op string, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return err
	}
	return &Error{Class: classify(err), Op: op, Err: err}
}

func classify(err error) string {
	var (
		dns     *net.DNSError
		record  tls.RecordHeaderError
		alert   tls.AlertError
		verify  *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
		timeout net.Error
	)
	switch {
	case errors.Is(err, context.Canceled):
		return results.ErrorCancelled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return results.ErrorTimeout
	case errors.As(err, &dns):
		return results.ErrorDNS
	case errors.As(err, &record), errors.As(err, &alert), errors.As(err, &verify), errors.As(err, &unknown):
		return results.ErrorTLS
	case isErrno(err, syscall.ECONNREFUSED, syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENOENT):
		return results.ErrorRefused
	case isErrno(err, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED):
		return results.ErrorReset
	case isErrno(err, syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.ENOBUFS, syscall.ENOMEM, syscall.EACCES, syscall.EPERM):
		return results.ErrorClient
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return results.ErrorClosed
	case errors.As(err, &timeout) && timeout.Timeout():
		return results.ErrorTimeout
	}
	return results.ErrorProtocol
}

func isErrno(err error, list ...syscall.Errno) bool {
	for _, e := range list {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
