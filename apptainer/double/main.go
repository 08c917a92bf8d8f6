package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// program is what differs between the two.
type program struct {
	name    string
	version string
	title   string // what --version calls it
	only    programs
	setting []string // prefixes of the variables that stand for options
	inject  []string // prefixes of the variables for the container, best first
}

var known = map[string]program{
	"apptainer": {
		name: "apptainer", version: "1.4.5", title: "apptainer", only: onlyApptainer,
		setting: []string{"APPTAINER_", "SINGULARITY_"}, inject: []string{"APPTAINERENV_", "SINGULARITYENV_"},
	},
	"singularity": {
		name: "singularity", version: "4.1.3", title: "singularity-ce", only: onlySingularity,
		setting: []string{"SINGULARITY_"}, inject: []string{"SINGULARITYENV_"},
	},
}

// Exit statuses: the real ones, and one of our own for what can't be shown.
const (
	exitUsage        = 1
	exitFatal        = 255
	exitNotSimulated = 99
)

// double is one call.
type double struct {
	program
	env    []string
	stdout io.Writer
	stderr io.Writer
	quiet  bool
	silent bool
}

// fatal ends the call as the real program's FATAL does, usage as a wrong command line,
// and notSimulated where the double would differ from the real program. They hold whole
// messages, in the real programs' own words.
type (
	fatal        struct{ text string }
	usage        struct{ text string }
	notSimulated struct{ text string }
)

func (e fatal) Error() string        { return e.text }
func (e usage) Error() string        { return e.text }
func (e notSimulated) Error() string { return e.text }

func fatalf(format string, args ...any) error { return fatal{fmt.Sprintf(format, args...)} }
func usagef(format string, args ...any) error { return usage{fmt.Sprintf(format, args...)} }
func notSimulatedf(format string, args ...any) error {
	return notSimulated{fmt.Sprintf(format, args...)}
}

func main() {
	name := filepath.Base(os.Args[0])
	p, ok := known[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "this test double must be called apptainer or singularity, not %s\n", name)
		os.Exit(exitNotSimulated)
	}
	d := &double{program: p, env: os.Environ(), stdout: os.Stdout, stderr: os.Stderr}
	os.Exit(d.run(os.Args[1:]))
}

func (d *double) run(args []string) int {
	fmt.Fprintf(d.stderr, "WARNING: test double of %s, no container\n", d.name)
	status, err := d.dispatch(args)
	var (
		f fatal
		u usage
		n notSimulated
	)
	switch {
	case err == nil:
		return status
	case errors.As(err, &f):
		d.say("FATAL", "%s", f.text)
		return exitFatal
	case errors.As(err, &u):
		fmt.Fprintf(d.stderr, "%v\n\nRun '%s --help' for more detailed usage information.\n", u.text, d.name)
		return exitUsage
	case errors.As(err, &n):
		fmt.Fprintf(d.stderr, "test double of %s: %s\n", d.name, n.text)
	default:
		fmt.Fprintf(d.stderr, "test double of %s failed: %v\n", d.name, err)
	}
	return exitNotSimulated
}

// dispatch finds the verb behind the options of the program itself.
func (d *double) dispatch(args []string) (int, error) {
	set, err := d.parse("", d.name, globalOptions, args)
	if err != nil {
		return 0, err
	}
	if set.version {
		fmt.Fprintf(d.stdout, "%s version %s\n", d.title, d.version)
		return 0, nil
	}
	d.quiet, d.silent = set.bool("quiet"), set.bool("silent")
	rest := set.args
	if set.help || len(rest) == 0 {
		fmt.Fprintf(d.stdout, "Usage:\n  %s [global options...] <command>\n", d.name)
		return 0, nil
	}
	verbs := map[string]func([]string) (int, error){
		"exec": d.exec, "run": d.exec, "inspect": d.inspect, "pull": d.pull, "version": d.printVersion,
	}
	verb, ok := verbs[rest[0]]
	if !ok {
		if otherVerbs[rest[0]] {
			return 0, notSimulatedf("the verb %s is not simulated", rest[0])
		}
		return 0, usagef("Error: unknown command %q for %q", rest[0], d.name)
	}
	return verb(rest)
}

func (d *double) printVersion([]string) (int, error) {
	fmt.Fprintln(d.stdout, d.version)
	return 0, nil
}

// otherVerbs exist in the real programs.
var otherVerbs = map[string]bool{
	"build": true, "cache": true, "capability": true, "config": true, "delete": true, "help": true, "instance": true,
	"key": true, "keyserver": true, "oci": true, "overlay": true, "plugin": true, "push": true, "registry": true, "remote": true,
	"run-help": true, "search": true, "shell": true, "sif": true, "sign": true, "test": true, "verify": true,
}

// say writes a message with the real programs' levels.
func (d *double) say(level, format string, args ...any) {
	if level == "INFO" && (d.quiet || d.silent) || level == "WARNING" && d.silent {
		return
	}
	fmt.Fprintf(d.stderr, "%-8s %s\n", level+":", fmt.Sprintf(format, args...))
}

// lookup is a variable of the caller's environment.
func (d *double) lookup(name string) (string, bool) {
	value, found := "", false
	for _, kv := range d.env {
		if n, v, ok := strings.Cut(kv, "="); ok && n == name {
			value, found = v, true
		}
	}
	return value, found
}
