//go:build fault

package faulttest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hpcbench/results"
	"hpcbench/slurm/slurmtest"
)

// serverKey is the key that the run's server demands, read where only its owner can: in its environment.
func (f *fault) serverKey() string {
	f.T.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", f.stubProcess()))
	if err != nil {
		f.T.Fatal(err)
	}
	for _, v := range strings.Split(string(b), "\x00") {
		if key, ok := strings.CutPrefix(v, "VLLM_API_KEY="); ok && len(key) >= 32 {
			return key
		}
	}
	f.T.Fatalf("the server has no key")
	return ""
}

func TestNoSecretIsSeen(t *testing.T) {
	t.Parallel()
	f := put(t, "Other users", "somebody looks for the server's key", "in the command lines of all processes, the script, `scontrol show job`, the logs and every file of the run")
	f.slowPlan()
	f.submit("--repeats", "1")
	f.measuring(1, 0)
	key := f.serverKey()
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range found {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(key)) {
			t.Errorf("%s: %q", path, b)
		}
	}
	if out := f.tool("scontrol", "show", "job", "-dd", uintText(f.job(1, 0))); strings.Contains(out, key) {
		t.Errorf("scontrol show job says\n%s", out)
	}
	if out := f.tool("scontrol", "write", "batch_script", uintText(f.job(1, 0)), "-"); strings.Contains(out, key) || !strings.Contains(out, "hpcbench run") {
		t.Errorf("the script at Slurm:\n%s", out)
	}
	f.over()
	f.clean()
	files := 0
	err := filepath.WalkDir(string(f.Run(f.run)), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == f.Run(f.run).Binary() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(key)) {
			t.Errorf("the key is in %s", path)
		}
		files++
		return err
	})
	if err != nil || files < 8 {
		t.Errorf("%d files, %v", files, err)
	}
	f.saw("it is in the environment of the server's own processes, and nowhere else")
	f.keeps()
	f.end = "the repeat is complete"
}

// What users have in their shells and homes must not reach the server, nor change what is submitted.
func TestPoisonedEnvironment(t *testing.T) {
	t.Parallel()
	f := put(t, "The job", "poisoned environment", "~/.local with a package named as the image's, a ~/.bashrc that ends every shell, a BASH_ENV that changes folder, umask and options, SBATCH_*, SQUEUE_*, SLURM_TIME_FORMAT, PYTHONPATH, LC_ALL=cs_CZ.UTF-8, an exported function named as a tool, secrets of other programs")
	f.File("home/.local/lib/python3.11/site-packages/vllm/__init__.py", "raise SystemExit('poisoned')\n")
	f.File("home/.bashrc", "exit 77\n")
	f.File("home/.bash_profile", "exit 77\n")
	f.Env = append(f.Env, "SBATCH_PARTITION=qgpu_preempt", "SBATCH_TIMELIMIT=1", "SBATCH_WRAP=false", "SBATCH_ARRAY_INX=7-9",
		"SBATCH_EXPORT=NONE", "SQUEUE_FORMAT=%i", "SQUEUE_STATES=PD", "SACCT_FORMAT=jobid", "SLURM_TIME_FORMAT=relative", "PYTHONPATH=/poisoned", "VIRTUAL_ENV=/poisoned",
		"CONDA_PREFIX=/poisoned", "PYTHONHOME=/poisoned", "LC_ALL=cs_CZ.UTF-8", "LANG=cs_CZ.UTF-8", "TZ=Asia/Tokyo", "BASH_ENV="+f.File("home/env", "echo noise\nset -u\numask 000\ncd /\nls() { exit 77; }\nexport -f ls\n"), "ENV=/poisoned",
		"BASH_FUNC_scontrol%%=() { exit 77; }", "BASH_FUNC_env%%=() { exit 77; }", "OTHER_SECRET=xyzzy", "AWS_SECRET_ACCESS_KEY=xyzzy", "APPTAINER_BIND=/nowhere:/nowhere", "LD_LIBRARY_PATH=/poisoned")
	f.slowPlan()
	f.submit("--repeats", "1")
	f.measuring(1, 0)
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", f.stubProcess()))
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	for _, v := range strings.Split(string(b), "\x00") {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
		if strings.Contains(":"+value, ":/poisoned") || strings.Contains(value, "xyzzy") || strings.Contains(value, "cs_CZ") {
			t.Errorf("the server has %s", v)
		}
	}
	if env["PYTHONNOUSERSITE"] != "1" || env["LC_ALL"] != "C.UTF-8" {
		t.Errorf("PYTHONNOUSERSITE=%q LC_ALL=%q", env["PYTHONNOUSERSITE"], env["LC_ALL"])
	}
	s := f.over()
	f.shows(s, 1, "complete", "")
	a := f.attempt(1, 0)
	if a.Slurm.Partition != "qgpu" || a.Slurm.Account != slurmtest.ITIAccount {
		t.Errorf("it ran in partition %s for %s", a.Slurm.Partition, a.Slurm.Account)
	}
	f.saw("the job has the account, partition and time that were asked for, and the server's environment has nothing of it")
	f.keeps()
	f.clean()
	f.completed()
	f.end = "the repeat is complete"
}

