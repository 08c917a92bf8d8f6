package jobs

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/results"
)

func TestLedgerAfterAKilledWriter(t *testing.T) {
	run := results.RunDir(t.TempDir())
	l := OpenLedger(run)
	if got, err := l.Read(); err != nil || len(got) != 0 {
		t.Fatalf("a run without a ledger: %v, %v", got, err)
	}
	add := func(event, name, id string) {
		t.Helper()
		if err := l.Add(results.LedgerEntry{Event: event, JobName: name, JobID: id}); err != nil {
			t.Fatal(err)
		}
	}
	add(results.LedgerIntent, "hb-a-1", "")
	add(results.LedgerSubmitted, "hb-a-1", "17")
	f, err := os.OpenFile(run.Ledger(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"format":"hpcbench.job/1","eve`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	add(results.LedgerIntent, "hb-a-2", "")
	add(results.LedgerIntent, "hb-a-3", "")
	add(results.LedgerRefused, "hb-a-3", "")
	add(results.LedgerCancelled, "hb-a-1", "17")
	entries, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Name, ID        string
		Open, Cancelled bool
	}
	var got []row
	for _, s := range Submissions(entries) {
		got = append(got, row{s.JobName, s.JobID, s.Open, s.Cancelled})
	}
	want := []row{{"hb-a-1", "17", false, true}, {"hb-a-2", "", true, false}, {"hb-a-3", "", false, false}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
