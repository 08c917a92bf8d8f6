package load

import (
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"hpcbench/engine/stub"
	"hpcbench/results"
)

// A file that may not grow is as good as a disk that is full for it alone: the records end there, and
// attempt.json, which is small, can still be written.
func TestRecordsThatAreNotOnTheDisk(t *testing.T) {
	server := startStub(t, stub.Config{TTFTBaseMs: 5, ITLMs: 1})
	c := configOf(t, endpointOf(t, server.URL()), ratePlan(1, 60))
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 16 << 10, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	_, err := Run(t.Context(), c)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err == nil || !strings.Contains(err.Error(), "records.jsonl are not on the disk") {
		t.Fatalf("the load says %v", err)
	}
	a, err := results.ReadJSON[results.Attempt](c.Dir.Attempt(), results.FormatAttempt)
	if err != nil {
		t.Fatal(err)
	}
	if a.State != results.StateFailed || a.Failure == nil || a.Failure.Class != "disk" {
		t.Errorf("the attempt is %s, %+v", a.State, a.Failure)
	}
	if n := len(records(t, c.Dir)); n < 5 {
		t.Errorf("%d records can be read", n)
	}
}
