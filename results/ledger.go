package results

import "time"

// Ledger events.
const (
	LedgerIntent    = "intent"    // about to call sbatch with this job name
	LedgerSubmitted = "submitted" // sbatch answered with this id
	LedgerFound     = "found"     // the answer was lost; the job was found by its name
	LedgerRefused   = "refused"   // sbatch said no
	LedgerCancelled = "cancelled"
)

// LedgerEntry is one line of jobs.jsonl. An intent is written (and synced)
// before sbatch is called, so that a lost answer never makes a second job.
type LedgerEntry struct {
	Format  string    `json:"format"`
	At      time.Time `json:"at"`
	Event   string    `json:"event"`
	JobName string    `json:"job_name"` // unique: the run's name and a random part
	JobID   string    `json:"job_id,omitempty"`
	Group   int       `json:"group"` // index into Grouping.Jobs; -1 = one array over all of them
	Repeats []int     `json:"repeats"`
	Array   string    `json:"array,omitempty"`
	Words   string    `json:"words,omitempty"` // sbatch's, where it refused
}
