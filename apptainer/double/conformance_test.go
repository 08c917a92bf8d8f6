package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"hpcbench/apptainer/siftest"
)

// target is one program that the cases run with: the double under both names, and the
// real ones where they are on PATH.
type target struct {
	name string // apptainer or singularity
	path string
	real bool
}

var (
	targets []target
	images  struct{ good, otherArch, noRoot string }
	bin     string // the folder of the probe on the host
)

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "double")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := prepare(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func prepare(dir string) error {
	// Real runtimes often refuse to start as another user from a private folder.
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	for name := range known {
		path, err := siftest.BuildDouble(dir, name)
		if err != nil {
			return err
		}
		targets = append(targets, target{name: name, path: path})
		if real, err := exec.LookPath(name); err == nil && isReal(name, real) {
			targets = append(targets, target{name: name, path: real, real: true})
		}
	}
	bin = filepath.Join(dir, "bin")
	probe, err := siftest.BuildProbe(bin)
	if err != nil {
		return err
	}
	return makeImages(dir, probe)
}

// isReal tells a real program from a double on PATH, and SingularityCE from the
// `singularity` that Apptainer installs beside itself.
func isReal(name, path string) bool {
	var out bytes.Buffer
	cmd := exec.Command(path, "--version")
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd.Run() == nil && strings.Contains(out.String(), known[name].title+" version") && !strings.Contains(out.String(), "test double")
}

// makeImages writes an image that a real runtime can run, which takes mksquashfs, only
// where there is a real runtime.
func makeImages(dir, probe string) error {
	options := siftest.Options{Arch: runtime.GOARCH, Labels: map[string]string{"org.test": "yes", "a": "b c"}}
	for _, t := range targets {
		if !t.real || options.FS != nil {
			continue
		}
		fs, err := squashfs(dir, probe)
		if err != nil {
			return err
		}
		options.FS = fs
	}
	other := options
	other.Arch = map[string]string{"amd64": "arm64"}[runtime.GOARCH]
	if other.Arch == "" {
		other.Arch = "amd64"
	}
	images.good, images.otherArch, images.noRoot = filepath.Join(dir, "good.sif"), filepath.Join(dir, "other.sif"), filepath.Join(dir, "noroot.sif")
	return errors.Join(
		siftest.Write(images.good, options),
		siftest.Write(images.otherArch, other),
		siftest.Write(images.noRoot, siftest.Options{NoPartition: true}),
		os.WriteFile(images.good+".double.json", []byte(`{"env": {"FROM_IMAGE": "image", "BOTH": "image", "EMPTY_IN_IMAGE": ""}}`), 0o644),
	)
}

func squashfs(dir, probe string) ([]byte, error) {
	root, file := filepath.Join(dir, "root"), filepath.Join(dir, "root.squashfs")
	for _, d := range []string{"bin", "etc", "tmp", "var/tmp", "proc", "sys", "dev", "root", "home", ".singularity.d/env"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			return nil, err
		}
	}
	program, err := os.ReadFile(probe)
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(root, "bin/probe"), program, 0o755),
		os.WriteFile(filepath.Join(root, "etc/passwd"), nil, 0o644),
		os.WriteFile(filepath.Join(root, "etc/group"), nil, 0o644),
		os.WriteFile(filepath.Join(root, ".singularity.d/env/90-environment.sh"), []byte("export FROM_IMAGE=image BOTH=image EMPTY_IN_IMAGE=\n"), 0o755),
		os.WriteFile(filepath.Join(root, ".singularity.d/env/99-base.sh"), nil, 0o755),
	)
	if err != nil {
		return nil, err
	}
	if out, err := exec.Command("mksquashfs", root, file, "-all-root", "-noappend", "-quiet", "-no-progress").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("a real container runtime is on PATH, and its tests need mksquashfs (squashfs-tools): %w\n%s", err, out)
	}
	return os.ReadFile(file)
}

// answer is what a call gave.
type answer struct {
	exit           int
	stdout, stderr string
}

// call runs a target with a small environment of its own.
func (t target) call(tb testing.TB, args []string, env ...string) answer {
	tb.Helper()
	cmd := t.cmd(args, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		tb.Fatal(err)
	}
	return answer{shellStatus(cmd), out.String(), errs.String()}
}

