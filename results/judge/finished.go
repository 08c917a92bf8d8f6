package judge

import "hpcbench/results"

// finished: a window that was cut isn't the window that was asked for. Where
// the attempt itself ran to its end, a limit of the plan cut it, on purpose.
func finished(s results.StepSummary, state string) []results.Finding {
	if s.NoWindow {
		return []results.Finding{plain(results.LevelInvalid, CodeNoWindow,
			"telemetry has no edges of this step, so its records can't be placed in time")}
	}
	if s.Finished {
		return nil
	}
	if state == results.StateComplete && s.WindowS > 0 {
		if s.Step.DurationS > 0 {
			return []results.Finding{limited(results.LevelWarning, CodeEndedEarly, s.WindowS, s.Step.DurationS,
				"a limit of the plan ended the window after %.4g s of %.4g s", s.WindowS, s.Step.DurationS)}
		}
		return []results.Finding{plain(results.LevelWarning, CodeEndedEarly, "a limit of the plan ended the step after %.4g s", s.WindowS)}
	}
	if s.WindowS <= 0 {
		return []results.Finding{plain(results.LevelInvalid, CodeUnfinished, "its window never opened")}
	}
	if s.Step.DurationS > 0 {
		return []results.Finding{limited(results.LevelInvalid, CodeUnfinished, s.WindowS, s.Step.DurationS,
			"its window was left after %.4g s of %.4g s", s.WindowS, s.Step.DurationS)}
	}
	return []results.Finding{plain(results.LevelInvalid, CodeUnfinished, "the step was left after %.4g s", s.WindowS)}
}

// repeat judges what concerns the attempt as a whole.
func repeat(s results.Summary, a results.Attempt) []results.Finding {
	var found []results.Finding
	add := func(f results.Finding) { found = append(found, f) }
	words := ""
	if a.Failure != nil {
		words = ": " + a.Failure.Words
	}
	switch s.State {
	case results.StateComplete:
	case results.StateInterrupted:
		add(plain(results.LevelInvalid, CodeInterrupted, "interrupted%s; the steps before it stand", words))
	case results.StateFailed:
		add(plain(results.LevelInvalid, CodeFailed, "failed%s", words))
	default:
		add(plain(results.LevelInvalid, CodeNotEnded, "the attempt has no end (its last state is %q): killed, or still running", s.State))
	}
	if len(s.Steps) == 0 && s.State == results.StateComplete {
		add(plain(results.LevelInvalid, CodeNoSteps, "not one step was begun"))
	}
	if s.TornRecords > 0 {
		add(plain(results.LevelWarning, CodeTornRecords, "the last line of the records is incomplete: the writer was killed in it"))
	}
	records := 0
	for _, step := range s.Steps {
		records += step.Counts.Sent + step.Counts.Dropped
	}
	if s.BadRecords > 0 {
		level := results.LevelWarning
		share := float64(s.BadRecords) / float64(max(records+s.BadRecords, 1))
		if share > maxBadRecords {
			level = results.LevelInvalid
		}
		add(limited(level, CodeBadRecords, share, maxBadRecords, "%d lines of the records can't be read (%s of them, limit %s)",
			s.BadRecords, percent(share), percent(maxBadRecords)))
	}
	if s.BadSamples > 0 {
		add(plain(results.LevelWarning, CodeBadSamples, "%d lines of the telemetry can't be read", s.BadSamples))
	}
	if s.DuplicateRecords > 0 {
		add(limited(results.LevelInvalid, CodeDuplicates, float64(s.DuplicateRecords), 0,
			"%d records carry a number that another one has: the file isn't one attempt's", s.DuplicateRecords))
	}
	found = append(found, model(a)...)
	if n := len(a.Node.Foreign); n > 0 {
		add(plain(results.LevelWarning, CodeForeignOnGPU, "%d other processes were on the GPUs before the start, such as %s", n, a.Node.Foreign[0]))
	}
	if a.Clock.Kind == results.ClockProcess {
		reason := ""
		if a.Clock.Reason != "" {
			reason = " (" + a.Clock.Reason + ")"
		}
		add(plain(results.LevelNote, CodeProcessClock, "answers were stamped by the process, not by the kernel%s", reason))
	}
	return found
}

// maxBadRecords is the share of unreadable records above which counts mean nothing.
const maxBadRecords = 0.001

// model compares what the server says it serves with what was asked for.
func model(a results.Attempt) []results.Finding {
	s := a.Server
	if s.AskedName != "" && s.ServedName != "" && s.AskedName != s.ServedName {
		return []results.Finding{plain(results.LevelInvalid, CodeOtherModel,
			"the server serves %q, %q was asked for", s.ServedName, s.AskedName)}
	}
	if s.AskedRoot != "" && s.Root != "" && s.AskedRoot != s.Root {
		return []results.Finding{plain(results.LevelInvalid, CodeOtherModel,
			"the server has loaded %q, %q was asked for", s.Root, s.AskedRoot)}
	}
	return nil
}
