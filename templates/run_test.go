package templates

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recorder stands for `hpcbench repeat`. It writes what it got, one NUL-ended word
// each, and then does what the file "behaviour-N" beside the run says.
const recorder = `#!/bin/bash
n=$2
if [ "$1" = sweep ]; then printf '%s\0' "$@" >"sweep-$n"; exit 0; fi
printf '%s\0' "$@" >"argv-$n"
env -0 >"env-$n"
umask >"umask-$n"
trap 'echo TERM >>"signals-$n"; sleep 0.2; echo saved >"saved-$n"; exit 130' TERM
: >"started-$n"
if [ -r "behaviour-$n" ]; then . "./behaviour-$n"; fi
`

// runnable turns data into a run folder that can be run here.
func runnable(t testing.TB, d ScriptData) ScriptData {
	t.Helper()
	dir := t.TempDir()
	d.RunDir = filepath.Join(dir, "run $(id) 'x'")
	d.Binary = filepath.Join(d.RunDir, "hpc bench")
	d.Need = nil
	if err := os.MkdirAll(d.RunDir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, d.Binary, recorder)
	return d
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// start runs the script as Slurm does: a copy somewhere else.
func start(t testing.TB, d ScriptData, env ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "slurm_script")
	write(t, file, render(t, d))
	return startFile(t, file, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)...)
}

func startFile(t testing.TB, file string, env ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command("/bin/bash", file)
	cmd.Dir = "/"
	cmd.Env = env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, &out
}

func run(t testing.TB, d ScriptData, env ...string) (exit int, output string) {
	t.Helper()
	cmd, out := start(t, d, env...)
	return exitCode(t, cmd.Wait()), out.String()
}

func exitCode(t testing.TB, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		return exit.ExitCode()
	}
	return 0
}

func words(t testing.TB, d ScriptData, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(d.RunDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
}

func environ(t testing.TB, d ScriptData, n int) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, kv := range words(t, d, fmt.Sprintf("env-%d", n)) {
		name, value, _ := strings.Cut(kv, "=")
		got[name] = value
	}
	return got
}

func exists(d ScriptData, name string) bool {
	_, err := os.Stat(filepath.Join(d.RunDir, name))
	return err == nil
}

// wait polls for a file of the run folder.
func wait(t testing.TB, d ScriptData, name string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !exists(d, name); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not appear", name)
		}
	}
}

func TestRepeatGetsItsCommandLine(t *testing.T) {
	d := runnable(t, lumi())
	d.Setup = nil
	d.RepeatFlags = []string{"--log-level", "debug"}
	if exit, out := run(t, d); exit != 0 || out != "" {
		t.Fatalf("exit %d: %s", exit, out)
	}
	for n := 1; n <= 5; n++ {
		want := []string{"repeat", fmt.Sprint(n), "--run", d.RunDir, "--log-level", "debug", "--"}
		want = append(append(want, d.Container...), d.Server...)
		if diff := cmp.Diff(want, words(t, d, fmt.Sprintf("argv-%d", n))); diff != "" {
			t.Errorf("repeat %d (-want +got):\n%s", n, diff)
		}
		if got := words(t, d, fmt.Sprintf("umask-%d", n))[0]; got != "0077\n" {
			t.Errorf("umask %q", got)
		}
	}
}