// shellStatus is what $? would be.
func shellStatus(cmd *exec.Cmd) int {
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return cmd.ProcessState.ExitCode()
}

var placeholders = func() *strings.Replacer {
	return strings.NewReplacer("IMAGE", images.good, "OTHER_ARCH", images.otherArch, "NO_ROOT", images.noRoot)
}

func (t target) cmd(args []string, env ...string) *exec.Cmd {
	filled := make([]string, len(args))
	for i, a := range args {
		filled[i] = placeholders().Replace(a)
	}
	cmd := exec.Command(t.path, filled...)
	cmd.Dir = "/tmp"
	cmd.Env = append([]string{
		"PATH=" + filepath.Dir(t.path) + ":" + bin + ":/usr/bin:/bin", "HOME=/tmp", "TERM=dumb",
		"FOO=host", "BOTH=host", "EMPTY_IN_IMAGE=host", "LD_LIBRARY_PATH=/host", "PYTHONPATH=/host", "http_proxy=p", "LANG=en",
	}, env...)
	return cmd
}

// environ is what `probe env` printed.
func (a answer) environ() map[string]string {
	got := map[string]string{}
	for kv := range strings.SplitSeq(strings.TrimSuffix(a.stdout, "\x00"), "\x00") {
		name, value, _ := strings.Cut(kv, "=")
		got[name] = value
	}
	return got
}

// unset marks a variable that must not be there.
const unset = "\x00unset"

func homeFolder(t *testing.T) string {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return me.HomeDir
}

