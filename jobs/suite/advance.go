package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sethvargo/go-retry"

	"hpcbench/jobs"
)

// Advance does what can be done now and answers how the night stands. Called again
// after an interruption it goes on where the last call was. The error is for state
// that can't be read or written; what is wrong with one entry is that entry's trouble.
func (m *Machine) Advance(ctx context.Context) (State, error) {
	if err := os.MkdirAll(m.Dir, 0o750); err != nil {
		return State{}, fmt.Errorf("make the night's folder: %w", err)
	}
	for {
		state, moved, err := m.round(ctx)
		if err != nil || !moved {
			return state, err
		}
	}
}

// standing is one entry within a round.
type standing struct {
	known
	state EntryState
	part  Part
	made  *Made // what is to be looked at; nil = nothing
}

// round brings every entry's next part to the scheduler, asks once for all that is
// under way, and has judged what is over. moved says that an entry took a step that
// another round can go on from.
func (m *Machine) round(ctx context.Context) (State, bool, error) {
	all, err := m.load()
	if err != nil {
		return State{}, false, err
	}
	if err := m.costs(ctx, all); err != nil {
		return State{}, false, err
	}
	if all, err = m.load(); err != nil {
		return State{}, false, err
	}
	moved := false
	list := make([]standing, len(all))
	for i, k := range all {
		list[i] = standing{known: k, part: k.next(), state: EntryState{Entry: k.entry, Judgement: k.judgement}}
		s := &list[i]
		if k.final() {
			s.state.Phase, s.state.Words = PhaseDecided, k.judgement.Reason
			continue
		}
		stepped, err := m.bring(ctx, all, s)
		if err != nil {
			return State{}, false, err
		}
		moved = moved || stepped
	}
	stepped, err := m.look(ctx, list)
	if err != nil {
		return State{}, false, err
	}
	return m.stateOf(list), moved || stepped, nil
}

// stateOf reads the night once more, so that what was just written counts.
func (m *Machine) stateOf(list []standing) State {
	out := State{Night: m.Night}
	fresh, err := m.load()
	for i := range list {
		s := &list[i]
		if err == nil {
			s.known = fresh[i]
		}
		for _, p := range s.parts {
			if p.look == 0 {
				s.state.Run = p.run
			} else {
				s.state.Pairs = append(s.state.Pairs, p.run)
			}
			s.state.GPUHours += p.gpuHours
		}
		s.state.Judgement = s.judgement
		out.GPUHours += s.state.GPUHours
		out.Entries = append(out.Entries, s.state)
	}
	return out
}

// trouble puts an entry into trouble, and says so in the events where it is news.
func (m *Machine) trouble(s *standing, format string, args ...any) error {
	words := fmt.Sprintf(format, args...)
	s.state.Phase, s.state.Words, s.made = PhaseTrouble, words, nil
	if s.trouble == words {
		return nil
	}
	s.trouble = words
	m.say("%s: %s", s.entry, words)
	return m.add(Event{Entry: s.entry, What: EventTrouble, Look: s.part.Look, Words: words})
}

// look asks for everything that was sent, and settles what is over.
func (m *Machine) look(ctx context.Context, list []standing) (bool, error) {
	var ask []jobs.Entry
	for _, s := range list {
		if s.made != nil {
			ask = append(ask, s.made.entries()...)
		}
	}
	if len(ask) == 0 {
		return false, nil
	}
	answers, err := m.Status(ctx, ask)
	if err != nil {
		return false, err
	}
	byDir := map[string]jobs.RunStatus{}
	for _, a := range answers {
		byDir[a.Dir] = a
	}
	moved := false
	for i := range list {
		s := &list[i]
		if s.made == nil {
			continue
		}
		var mine []jobs.RunStatus
		for _, e := range s.made.entries() {
			mine = append(mine, byDir[string(e.Dir)])
		}
		stepped, err := m.settle(ctx, s, mine)
		if err != nil {
			return false, err
		}
		moved = moved || stepped
	}
	return moved, nil
}

func (m Made) entries() []jobs.Entry {
	if m.Base == nil {
		return []jobs.Entry{m.Run}
	}
	return []jobs.Entry{m.Run, *m.Base}
}

// goneFor is as in jobs.Wait: how long a job may be in neither queue nor accounting
// before its repeats count as over.
const goneFor = 10 * time.Minute

// settle takes a part on according to what its jobs do.
func (m *Machine) settle(ctx context.Context, s *standing, runs []jobs.RunStatus) (bool, error) {
	never, gone, under := "", false, false
	count := map[string]int{}
	for _, run := range runs {
		for _, r := range run.Repeats {
			count[r.Phase]++
			switch {
			case r.Never:
				never = r.Words
			case r.Gone:
				gone = true
			case !r.Over():
				under = true
			}
		}
	}
	p := s.at(s.part.Look)
	switch {
	case never != "":
		return false, m.trouble(s, "its job can never start: %s; `hpcbench cancel %s` removes it", never, s.made.Run.Name)
	case under:
		s.state.Phase, s.state.Words = PhaseUnderWay, phaseWords(count)
		return false, nil
	case gone && p.gone.IsZero():
		s.state.Phase, s.state.Words = PhaseUnderWay, "its job left the queue, and nobody says yet how it ended"
		return false, m.add(Event{Entry: s.entry, What: EventGone, Look: s.part.Look})
	case gone && m.Now().Sub(p.gone) < goneFor:
		s.state.Phase, s.state.Words = PhaseUnderWay, "its job left the queue, and nobody says yet how it ended"
		return false, nil
	}
	if err := m.over(ctx, s, p); err != nil {
		return false, err
	}
	for _, run := range runs {
		n := run.Complete()
		switch {
		case s.part.Look == 0 && n < m.Enough:
			return false, m.trouble(s, "%s: %d of %d repeats are complete, %d are needed: %s; `hpcbench resume %s` sends the missing ones again",
				run.Name, n, len(run.Repeats), m.Enough, why(run), run.Name)
		case n == 0: // where some pairs are there the judge says whether they suffice
			return false, m.trouble(s, "%s: not one of %d pairs is complete: %s", run.Name, len(run.Repeats), why(run))
		}
	}
	return m.judge(ctx, s, "")
}

