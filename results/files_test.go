package results

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadJSONNamesWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		is   error
		says string
	}{
		"empty":    {"", nil, "empty"},
		"foreign":  {`{"format":"hpcbench.summary/1"}`, ErrForeignFormat, "hpcbench.run/1"},
		"newer":    {`{"format":"hpcbench.run/7"}`, ErrNewerFormat, "newer hpcbench"},
		"no word":  {`{"name":"x"}`, ErrForeignFormat, "no format word"},
		"broken":   {"{\n\"format\":\"hpcbench.run/1\",\n\"name\": 4x}", nil, "line 3"},
		"ill type": {"{\n\"format\":\"hpcbench.run/1\",\n\"name\": 4}", nil, "line 3"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.json")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := ReadJSON[Spec](path, FormatSpec)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v should name %s and say %q", err, path, c.says)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v should be %v", err, c.is)
			}
		})
	}
}

func TestWriteJSONReplacesWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "attempt.json")
	for _, state := range []string{StateStarting, StateComplete} {
		if err := WriteJSON(path, Attempt{Format: FormatAttempt, State: state}, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadJSON[Attempt](path, FormatAttempt)
	if err != nil || got.State != StateComplete {
		t.Errorf("got state %q, %v", got.State, err)
	}
	info, _ := os.Stat(path)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v", info.Mode())
	}
	if rest, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(rest) != 1 {
		t.Errorf("left behind: %v", rest)
	}
}