// conformance are calls that every target answers alike. Both real programs word their
// messages as the patterns say; what differs has only one of the names.
var conformance = []struct {
	name   string
	only   string // a program, or both
	args   string // split at blanks
	env    []string
	exit   int
	stdout string // pattern
	stderr string // pattern
	see    map[string]string
}{
	{name: "command", args: "exec IMAGE probe args a --nv -- x", stdout: `^\["a" "--nv" "--" "x"\]\n$`},
	{name: "double dash before the image", args: "exec -- IMAGE probe args", stdout: `^\[\]\n$`},
	{name: "exit status", args: "exec IMAGE probe exit 3", exit: 3},
	{name: "killed", args: "exec IMAGE probe die 9", exit: 137},
	{name: "terminated", args: "exec IMAGE probe die 15", exit: 143},
	{name: "our options", args: "exec --no-eval --nv --cleanenv --pwd /etc --bind /tmp --bind /etc:/etc:ro IMAGE probe pwd", stdout: `^/etc\n$`},
	{name: "rocm", args: "exec --rocm IMAGE probe args", stdout: `^\[\]\n$`},
	{name: "short options in one word", args: "exec -eB/tmp IMAGE probe args", stdout: `^\[\]\n$`},
	{name: "option switched off", args: "exec --nv=false IMAGE probe args", stdout: `^\[\]\n$`},
	{name: "working folder of the host", args: "exec IMAGE probe pwd", stdout: `^/tmp\n$`},
	{name: "quiet before the verb", args: "-q exec IMAGE probe args", stdout: `^\[\]\n$`},

	{name: "unknown option", args: "exec --bogus IMAGE probe", exit: 1, stderr: `Error for command "exec": unknown flag: --bogus`},
	{name: "unknown letter", args: "exec -Q IMAGE probe", exit: 1, stderr: `unknown shorthand flag: 'Q' in -Q`},
	{name: "quiet after the verb", args: "exec -q IMAGE probe", exit: 1, stderr: `unknown shorthand flag: 'q' in -q`},
	{name: "debug after the verb", args: "exec --debug IMAGE probe", exit: 1, stderr: `unknown flag: --debug`},
	{name: "no-env is in neither", args: "exec --no-env FOO IMAGE probe", exit: 1, stderr: `unknown flag: --no-env`},
	{name: "option of Apptainer alone", only: "singularity", args: "exec --unsquash IMAGE probe", exit: 1, stderr: `unknown flag: --unsquash`},
	{name: "option of SingularityCE alone", only: "apptainer", args: "exec --no-compat IMAGE probe", exit: 1, stderr: `unknown flag: --no-compat`},
	{name: "oci mode is SingularityCE's", only: "apptainer", args: "exec --oci IMAGE probe", exit: 1, stderr: `unknown flag: --oci`},
	{name: "value missing", args: "exec --bind", exit: 1, stderr: `flag needs an argument: --bind`},
	{name: "value of a switch", args: "exec --nv=maybe IMAGE probe", exit: 1, stderr: `invalid argument "maybe" for "--nv" flag`},
	{name: "value of a number", args: "exec --pids-limit x IMAGE probe", exit: 1, stderr: `invalid argument "x" for "--pids-limit" flag`},
	{name: "value of a variable", args: "exec --env A IMAGE probe", exit: 1, stderr: `A must be formatted as key=value`},
	{name: "no arguments", args: "exec", exit: 1, stderr: `requires at least 2 arg\(s\), only received 0`},
	{name: "no command", args: "exec IMAGE", exit: 1, stderr: `requires at least 2 arg\(s\), only received 1`},
	{name: "unknown verb", args: "bogus", exit: 1, stderr: `unknown command "bogus"`},

	{name: "no image", args: "exec /no/such.sif probe", exit: 255, stderr: `FATAL:.*could not open image /no/such.sif: failed to retrieve path for /no/such.sif: lstat .*no such file or directory`},
	{name: "not an image", args: "exec /etc/passwd probe", exit: 255, stderr: `FATAL:.*could not open image /etc/passwd: image format not recognized`},
	{name: "other processors", args: "exec OTHER_ARCH probe", exit: 255, stderr: `FATAL:.*the image's architecture \(\w+\) could not run on the host's \(\w+\)`},
	{name: "image without a root", args: "exec NO_ROOT probe", exit: 255, stderr: `FATAL:.*no root filesystem found`},
	{name: "command not in the image", args: "exec IMAGE no-such-program", exit: 255, stderr: `FATAL:\s+"no-such-program": executable file not found in \$PATH`},
	{name: "path not in the image", args: "exec IMAGE /no/such/program", exit: 255, stderr: `FATAL:\s+stat /no/such/program: no such file or directory`},
	{name: "folder as command", args: "exec IMAGE /etc", exit: 255, stderr: `FATAL:\s+is a directory`},
	{name: "working folder missing", args: "exec --pwd /no/such IMAGE probe pwd", exit: 255, stderr: `FATAL:.*failed to set working directory: chdir /no/such: no such file or directory`},

	{name: "bind source missing", args: "exec --bind /no/such IMAGE probe", exit: 255, stderr: `FATAL:.*container creation failed: mount hook function failure: mount /no/such->/no/such error: while mounting /no/such: mount source /no/such doesn't exist`},
	{name: "second of two binds missing", args: "exec --bind /tmp,/no/such IMAGE probe", exit: 255, stderr: `mount source /no/such doesn't exist`},
	{name: "relative bind source", args: "exec --bind rel:/x IMAGE probe", exit: 255, stderr: `mount source /tmp/rel doesn't exist`},
	{name: "relative bind target", args: "exec --bind /tmp:rel IMAGE probe", exit: 255, stderr: `FATAL:.*unable to add /tmp to mount list: destination must be an absolute path`},
	{name: "unknown bind option", args: "exec --bind /tmp:/x:bogus IMAGE probe", exit: 255, stderr: `FATAL:.*while parsing bind path: while getting bind path: bogus is not a valid bind option`},
	{name: "bind by variable", only: "apptainer", args: "exec IMAGE probe args", env: []string{"APPTAINER_BIND=/no/such"}, exit: 255, stderr: `mount source /no/such doesn't exist`},
	{name: "bind by the older variable", only: "apptainer", args: "exec IMAGE probe args", env: []string{"SINGULARITY_BIND=/no/such"}, exit: 255, stderr: `(?s)INFO:\s+Environment variable SINGULARITY_BIND is set, but APPTAINER_BIND is preferred.*mount source /no/such doesn't exist`},
	{name: "bind by variable", only: "singularity", args: "exec IMAGE probe args", env: []string{"SINGULARITY_BIND=/no/such"}, exit: 255, stderr: `mount source /no/such doesn't exist`},
	{name: "bind by the other's variable", only: "singularity", args: "exec IMAGE probe args", env: []string{"APPTAINER_BIND=/no/such"}, stdout: `^\[\]\n$`},
	{name: "bind by both", only: "apptainer", args: "exec --bind /tmp IMAGE probe args", env: []string{"APPTAINER_BINDPATH=/no/such"}, exit: 255, stderr: `mount source /no/such doesn't exist`},

	{name: "inherited environment", args: "exec IMAGE probe env", see: map[string]string{
		"FOO": "host", "PYTHONPATH": "/host", "http_proxy": "p", "TERM": "dumb", "LANG": "en",
		"BOTH": "image", "FROM_IMAGE": "image", "EMPTY_IN_IMAGE": unset, "LD_LIBRARY_PATH": unset,
		"PATH": defaultPath, "HOME": "HOME", "PWD": "/tmp",
	}},
	{name: "clean environment", args: "exec --cleanenv IMAGE probe env", see: map[string]string{
		"FOO": unset, "PYTHONPATH": unset, "http_proxy": "p", "TERM": "dumb", "LANG": "C", "BOTH": "image", "PATH": defaultPath, "HOME": "HOME",
	}},
	{name: "clean environment by variable", only: "apptainer", args: "exec IMAGE probe env", env: []string{"APPTAINER_CLEANENV=1"}, see: map[string]string{"FOO": unset, "LANG": "C"}},
	{name: "prefix wins", only: "apptainer", args: "exec IMAGE probe env", env: []string{"APPTAINERENV_FOO=pre", "APPTAINERENV_BOTH=pre", "APPTAINERENV_NEW=", "APPTAINERENV_LD_LIBRARY_PATH=/l"},
		see: map[string]string{"FOO": "pre", "BOTH": "pre", "NEW": "", "LD_LIBRARY_PATH": "/l:/.singularity.d/libs", "APPTAINERENV_FOO": unset}},
	{name: "prefix wins", only: "singularity", args: "exec IMAGE probe env", env: []string{"SINGULARITYENV_FOO=pre", "SINGULARITYENV_BOTH=pre", "SINGULARITYENV_NEW="},
		see: map[string]string{"FOO": "pre", "BOTH": "pre", "NEW": "", "SINGULARITYENV_FOO": unset}},
	{name: "prefix in a clean environment", only: "apptainer", args: "exec -e IMAGE probe env", env: []string{"APPTAINERENV_NEW=x"}, see: map[string]string{"NEW": "x", "FOO": unset}},
	{name: "older prefix", only: "apptainer", args: "exec IMAGE probe env", env: []string{"SINGULARITYENV_NEW=x"}, stderr: `INFO:\s+Environment variable SINGULARITYENV_NEW is set, but APPTAINERENV_NEW is preferred`, see: map[string]string{"NEW": "x"}},
	{name: "both prefixes", only: "apptainer", args: "exec IMAGE probe env", env: []string{"SINGULARITYENV_NEW=old", "APPTAINERENV_NEW=new"}, stderr: `WARNING: SINGULARITYENV_NEW and APPTAINERENV_NEW have different values`, see: map[string]string{"NEW": "new"}},
	{name: "the other's prefix is a plain variable", only: "singularity", args: "exec IMAGE probe env", env: []string{"APPTAINERENV_NEW=x"}, see: map[string]string{"NEW": unset, "APPTAINERENV_NEW": "x"}},
	{name: "path", only: "apptainer", args: "exec IMAGE probe env", env: []string{"APPTAINERENV_PREPEND_PATH=/first", "APPTAINERENV_APPEND_PATH=/last"}, see: map[string]string{"PATH": "/first:" + defaultPath + ":/last", "PREPEND_PATH": unset}},
	{name: "home can't be set", only: "apptainer", args: "exec IMAGE probe env", env: []string{"APPTAINERENV_HOME=/x"}, stderr: `WARNING: Overriding HOME environment variable with APPTAINERENV_HOME is not permitted`, see: map[string]string{"HOME": "HOME"}},
	{name: "values are evaluated", only: "apptainer", args: "exec IMAGE probe env", env: []string{`APPTAINERENV_NEW=$BOTH $(echo hi) "q" \x`}, see: map[string]string{"NEW": `image hi "q" \x`}},
	{name: "values are not evaluated", only: "apptainer", args: "exec --no-eval IMAGE probe env", env: []string{`APPTAINERENV_NEW=$BOTH $(echo hi) "q" 's' \x`}, see: map[string]string{"NEW": `$BOTH $(echo hi) "q" 's' \x`}},
	{name: "values are not evaluated", only: "singularity", args: "exec --no-eval IMAGE probe env", env: []string{`SINGULARITYENV_NEW=$BOTH $(echo hi)`}, see: map[string]string{"NEW": `$BOTH $(echo hi)`}},
	{name: "plain values are never evaluated", args: "exec IMAGE probe env", env: []string{`NEW=$(echo hi)`}, see: map[string]string{"NEW": `$(echo hi)`}},
	{name: "variables on the command line", args: "exec --env A=1,B=2 --env FOO=cli IMAGE probe env", see: map[string]string{"A": "1", "B": "2", "FOO": "cli"}},
	{name: "command line before prefix", only: "apptainer", args: "exec --env NEW=cli IMAGE probe env", env: []string{"APPTAINERENV_NEW=pre"}, see: map[string]string{"NEW": "cli"}},
	{name: "no file of variables", args: "exec --env-file /no/such IMAGE probe env", exit: 255, stderr: `FATAL:.*could not read environment file "/no/such": open /no/such: no such file or directory`},
	{name: "home on the command line", args: "exec --home /tmp:/elsewhere IMAGE probe env", see: map[string]string{"HOME": "/elsewhere"}},

	{name: "labels", args: "inspect --labels IMAGE", stdout: `(?m)^a: b c\norg.test: yes$`},
	{name: "labels as JSON", args: "inspect --json --labels IMAGE", stdout: `(?s)"labels": \{\s*"a": "b c",\s*"org.test": "yes"\s*\}.*"type": "container"`},
	{name: "inspect what is not there", args: "inspect /no/such.sif", exit: 255, stderr: `FATAL:.*Failed to open image /no/such.sif`},
	{name: "inspect what is no image", args: "inspect /etc/passwd", exit: 255, stderr: `FATAL:.*Failed to open image /etc/passwd: image format not recognized`},
	{name: "inspect nothing", args: "inspect", exit: 1, stderr: `accepts 1 arg\(s\), received 0`},
	{name: "pull over an image", args: "pull IMAGE docker://127.0.0.1:1/x", exit: 255, stderr: `FATAL:.*Image file already exists: ".*good.sif" - will not overwrite`},
	{name: "pull from nowhere", args: "pull /tmp/no-such-folder/x.sif docker://127.0.0.1:1/x", exit: 255, stderr: `FATAL:.*While making image from oci registry`},
	{name: "pull nothing", args: "pull", exit: 1, stderr: `accepts between 1 and 2 arg\(s\), received 0`},
	{name: "pull with an unknown option", args: "pull --bogus docker://x", exit: 1, stderr: `Error for command "pull": unknown flag: --bogus`},
}

