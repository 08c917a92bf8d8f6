package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hpcbench/results"
)

// FormatEvent stands first in every line of a night's events.
const FormatEvent = "hpcbench.nightly/1"

// What an event says.
const (
	EventMade      = "made"      // the run folders of a part are there
	EventSubmitted = "submitted" // its jobs were sent
	EventGone      = "gone"      // its job left the queue and nobody says how
	EventOver      = "over"      // nothing of it is under way any more; once more when its cost is known
	EventJudged    = "judged"
	EventTrouble   = "trouble" // it can't be measured; looked at again at the next call
)

// Event is one line of a night's events.jsonl.
type Event struct {
	Format string    `json:"format"`
	At     time.Time `json:"at"` // UTC
	By     string    `json:"by"` // host and process
	Entry  string    `json:"entry"`
	What   string    `json:"event"`
	Look   int       `json:"look"`            // 0 = tonight's run, 1… = the pairs of that look
	Pairs  int       `json:"pairs,omitempty"` // of this look
	Run    string    `json:"run,omitempty"`
	Jobs   []string  `json:"jobs,omitempty"`
	// GPUHours are reserved at worst when a part is made, and spent when the accounting knows it (Settled).
	GPUHours  float64    `json:"gpu_hours,omitempty"`
	Settled   bool       `json:"settled,omitempty"`
	Words     string     `json:"words,omitempty"`
	Judgement *Judgement `json:"judgement,omitempty"`
}

func eventsFile(dir string) string { return filepath.Join(dir, "events.jsonl") }

// add appends an event and syncs it, since the next call decides by it.
func (m *Machine) add(e Event) error {
	e.Format, e.At, e.By = FormatEvent, m.Now().UTC(), m.by()
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write the night's events: %w", err)
	}
	f, err := os.OpenFile(eventsFile(m.Dir), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o640) // the folder decides whether the group gets there
	if err != nil {
		return fmt.Errorf("write the night's events: %w", err)
	}
	// A blank line does no harm, a line joined to the half one of a killed writer does.
	_, err = f.Write(append(append([]byte("\n"), b...), '\n'))
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("write the night's events %s: %w", eventsFile(m.Dir), err)
	}
	return nil
}

func (m *Machine) by() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("%s:%d", host, os.Getpid())
}

// readEvents reads a night's events; lines that can't be read are left out: each was
// written before anything was done about it.
func readEvents(dir string) ([]Event, error) {
	var all []Event
	_, err := results.ReadLinesFile(eventsFile(dir), func(e Event) {
		if e.Format == FormatEvent && e.Look >= 0 && (e.What != EventJudged || e.Judgement != nil) {
			all = append(all, e)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read the night's events: %w", err)
	}
	return all, nil
}

// known is what a night's events say of one entry.
type known struct {
	entry     string
	judgement *Judgement // the last one
	judged    int        // the look after which it was made
	trouble   string     // the last word, where it is one of trouble
	parts     []part     // by look
}

type part struct {
	look      int
	pairs     int // of this look
	made      bool
	submitted bool
	over      time.Time
	gone      time.Time
	settled   bool // gpuHours are what was spent
	gpuHours  float64
	run       string
	jobs      []string
}

// underWay says that something was begun which is neither decided nor in trouble.
func (k known) underWay() bool {
	return k.trouble == "" && len(k.parts) > 0 && (k.judgement == nil || k.judgement.Pairs > 0)
}

// final says that the entry is decided and nothing is looked at again.
func (k known) final() bool {
	return k.judgement != nil && k.judgement.Pairs == 0 && !k.judgement.Again
}

// at answers the part of a look, made where it isn't there yet.
func (k *known) at(look int) *part {
	for i := range k.parts {
		if k.parts[i].look == look {
			return &k.parts[i]
		}
	}
	k.parts = append(k.parts, part{look: look})
	return &k.parts[len(k.parts)-1]
}

// fold puts the events together, by entry in the order in which they first came.
func fold(all []Event) []known {
	var out []known
	at := map[string]int{}
	for _, e := range all {
		i, seen := at[e.Entry]
		if !seen {
			i = len(out)
			at[e.Entry] = i
			out = append(out, known{entry: e.Entry})
		}
		k := &out[i]
		k.trouble = ""
		switch e.What {
		case EventMade:
			p := k.at(e.Look)
			p.made, p.pairs, p.gpuHours, p.run = true, e.Pairs, e.GPUHours, e.Run
		case EventSubmitted:
			p := k.at(e.Look)
			p.submitted, p.settled, p.over, p.jobs = true, false, time.Time{}, append(p.jobs, e.Jobs...)
		case EventGone:
			if p := k.at(e.Look); p.gone.IsZero() {
				p.gone = e.At
			}
		case EventOver:
			p := k.at(e.Look)
			if p.over.IsZero() {
				p.over = e.At
			}
			if e.Settled {
				p.settled, p.gpuHours = true, e.GPUHours
			}
		case EventJudged:
			k.judgement, k.judged = e.Judgement, e.Look
		case EventTrouble:
			k.trouble = e.Words
		}
	}
	return out
}
