package load

import (
	"errors"
	"fmt"
	"os"

	"hpcbench/load/plans"
	"hpcbench/results"
)

// steps decides what is run: the steps of a static plan, those that an earlier
// repeat froze, or a stepper whose choice is to be frozen.
func (r *runner) steps() (next plans.Stepper, known []results.Step, freeze bool, err error) {
	if plans.Static(r.plan.Kind) {
		known, err = plans.Steps(r.plan, r.cfg.Facts)
		return plans.Fixed(known), known, false, err
	}
	if r.cfg.StepsFile != "" {
		frozen, err := results.ReadJSON[results.FrozenSteps](r.cfg.StepsFile, results.FormatSteps)
		switch {
		case err == nil && frozen.SpecDigest == r.cfg.Attempt.Get().SpecDigest:
			return plans.Fixed(frozen.Steps), frozen.Steps, false, nil
		case err == nil:
			return nil, nil, false, fmt.Errorf("%s was written for another spec; remove it or start a new run", r.cfg.StepsFile)
		case !errors.Is(err, os.ErrNotExist):
			return nil, nil, false, fmt.Errorf("read the frozen steps: %w", err)
		}
	}
	next, err = plans.New(r.plan, r.cfg.Facts)
	return next, nil, true, err
}

// freeze keeps the steps that were run for the other repeats, unless one of
// them was faster, and names the schedule they made.
func (r *runner) freeze(ran []results.Step) error {
	if err := r.setDigest(ran); err != nil {
		return err
	}
	if r.cfg.StepsFile == "" {
		return nil
	}
	a := r.cfg.Attempt.Get()
	frozen := results.FrozenSteps{Format: results.FormatSteps, SpecDigest: a.SpecDigest, ByRepeat: a.Repeat, ByAttempt: a.Attempt, Steps: ran}
	own := string(r.cfg.Dir) + "/steps.json"
	if err := results.WriteJSON(own, frozen, r.cfg.Mode); err != nil {
		return fmt.Errorf("freeze the steps: %w", err)
	}
	defer os.Remove(own)
	// A hard link is made by one of several only.
	if err := os.Link(own, r.cfg.StepsFile); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("freeze the steps: %w", err)
	}
	return nil
}
