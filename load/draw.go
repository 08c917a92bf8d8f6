package load

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"hpcbench/load/pace"
	"hpcbench/load/prompt"
	"hpcbench/results"
)

// drawnLengths is how many requests of a closed loop enter the schedule's
// digest: how many are sent is up to the server.
const drawnLengths = 1000

// arrivals draws when an open step's requests are due, as offsets from its
// window's start; those of its warm-up have a seed of their own.
func arrivals(p results.Plan, repeat int, s results.Step, phase string, window time.Duration) ([]time.Duration, error) {
	var pacer pace.Pacer = pace.Constant{PerS: s.RatePerS}
	if s.Arrival == "poisson" {
		pacer = pace.Poisson{PerS: s.RatePerS, Seed: seedOf(p.Seed, repeat, s.Index, phase)}
	}
	at, err := pace.Draw(pacer, window)
	if err != nil {
		return nil, fmt.Errorf("step %s: %w", s.ID, err)
	}
	if s.MaxRequests > 0 && phase == results.PhaseWindow {
		at = at[:min(len(at), s.MaxRequests)]
	}
	return at, nil
}

// seedOf is the seed of one thing of one step of one repeat.
func seedOf(seed uint64, repeat, step int, what string) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "hpcbench seed 1 %d %d %d %s", seed, repeat, step, what))
	var v uint64
	for _, b := range sum[:8] {
		v = v<<8 | uint64(b)
	}
	return v
}

// digestOf names the schedule of a repeat: arrivals and lengths of all steps.
// Two runs of one plan and seed have equal digests for each repeat.
func digestOf(p results.Plan, repeat int, steps []results.Step, m *prompt.Maker) (string, error) {
	h := sha256.New()
	for _, s := range steps {
		if s.NotRun != "" {
			fmt.Fprintf(h, "%s not run\n", s.ID)
			continue
		}
		var at []time.Duration
		n := drawnLengths
		if s.Loop == results.LoopOpen {
			var err error
			if at, err = arrivals(p, repeat, s, results.PhaseWindow, seconds(s.DurationS)); err != nil {
				return "", err
			}
			n = len(at)
		}
		lengths := make([]pace.Lengths, n)
		for i := range lengths {
			lengths[i].PromptTokens, lengths[i].OutputTokens = m.Lengths(s, i)
		}
		fmt.Fprintf(h, "%s %s\n", s.ID, pace.Digest(at, lengths))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
