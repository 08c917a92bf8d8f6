package resolve

import (
	"fmt"
	"strings"

	"hpcbench/results"
	"hpcbench/templates"
)

// Script renders a spec. It looks nothing up, so that run.json gives the same
// script again on another day and machine.
func Script(s results.Spec) ([]byte, error) {
	text, err := templates.Script(Data(s))
	if err != nil {
		return nil, fmt.Errorf("render the script of %s: %w", s.Name, err)
	}
	return text, nil
}

// Data is what the template gets of a spec.
func Data(s results.Spec) templates.ScriptData {
	dir := results.RunDir(s.Job.Dir)
	data := templates.ScriptData{
		RunName: s.Name, Site: s.Site.Name, Model: s.Model.Name, Plan: s.Plan.Name, Version: s.ToolVersion,
		Notes:   notes(s),
		RunDir:  s.Job.Dir,
		Binary:  dir.Binary(),
		Umask:   s.Setup.Umask,
		Setup:   s.Setup.Lines,
		Need:    s.Setup.Need,
		Keep:    s.Setup.Keep,
		Mode:    templates.Mode(s.Grouping.Mode),
		Requeue: s.Job.Requeue, SignalBeforeS: s.Job.SignalS,
		Container: s.Server.Container, Server: s.Server.Command,
	}
	for i := range s.Repeats {
		data.Repeats = append(data.Repeats, i+1)
	}
	for _, d := range s.Job.Directives {
		data.Directives = append(data.Directives, templates.Directive{Flag: strings.TrimPrefix(d[0], "--"), Value: d[1]})
	}
	for _, e := range s.Setup.Exports {
		data.Exports = append(data.Exports, templates.Export{Name: e.Name, Value: e.Value, Reason: e.Why, Expand: e.Expand})
	}
	if s.Job.Nodes > 1 {
		data.Nodes = &templates.MultiNode{
			Count: s.Job.Nodes, CPUsPerTask: max(s.Job.CPUsPerTask, 1),
			RankArgs: s.Server.RankArgs, WorkerArgs: s.Server.WorkerArgs,
		}
	}
	return data
}

// notes are the comment at the top: what a reader would ask first.
func notes(s results.Spec) []string {
	lines := []string{fmt.Sprintf("%d repeats, %s: %s", s.Repeats, s.Grouping.Mode, s.Grouping.Why)}
	if s.Simulated {
		lines = append(lines, "The engine is the stub: everything measured here is simulated.")
	}
	for i, a := range s.Job.Arithmetic {
		if i == 0 {
			a = "Walltime of a job: " + a
		}
		lines = append(lines, a)
	}
	return lines
}
