package slurm

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNotInstalled says that the tool isn't on PATH: no Slurm here.
	ErrNotInstalled = errors.New("no Slurm here: its command line tools are not on PATH")
	// ErrUnreachable says that the controller or the accounting database could
	// not be reached. Nothing was sent; asking again later is safe.
	ErrUnreachable = errors.New("cannot reach Slurm")
	// ErrLost says that sbatch was started and its answer never came. The job
	// may exist: look for it with FindByName before sending another.
	ErrLost = errors.New("the answer of sbatch was lost, the job may exist")
	// ErrNoAccounting says that the cluster keeps no accounting records.
	ErrNoAccounting = errors.New("this cluster keeps no accounting")
	// ErrNoJob says that the controller doesn't know the job (any more).
	ErrNoJob = errors.New("job unknown to Slurm")
)

// errAmbiguous marks an exchange that broke after something may have been sent.
var errAmbiguous = errors.New("the connection to Slurm broke")

// CommandError is a call that failed. Its text has the tool's own words.
type CommandError struct {
	Command Command
	Result  Result
	Cause   error // nil where the tool itself said no
}

func (e *CommandError) Error() string {
	words := e.Words()
	switch {
	case e.Cause == nil && words == "":
		return fmt.Sprintf("%s: exit status %d", e.Command.Name, e.Result.Code)
	case e.Cause == nil:
		return fmt.Sprintf("%s: %s", e.Command.Name, words)
	case words == "":
		return fmt.Sprintf("%s: %v", e.Command.Name, e.Cause)
	}
	return fmt.Sprintf("%s: %v: %s", e.Command.Name, e.Cause, words)
}

func (e *CommandError) Unwrap() error { return e.Cause }

// Words are what the tool printed, without its own name in front, on one line.
func (e *CommandError) Words() string {
	var lines []string
	for _, line := range strings.Split(e.Result.Stderr, "\n") {
		line = strings.TrimSpace(line)
		for _, prefix := range []string{e.Command.Name + ":", "error:", "fatal:"} {
			line = strings.TrimSpace(strings.TrimPrefix(line, prefix))
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}

// The words below are those of src/common/slurm_errno.c and of the tools (src/api,
// src/common/slurm_persist_conn.c). They are matched loosely, because they
// differ between releases.
var (
	notSent = []string{
		"(connect failure)",
		"connection refused",
		"failed to open persistent connection",
		"no route to host",
		"network is unreachable",
		"name or service not known",
		"temporary failure in name resolution",
		"backup controller in standby mode",
		"problem talking to the database",
		"database connection",
	}
	broken = []string{
		"unable to contact slurm controller",
		"socket timed out",
		"connection timed out",
		"connection reset",
		"broken pipe",
		"zero bytes were transmitted or received",
		"unexpected message received",
		"insane message length",
		"i/o error",
	}
	noAccounting = []string{
		"slurm accounting storage is disabled",
		"accounting_storage/none",
		"accounting storage plugin",
	}
	noJob = []string{"invalid job id specified"}
)

// classify says what kind of failure a tool's words are; nil means a refusal.
func classify(res Result) error {
	words := strings.ToLower(res.Stderr)
	switch {
	case containsAny(words, noAccounting):
		return ErrNoAccounting
	case containsAny(words, noJob):
		return ErrNoJob
	case containsAny(words, notSent):
		return ErrUnreachable
	case containsAny(words, broken):
		return errAmbiguous
	}
	return nil
}

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
