package jobs

import (
	"context"
	"fmt"

	"hpcbench/results"
	"hpcbench/slurm"
)

// SubmitOnce sends the repeats that were never sent, however often and from wherever
// it is called: of several calls at one time one sends, and the others get an error that
// wraps ErrUnderway. A submit that was refused counts as none. It answers the ids of
// what it sent, none where nothing was left to send.
func (s Submitter) SubmitOnce(ctx context.Context) ([]slurm.JobID, error) {
	if err := s.Settle(ctx); err != nil {
		return nil, err
	}
	unsent, err := Unsent(s.Dir, s.Spec.Repeats)
	if err != nil || len(unsent) == 0 {
		return nil, err
	}
	s.once = true
	return s.Submit(ctx, unsent)
}

// Unsent lists the repeats of a run that no job was made for, by its ledger. Those
// of a submit without an answer are not among them.
func Unsent(run results.RunDir, repeats int) ([]int, error) {
	entries, err := OpenLedger(run).Read()
	if err != nil {
		return nil, err
	}
	sent := map[int]bool{}
	for _, sub := range Submissions(entries) {
		for _, r := range sub.Repeats {
			sent[r] = sent[r] || sub.Open || sub.JobID != ""
		}
	}
	var unsent []int
	for r := 1; r <= repeats; r++ {
		if !sent[r] {
			unsent = append(unsent, r)
		}
	}
	return unsent, nil
}

// Mirror writes into the ledger of one run what another's says that it doesn't yet:
// two runs whose repeats alternate in one job have that job in both.
func Mirror(from, to results.RunDir) error {
	return mirror(from, to, func(results.LedgerEntry) bool { return true })
}

func mirror(from, to results.RunDir, wanted func(results.LedgerEntry) bool) error {
	theirs, err := OpenLedger(from).Read()
	if err != nil {
		return err
	}
	ours, err := OpenLedger(to).Read()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	key := func(e results.LedgerEntry) string { return fmt.Sprint(e.JobName, e.Event, e.JobID) }
	for _, e := range ours {
		known[key(e)] = true
	}
	for _, e := range theirs {
		if known[key(e)] || !wanted(e) {
			continue
		}
		known[key(e)] = true
		if err := OpenLedger(to).Add(e); err != nil {
			return err
		}
	}
	return nil
}
