package apptainer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func valid() Command {
	return Command{Runtime: Apptainer, Image: "/images/a.sif", Argv: []string{"vllm", "serve"}}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		name string
		cmd  Command
		want []string
	}{
		{"bare", valid(), []string{"apptainer", "exec", "--no-eval", "/images/a.sif", "vllm", "serve"}},
		{"Karolina", Command{
			Runtime: Apptainer, Image: "/scratch/a b.sif", GPU: NV, CleanEnv: true, Pwd: "/work",
			Binds:   []Bind{{Source: "/scratch"}, {Source: "/cache dir", Target: "/cache", ReadOnly: true}, {Source: "/mnt", ReadOnly: true}, {Source: "/a", Target: "/b"}},
			Options: []string{"--overlay", "/x.img:ro"},
			Argv:    []string{"vllm", "serve", "--port", "{port}"},
		}, []string{"apptainer", "exec", "--no-eval", "--nv", "--cleanenv", "--pwd", "/work",
			"--bind", "/scratch", "--bind", "/cache dir:/cache:ro", "--bind", "/mnt:/mnt:ro", "--bind", "/a:/b",
			"--overlay", "/x.img:ro", "/scratch/a b.sif", "vllm", "serve", "--port", "{port}"}},
		{"LUMI", Command{Runtime: Singularity, Program: "/usr/bin/singularity", Image: "/a.sif", Argv: []string{"bash", "-c", "cd /x && exec vllm serve"}},
			[]string{"/usr/bin/singularity", "exec", "--no-eval", "/a.sif", "bash", "-c", "cd /x && exec vllm serve"}},
		{"ROCm", Command{Runtime: Singularity, Image: "/a.sif", GPU: ROCm, Argv: []string{"bash", "/x.sh"}},
			[]string{"singularity", "exec", "--no-eval", "--rocm", "/a.sif", "bash", "/x.sh"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.cmd.CommandLine()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCommandRefusals(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Command)
		says   string
	}{
		{"runtime", func(c *Command) { c.Runtime = "docker" }, "want apptainer or singularity"},
		{"program of another name", func(c *Command) { c.Program = "/usr/bin/singularity" }, "not apptainer by name"},
		{"relative program", func(c *Command) { c.Program = "bin/apptainer" }, "relative"},
		{"no image", func(c *Command) { c.Image = "" }, "image is missing"},
		{"relative image", func(c *Command) { c.Image = "a.sif" }, "relative"},
		{"image from afar", func(c *Command) { c.Image = "docker://vllm" }, "pull it first"},
		{"newline in the image", func(c *Command) { c.Image = "/a\nb.sif" }, "control character"},
		{"GPU", func(c *Command) { c.GPU = "cuda" }, "GPU option"},
		{"relative working folder", func(c *Command) { c.Pwd = "x" }, "relative"},
		{"empty bind", func(c *Command) { c.Binds = []Bind{{}} }, "empty"},
		{"relative bind", func(c *Command) { c.Binds = []Bind{{Source: "x"}} }, "relative"},
		{"comma", func(c *Command) { c.Binds = []Bind{{Source: "/a,b"}} }, "comma"},
		{"colon", func(c *Command) { c.Binds = []Bind{{Source: "/a:b"}} }, "colon"},
		{"backslash", func(c *Command) { c.Binds = []Bind{{Source: `/a\b`}} }, "backslash"},
		{"newline", func(c *Command) { c.Binds = []Bind{{Source: "/a\nb"}} }, "control character"},
		{"comma in the target", func(c *Command) { c.Binds = []Bind{{Source: "/a", Target: "/b,c"}} }, "target"},
		{"relative target", func(c *Command) { c.Binds = []Bind{{Source: "/a", Target: "b"}} }, "target"},
		{"bind over everything", func(c *Command) { c.Binds = []Bind{{Source: "/a", Target: "//."}} }, "root of the container"},
		{"env in the options", func(c *Command) { c.Options = []string{"--env", "A=b"} }, "readable in ps"},
		{"env in one word", func(c *Command) { c.Options = []string{"--env=A=b"} }, "readable in ps"},
		{"bind in the options", func(c *Command) { c.Options = []string{"-B", "/a"} }, "use Binds"},
		{"end of the options", func(c *Command) { c.Options = []string{"--"} }, "end the options"},
		{"image in the options", func(c *Command) { c.Options = []string{"/other.sif"} }, "taken for the image"},
		{"newline in the options", func(c *Command) { c.Options = []string{"--overlay", "a\n"} }, "control character"},
		{"no command", func(c *Command) { c.Argv = nil }, "no command"},
		{"option as command", func(c *Command) { c.Argv = []string{"--bind"} }, "begins with a dash"},
		{"NUL", func(c *Command) { c.Argv = []string{"vllm", "\x00"} }, "NUL"},
		{"shell in between", func(c *Command) { c.Argv = []string{"bash", "-c", "vllm serve"} }, "put exec before"},
		{"login shell in between", func(c *Command) { c.Argv = []string{"/bin/sh", "-lc", "vllm serve; executable"} }, "put exec before"},
		{"shell with options", func(c *Command) { c.Argv = []string{"bash", "--norc", "-e", "-c", "vllm"} }, "put exec before"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := valid()
			c.change(&cmd)
			got, err := cmd.CommandLine()
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, %v should say %q", got, err, c.says)
			}
		})
	}
}

