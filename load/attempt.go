package load

import (
	"crypto/rand"
	"os"
	"sync"
	"time"

	"hpcbench/results"
)

// AttemptFile is attempt.json in memory and on disk. The supervisor and the
// load share one, so that neither overwrites what the other knows.
type AttemptFile struct {
	mu   sync.Mutex
	path string
	mode os.FileMode
	a    results.Attempt
}

// NewAttemptFile makes the file from a first state and writes it.
func NewAttemptFile(dir results.AttemptDir, mode os.FileMode, a results.Attempt) (*AttemptFile, error) {
	a.Format, a.RecordsFormat, a.TelemetryFormat = results.FormatAttempt, results.FormatRecords, results.FormatTelemetry
	f := &AttemptFile{path: dir.Attempt(), mode: mode, a: a}
	return f, f.Update(func(*results.Attempt) {})
}

// Update changes the attempt and replaces the file whole. Slices and maps of
// the attempt may be replaced but not written into: Get has handed them out.
func (f *AttemptFile) Update(change func(*results.Attempt)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.a)
	return results.WriteJSON(f.path, f.a, f.mode)
}

// Get is the attempt as it is now.
func (f *AttemptFile) Get() results.Attempt {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.a
}

// Standalone is the attempt of a load that no supervisor watches: `hpcbench
// load` against a URL.
func Standalone(run string, repeat, attempt int, specDigest, toolVersion string) results.Attempt {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown" // a name for people; nothing is decided by it
	}
	return results.Attempt{
		Run: run, Repeat: repeat, Attempt: attempt, State: results.StateStarting,
		StartedAt: time.Now().UTC(), SpecDigest: specDigest, ToolVersion: toolVersion,
		Node:   results.NodeFacts{Hostname: host},
		Server: results.ServerFacts{Engine: results.EngineRemote},
	}
}

// newSalt makes the text of an attempt its own.
func newSalt() string { return rand.Text()[:16] }
