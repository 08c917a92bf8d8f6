package templates

import (
	"strings"
	"testing"
)

func TestRefusals(t *testing.T) {
	cases := []struct {
		name   string
		change func(*ScriptData)
		says   string
	}{
		{"newline in the run name", func(d *ScriptData) { d.RunName = "a\nrm -rf /" }, "can't stand in a comment"},
		{"newline in a note", func(d *ScriptData) { d.Notes = []string{"a\n#SBATCH --account=x"} }, "can't stand in a comment"},
		{"newline in a reason", func(d *ScriptData) { d.Exports[0].Reason = "a\nid" }, "can't stand in a comment"},
		{"no run name", func(d *ScriptData) { d.RunName = "" }, "no run name"},
		{"blank in a directive", func(d *ScriptData) { d.Directives[0].Value = "a b" }, "sbatch would misread"},
		{"newline in a directive", func(d *ScriptData) { d.Directives[0].Value = "a\n#SBATCH --uid=0" }, "sbatch would misread"},
		{"quote in a directive", func(d *ScriptData) { d.Directives[0].Value = `a"b` }, "sbatch would misread"},
		{"comment in a directive", func(d *ScriptData) { d.Directives[0].Value = "a#b" }, "sbatch would misread"},
		{"non-ASCII directive", func(d *ScriptData) { d.Directives[0].Value = "é" }, "sbatch would misread"},
		{"unknown directive", func(d *ScriptData) { d.Directives[0].Flag = "acount" }, "not an option that a run may set"},
		{"uid", func(d *ScriptData) { d.Directives[0] = Directive{"uid", "0"} }, "not an option that a run may set"},
		{"directive twice", func(d *ScriptData) { d.Directives = append(d.Directives, d.Directives[0]) }, "given twice"},
		{"requeue as a directive", func(d *ScriptData) { d.Directives[0] = Directive{"requeue", ""} }, "script's own"},
		{"signal as a directive", func(d *ScriptData) { d.Directives[0] = Directive{"signal", "USR1@60"} }, "script's own"},
		{"no time for the signal", func(d *ScriptData) { d.SignalBeforeS = 0 }, "1..65535"},
		{"too long for the signal", func(d *ScriptData) { d.SignalBeforeS = 65536 }, "1..65535"},
		{"relative run folder", func(d *ScriptData) { d.RunDir = "runs/x" }, "absolute"},
		{"newline in the run folder", func(d *ScriptData) { d.RunDir = "/a\nb" }, "control character"},
		{"relative binary", func(d *ScriptData) { d.Binary = "hpcbench" }, "absolute"},
		{"umask", func(d *ScriptData) { d.Umask = "77; id" }, "octal"},
		{"relative profile", func(d *ScriptData) { d.Profile = []string{"profile"} }, "absolute"},
		{"half a setup line", func(d *ScriptData) { d.Setup[0] = "if true; then" }, "no whole command"},
		{"hostile need", func(d *ScriptData) { d.Need[0] = "a b" }, "plain name"},
		{"hostile keep", func(d *ScriptData) { d.Keep = []string{"*"} }, "kept variable"},
		{"hostile variable", func(d *ScriptData) { d.Exports[0].Name = "A;id" }, "letters, digits"},
		{"token", func(d *ScriptData) { d.Exports[0].Name = "HF_TOKEN" }, "looks like a secret"},
		{"prefixed key", func(d *ScriptData) { d.Exports[0].Name = "APPTAINERENV_VLLM_API_KEY" }, "looks like a secret"},
		{"variable twice", func(d *ScriptData) { d.Exports[1].Name = d.Exports[0].Name }, "set twice"},
		{"the script's own variable", func(d *ScriptData) { d.Exports[0].Name = "RUN" }, "set by every script"},
		{"bash's own variable", func(d *ScriptData) { d.Exports[0].Name = "BASH_ENV" }, "set by every script"},
		{"NUL in a value", func(d *ScriptData) { d.Exports[0].Value = "\x00" }, "NUL"},
		{"mode", func(d *ScriptData) { d.Mode = "arry" }, "repeat mode"},
		{"no repeats", func(d *ScriptData) { d.Repeats = nil }, "no repeats"},
		{"repeat 0", func(d *ScriptData) { d.Repeats = []int{0} }, "start at 1"},
		{"repeat twice", func(d *ScriptData) { d.Repeats = []int{1, 1} }, "listed twice"},
		{"no server", func(d *ScriptData) { d.Server = nil }, "no server command"},
		{"key in the command", func(d *ScriptData) { d.Server = append(d.Server, "--api-key", "x") }, "--api-key"},
		{"key in one word", func(d *ScriptData) { d.Server = append(d.Server, "--api-key=x") }, "--api-key"},
		{"NUL in an argument", func(d *ScriptData) { d.Server = append(d.Server, "\x00") }, "NUL"},
		{"one node", func(d *ScriptData) { d.Nodes = &MultiNode{Count: 1, CPUsPerTask: 8} }, "at least 2"},
		{"no cores", func(d *ScriptData) { d.Nodes = &MultiNode{Count: 2} }, "cores of a task"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := karolina()
			c.change(&d)
			text, err := Script(d)
			if err == nil {
				t.Fatalf("not refused:\n%s", text)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q lacks %q", err, c.says)
			}
		})
	}
}

func TestAllErrorsAtOnce(t *testing.T) {
	d := karolina()
	d.Directives[0].Value = "a b"
	d.RunDir = "x"
	d.Exports[0].Name = "HF_TOKEN"
	_, err := Script(d)
	if err == nil {
		t.Fatal("not refused")
	}
	for _, want := range []string{"misread", "absolute", "secret"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

func TestRequeue(t *testing.T) {
	d := karolina()
	if s := render(t, d); !strings.Contains(s, "#SBATCH --no-requeue\n") || strings.Contains(s, "#SBATCH --requeue\n") {
		t.Error("no-requeue is not stated")
	}
	d.Requeue = true
	if s := render(t, d); strings.Contains(s, "no-requeue") || !strings.Contains(s, "#SBATCH --requeue\n") {
		t.Error("requeue is not stated")
	}
	if s := render(t, local()); strings.Contains(s, "#SBATCH") {
		t.Error("a script without Slurm has #SBATCH lines")
	}
}
