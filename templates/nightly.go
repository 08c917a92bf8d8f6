package templates

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

//go:embed nightly
var nightlyFiles embed.FS

var nightlyTemplates = template.Must(template.New("nightly").ParseFS(nightlyFiles, "nightly/*.tmpl"))

// NightlyKinds are what can drive a nightly, in the order of the documentation.
var NightlyKinds = []string{"cron", "scrontab", "systemd", "gitlab-ci", "github-actions"}

// NightlyData is what the lines for a nightly are made of. Programs that read these
// files have their own rules of quoting, or none, so every string is held to letters,
// digits and _ . / @ : , = + - and refused otherwise.
type NightlyData struct {
	// Program is the absolute path of hpcbench, Suite the name of the suite.
	Program, Suite string
	// Dir is the absolute folder that it runs in and whose hpcbench.yaml it reads.
	Dir string
	// Path is the PATH with the tools of Slurm, which cron and systemd don't have.
	Path string
	// StartHour (0..23) is when a night begins, local time, and Hours (1..23) how long it is
	// gone on with; EveryMinutes (5..60) is the time between two calls in it.
	StartHour, Hours, EveryMinutes int
	// Log is the absolute file that cron and scrontab append to.
	Log string
	// Account and Partition are where scrontab's small jobs are billed and run.
	Account, Partition string
	// Runner is the tag or label of a CI runner on a login node of the site.
	Runner string
	// Reports is the folder, relative to Dir, with the reports that CI keeps, and JUnit
	// the one of them that it reads.
	Reports, JUnit string
}

// nightlyView adds the schedule as each program writes it.
type nightlyView struct {
	NightlyData
	Kind    string
	Command string
}

// Nightly is the text for one of NightlyKinds. Each call of a nightly does what it
// can and ends, so cron, scrontab and systemd call it again and again through the night;
// a CI has one job a night that waits.
func Nightly(kind string, d NightlyData) ([]byte, error) {
	if !slices.Contains(NightlyKinds, kind) {
		return nil, fmt.Errorf("nightly lines for %q: want one of %s", kind, strings.Join(NightlyKinds, ", "))
	}
	if err := d.check(kind); err != nil {
		return nil, fmt.Errorf("nightly lines for %s: %w", kind, err)
	}
	command := d.Program + " nightly " + d.Suite
	var b bytes.Buffer
	if err := nightlyTemplates.ExecuteTemplate(&b, kind+".tmpl", nightlyView{d, kind, command}); err != nil {
		return nil, fmt.Errorf("nightly lines for %s: %w", kind, err)
	}
	return b.Bytes(), nil
}

var (
	suiteName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)
	plainPath    = regexp.MustCompile(`^/[A-Za-z0-9_./@:,=+-]*$`)
	relativePath = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_./@:,=+-]*$`)
	plainList    = regexp.MustCompile(`^/[A-Za-z0-9_./@,=+-]*(:/[A-Za-z0-9_./@,=+-]*)*$`)
)

func (d NightlyData) check(kind string) error {
	var errs []error
	want := func(what, value string, form *regexp.Regexp, needed bool) {
		switch {
		case value == "" && needed:
			errs = append(errs, fmt.Errorf("%s is missing", what))
		case value != "" && !form.MatchString(value):
			errs = append(errs, fmt.Errorf("%s %q can't be written there safely: use letters, digits and _ . / @ : , = + - only", what, value))
		}
	}
	ci := kind == "gitlab-ci" || kind == "github-actions"
	want("the program's path", d.Program, plainPath, true)
	want("the suite's name", d.Suite, suiteName, true)
	want("the folder", d.Dir, plainPath, !ci)
	want("PATH", d.Path, plainList, kind == "cron" || kind == "systemd")
	want("the log file", d.Log, plainPath, kind == "cron" || kind == "scrontab")
	want("the account", d.Account, suiteName, kind == "scrontab")
	want("the partition", d.Partition, suiteName, kind == "scrontab")
	want("the runner", d.Runner, suiteName, ci)
	want("the folder of reports", d.Reports, relativePath, ci)
	want("the JUnit file", d.JUnit, relativePath, ci)
	if strings.Contains(path.Clean(d.Reports)+"/", "../") {
		errs = append(errs, fmt.Errorf("the folder of reports %q leaves the folder of the job", d.Reports))
	}
	if d.StartHour < 0 || d.StartHour > 23 {
		errs = append(errs, fmt.Errorf("a night can't begin at hour %d: 0..23", d.StartHour))
	}
	if d.Hours < 1 || d.Hours > 23 {
		errs = append(errs, fmt.Errorf("a night can't be %d hours long: 1..23", d.Hours))
	}
	if d.EveryMinutes < 5 || d.EveryMinutes > 60 {
		errs = append(errs, fmt.Errorf("a call every %d minutes: 5..60, so that a login node isn't kept busy", d.EveryMinutes))
	}
	return errors.Join(errs...)
}

// CronMinutes are the minutes of an hour with a call, e.g. 0,20,40.
func (d NightlyData) CronMinutes() string {
	var all []string
	for m := 0; m < 60; m += d.EveryMinutes {
		all = append(all, strconv.Itoa(m))
	}
	return strings.Join(all, ",")
}

// CronHours are the hours of a night, e.g. 20-23,0-7.
func (d NightlyData) CronHours() string { return d.hours("-", "%d") }

// CalendarHours are the same for systemd, e.g. 20..23,00..07.
func (d NightlyData) CalendarHours() string { return d.hours("..", "%02d") }

func (d NightlyData) hours(dash, form string) string {
	part := func(from, to int) string {
		if from == to {
			return fmt.Sprintf(form, from)
		}
		return fmt.Sprintf(form+dash+form, from, to)
	}
	last := d.StartHour + d.Hours - 1
	if last <= 23 {
		return part(d.StartHour, last)
	}
	return part(d.StartHour, 23) + "," + part(0, last-24)
}

// CalendarMinutes are the minutes for systemd, e.g. 00,20,40.
func (d NightlyData) CalendarMinutes() string {
	var all []string
	for m := 0; m < 60; m += d.EveryMinutes {
		all = append(all, fmt.Sprintf("%02d", m))
	}
	return strings.Join(all, ",")
}

// TimeoutMinutes is how long a CI's job may wait.
func (d NightlyData) TimeoutMinutes() int { return d.Hours * 60 }
