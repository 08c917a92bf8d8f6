package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hpcbench/apptainer"
	"hpcbench/apptainer/siftest"
)

// doubles are the targets that aren't real: what follows is their own.
func doubles(t *testing.T, f func(*testing.T, target)) {
	each(t, func(t *testing.T, target target) {
		if !target.real {
			f(t, target)
		}
	})
}

// imageWith is an image with a file beside it.
func imageWith(t *testing.T, beside string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.sif")
	if err := siftest.Write(path, siftest.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".double.json", []byte(beside), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatLiesBesideTheImage(t *testing.T) {
	doubles(t, func(t *testing.T, target target) {
		home := t.TempDir()
		path := imageWith(t, `{"commands": {"vllm": "`+bin+`/probe"}, "env": {"PATH": "/opt/venv/bin:/bin"}, "home": "`+home+`", "runscript": ["vllm", "args"]}`)
		got := target.call(t, []string{"exec", path, "vllm", "env"})
		if env := got.environ(); env["PATH"] != "/opt/venv/bin:/bin" || env["HOME"] != home {
			t.Errorf("exit %d, PATH=%q HOME=%q: %s", got.exit, env["PATH"], env["HOME"], got.stderr)
		}
		got = target.call(t, []string{"run", path, "a b"})
		if got.stdout != "[\"a b\"]\n" {
			t.Errorf("run: exit %d, %q, %s", got.exit, got.stdout, got.stderr)
		}
		got = target.call(t, []string{"run", "IMAGE"})
		if got.exit != 1 || !strings.Contains(got.stderr, "No runscript") {
			t.Errorf("run without a script: exit %d, %s", got.exit, got.stderr)
		}
		got = target.call(t, []string{"exec", imageWith(t, `{"comands": {}}`), "vllm"})
		if got.exit != exitNotSimulated || !strings.Contains(got.stderr, "comands") {
			t.Errorf("a typing error: exit %d, %s", got.exit, got.stderr)
		}
	})
}

// The home folder is there as it is on the host, with its trap in .local.
func TestHomeIsVisible(t *testing.T) {
	doubles(t, func(t *testing.T, target target) {
		home := t.TempDir()
		trap := filepath.Join(home, ".local", "lib")
		if err := os.MkdirAll(trap, 0o700); err != nil {
			t.Fatal(err)
		}
		path := imageWith(t, `{"home": "`+home+`"}`)
		got := target.call(t, []string{"exec", path, "sh", "-c", `cd "$HOME/.local/lib" && pwd`})
		if strings.TrimSpace(got.stdout) != trap {
			t.Errorf("exit %d, %q, %s", got.exit, got.stdout, got.stderr)
		}
	})
}

func TestWhatCantBeShownIsRefused(t *testing.T) {
	doubles(t, func(t *testing.T, target target) {
		for _, args := range []string{
			"exec --contain IMAGE probe", "exec --containall IMAGE probe", "exec --no-home IMAGE probe", "exec --overlay x IMAGE probe",
			"exec --writable-tmpfs IMAGE probe", "exec --pid IMAGE probe", "exec --fakeroot IMAGE probe", "exec --bind /tmp:/ IMAGE probe",
			"exec /tmp probe", "build x y", "inspect --deffile IMAGE",
		} {
			got := target.call(t, strings.Fields(args))
			if got.exit != exitNotSimulated || !strings.Contains(got.stderr, "test double of "+target.name+": ") {
				t.Errorf("%s: exit %d, %s", args, got.exit, got.stderr)
			}
		}
		prefix := strings.ToUpper(target.name)
		if got := target.call(t, []string{"exec", "IMAGE", "probe", "args"}, prefix+"_CONTAIN=1"); got.exit != exitNotSimulated {
			t.Errorf("by variable: exit %d, %s", got.exit, got.stderr)
		}
	})
}

func TestVersion(t *testing.T) {
	doubles(t, func(t *testing.T, target target) {
		version := map[string]string{"apptainer": "1.4.5", "singularity": "4.1.3"}[target.name]
		title := map[string]string{"apptainer": "apptainer", "singularity": "singularity-ce"}[target.name]
		if got := target.call(t, []string{"version"}); got.stdout != version+"\n" || got.exit != 0 {
			t.Errorf("version: %+v", got)
		}
		if got := target.call(t, []string{"--version"}); got.stdout != title+" version "+version+"\n" || got.exit != 0 {
			t.Errorf("--version: %+v", got)
		}
	})
}

func TestPull(t *testing.T) {
	doubles(t, func(t *testing.T, target target) {
		registry, dir := t.TempDir(), t.TempDir()
		if err := siftest.Write(filepath.Join(registry, "docker___ghcr.io_x_vllm_v1.2.sif"), siftest.Options{}); err != nil {
			t.Fatal(err)
		}
		from := "HPCBENCH_TEST_REGISTRY=" + registry
		pull := func(args ...string) answer {
			return target.call(t, append([]string{"pull"}, args...), from)
		}
		if got := pull("--dir", dir, "docker://ghcr.io/x/vllm:v1.2"); got.exit != 0 {
			t.Fatalf("exit %d, %s", got.exit, got.stderr)
		}
		if _, err := apptainer.Inspect(filepath.Join(dir, "vllm_v1.2.sif")); err != nil {
			t.Error(err)
		}
		if got := pull("--dir", dir, "docker://ghcr.io/x/vllm:v1.2"); got.exit != 255 || !strings.Contains(got.stderr, "will not overwrite") {
			t.Errorf("again: exit %d, %s", got.exit, got.stderr)
		}
		if got := pull("--force", "--dir", dir, "docker://ghcr.io/x/vllm:v1.2"); got.exit != 0 {
			t.Errorf("forced: exit %d, %s", got.exit, got.stderr)
		}
		if got := pull(filepath.Join(dir, "own.sif"), "docker://ghcr.io/x/vllm:v1.2"); got.exit != 0 {
			t.Errorf("own name: exit %d, %s", got.exit, got.stderr)
		}
		for args, says := range map[string]string{
			"docker://ghcr.io/x/none": "no such file",
			"ftp://x":                 "Unsupported transport type: ftp",
			"--arch arm64 docker://ghcr.io/x/vllm:v1.2":   "no image for architecture arm64",
			"--arch arm64 x.sif y docker://ghcr.io/x/z:1": "accepts between 1 and 2 arg(s), received 3",
		} {
			got := pull(append([]string{"--dir", t.TempDir()}, strings.Fields(args)...)...)
			if got.exit == 0 || !strings.Contains(got.stderr, says) {
				t.Errorf("%s: exit %d, %s", args, got.exit, got.stderr)
			}
		}
	})
}

// Everything that Command writes, the double takes.
func TestCommandLinesAreAccepted(t *testing.T) {
	doubles(t, func(t *testing.T, target target) {
		c := apptainer.Command{
			Runtime: apptainer.Runtime(target.name), Program: target.path, Image: imageWith(t, `{"commands": {"probe": "`+bin+`/probe"}}`),
			GPU: apptainer.NV, CleanEnv: true, Pwd: "/tmp",
			Binds: []apptainer.Bind{{Source: "/tmp"}, {Source: "/etc", ReadOnly: true}, {Source: "/usr", Target: "/host/usr"}},
			Env:   []apptainer.Var{{Name: "KEY", Value: "`$(x)` $HOME"}}, Argv: []string{"probe", "env"},
		}
		argv, err := c.CommandLine()
		if err != nil {
			t.Fatal(err)
		}
		vars, err := c.Environ()
		if err != nil {
			t.Fatal(err)
		}
		var env []string
		for _, v := range vars {
			env = append(env, v.Name+"="+v.Value)
		}
		got := target.call(t, argv[1:], env...)
		seen := got.environ()
		if got.exit != 0 || seen["KEY"] != "`$(x)` $HOME" || seen["PYTHONNOUSERSITE"] != "1" || seen["FOO"] != "" {
			t.Errorf("exit %d, %q, %s", got.exit, got.stdout, got.stderr)
		}
	})
}

func TestOtherNames(t *testing.T) {
	dir := t.TempDir()
	if _, err := siftest.BuildDouble(dir, "docker"); err != nil {
		t.Fatal(err)
	}
	got := target{name: "docker", path: filepath.Join(dir, "docker")}.call(t, []string{"version"})
	if got.exit != exitNotSimulated || !strings.Contains(got.stderr, "must be called apptainer or singularity") {
		t.Errorf("exit %d, %s", got.exit, got.stderr)
	}
}

// The table has no option twice, and each has a source.
func TestOptionTable(t *testing.T) {
	for _, table := range [][]option{append(append([]option{}, actionOptions...), runOptions...), pullOptions, inspectOptions, globalOptions} {
		for _, program := range []programs{onlyApptainer, onlySingularity} {
			names, letters := map[string]bool{}, map[string]bool{}
			for _, o := range table {
				if o.in != both && o.in != program {
					continue
				}
				if names[o.name] || o.short != "" && letters[o.short] {
					t.Errorf("--%s or -%s is there twice", o.name, o.short)
				}
				names[o.name], letters[o.short] = true, true
				if file, variable, ok := strings.Cut(o.source, " "); !ok || !strings.HasSuffix(file, ".go") || variable == "" {
					t.Errorf("--%s has no source", o.name)
				}
			}
		}
	}
}
