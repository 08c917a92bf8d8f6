package templates

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func task(dir string) TaskData {
	return TaskData{
		ScriptData: ScriptData{
			RunName: "doctor", Version: "v1", Directives: []Directive{{"partition", "qgpu"}, {"time", "00:05:00"}},
			Setup: []string{"export FROM_SETUP=yes", "false"}, Keep: []string{"FROM_SETUP"},
			Exports: []Export{{Name: "HF_HOME", Value: "/a b", Reason: "weights"}},
		},
		What: "a look at a compute node", Dir: dir, Command: []string{"/bin/sh", "-c", `echo "$FROM_SETUP|$HF_HOME|$STRANGER|$1"; pwd; exit 7`, "sh", "it's $(here)"},
	}
}

// The command runs in the environment of a run, with its arguments as they are and its
// exit code as the script's.
func TestTaskRuns(t *testing.T) {
	dir := t.TempDir()
	text, err := Task(task(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"#SBATCH --partition=qgpu", "#SBATCH --no-requeue"} {
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("%q isn't in\n%s", line, text)
		}
	}
	script := filepath.Join(dir, "task.sh")
	if err := os.WriteFile(script, text, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", script)
	cmd.Env = append(os.Environ(), "STRANGER=x")
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("exit code %d, %v", cmd.ProcessState.ExitCode(), err)
	}
	if want := "yes|/a b||it's $(here)\n" + dir + "\n"; string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

func TestTaskRefuses(t *testing.T) {
	for name, change := range map[string]func(*TaskData){
		"no command":     func(d *TaskData) { d.Command = nil },
		"relative":       func(d *TaskData) { d.Dir = "x" },
		"line break":     func(d *TaskData) { d.What = "a\nb" },
		"bad directive":  func(d *TaskData) { d.Directives[0].Value = "a b" },
		"half a line":    func(d *TaskData) { d.Setup = []string{"if true; then"} },
		"secret":         func(d *TaskData) { d.Exports = []Export{{Name: "HF_TOKEN", Value: "x"}} },
		"zero byte":      func(d *TaskData) { d.Command = []string{"a\x00b"} },
		"needed program": func(d *TaskData) { d.Need = []string{"a/b"} },
	} {
		d := task("/tmp")
		change(&d)
		if text, err := Task(d); err == nil {
			t.Errorf("%s was taken:\n%s", name, text)
		}
	}
}

func TestTaskGolden(t *testing.T) {
	d := task("/scratch/project/open-30-15/alice/hpcbench/runs/.doctor-1")
	d.Setup = []string{"command -v apptainer >/dev/null || ml apptainer"}
	d.Need = []string{"apptainer"}
	d.Command = []string{d.Dir + "/bin/hpcbench", "probe", d.Dir}
	text, err := Task(d)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "task.sh")
	if *update {
		write(t, file, string(text))
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("%s (-want +got; run with -update if it's meant):\n%s", file, diff)
	}
}
