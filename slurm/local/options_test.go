package local

import (
	"maps"
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
