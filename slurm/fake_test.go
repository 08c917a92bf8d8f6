package slurm

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fake is a Runner that answers from a script and remembers what it was asked.
type fake struct {
	mu      sync.Mutex
	calls   []Command
	answers map[string][]answer // by tool; the last one is repeated
}

type answer struct {
	stdout, stderr string
	code           int
	err            error
}

func (f *fake) run(ctx context.Context, cmd Command) (Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, cmd)
	list := f.answers[cmd.Name]
	if len(list) == 0 {
		return Result{}, errors.New("nobody expected a call of " + cmd.Name)
	}
	a := list[0]
	if len(list) > 1 {
		f.answers[cmd.Name] = list[1:]
	}
	return Result{Stdout: a.stdout, Stderr: a.stderr, Code: a.code}, a.err
}

func (f *fake) count(tool string) int {
	n := 0
	for _, c := range f.calls {
		if c.Name == tool {
			n++
		}
	}
	return n
}

// ask returns a client over these answers that doesn't retry.
func answering(answers map[string][]answer) (*Client, *fake) {
	f := &fake{answers: answers}
	return New(Options{Run: f.run, Environ: []string{"PATH=/bin"}, RetryFor: -1}), f
}

func hasArg(c Command, arg string) bool { return slices.Contains(c.Args, arg) }

func ids(t *testing.T, texts ...string) []JobID {
	t.Helper()
	var out []JobID
	for _, s := range texts {
		id, err := ParseJobID(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, id)
	}
	return out
}

func line(fields ...string) string { return strings.Join(fields, fieldSep) + "\n" }

// captured is what a tool of Slurm 22.05.8 really printed on the test cluster.
func captured(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
