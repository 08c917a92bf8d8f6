package gate

import (
	"hpcbench/collect/read"
)

// Judger judges the nights of one entry of a suite: what a state machine that
// submits the jobs is handed as its judge. It holds what is known before the
// night and changes nothing.
type Judger struct {
	Rule   Rule
	Entry  Entry
	Nights Nights
	Pinned *Baseline // nil = none was promoted
	// AA are runs of the same software against itself: their repeats say how large a step's variance is, and nothing else.
	AA    Nights
	Night string // its name, YYYY-MM-DD
}

// Screen judges the night's own run. NeedsPairs asks for Night.Pairs repeats of
// the frozen baseline and of the candidate in one job on one node.
func (j Judger) Screen(run *read.Run) Night {
	return j.Rule.Judge(j.screen(run), nil, j.Nights.InconclusiveRunning(j.Entry.Name, j.Night))
}

func (j Judger) screen(run *read.Run) []ScreenRow {
	return j.Rule.ScreenAll(FiguresOf(run, j.Entry), j.past, j.Entry.GatesByMetric())
}

func (j Judger) past(k Key) Past {
	return j.Nights.Past(j.Entry.Name, j.Night, k, j.Entry.Baseline.WindowNights, j.Pinned)
}

// spread is what is known of a row's variance: the past, and the A/A runs.
func (j Judger) spread(k Key) Past {
	p := j.past(k)
	for _, n := range j.AA {
		if n.Entry != j.Entry.Name {
			continue
		}
		for _, f := range n.Figures {
			if f.Key == k {
				p.Nights = append(p.Nights, f.Values)
			}
		}
	}
	return p
}

// Confirm judges the night again with the looks so far. noMore says why no
// further pairs can be had, "" where they can: what is undecided then ends as
// inconclusive. Problems are pairs that don't count, in words.
func (j Judger) Confirm(run *read.Run, looks []Look, noMore string) (Night, []string) {
	screen := j.screen(run)
	before := j.Nights.InconclusiveRunning(j.Entry.Name, j.Night)
	byKey := map[Key]ScreenRow{}
	for _, s := range screen {
		byKey[s.Key] = s
	}
	pairs, problems := PairsOf(looks, j.Rule.Judge(screen, nil, 0).Suspects(), j.spread, j.Rule)
	confirm := j.Rule.Confirm(pairs, len(screen), byKey, j.Entry.GatesByMetric())
	if noMore != "" {
		for i := range confirm {
			if confirm[i].State == NeedsPairs {
				confirm[i].State = Inconclusive
				confirm[i].Reason = "no more pairs can be had (" + noMore + "): " + confirm[i].Reason
			}
		}
	}
	return j.Rule.Judge(screen, confirm, before), problems
}

// Record is the line that the night leaves for the nights after it.
func (j Judger) Record(suite string, run *read.Run, n Night) NightRecord {
	at := run.Spec.CreatedAt.UTC()
	return NightRecord{Format: FormatNight, Suite: suite, Entry: j.Entry.Name, Night: j.Night, At: at, Run: run.Spec.Name,
		State: n.State, Reason: n.Reason, Failed: n.Failed, Conditions: ConditionsOf(run), Figures: FiguresOf(run, j.Entry)}
}
