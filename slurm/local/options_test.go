package local

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestScriptOptions(t *testing.T) {
	got, err := scriptOptions(`#!/bin/bash -l
#SBATCH --job-name=hb
# a comment
#SBATCH -t 30 --output "logs/%j.log"
#SBATCH --account=project_1 # whose
#SBATCH --gpus-per-node=2

#SBATCH --signal=B:TERM@120
echo hello
#SBATCH --job-name=too-late
`)
	want := options{"job-name": "hb", "time": "30", "output": "logs/%j.log", "account": "project_1", "signal": "B:TERM@120"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := scriptOptions("echo hello\n"); err == nil {
		t.Error("a script without an interpreter was accepted")
	}
	opts := options{}
	opts.read([]string{"--array=1-5", "-Jname", "--time", "1:00", "--no-requeue", "--exclude=x", "-o", "f"})
	if want := (options{"array": "1-5", "job-name": "name", "time": "1:00", "output": "f"}); !maps.Equal(opts, want) {
		t.Errorf("got %v", opts)
	}
}

func FuzzScriptOptions(f *testing.F) {
	f.Add("#!/bin/bash\n#SBATCH -t 30 --output=x\n#SBATCH -Jn\n")
	f.Add("#!\n#SBATCH --time")
	f.Fuzz(func(t *testing.T, s string) {
		opts, err := scriptOptions(s)
		if err == nil && !strings.HasPrefix(s, "#!") {
			t.Errorf("%q was accepted", s)
		}
		for name := range opts {
			if !longOptions[name] {
				t.Errorf("%q gives the option %q", s, name)
			}
		}
	})
}

func TestParseSignal(t *testing.T) {
	for in, want := range map[string]warning{
		"B:TERM@120": {15, 2 * time.Minute}, "B:USR1": {10, time.Minute}, "B:SIGINT@5": {2, 5 * time.Second}, "B:9@1": {9, time.Second}, "TERM@60": {},
	} {
		if got, err := parseSignal(in); err != nil || got != want {
			t.Errorf("%q gives %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "B:", "B:NOPE@1", "B:TERM@x", "B:TERM@-1", "B:99@1", "B:TERM@99999"} {
		if got, err := parseSignal(in); err == nil {
			t.Errorf("%q gives %v without an error", in, got)
		}
	}
}

func FuzzParseSignal(f *testing.F) {
	f.Add("B:TERM@120")
	f.Fuzz(func(t *testing.T, s string) {
		if w, err := parseSignal(s); err == nil && (w.Signal < 0 || w.Signal > 64 || w.Before < 0) {
			t.Errorf("%q gives %+v", s, w)
		}
	})
}

func TestOutputPath(t *testing.T) {
	j := job{ID: 12, Name: "hb", Host: "here", User: "me", Array: true}
	e := element{Task: 3, Raw: 14}
	for in, want := range map[string]string{
		"logs/%A_%a-%j.log": "logs/12_3-14.log", "%x-%N-%u": "hb-here-me", "%4a/%06j": "0003/000014", "100%": "100%", "%%j": "%j", "%q": "%q", "plain": "plain",
	} {
		if got := outputPath(in, j, e); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
	if got := outputPath("%a", job{ID: 1}, element{Raw: 1}); got != "4294967294" {
		t.Errorf("no array: %q", got)
	}
}

func FuzzOutputPath(f *testing.F) {
	f.Add("logs/%A_%4a.log")
	f.Add("%")
	f.Add("%999999999j")
	f.Fuzz(func(t *testing.T, s string) {
		if got := outputPath(s, job{ID: 1, Name: "n", Host: "h", User: "u"}, element{Raw: 1}); len(got) > 1000*(len(s)+1) {
			t.Errorf("%q grows to %d bytes", s, len(got))
		}
	})
}

func TestExportEnviron(t *testing.T) {
	have := []string{"HOME=/h", "A=1", "B=2", "PATH=/x"}
	for export, want := range map[string][]string{
		"":          have,
		"ALL":       have,
		"ALL,C=3":   append(slices.Clone(have), "C=3"),
		"NONE":      {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/h"},
		"A,C=4,NOT": {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/h", "A=1", "C=4"},
	} {
		if got := exportEnviron(export, slices.Clone(have)); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", export, got, want)
		}
	}
}

func TestSlurmEnvironHasNoRestartCount(t *testing.T) {
	j := job{ID: 12, Name: "hb", Array: true, Elements: []element{{1, 12}, {5, 13}}}
	env := slurmEnviron(j, j.Elements[1], 4)
	for _, want := range []string{"SLURM_JOB_ID=13", "SLURM_ARRAY_JOB_ID=12", "SLURM_ARRAY_TASK_ID=5", "SLURM_ARRAY_TASK_MAX=5", "SLURM_CPUS_ON_NODE=4"} {
		if !slices.Contains(env, want) {
			t.Errorf("%q lacks %s", env, want)
		}
	}
	if slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "SLURM_RESTART_COUNT") }) {
		t.Error("nothing is ever requeued here")
	}
}

func TestPidThatIsUsedAgainIsAnotherProcess(t *testing.T) {
	self, err := identify(1)
	if err != nil || !self.alive() {
		t.Fatalf("process 1: %+v, %v", self, err)
	}
	for _, other := range []process{{}, {PID: 1, Ticks: self.Ticks + 1, Boot: self.Boot}, {PID: 1, Ticks: self.Ticks, Boot: "another boot"}} {
		if other.alive() {
			t.Errorf("%+v is taken for process 1", other)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("1 (a b) ) S 1 1 1 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 9 0 77"))
	f.Add([]byte(strings.Repeat(")", 30)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := parseStat(1, b); err == nil && s.state == 0 {
			t.Errorf("%q has no state", b)
		}
	})
}
