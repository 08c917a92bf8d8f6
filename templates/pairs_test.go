package templates

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/syntax"
)

func samplePairs() PairsData {
	d := karolina()
	runs := "/scratch/project/open-35-12/hpcbench/runs/"
	return PairsData{
		RunName: "nightly-coder-2026-03-19-p1-new", Version: "v0.1.0", Notes: []string{"5 pairs in one job"},
		Directives: d.Directives[:len(d.Directives)-2], SignalBeforeS: 120,
		Baseline: runs + "nightly-coder-2026-03-19-p1-base/script.sh", Candidate: runs + "nightly-coder-2026-03-19-p1-new/script.sh",
		Self: runs + "nightly-coder-2026-03-19-p1-new/pairs.sh", Pairs: []int{1, 2, 3, 4, 5},
	}
}

func renderPairs(t testing.TB, d PairsData) string {
	t.Helper()
	b, err := Pairs(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestGoldenPairs(t *testing.T) {
	got := renderPairs(t, samplePairs())
	file := filepath.Join("testdata", "pairs.sh")
	if *update {
		write(t, file, got)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; run with -update if it's meant):\n%s", file, diff)
	}
	if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(got), file); err != nil {
		t.Error(err)
	}
}

// sides writes two scripts that note what they were told, in a folder whose name needs quoting.
func sides(t *testing.T, body string) (PairsData, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a run's $(id) folder")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d := samplePairs()
	d.Directives = nil
	d.Baseline, d.Candidate = filepath.Join(dir, "A"), filepath.Join(dir, "B")
	for _, side := range []string{"A", "B"} {
		write(t, filepath.Join(dir, side), fmt.Sprintf("cd \"${0%%/*}\"\necho %s$HPCBENCH_JOB_REPEATS >> order\n%s\n", side, body))
	}
	return d, dir
}

func startPairs(t *testing.T, d PairsData, env ...string) func() (int, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "slurm_script")
	write(t, file, renderPairs(t, d))
	cmd, out := startFile(t, file, append([]string{"PATH=" + os.Getenv("PATH")}, env...)...)
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return func() (int, string) { return exitCode(t, cmd.Wait()), out.String() }
}

func order(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "order"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(b)), " ")
}

func TestPairsGoABBA(t *testing.T) {
	d, dir := sides(t, "true")
	if code, out := startPairs(t, d)(); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if got, want := order(t, dir), "A1 B1 B2 A2 A3 B3 B4 A4 A5 B5"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	d, dir = sides(t, "true")
	if code, out := startPairs(t, d, "HPCBENCH_JOB_REPEATS=4 5")(); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if got, want := order(t, dir), "B4 A4 A5 B5"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}

func TestPairsGoOnAfterABadSide(t *testing.T) {
	d, dir := sides(t, `[ "$HPCBENCH_JOB_REPEATS" != 2 ] || exit 3`)
	code, out := startPairs(t, d)()
	if code != 3 || !strings.Contains(out, "pair 2 of") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if got := order(t, dir); !strings.HasSuffix(got, "A5 B5") {
		t.Errorf("order %s", got)
	}
}

// TERM to the batch shell alone, as Slurm sends it: the side that runs gets it, and no other starts.
func TestPairsPassTERMOn(t *testing.T) {
	d, dir := sides(t, "trap 'kill $!; sleep 0.2; echo saved >> order; exit 130' TERM\nsleep 30 &\n: > started\nwait $!")
	file := filepath.Join(t.TempDir(), "slurm_script")
	write(t, file, renderPairs(t, d))
	cmd, out := startFile(t, file, "PATH="+os.Getenv("PATH"))
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no side started: %s", out)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd.Wait()); code != 130 {
		t.Errorf("exit code %d: %s", code, out)
	}
	if got := order(t, dir); got != "A1 saved" {
		t.Errorf("order %s", got)
	}
}

func TestPairsRefuseBadData(t *testing.T) {
	for what, spoil := range map[string]func(*PairsData){
		"relative":  func(d *PairsData) { d.Baseline = "runs/base/script.sh" },
		"same":      func(d *PairsData) { d.Candidate = d.Baseline },
		"no pairs":  func(d *PairsData) { d.Pairs = nil },
		"twice":     func(d *PairsData) { d.Pairs = []int{1, 1} },
		"no name":   func(d *PairsData) { d.RunName = "" },
		"two lines": func(d *PairsData) { d.Notes = []string{"a\nrm -rf /"} },
		"directive": func(d *PairsData) { d.Directives = []Directive{{"partition", "a b"}} },
	} {
		d := samplePairs()
		spoil(&d)
		if _, err := Pairs(d); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
}
