package suite

import (
	"context"
	"errors"
	"fmt"

	"hpcbench/jobs"
	"hpcbench/results"
	"hpcbench/slurm"
)

// bring takes an entry's next part as far as the scheduler: makes it where it isn't
// there, and submits what was never submitted.
func (m *Machine) bring(ctx context.Context, all []known, s *standing) (bool, error) {
	if s.part.Look <= s.lastLook() { // being looked at again, or gone on with
		s.part.Pairs = s.at(s.part.Look).pairs
	}
	made, there, err := m.Open(s.part)
	if err != nil {
		return false, m.trouble(s, "%v", err)
	}
	if !there {
		var moved bool
		if made, moved, err = m.make(ctx, all, s); err != nil || s.state.Phase != "" || moved {
			return moved, err
		}
	}
	if p := s.at(s.part.Look); !p.made {
		*p = part{look: s.part.Look, pairs: s.part.Pairs, made: true, run: made.Run.Name, gpuHours: WorstGPUHours(made.Run.Spec)}
		if err := m.add(Event{Entry: s.entry, What: EventMade, Look: p.look, Pairs: p.pairs, Run: p.run, GPUHours: p.gpuHours}); err != nil {
			return false, err
		}
	}
	s.made = &made
	return false, m.submit(ctx, all, s)
}

// make publishes a part that isn't there. Where it can't, pairs are judged without,
// and tonight's run is in trouble.
func (m *Machine) make(ctx context.Context, all []known, s *standing) (Made, bool, error) {
	without := func(words string) (Made, bool, error) {
		if s.part.Look == 0 {
			return Made{}, false, m.trouble(s, "%s", words)
		}
		moved, err := m.judge(ctx, s, words)
		return Made{}, moved, err
	}
	draft, err := m.Resolve(ctx, s.part)
	if err != nil {
		if ctx.Err() != nil {
			return Made{}, false, ctx.Err()
		}
		return without(err.Error())
	}
	need, left := WorstGPUHours(draft.Spec), m.BudgetGPUHours-reserved(all)
	if m.BudgetGPUHours > 0 && need > left {
		words := fmt.Sprintf("it may take %.3g GPU-hours at worst, and %.3g of the night's %.3g are left", need, max(0, left), m.BudgetGPUHours)
		if m.mayRelease(all, s.entry) {
			s.state.Phase, s.state.Words = PhaseWaiting, words
			return Made{}, false, nil
		}
		return without(words)
	}
	made, err := draft.Publish()
	if errors.Is(err, jobs.ErrExists) {
		var there bool
		if made, there, err = m.Open(s.part); err == nil && !there {
			err = fmt.Errorf("the run of %s was just made by another hpcbench and is gone", s.part.Key())
		}
	}
	if err != nil {
		return Made{}, false, m.trouble(s, "%v", err)
	}
	return made, false, nil
}

// mayRelease says that some of the budget may come back: what is under way, or not
// accounted yet, is reserved at its worst and mostly takes less.
func (m *Machine) mayRelease(all []known, but string) bool {
	for _, k := range all {
		if k.entry != but && k.underWay() {
			return true
		}
		for _, p := range k.parts {
			if !p.over.IsZero() && !p.settled && m.Now().Sub(p.over) < goneFor {
				return true
			}
		}
	}
	return false
}

// reserved is what the night has taken, with what is under way at its worst.
func reserved(all []known) float64 {
	sum := 0.0
	for _, k := range all {
		for _, p := range k.parts {
			sum += p.gpuHours
		}
	}
	return sum
}

// WorstGPUHours is what a run may take: its GPUs for the whole walltime of each of its jobs.
func WorstGPUHours(s results.Spec) float64 {
	return float64(s.Job.GPUs) * float64(max(1, len(s.Grouping.Jobs))) * float64(s.Job.WalltimeS) / 3600
}

// spent is what a part really took, by the accounting; false where it doesn't know all of it.
func (m *Machine) spent(ctx context.Context, made Made) (float64, bool) {
	sub, err := m.Submitter(made)
	if err != nil {
		return 0, false
	}
	rows, err := jobs.Accounting(ctx, sub.Scheduler, made.Run.Dir)
	if err != nil || len(rows) == 0 {
		return 0, false
	}
	hours := 0.0
	for _, r := range rows {
		if !r.Ended {
			return 0, false
		}
		hours += float64(made.Run.Spec.Job.GPUs) * r.Elapsed.Hours()
	}
	return hours, true
}

// submit sends what was never sent of a part.
func (m *Machine) submit(ctx context.Context, all []known, s *standing) error {
	made := *s.made
	sub, err := m.Submitter(made)
	if err != nil {
		return m.trouble(s, "%v", err)
	}
	if err := sub.Settle(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return m.trouble(s, "%v", err)
	}
	unsent, err := jobs.Unsent(made.Run.Dir, made.Run.Spec.Repeats)
	if err != nil {
		return m.trouble(s, "%v", err)
	}
	if len(unsent) == 0 {
		return mirror(made)
	}
	over, err := m.overBudget(s.part)
	switch {
	case err != nil:
		return err
	case over && m.mayRelease(all, s.entry):
		s.state.Phase, s.state.Words, s.made = PhaseWaiting, "for the budget: another hpcbench reserved it first", nil
		return nil
	case over:
		return m.trouble(s, "the night's budget of %.3g GPU-hours has no room for %s", m.BudgetGPUHours, made.Run.Name)
	}
	release, ok, err := m.claim(s.part.Key())
	if err != nil {
		return err
	}
	if !ok {
		s.state.Phase, s.state.Words, s.made = PhaseWaiting, "another hpcbench is submitting it", nil
		return nil
	}
	ids, err := sub.SubmitOnce(ctx)
	switch {
	case errors.Is(err, jobs.ErrUnderway):
		s.state.Phase, s.state.Words, s.made = PhaseWaiting, "another hpcbench is submitting it", nil
		return nil
	case errors.Is(err, slurm.ErrLost):
		s.state.Phase, s.state.Words, s.made = PhaseWaiting, err.Error(), nil
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && len(ids) == 0:
		return errors.Join(release(), m.trouble(s, "%v", err))
	}
	if err := mirror(made); err != nil {
		return err
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	m.say("%s: submitted %s as job %v", s.entry, made.Run.Name, names)
	return m.add(Event{Entry: s.entry, What: EventSubmitted, Look: s.part.Look, Run: made.Run.Name, Jobs: names})
}

// mirror keeps the ledger of the frozen side equal to the candidate's: they share their jobs.
func mirror(made Made) error {
	if made.Base == nil {
		return nil
	}
	return jobs.Mirror(made.Run.Dir, made.Base.Dir)
}

// overBudget says that parts which were made before this one leave no room for it: two
// callers may each have thought that there was some. The order of the events decides.
func (m *Machine) overBudget(p Part) (bool, error) {
	if m.BudgetGPUHours <= 0 {
		return false, nil
	}
	events, err := readEvents(m.Dir)
	if err != nil {
		return false, err
	}
	type id struct {
		entry string
		look  int
	}
	hours := map[id]float64{}
	var order []id
	for _, e := range events {
		at := id{e.Entry, e.Look}
		switch e.What {
		case EventMade:
			if _, seen := hours[at]; !seen {
				order = append(order, at)
			}
			hours[at] = e.GPUHours
		case EventOver:
			if e.Settled {
				hours[at] = e.GPUHours
			}
		}
	}
	sum := 0.0
	for _, at := range order {
		sum += hours[at]
		if at == (id{p.Entry, p.Look}) {
			break
		}
	}
	return sum > m.BudgetGPUHours, nil
}