func TestModes(t *testing.T) {
	for _, c := range []struct {
		mode Mode
		env  []string
		want []string // files of started repeats
		exit int
		says string
	}{
		{Restart, nil, []string{"1", "2", "3", "4", "5"}, 0, ""},
		{Restart, []string{"HPCBENCH_JOB_REPEATS=2 4"}, []string{"2", "4"}, 0, ""},
		{Restart, []string{"HPCBENCH_JOB_REPEATS=2;id"}, nil, 2, "no repeats in '2;id'"},
		{Array, []string{"SLURM_ARRAY_TASK_ID=3"}, []string{"3"}, 0, ""},
		{Array, nil, nil, 2, "array job"},
		{Chain, []string{"HPCBENCH_JOB_REPEATS=4"}, []string{"4"}, 0, ""},
		{Chain, nil, nil, 2, "set HPCBENCH_JOB_REPEATS"},
		{Reuse, nil, []string{"1"}, 0, ""}, // one call that lists all
	} {
		t.Run(string(c.mode)+strings.Join(c.env, ""), func(t *testing.T) {
			d := runnable(t, local())
			d.Mode = c.mode
			exit, out := run(t, d, c.env...)
			if exit != c.exit || !strings.Contains(out, c.says) {
				t.Errorf("exit %d, want %d: %s", exit, c.exit, out)
			}
			var got []string
			for n := 1; n <= 5; n++ {
				if exists(d, fmt.Sprintf("started-%d", n)) {
					got = append(got, fmt.Sprint(n))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("repeats (-want +got):\n%s", diff)
			}
			if c.mode == Reuse {
				want := []string{"repeat", "1", "2", "3", "4", "5", "--run", d.RunDir, "--"}
				if diff := cmp.Diff(want, words(t, d, "argv-1")[:9]); diff != "" {
					t.Errorf("one call (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestFailedRepeatDoesNotStopTheOthers(t *testing.T) {
	d := runnable(t, local())
	d.Mode = Restart
	write(t, filepath.Join(d.RunDir, "behaviour-2"), "exit 3")
	write(t, filepath.Join(d.RunDir, "behaviour-4"), "kill -KILL $$")
	exit, out := run(t, d)
	if exit != 3 {
		t.Errorf("exit %d, want that of the first failure, 3", exit)
	}
	for _, want := range []string{"repeat 2 ended with exit code 3", "repeat 4 ended with exit code 137"} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
	if !exists(d, "started-5") {
		t.Error("repeat 5 was not started")
	}
	// The one that was killed left its server to be swept away.
	if diff := cmp.Diff([]string{"sweep", "4", "--run", d.RunDir}, words(t, d, "sweep-4")); diff != "" || exists(d, "sweep-2") {
		t.Errorf("sweep (-want +got):\n%s", diff)
	}
}

// Slurm's TERM reaches the batch shell alone.
func TestTermReachesTheRepeatAndIsWaitedFor(t *testing.T) {
	for _, mode := range []Mode{Restart, Array, Reuse} {
		t.Run(string(mode), func(t *testing.T) {
			d := runnable(t, local())
			d.Mode, d.Repeats = mode, []int{1, 2}
			write(t, filepath.Join(d.RunDir, "behaviour-1"), "while :; do sleep 0.05; done")
			cmd, out := start(t, d, "SLURM_ARRAY_TASK_ID=1")
			wait(t, d, "started-1")
			for range 3 { // scancel may be called again
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				time.Sleep(30 * time.Millisecond)
			}
			if exit := exitCode(t, cmd.Wait()); exit != 130 {
				t.Errorf("exit %d, want the repeat's 130: %s", exit, out)
			}
			if !exists(d, "signals-1") || !exists(d, "saved-1") {
				t.Error("the repeat didn't get TERM, or wasn't waited for")
			}
			if exists(d, "started-2") {
				t.Error("repeat 2 was started after TERM")
			}
			if mode == Restart && !strings.Contains(out.String(), "repeat 2 was not started") {
				t.Errorf("nothing said of repeat 2: %s", out)
			}
		})
	}
}

// A repeat that is in the middle of writing when signals rain down keeps its exit code.
func TestExitCodeSurvivesSignals(t *testing.T) {
	d := runnable(t, local())
	d.Mode, d.Repeats = Array, []int{1}
	write(t, filepath.Join(d.RunDir, "behaviour-1"), `trap '' TERM
: >ignoring
sleep 0.3
exit 7`)
	cmd, out := start(t, d, "SLURM_ARRAY_TASK_ID=1")
	wait(t, d, "ignoring")
	for {
		if cmd.Process.Signal(syscall.SIGTERM) != nil {
			break
		}
		time.Sleep(3 * time.Millisecond)
		if !alive(cmd.Process.Pid) {
			break
		}
	}
	if exit := exitCode(t, cmd.Wait()); exit != 7 {
		t.Errorf("exit %d, want 7: %s", exit, out)
	}
}

// alive tells a running process from a zombie that nobody has waited for.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(b, []byte(") Z "))
}
