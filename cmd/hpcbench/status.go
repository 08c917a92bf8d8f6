package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"hpcbench/jobs"
)

type statusCmd struct {
	Ref   string `arg:"" optional:"" name:"run" help:"Run: its name, a unique beginning of it, or last; all runs if not given." predictor:"run"`
	JSON  bool   `name:"json" help:"Print JSON."`
	Watch bool   `help:"Ask again at the site's interval until nothing is under way."`
}

// Run shows runs and repeats, with one question to Slurm for all of them.
func (c statusCmd) Run(a *app) error {
	var entries []jobs.Entry
	var err error
	if c.Ref != "" {
		e, ferr := a.find(c.Ref)
		entries, err = []jobs.Entry{e}, ferr
	} else {
		entries, err = a.entries()
	}
	if err != nil {
		return err
	}
	if c.Watch {
		return a.watch(entries)
	}
	runs, err := a.status(entries)
	if err != nil {
		return failed(err)
	}
	switch {
	case c.JSON:
		return printJSON(a.stdout, runs)
	case len(runs) == 0:
		fmt.Fprintln(a.stdout, "There are no runs yet; `hpcbench submit` makes one.")
	case c.Ref != "":
		return printRun(a.stdout, runs[0])
	default:
		return printRuns(a.stdout, runs)
	}
	return nil
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// status asks each kind of scheduler once.
func (a *app) status(entries []jobs.Entry) ([]jobs.RunStatus, error) {
	byKind := map[string][]jobs.Entry{}
	var kinds []string
	for _, e := range entries {
		key := schedulerKey(e)
		if byKind[key] == nil {
			kinds = append(kinds, key)
		}
		byKind[key] = append(byKind[key], e)
	}
	found := map[string]jobs.RunStatus{}
	for _, key := range kinds {
		var sched jobs.Scheduler // runs against a URL have none, and nothing is asked about them
		if first := byKind[key][0]; !remote(first.Spec) {
			var err error
			if sched, err = poller(first); err != nil {
				return nil, err
			}
		}
		for _, s := range jobs.Status(a.ctx, sched, byKind[key]) {
			found[s.Dir] = s
		}
	}
	var out []jobs.RunStatus
	for _, e := range entries {
		out = append(out, found[string(e.Dir)])
	}
	return out, nil
}

// printRuns is one line a run.
func printRuns(w io.Writer, runs []jobs.RunStatus) error {
	t := table.NewWriter()
	t.SetStyle(plainStyle)
	t.AppendHeader(table.Row{"run", "site", "plan", "complete", "state"})
	for _, r := range runs {
		t.AppendRow(table.Row{r.Name, r.Site, r.Plan, fmt.Sprintf("%d/%d", r.Complete(), len(r.Repeats)), inShort(r)})
	}
	return printTable(w, t)
}

// inShort is a run's state in a few words: what is under way, else what is wrong.
func inShort(r jobs.RunStatus) string {
	if r.Err != "" {
		return r.Err
	}
	count := map[string]int{}
	for _, s := range r.Repeats {
		count[s.Phase]++
	}
	why := ""
	for _, s := range r.Repeats {
		if s.Phase == jobs.PhaseUnclear {
			why = s.Words // the others of a run are unclear for the same reason
			break
		}
	}
	var parts []string
	for _, phase := range []string{jobs.PhaseRunning, jobs.PhasePending, jobs.PhaseUnclear, jobs.PhaseFailed, jobs.PhaseInterrupted, jobs.PhaseCancelled, jobs.PhaseNotSubmitted} {
		if count[phase] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[phase], phase))
		}
	}
	if len(parts) == 0 {
		return "complete"
	}
	state := strings.Join(parts, ", ")
	if why != "" {
		state += ": " + why
	}
	return state
}

// printRun is one line a repeat.
func printRun(w io.Writer, r jobs.RunStatus) error {
	fmt.Fprintf(w, "Run %s: %s, plan %s, on %s: %d of %d repeats complete\n", r.Name, r.Model, r.Plan, r.Site, r.Complete(), len(r.Repeats))
	if r.Err != "" {
		fmt.Fprintln(w, r.Err)
	}
	t := table.NewWriter()
	t.SetStyle(plainStyle)
	t.AppendHeader(table.Row{"repeat", "state", "job", "node", "what"})
	t.SetColumnConfigs([]table.ColumnConfig{{Name: "what", WidthMax: 60, WidthMaxEnforcer: text.WrapSoft}})
	for _, s := range r.Repeats {
		t.AppendRow(table.Row{s.Index, s.Phase, s.JobID, s.Node, repeatLine(s)})
	}
	return printTable(w, t)
}

// repeatLine is all that is known of a repeat, on one line.
func repeatLine(s jobs.RepeatStatus) string {
	if figures := repeatFigures(s); figures != "" {
		return s.Words + ", " + figures
	}
	return s.Words
}

// repeatFigures are the live figures of a repeat that is being loaded.
func repeatFigures(s jobs.RepeatStatus) string {
	p := s.Progress
	if p == nil || p.Sent == 0 {
		return ""
	}
	var parts []string
	if p.AskedPerS > 0 {
		parts = append(parts, fmt.Sprintf("%.1f of %.1f/s", p.AchievedPerS, p.AskedPerS))
	}
	parts = append(parts, fmt.Sprintf("%d in flight", p.InFlight), fmt.Sprintf("TTFT %.0f ms", p.TTFTp50Ms), fmt.Sprintf("TPOT %.1f ms", p.TPOTp50Ms))
	if p.LeftS > 0 {
		parts = append(parts, left(*p)+" left")
	}
	return strings.Join(parts, ", ") + errorWords(p.Errors)
}

// plainStyle stays right when piped: no lines, no colours.
var plainStyle = func() table.Style {
	s := table.StyleDefault
	s.Options = table.OptionsNoBordersAndSeparators
	s.Box.PaddingLeft, s.Box.PaddingRight = "", "  "
	s.Format.Header = text.FormatDefault
	return s
}()
