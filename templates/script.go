package templates

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/template"
)

//go:embed script.sh.tmpl
var scriptText string

// environmentText is the part that every script of a job begins with: the site's lines,
// the scrub, the exports.
//
//go:embed environment.sh.tmpl
var environmentText string

var functions = template.FuncMap{"q": q, "value": Export.word}

var scriptTemplate = template.Must(template.Must(template.New("script.sh").Funcs(functions).Parse(environmentText)).Parse(scriptText))

// scriptView is ScriptData with the parts that need arithmetic laid out as lines.
type scriptView struct {
	ScriptData
	ByHand       []string // how to run it again, comment lines
	KeepLines    []string // patterns of a case statement
	ServerLines  []string
	SrunLines    []string
	RankScript   string
	ModeComment  string
	RepeatsValue string
	// RepeatsMissing says what to do when the value is no list of numbers.
	RepeatsMissing string
	Once           bool // all repeats in one call
}

// Script is one bash 4.4 script that Slurm runs as a batch job, and that a person
// can read, change and submit by hand. It is the same for the same data. An error
// names everything in the data that can't stand in a script.
func Script(d ScriptData) ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("script of run %q: %w", d.RunName, err)
	}
	v, err := d.view()
	if err != nil {
		return nil, fmt.Errorf("script of run %q: %w", d.RunName, err)
	}
	var b bytes.Buffer
	if err := scriptTemplate.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("script of run %q: %w", d.RunName, err)
	}
	return b.Bytes(), nil
}

func (d ScriptData) view() (scriptView, error) {
	v := scriptView{ScriptData: d, KeepLines: d.keepLines(), Once: d.Mode == Reuse}
	if len(v.Profile) == 0 {
		v.Profile = []string{"/etc/profile"}
	}
	var errs []error
	lines := func(argv []string) []string {
		l, err := commandLines(argv)
		errs = append(errs, err)
		return l
	}
	v.ServerLines = append(headLines(d.Container, lines), lines(d.Server)...)
	if d.Nodes != nil {
		v.SrunLines = lines(d.Nodes.SrunFlags)
		rank, err := d.Nodes.rankScript()
		errs = append(errs, err)
		v.RankScript = rank
	}
	script, err := q(d.RunDir + "/script.sh")
	errs = append(errs, err)
	v.repeats(script)
	return v, errors.Join(errs...)
}

// repeats says which repeats the script runs, and how to run others by hand.
func (v *scriptView) repeats(script string) {
	list := make([]string, len(v.Repeats))
	for i, n := range v.Repeats {
		list[i] = strconv.Itoa(n)
	}
	all := strings.Join(list, " ")
	submit := "sbatch"
	if len(v.Directives) == 0 {
		submit = "bash"
	}
	v.ByHand = []string{"To run it again:    " + submit + " " + script}
	one := list[0]
	switch v.Mode {
	case Array:
		v.ModeComment = "# The element of the array says which repeat this is."
		v.RepeatsValue = "${SLURM_ARRAY_TASK_ID:-}"
		v.RepeatsMissing = "this script is an array job: submit it with sbatch"
		if submit == "sbatch" {
			v.ByHand = append(v.ByHand, "Only one repeat:    sbatch --array="+one+" "+script)
		} else {
			v.ByHand = []string{"To run one repeat:  SLURM_ARRAY_TASK_ID=" + one + " bash " + script}
		}
	case Chain:
		v.ModeComment = "# Each job of the chain is told its repeats."
		v.RepeatsValue = "${HPCBENCH_JOB_REPEATS:-}"
		v.RepeatsMissing = "set HPCBENCH_JOB_REPEATS to the numbers of the repeats to run"
		v.ByHand = []string{
			"To run it again, one job a repeat (" + all + "), each after the one before:",
			"  HPCBENCH_JOB_REPEATS=" + one + " " + submit + " " + script,
		}
		if submit == "sbatch" {
			v.ByHand[1] = "  HPCBENCH_JOB_REPEATS=" + one + " sbatch --dependency=singleton " + script
		}
	default:
		v.ModeComment = "# All repeats, one after the other, each with a fresh server."
		if v.Once {
			v.ModeComment = "# All repeats against one server."
		}
		v.RepeatsValue = "${HPCBENCH_JOB_REPEATS:-" + all + "}"
		v.RepeatsMissing = "HPCBENCH_JOB_REPEATS is to hold the numbers of the repeats to run"
		v.ByHand = append(v.ByHand, "Only one repeat:    HPCBENCH_JOB_REPEATS="+one+" "+submit+" "+script)
	}
}
