package engine

import (
	"fmt"

	"hpcbench/results"
)

// Cause is why a server failed, as far as its own words tell.
type Cause struct {
	Class  string // a short fixed word, such as "gpu_memory"; ClassUnknown where nothing is known
	Words  string // one sentence for a person
	Line   string // of the server's log, where it was found
	Remedy string // what to do
	// Passing says that the same start may succeed later or elsewhere, so that a retry makes sense.
	Passing bool
	// NewPort and OtherNode say what a retry should change.
	NewPort, OtherNode bool
}

// ClassUnknown is the class of a failure whose log has none of the known lines.
const ClassUnknown = "unknown"

// Failure is the cause as an attempt records it.
func (c Cause) Failure() *results.Failure {
	return &results.Failure{Class: c.Class, Words: c.Words, Line: c.Line, Remedy: c.Remedy, Passing: c.Passing}
}

// String is one line: words, the log's line, remedy.
func (c Cause) String() string {
	s := c.Words
	if c.Line != "" {
		s += fmt.Sprintf(" (%s)", c.Line)
	}
	if c.Remedy != "" {
		s += "; " + c.Remedy
	}
	return s
}

// KVBudget is how many tokens the engine's KV cache holds.
type KVBudget struct {
	Tokens int64
	Source string // KVFromLog or KVFromMetrics
}

// Where a KV budget is known from. The log is summed over all engine cores.
const (
	KVFromLog          = "log"
	KVFromMetrics      = "metrics"        // kv_cache_size_tokens
	KVFromMetricBlocks = "metrics-blocks" // blocks x block size: too low for hybrid models
)
