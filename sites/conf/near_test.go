package conf

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNearest(t *testing.T) {
	sites := []string{"lumi", "karolina", "local"}
	models := []string{"Qwen3-4B-Instruct-2507", "Qwen3-Coder-30B-A3B-Instruct", "Qwen2.5-Coder-7B-Instruct"}
	for _, c := range []struct {
		name  string
		known []string
		want  []string
	}{
		{"lumii", sites, []string{"lumi"}},
		{"karolna", sites, []string{"karolina"}},
		{"LOCAL", sites, []string{"local"}},
		{"mahti", sites, []string{}},
		{"xy", sites, []string{}},
		{"HPCBENCH_ACOUNT", []string{"HPCBENCH_GROUP", "HPCBENCH_ACCOUNT", "HPCBENCH_MODEL"}, []string{"HPCBENCH_ACCOUNT"}},
		{"instruct", models, []string{"Qwen3-4B-Instruct-2507", "Qwen2.5-Coder-7B-Instruct", "Qwen3-Coder-30B-A3B-Instruct"}},
		{"qwen3-coder", models, []string{"Qwen3-Coder-30B-A3B-Instruct"}},
		{"qwen3-4b-instruct", models, []string{"Qwen3-4B-Instruct-2507"}},
		{"", sites, []string{}},
	} {
		if diff := cmp.Diff(c.want, Nearest(c.name, c.known)); diff != "" {
			t.Errorf("Nearest(%q): want - got +\n%s", c.name, diff)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	for name, want := range map[string]string{
		"lumj":  "; did you mean lumi?",
		"mahti": "; known are karolina, lumi",
	} {
		if got := DidYouMean(name, []string{"lumi", "karolina"}); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := DidYouMean("x", nil); got != "" {
		t.Errorf("nothing is known, but %q", got)
	}
}
