package slurm

import (
	"fmt"
	"strings"
)

// Exit is how a job or step ended: a status, and the signal that killed it
// where one did.
type Exit struct {
	Code   int
	Signal int
}

// ParseExit reads status:signal, as in "0:0" and "0:9".
func ParseExit(s string) (Exit, error) {
	if s == "" {
		return Exit{}, nil
	}
	code, signal, ok := strings.Cut(s, ":")
	if !ok {
		signal = "0"
	}
	c, err := parseDigits(code)
	if err != nil || c > 1<<31-1 {
		return Exit{}, fmt.Errorf("exit code %q: want status:signal", s)
	}
	n, err := parseDigits(signal)
	if err != nil || n > 1<<31-1 {
		return Exit{}, fmt.Errorf("exit code %q: want status:signal", s)
	}
	return Exit{Code: int(c), Signal: int(n)}, nil
}

func (e Exit) String() string { return fmt.Sprintf("%d:%d", e.Code, e.Signal) }
