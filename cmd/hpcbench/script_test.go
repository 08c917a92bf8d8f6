package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/gate"
	"hpcbench/collect/gate/gatetest"
	"hpcbench/results"
	"hpcbench/results/judge"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"hpcbench": main,
	})
}

// TestScripts runs testdata/script. Beyond testscript's own commands there are
//
//	code N PROGRAM ARGS…    runs a program that must end with exit code N
//	mkrun NAME [KEY=VALUE…] writes a made-up run into the runs folder of the site local; see makeRun
//	mknights SUITE ENTRY COUNT FACTOR [STATE [BEFORE]] makes up nights before the last one of an entry, FACTOR times as high
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USER", "tester")
			bin, _, _ := strings.Cut(env.Getenv("PATH"), string(filepath.ListSeparator)) // where testscript puts the program
			env.Setenv("PROGRAM", filepath.Join(bin, "hpcbench"))
			captures, err := filepath.Abs("../../collect/convert/testdata/captures")
			if err != nil {
				return err
			}
			env.Setenv("CAPTURES", captures)
			env.Setenv("RUNS", filepath.Join(home, "hpcbench", "runs"))
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: code N PROGRAM ARGS…")
				}
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				got := 0
				var exit *exec.ExitError
				if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
					got = exit.ExitCode()
				} else if err != nil {
					ts.Fatalf("%v", err)
				}
				if got != want {
					ts.Fatalf("exit code %d, want %d", got, want)
				}
			},
			"mkrun": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) == 0 {
					ts.Fatalf("usage: mkrun NAME [KEY=VALUE…]")
				}
				s, err := setupOf(args)
				ts.Check(err)
				collecttest.Write(scriptTB{ts: ts, dir: ts.Getenv("RUNS")}, s)
			},
			"mknights": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 4 {
					ts.Fatalf("usage: mknights SUITE ENTRY COUNT FACTOR [STATE [BEFORE]]")
				}
				count, err := strconv.Atoi(args[2])
				ts.Check(err)
				factor, err := strconv.ParseFloat(args[3], 64)
				ts.Check(err)
				past := gatetest.Past{Nights: count, Factor: factor, RepeatCV: 0.01, NightCV: 0.005, Seed: 1}
				if len(args) > 4 {
					past.State = gate.State(args[4])
				}
				if len(args) > 5 {
					past.Before = args[5]
				}
				gatetest.Write(scriptTB{ts: ts}, filepath.Join(ts.Getenv("RUNS"), results.NightlyDir, args[0], "nights.jsonl"), args[1], past)
			},
		},
	})
}

// scriptTB lets a script's command write a run where it wants it.
type scriptTB struct {
	testing.TB // nil: only the methods below are called
	ts         *testscript.TestScript
	dir        string
}

func (s scriptTB) Helper()                        {}
func (s scriptTB) TempDir() string                { return s.dir }
func (s scriptTB) Fatal(args ...any)              { s.ts.Fatalf("%s", fmt.Sprint(args...)) }
func (s scriptTB) Fatalf(format string, a ...any) { s.ts.Fatalf(format, a...) }

// setupOf reads NAME and KEY=VALUE: seed=N, repeats=N, noise=CV, duration=S, rates=2.53,8.54,
// slower=STEP:FACTOR, invalid=STEP:REPEAT (0 = every repeat), model=NAME, partition=SITE:NAME, adds=MS (of a gateway), simulated, records. With kind=matrix,
// capacity or gateway first it is such a run.
func setupOf(args []string) (collecttest.Setup, error) {
	s := collecttest.Setup{DurationS: 20, RepeatCV: 0.01}
	if len(args) > 1 {
		switch args[1] {
		case "kind=matrix":
			s = collecttest.Matrix()
		case "kind=capacity":
			s = collecttest.Capacity()
		case "kind=gateway":
			s = collecttest.Gateway()
		}
	}
	s.Name = args[0]
	for _, arg := range args[1:] {
		key, value, _ := strings.Cut(arg, "=")
		number, err := strconv.ParseFloat(value, 64)
		var step, of int
		var factor float64
		switch key {
		case "kind":
			if s.Steps == nil {
				err = errors.New("no such kind")
			} else {
				err = nil
			}
		case "seed":
			s.Seed = uint64(number)
		case "repeats":
			s.Repeats = int(number)
		case "noise":
			s.RepeatCV = number
		case "duration":
			s.DurationS = number
		case "simulated":
			s.Simulated, err = true, nil
		case "records":
			s.Records, err = true, nil
		case "rates":
			for _, r := range strings.Split(value, ",") {
				number, err = strconv.ParseFloat(r, 64)
				s.RatesPerS = append(s.RatesPerS, number)
			}
		case "slower":
			_, err = fmt.Sscanf(value, "%d:%g", &step, &factor)
			s.Slower = map[int]float64{step: factor}
		case "partition":
			s.Spec, err = func(spec *results.Spec) {
				spec.Site.Name, spec.Job.Partition, _ = strings.Cut(value, ":")
			}, nil
		case "adds": // a gateway
			s.Record = collecttest.GatewayAdding(number).Record
		case "model":
			own := s.Spec
			s.Spec, err = func(spec *results.Spec) {
				if own != nil {
					own(spec)
				}
				spec.Model.Name, spec.Model.Source = value, value
			}, nil
		case "invalid":
			_, err = fmt.Sscanf(value, "%d:%d", &step, &of)
			s.Summary = func(repeat int, sum *results.Summary) {
				if of == 0 || of == repeat {
					sum.Steps[step].Findings = []results.Finding{{Level: results.LevelInvalid, Code: judge.CodeForeign, Reason: "the server answered 12 requests that aren't ours (limit 0)"}}
				}
			}
		default:
			err = errors.New("no such key")
		}
		if err != nil {
			return s, fmt.Errorf("mkrun %s: %w", arg, err)
		}
	}
	return s, nil
}
