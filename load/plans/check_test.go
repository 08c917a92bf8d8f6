package plans

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hpcbench/sites/conf"
)

func TestCheckSaysWhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wrong.yaml")
	text := `kind: rate
rates_per_s: [1, -1]
duration_s: -5
warmup:
  streams: 3
prompt: {source: synthetic, tokens: 50}
output: {distribution: normal, sd: 2}
sweep:
  steps: 3
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, origins, err := Load(path, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, problem := range conf.Problems(Check(p, origins)) {
		got = append(got, strings.TrimPrefix(problem.Error(), path+":"))
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{"2: rates_per_s[1]: ", "3: duration_s: ", "5: warmup.streams: ", "7: output: ", "9: sweep: has no effect in a rate plan"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
	// What is missing altogether stands where its part does, or at the kind.
	if err := os.WriteFile(path, []byte("kind: rate\nprompt: {source: synthetic}\noutput: {distribution: fixed, tokens: 5}\nduration_s: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, origins, err = Load(path, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{path + ":1: rates_per_s: is empty", path + ":2: prompt.tokens: is 0"} {
		if err := Check(p, origins); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in\n%v", want, err)
		}
	}
}

func TestEmbeddedPlansAreFine(t *testing.T) {
	names, err := Names("")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		p, origins, err := Load(name, "")
		if err == nil {
			err = Check(p, origins)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