func TestExisting(t *testing.T) {
	binds := []Bind{{Source: "/a"}, {Source: "/b", Optional: true}, {Source: "/c", Optional: true}, {Source: "/d"}}
	kept, dropped := Existing(binds, func(p string) bool { return p == "/c" })
	if diff := cmp.Diff([]Bind{binds[0], binds[2], binds[3]}, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Bind{binds[1]}, dropped); diff != "" {
		t.Errorf("dropped (-want +got):\n%s", diff)
	}
}

func TestEnviron(t *testing.T) {
	c := valid()
	c.Env = []Var{{"HF_HOME", "/cache"}, {"VLLM_API_KEY", "secret"}, {"PREPEND_PATH", "/x"}}
	got, err := c.Environ()
	if err != nil {
		t.Fatal(err)
	}
	want := []Var{{"APPTAINERENV_HF_HOME", "/cache"}, {"APPTAINERENV_VLLM_API_KEY", "secret"}, {"APPTAINERENV_PREPEND_PATH", "/x"}, {"APPTAINERENV_PYTHONNOUSERSITE", "1"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	argv, err := c.CommandLine()
	if err != nil || strings.Contains(strings.Join(argv, " "), "secret") {
		t.Errorf("the key is in %v, %v", argv, err)
	}
	c.Runtime, c.Env = Singularity, []Var{{"PYTHONNOUSERSITE", ""}}
	got, err = c.Environ()
	if diff := cmp.Diff([]Var{{"SINGULARITYENV_PYTHONNOUSERSITE", ""}}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestEnvironRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		env  []Var
		says string
	}{
		"name":    {[]Var{{"A B", "x"}}, "letters, digits"},
		"no name": {[]Var{{"", "x"}}, "letters, digits"},
		"home":    {[]Var{{"HOME", "/x"}}, "refuse to override"},
		"twice":   {[]Var{{"A", "1"}, {"A", "2"}}, "twice"},
		"newline": {[]Var{{"A", "topsecret\n"}}, "control character"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := valid()
			cmd.Env = c.env
			_, err := cmd.Environ()
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "topsecret") {
				t.Errorf("error %v should say %q and no value", err, c.says)
			}
		})
	}
	cmd := valid()
	cmd.Runtime = "podman"
	if _, err := cmd.Environ(); err == nil {
		t.Error("an unknown runtime has an environment")
	}
}

func TestRuntimes(t *testing.T) {
	for program, want := range map[string]Runtime{"apptainer": Apptainer, "/usr/bin/singularity": Singularity, "vllm": "", "/x/apptainer-1.4": ""} {
		got, ok := RuntimeOf(program)
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", program, got, ok)
		}
	}
	if got := Apptainer.EnvName("A") + " " + Singularity.EnvName("A"); got != "APPTAINERENV_A SINGULARITYENV_A" {
		t.Errorf("names: %s", got)
	}
}
