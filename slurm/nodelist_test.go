package slurm

import (
	"slices"
	"strings"
	"testing"
)

func TestExpandNodeList(t *testing.T) {
	for in, want := range map[string][]string{
		"acn01":                          {"acn01"},
		"nid[005000-005002,005010],acn1": {"nid005000", "nid005001", "nid005002", "nid005010", "acn1"},
		"a[9-11]x":                       {"a9x", "a10x", "a11x"},
		"":                               nil,
	} {
		if got, err := ExpandNodeList(in); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q gives %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"a[1-", "a]", "a[3-1]", "a[x]", "a[1-9999999999]", ",a", "a[1][2]"} {
		if got, err := ExpandNodeList(in); err == nil {
			t.Errorf("%q gives %q without an error", in, got)
		}
	}
}

func FuzzNodeList(f *testing.F) {
	f.Add("nid[005000-005002,005010],acn1")
	f.Fuzz(func(t *testing.T, s string) {
		names, err := ExpandNodeList(s)
		if err == nil && len(names) > maxNodes+strings.Count(s, ",")+1 {
			t.Errorf("%q gives %d names", s, len(names))
		}
	})
}