// over writes down that a part is over, and what it took where that is known already.
func (m *Machine) over(ctx context.Context, s *standing, p *part) error {
	hours, settled := m.spent(ctx, *s.made)
	if !p.over.IsZero() && (!settled || p.settled && hours == p.gpuHours) {
		return nil
	}
	return m.add(Event{Entry: s.entry, What: EventOver, Look: s.part.Look, Run: s.made.Run.Name, GPUHours: hours, Settled: settled})
}

// costs asks for what parts took that are over and whose cost wasn't known then: the
// accounting is some seconds late.
func (m *Machine) costs(ctx context.Context, all []known) error {
	for _, k := range all {
		for _, p := range k.parts {
			if p.over.IsZero() || p.settled {
				continue
			}
			made, there, err := m.Open(Part{Entry: k.entry, Look: p.look, Pairs: p.pairs})
			if err != nil || !there {
				continue // it keeps its reserve
			}
			if hours, ok := m.spent(ctx, made); ok {
				if err := m.add(Event{Entry: k.entry, What: EventOver, Look: p.look, Run: p.run, GPUHours: hours, Settled: true}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func phaseWords(count map[string]int) string {
	var parts []string
	for _, phase := range []string{jobs.PhaseRunning, jobs.PhasePending, jobs.PhaseUnclear, jobs.PhaseComplete, jobs.PhaseFailed, jobs.PhaseInterrupted, jobs.PhaseCancelled} {
		if count[phase] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[phase], phase))
		}
	}
	return "repeats: " + strings.Join(parts, ", ")
}

// why is the reason of the first repeat that isn't complete.
func why(run jobs.RunStatus) string {
	i := slices.IndexFunc(run.Repeats, func(r jobs.RepeatStatus) bool { return r.Phase != jobs.PhaseComplete })
	if i < 0 {
		return "all are complete"
	}
	return fmt.Sprintf("repeat %d %s: %s", run.Repeats[i].Index, run.Repeats[i].Phase, run.Repeats[i].Words)
}

// judge shows an entry to the judge and writes down what it says.
func (m *Machine) judge(ctx context.Context, s *standing, noMore string) (bool, error) {
	seen := Seen{Entry: s.entry, Night: m.Night, NoMore: noMore}
	for _, p := range s.parts {
		made, there, err := m.Open(Part{Entry: s.entry, Look: p.look, Pairs: p.pairs})
		switch {
		case err != nil:
			return false, m.trouble(s, "%v", err)
		case !there:
			return false, m.trouble(s, "the run %s is gone", p.run)
		case p.look == 0:
			seen.Run = made
		default:
			seen.Looks = append(seen.Looks, made)
		}
	}
	j, err := m.Judge(ctx, seen)
	if err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return false, m.trouble(s, "it can't be judged: %v", err)
	}
	have := 0
	for _, p := range s.parts {
		have += p.pairs
	}
	if j.Pairs > 0 && (noMore != "" || j.Pairs <= have) {
		return false, fmt.Errorf("the judge of %s asks for %d pairs where there are %d and no more can be had", s.entry, j.Pairs, have)
	}
	s.state.Phase, s.state.Words = PhaseDecided, j.Reason
	if j.Pairs > 0 {
		s.state.Phase = PhaseWaiting
	}
	if s.judgement != nil && *s.judgement == j && s.judged == s.lastLook() && s.trouble == "" {
		return false, nil
	}
	m.say("%s: %s: %s", s.entry, j.State, j.Reason)
	return !j.Again, m.add(Event{Entry: s.entry, What: EventJudged, Look: s.lastLook(), Judgement: &j})
}

// lastLook is the highest look that has a part.
func (k known) lastLook() int {
	last := 0
	for _, p := range k.parts {
		last = max(last, p.look)
	}
	return last
}

// errUnder keeps the waiting going.
var errUnder = errors.New("not over yet")

// Run calls Advance until the night is over or the context ends, and calls seen with
// every state. The first calls come soon, since a short job would else be waited for a
// whole interval; then one in every interval, with jitter.
func (m *Machine) Run(ctx context.Context, every time.Duration, seen func(State)) (State, error) {
	every = max(every, time.Second)
	backoff := retry.WithJitterPercent(10, retry.WithCappedDuration(every, retry.NewExponential(time.Second)))
	var last State
	err := retry.Do(ctx, backoff, func(ctx context.Context) error {
		state, err := m.Advance(ctx)
		if err != nil {
			return err
		}
		last = state
		seen(state)
		if !state.Over() {
			return retry.RetryableError(errUnder)
		}
		return nil
	})
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // an interrupted wait leaves the jobs as they are
	}
	return last, err
}
