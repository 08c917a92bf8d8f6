package jobs

import (
	"encoding/json"
	"fmt"
	"os"

	"hpcbench/results"
)

// Ledger is jobs.jsonl of a run: what was asked of the scheduler and what it
// answered. An entry is on the disk before the next thing happens.
type Ledger struct{ path string }

// OpenLedger answers the run's ledger; it may not exist yet.
func OpenLedger(run results.RunDir) Ledger { return Ledger{run.Ledger()} }

// Add appends an entry and syncs it.
func (l Ledger) Add(e results.LedgerEntry) error {
	e.Format = results.FormatLedger
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o640) // the folder decides whether the group gets there
	if err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	if torn(f) {
		b = append([]byte{'\n'}, b...) // or the entry would be glued to the half line of a writer that was killed
	}
	_, err = f.Write(append(b, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("write the ledger %s: %w", l.path, err)
	}
	return nil
}

// torn says whether the file ends in the middle of a line.
func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// Read answers all entries. A torn line is an entry that was never acted on, since
// Add syncs before anything else happens.
func (l Ledger) Read() ([]results.LedgerEntry, error) {
	var all []results.LedgerEntry
	if _, err := results.ReadLinesFile(l.path, func(e results.LedgerEntry) { all = append(all, e) }); err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	return all, nil
}

// Submission is one sbatch of the ledger with how far it came.
type Submission struct {
	results.LedgerEntry
	// Open says that sbatch was called (or about to be) and no answer is written: it must be looked for by name
	// before another is sent.
	Open      bool
	Cancelled bool
}

// Submissions folds the entries: one for each job name, in order.
func Submissions(entries []results.LedgerEntry) []Submission {
	var all []Submission
	at := map[string]int{}
	for _, e := range entries {
		i, known := at[e.JobName]
		if !known {
			i = len(all)
			at[e.JobName] = i
			all = append(all, Submission{LedgerEntry: e, Open: true})
		}
		s := &all[i]
		switch e.Event {
		case results.LedgerSubmitted, results.LedgerFound:
			s.JobID, s.Open, s.Event = e.JobID, false, e.Event
		case results.LedgerRefused:
			s.Words, s.Open, s.Event = e.Words, false, e.Event
		case results.LedgerCancelled:
			s.Cancelled = true
		}
	}
	return all
}
