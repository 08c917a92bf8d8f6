package node

import (
	"errors"
	"io"

	"hpcbench/results"
)

// Options is one call of `hpcbench repeat`.
type Options struct {
	Run     results.RunDir
	Repeats []int
	// Argv is the server's command line as it stands in the script, with {port} and the other words unfilled. A person
	// may have edited it, so it wins over the spec's.
	Argv        []string
	ToolVersion string
	// Abort ends everything at once, as a second signal does.
	Abort <-chan struct{}
	Log   io.Writer // what happens, for the job's output
}

// Errors that the command line turns into exit codes.
var (
	ErrServer      = errors.New("the server failed")
	ErrInterrupted = errors.New("interrupted")
	ErrInvalid     = errors.New("the measurement is invalid")
)
