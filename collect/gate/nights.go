package gate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hpcbench/results"
)

// FormatNight stands first in every line of a suite's nights.
const FormatNight = "hpcbench.night/1"

// NightRecord is one judged night of one entry: a line of the suite's nights.jsonl.
type NightRecord struct {
	Format string    `json:"format"`
	Suite  string    `json:"suite"`
	Entry  string    `json:"entry"`
	Night  string    `json:"night"` // YYYY-MM-DD, the night's own name: a second line on it replaces the first
	At     time.Time `json:"at"`    // UTC
	Run    string    `json:"run"`
	Pairs  []string  `json:"pair_runs,omitempty"` // the confirming runs
	State  State     `json:"state"`
	Reason string    `json:"reason"`
	Failed bool      `json:"failed,omitempty"`
	// Conditions is ConditionsOf the run; nights under other ones are no history of this one.
	Conditions string    `json:"conditions,omitempty"`
	Figures    []Figures `json:"figures"`
}

// good says whether the night counts as history. A machine that changed does:
// the software was shown to be no slower, and the next nights are like it.
func (n NightRecord) good() bool {
	return n.State == Green || n.State == Learning || n.State == MachineChanged
}

// Nights are the judged nights of a suite, in the order of their names: one may be made up for later.
type Nights []NightRecord

// AppendNight adds a line to a suite's nights and syncs it, since the next call decides by it.
func AppendNight(path string, n NightRecord) error {
	n.Format = FormatNight
	b, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("write the night: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write the night: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the night: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write the night to %s: %w", path, err)
	}
	return nil
}

// LoadNights reads a suite's nights; of several lines on one entry and night the last counts.
func LoadNights(path string) (Nights, results.Lines, error) {
	var out Nights
	at := map[string]int{}
	foreign := 0
	lines, err := results.ReadLinesFile(path, func(n NightRecord) {
		if n.Format != FormatNight {
			foreign++
			return
		}
		key := n.Entry + "\x00" + n.Night
		if i, seen := at[key]; seen {
			out[i] = n
			return
		}
		at[key] = len(out)
		out = append(out, n)
	})
	if err != nil {
		return nil, lines, fmt.Errorf("read the nights: %w", err)
	}
	lines.Bad += foreign
	slices.SortStableFunc(out, func(a, b NightRecord) int { return cmp.Or(cmp.Compare(a.Night, b.Night), a.At.Compare(b.At)) })
	return out, lines, nil
}

// Past is what is known of a row before a night: the last good nights of the
// window, and the pinned baseline's repeats (nil = none).
func (ns Nights) Past(entry, night string, k Key, window int, pinned *Baseline) Past {
	var p Past
	for _, n := range ns {
		if n.Entry != entry || n.Night >= night || !n.good() {
			continue
		}
		for _, f := range n.Figures {
			if f.Key == k && len(f.Values) > 0 {
				p.Nights = append(p.Nights, f.Values)
			}
		}
	}
	if len(p.Nights) > window {
		p.Nights = p.Nights[len(p.Nights)-window:]
	}
	if pinned != nil {
		p.Pinned = pinned.Values(k)
	}
	return p
}

// InconclusiveRunning is how many of an entry's last nights before a night were inconclusive one after another.
func (ns Nights) InconclusiveRunning(entry, night string) int {
	n := 0
	for _, r := range ns {
		switch {
		case r.Entry != entry || r.Night >= night:
		case r.State == Inconclusive:
			n++
		default:
			n = 0
		}
	}
	return n
}