func TestFoldersAndTheGroup(t *testing.T) {
	t.Parallel()
	f := put(t, "Other users", "somebody wants to read the results", "a user of the project's group, once without and once with `group_readable`, and one outside it")
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	f.Measure(f.submitArgs("--repeats", "1", "--wait")...)
	for _, path := range []string{string(f.Run(f.run)), filepath.Dir(f.Run(f.run).Binary())} {
		if m := mode(path); m&0o077 != 0 {
			t.Errorf("%s has mode %o", path, m)
		}
	}
	f.keeps()
	f.clean()

	f.run += "-group"
	f.File("config/sites/karolina.yaml", string(f.read("config/sites/karolina.yaml"))+"group_readable: true\ngroup: "+slurmtest.User+"\n")
	f.Measure(f.submitArgs("--repeats", "1", "--wait")...)
	err := filepath.WalkDir(string(f.Run(f.run)), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		m := mode(path)
		switch {
		case path == f.Run(f.run).Binary(): // nobody needs to read it
		case m&0o020 != 0, m&0o040 == 0, d.IsDir() && m&0o007 != 0:
			t.Errorf("%s has mode %o", path, m)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f.saw("without it every folder is the owner's alone; with it the group reads every file and writes none, and others get into no folder")
	f.end = "both runs are complete"
}

// Values that would break a script end up quoted or are refused; none is run.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	f := put(t, "The job", "hostile values", "a folder, an image and a model with blanks, quotes, `$()` and non-ASCII letters; names and server arguments with newlines and `;`")
	mark := filepath.Join(f.Dir, "pwned")
	evil := `it's "$(touch ` + mark + `)" ` + "`touch " + mark + "` žluťoučký"
	model := filepath.Join(f.Dir, "models", strings.ReplaceAll(evil, "/", "_"))
	f.File(strings.TrimPrefix(model, f.Dir+"/")+"/config.json", `{"architectures":["X"],"num_attention_heads":4,"num_key_value_heads":2,"num_hidden_layers":2,"hidden_size":64,"vocab_size":512,"max_position_embeddings":32768,"torch_dtype":"bfloat16"}`)
	f.Must("submit", "--site", "karolina", "--model", model, "--gpus", "1", "--name", f.run, "--repeats", "1", "--server-arg="+f.truth(),
		"--server-arg=--share-seed="+evil)
	f.measuring(1, 0)
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", f.stubProcess()))
	if err != nil || !strings.Contains(string(b), "\x00--share-seed="+evil+"\x00") {
		t.Errorf("the server's command line: %q, %v", b, err)
	}
	f.over()
	f.completed()
	for _, flags := range [][]string{
		{"--name", "a;b"}, {"--name", "../x"}, {"--name", "a\nb"}, {"--account", "open-00-00\n#SBATCH --time=1"}, {"--partition", "qgpu;id"}, {"--reservation", "x y"}, {"--qos", "$(id)"},
	} {
		out, code := f.Hpcbench(append([]string{"submit", "--site", "karolina", "--model", "Qwen3-8B", "--gpus", "1", "--repeats", "1"}, flags...)...)
		if code != 2 && code != 4 {
			t.Errorf("%q: exit code %d\n%s", flags, code, out)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("something of it was run")
	}
	f.saw("they reach the server as they are, or are refused with the reason; nothing of them is run")
	f.keeps()
	f.clean()
	f.end = "the repeat is complete"
}

// Where a site asks for it nothing of ours listens on a port.
func TestServerOnASocket(t *testing.T) {
	t.Parallel()
	f := put(t, "Other users", "somebody scans the node's ports", "the site has `unix_socket`")
	f.File("config/sites/karolina.yaml", string(f.read("config/sites/karolina.yaml"))+"unix_socket: true\n")
	f.slowPlan()
	f.submit("--repeats", "1")
	f.measuring(1, 0)
	pid := f.stubProcess()
	tcp, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", pid))
	if err != nil {
		t.Fatal(err)
	}
	listening := map[string]bool{} // inodes of listening sockets
	for line := range strings.Lines(string(tcp)) {
		if v := strings.Fields(line); len(v) > 9 && v[3] == "0A" {
			listening["socket:["+v[9]+"]"] = true
		}
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil || len(listening) == 0 {
		t.Fatalf("%d listening sockets on this machine, %v", len(listening), err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name())); err == nil && listening[to] {
			t.Errorf("the server listens on a port: %s", to)
		}
	}
	s := f.over()
	f.shows(s, 1, "complete", "")
	if a := f.attempt(1, 0); a.Clock.Kind != results.ClockProcess || !strings.Contains(a.Clock.Reason, "socket") {
		t.Errorf("stamps by %+v", a.Clock)
	}
	f.saw("there is none: the server has a Unix socket in a folder of its own, and the records say which clock stamped them")
	f.keeps()
	f.clean()
	f.end = "the repeat is complete"
}
