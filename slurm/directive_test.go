package slurm

import (
	"strings"
	"testing"
)

func TestDirectiveValue(t *testing.T) {
	for _, s := range []string{"hb-night_7", "1-5%2", "nid[005000-005003,005010]", "gpu:a100:2", "/scratch/project_465000001/runs/%A_%a.out", "02:00:00", "me@site.eu", "A=B"} {
		if err := DirectiveValue(s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, s := range []string{"", "a b", "a\nb", "a\tb", "a'b", `a"b`, `a\b`, "$(x)", "`x`", "a;b", "a#b", "žluť", "a\x00b", "a\u00a0b"} {
		if err := DirectiveValue(s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}

func TestJobName(t *testing.T) {
	for _, s := range []string{"hpcbench-qwen2.5-7b-1f2e", "a:b@c+d"} {
		if err := JobName(s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, s := range []string{"", "a,b", "a/b", "-x", "a%b", "a[1]", "a=b", strings.Repeat("x", 201)} {
		if err := JobName(s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}

func FuzzDirectiveValue(f *testing.F) {
	f.Add("nid[1-4]")
	f.Fuzz(func(t *testing.T, s string) {
		if DirectiveValue(s) == nil && strings.ContainsAny(s, " \t\r\n'\"\\`$&|;<>()#!~?*{}\x00") {
			t.Errorf("%q was accepted", s)
		}
	})
}
