package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hpcbench/collect/gate"
	"hpcbench/collect/report"
	"hpcbench/jobs/suite"
	"hpcbench/templates"
)

type nightlyCmd struct {
	Suite string `arg:"" help:"Suite: a .yaml file, or the name of one here or in the folder suites of the configuration." predictor:"suite"`
	Wait  bool   `help:"Stay until the night is decided."`
	Night string `help:"The night, by the date (UTC) of the noon at which it began; this one if not given." placeholder:"YYYY-MM-DD"`
	Out   string `help:"Write the reports to this folder as well." placeholder:"DIR" type:"path"`
	Force bool   `help:"Run also in partitions that aren't for production, such as dev-g."`
	Print string `help:"Print the lines that call this every night, and do nothing else: cron, scrontab, systemd, gitlab-ci or github-actions." placeholder:"KIND"`
}

// Run does what can be done now: submits, collects, judges. Called again it goes on.
func (c nightlyCmd) Run(a *app) error {
	n, err := a.openSuite(c.Suite)
	if err != nil {
		return err
	}
	if c.Print != "" {
		return n.print(a, c.Print)
	}
	if err := n.checkPlaces(c.Force); err != nil {
		return usage(err)
	}
	if err := n.choose(a, c.Night); err != nil {
		return err
	}
	machine := n.machine(a)
	var state suite.State
	if c.Wait {
		state, err = machine.Run(a.ctx, n.poll, func(suite.State) {})
	} else {
		state, err = machine.Advance(a.ctx)
	}
	switch {
	case a.ctx.Err() != nil:
		return codeError{codeInterrupted, fmt.Errorf("stopped; the jobs go on, and `hpcbench nightly %s` goes on with the night", c.Suite)}
	case err != nil:
		return failed(err)
	case !state.Over():
		return n.soFar(a, state)
	}
	return n.finish(a, state, c.Out)
}

// soFar says how a night stands that isn't over.
func (n *nightly) soFar(a *app, s suite.State) error {
	var rows [][]string
	for _, e := range s.Entries {
		word := e.Phase
		if e.Phase == suite.PhaseDecided {
			word = e.Judgement.State
		}
		rows = append(rows, []string{e.Entry, word, e.Words})
	}
	fmt.Fprintf(a.stdout, "%s, night of %s: under way\n", n.suite.Name, n.night)
	if n.suite.Simulated {
		fmt.Fprintln(a.stdout, "SIMULATED: every number of this suite is the stub's.")
	}
	return a.list([]string{"entry", "state", "what"}, rows)
}

// finish writes the reports of a night that is over, and ends with its exit code.
func (n *nightly) finish(a *app, s suite.State, out string) error {
	night, err := n.whole(s)
	if err != nil {
		return failed(err)
	}
	folders := []string{n.nightDir()}
	if out != "" {
		folders = append(folders, out)
	}
	for _, dir := range folders {
		if err := n.write(night, dir); err != nil {
			return failed(err)
		}
	}
	if err := report.Night(a.stdout, night, a.colour()); err != nil {
		return failed(err)
	}
	fmt.Fprintf(a.stdout, "\nReports: %s\n", folders[len(folders)-1])
	return exitOf(night)
}

// exitOf is the night's exit code: red before what couldn't be measured.
func exitOf(n gate.SuiteNight) error {
	red, invalid, trouble := []string{}, []string{}, []string{}
	for _, e := range n.Entries {
		switch {
		case e.Trouble != "":
			trouble = append(trouble, e.Entry)
		case e.Night.State == gate.Red || e.Night.Failed:
			red = append(red, e.Entry)
		case e.Night.State == gate.Invalid:
			invalid = append(invalid, e.Entry)
		}
	}
	words := func(what string, entries []string) error {
		return fmt.Errorf("night of %s: %s: %s", n.Night, what, strings.Join(entries, ", "))
	}
	switch {
	case len(red) > 0:
		return codeError{codeRegressed, words("not passed", red)}
	case len(invalid) > 0:
		return codeError{codeInvalid, words("the measurement is invalid", invalid)}
	case len(trouble) > 0:
		return failed(words("couldn't be measured", trouble))
	}
	return nil
}

// print writes the lines that drive the nightly. What stands in them is of this
// machine and meant to be read and changed.
func (n *nightly) print(a *app, kind string) error {
	program, err := os.Executable()
	if err != nil {
		return failed(fmt.Errorf("find the program itself: %w", err))
	}
	site := n.sites[n.suite.Entries[0].Name]
	data := templates.NightlyData{
		Program: program, Suite: strings.TrimSuffix(filepath.Base(n.file), ".yaml"), Dir: filepath.Dir(n.file), Path: plainPath(os.Getenv("PATH")),
		StartHour: 20, Hours: 12, EveryMinutes: 20, Log: filepath.Join(filepath.Dir(n.file), "nightly-"+n.suite.Name+".log"),
		Account: site.Account, Partition: site.Partition, Runner: site.Name, Reports: "nightly-" + n.suite.Name, JUnit: junitFile,
	}
	text, err := templates.Nightly(kind, data)
	if err != nil {
		return usage(err)
	}
	_, err = a.stdout.Write(text)
	return err
}

// plainPath leaves the folders of PATH that may stand in a crontab.
func plainPath(path string) string {
	var kept []string
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && !strings.ContainsFunc(dir, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./@,=+-", r))
		}) {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, ":")
}

// errNotProduction is the refusal of partitions that are for tries.
var errNotProduction = errors.New("not for production")