func TestConformance(t *testing.T) {
	home := homeFolder(t)
	for _, target := range targets {
		label := target.name
		if target.real {
			label = "real " + label
		}
		for _, c := range conformance {
			if c.only != "" && c.only != target.name {
				continue
			}
			t.Run(label+"/"+c.name, func(t *testing.T) {
				got := target.call(t, strings.Fields(c.args), c.env...)
				if got.exit != c.exit {
					t.Errorf("exit %d, want %d\n%s", got.exit, c.exit, got.stderr)
				}
				if !regexp.MustCompile(c.stdout).MatchString(got.stdout) {
					t.Errorf("stdout %q doesn't match %s", got.stdout, c.stdout)
				}
				if !regexp.MustCompile(c.stderr).MatchString(got.stderr) {
					t.Errorf("stderr doesn't match %s:\n%s", c.stderr, got.stderr)
				}
				if !target.real && strings.Count(got.stderr, "WARNING: test double of "+target.name+", no container\n") != 1 {
					t.Errorf("the double doesn't say that it is one:\n%s", got.stderr)
				}
				seen := got.environ()
				for name, want := range c.see {
					value, ok := seen[name]
					switch {
					case want == unset && ok:
						t.Errorf("%s=%q, want none", name, value)
					case want == unset:
					case want == "HOME" && value != home:
						t.Errorf("HOME=%q, want the one of the password file, %s", value, home)
					case want != "HOME" && (!ok || value != want):
						t.Errorf("%s=%q (%v), want %q", name, value, ok, want)
					}
				}
			})
		}
	}
}
