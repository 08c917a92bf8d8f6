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

func sampleSession() SessionData {
	d := karolina()
	runs := "/scratch/project_465000123/alice/hpcbench/runs/"
	side := func(name string) Side { return Side{runs + name + "/script.sh", runs + name + "/logs"} }
	return SessionData{
		Name: "two-coders", Version: "v0.1.0", Notes: []string{"5 rounds in one job"},
		Directives: d.Directives[:len(d.Directives)-2], SignalBeforeS: 120, Umask: "077",
		Self: runs + ".sessions/two-coders/script.sh", Sides: []Side{side("two-coders-a"), side("two-coders-b")}, Rounds: []int{1, 2, 3, 4, 5},
	}
}

func renderSession(t testing.TB, d SessionData) string {
	t.Helper()
	b, err := Session(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestGoldenSession(t *testing.T) {
	got := renderSession(t, sampleSession())
	file := filepath.Join("testdata", "session.sh")
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

// turns makes a session of scripts that note what they were told, in a folder whose name needs quoting.
func turns(t *testing.T, body string, names ...string) (SessionData, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a run's $(id) folder")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d := sampleSession()
	d.Directives, d.Sides = nil, nil
	for _, n := range names {
		script := filepath.Join(dir, n)
		write(t, script, fmt.Sprintf("cd \"${0%%/*}\"\necho %s$HPCBENCH_JOB_REPEATS | tee -a order\n%s\n", n, body))
		if err := os.Mkdir(script+".logs", 0o700); err != nil {
			t.Fatal(err)
		}
		d.Sides = append(d.Sides, Side{script, script + ".logs"})
	}
	return d, dir
}

func startSession(t *testing.T, d SessionData, env ...string) (int, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "slurm_script")
	write(t, file, renderSession(t, d))
	cmd, out := startFile(t, file, append([]string{"PATH=" + os.Getenv("PATH")}, env...)...)
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return exitCode(t, cmd.Wait()), out.String()
}

func TestSessionGoesByTurns(t *testing.T) {
	d, dir := turns(t, "true", "A", "B", "C")
	d.Rounds = []int{1, 2, 3, 4}
	if code, out := startSession(t, d, "SLURM_JOB_ID=42"); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if got, want := order(t, dir), "A1 B1 C1 B2 C2 A2 C3 A3 B3 A4 B4 C4"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	// What each prints is where its own jobs' output is.
	b, err := os.ReadFile(filepath.Join(dir, "B.logs", "42.log"))
	if err != nil || strings.Join(strings.Fields(string(b)), " ") != "B1 B2 B3 B4" {
		t.Errorf("B's output: %q, %v", b, err)
	}
	d, dir = turns(t, "true", "A", "B")
	if code, out := startSession(t, d, "HPCBENCH_JOB_REPEATS=4 5"); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if got, want := order(t, dir), "B4 A4 A5 B5"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}

func TestSessionGoesOnAfterABadSide(t *testing.T) {
	d, dir := turns(t, `[ "$HPCBENCH_JOB_REPEATS" != 2 ] || exit 3`, "A", "B")
	code, out := startSession(t, d)
	if code != 3 || !strings.Contains(out, "round 2 of") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if got := order(t, dir); !strings.HasSuffix(got, "A5 B5") {
		t.Errorf("order %s", got)
	}
	if code, out := startSession(t, d, "HPCBENCH_JOB_REPEATS=1; id"); code != 2 || !strings.Contains(out, "no rounds in") {
		t.Errorf("rounds that are no numbers: exit code %d: %s", code, out)
	}
}

// TERM to the batch shell alone: the side that runs gets it, and no other starts.
func TestSessionPassesTERMOn(t *testing.T) {
	d, dir := turns(t, "trap 'kill $!; sleep 0.2; echo saved >> order; exit 130' TERM\nsleep 30 &\n: > started\nwait $!", "A", "B")
	file := filepath.Join(t.TempDir(), "slurm_script")
	write(t, file, renderSession(t, d))
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

func TestSessionRefusesBadData(t *testing.T) {
	for what, spoil := range map[string]func(*SessionData){
		"relative":  func(d *SessionData) { d.Sides[0].Script = "runs/base/script.sh" },
		"same":      func(d *SessionData) { d.Sides[1].Script = d.Sides[0].Script },
		"one side":  func(d *SessionData) { d.Sides = d.Sides[:1] },
		"no rounds": func(d *SessionData) { d.Rounds = nil },
		"no name":   func(d *SessionData) { d.Name = "" },
		"two lines": func(d *SessionData) { d.Notes = []string{"a\nrm -rf /"} },
		"directive": func(d *SessionData) { d.Directives = []Directive{{"partition", "a b"}} },
		"umask":     func(d *SessionData) { d.Umask = "rwx" },
	} {
		d := sampleSession()
		spoil(&d)
		if _, err := Session(d); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
}
