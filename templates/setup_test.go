package templates

import (
	"strings"
	"testing"
)

func TestSetupLines(t *testing.T) {
	for line, says := range map[string]string{
		"module purge": "",
		"module load x || export SINGULARITY_BIND=/pfs,/scratch": "",
		"if true; then":         "no whole command",
		"echo 'half":            "no whole command",
		"cat <<EOF":             "no whole command",
		"cat <<EOF >&2":         "no whole command",
		"":                      "has no command",
		"# nothing":             "has no command",
		"echo a\nrm -rf /":      "control character",
		"exec 3< /etc/profile)": "no whole command",
	} {
		err := checkShellLine(line)
		switch {
		case says == "" && err != nil:
			t.Errorf("%q: %v", line, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%q: %v should say %q", line, err, says)
		}
	}
}
