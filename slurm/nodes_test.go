package slurm

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

func TestNodeKinds(t *testing.T) {
	c, f := answering(map[string][]answer{"sinfo": {{stdout: captured(t, "sinfo-dev-g.txt")}, {stdout: ""}, {code: 1, stderr: "sinfo: error: no"}}})
	kinds, err := c.NodeKinds(context.Background(), "dev-g")
	if err != nil || len(kinds) != 2 {
		t.Fatalf("%+v, %v", kinds, err)
	}
	want := NodeKind{Partition: "dev-g", Nodes: 1, CPUs: 56, MemoryMiB: 491520, Gres: []Gres{{"gpu", "mi250", 8}}, State: "mixed"}
	if !reflect.DeepEqual(kinds[0], want) || kinds[1].State != "idle" {
		t.Errorf("%+v", kinds)
	}
	if kind, n := kinds[0].GPUs(); kind != "mi250" || n != 8 {
		t.Errorf("GPUs %s %d", kind, n)
	}
	if !hasArg(f.calls[0], "--partition=dev-g") {
		t.Errorf("call %q", f.calls[0].Args)
	}
	// A partition that isn't there has no nodes; that is what sinfo says, too.
	if kinds, err := c.NodeKinds(context.Background(), "nope"); err != nil || len(kinds) != 0 {
		t.Errorf("%+v, %v", kinds, err)
	}
	if _, err := c.NodeKinds(context.Background(), "qgpu"); err == nil || !strings.Contains(err.Error(), "qgpu") {
		t.Errorf("a failure gives %v", err)
	}
	for _, bad := range []string{"", "a b", "a\nb"} {
		if _, err := c.NodeKinds(context.Background(), bad); err == nil {
			t.Errorf("partition %q was asked for", bad)
		}
	}
}

func TestParseGres(t *testing.T) {
	for in, want := range map[string][]Gres{
		"(null)":                      nil,
		"":                            nil,
		"gpu:a100:8":                  {{"gpu", "a100", 8}},
		"gpu:8(S:0-1)":                {{"gpu", "", 8}},
		"gpu:mi250:8(S:0,2-3),nvme:1": {{"gpu", "mi250", 8}, {"nvme", "", 1}},
		"gpu":                         {{"gpu", "", 1}},
		"gpu:a100":                    {{"gpu", "a100", 1}},
		"nvme:fast:1T":                {{"nvme", "fast", 0}},
	} {
		if got, err := ParseGres(in); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q gives %v, %v", in, got, err)
		}
	}
	for _, bad := range []string{":8", "gpu:a:b:c", "gpu:a100:-1", "gpu:8,,x:1"} {
		if got, err := ParseGres(bad); err == nil {
			t.Errorf("%q gives %v", bad, got)
		}
	}
	mixed := NodeKind{Gres: []Gres{{"gpu", "a100", 4}, {"gpu", "h100", 2}}}
	if kind, n := mixed.GPUs(); kind != "" || n != 6 {
		t.Errorf("mixed GPUs: %q %d", kind, n)
	}
}

func FuzzNodeKinds(f *testing.F) {
	f.Add(line("qgpu", "2", "128", "1000000+", "gpu:a100:8(S:0-1)", "idle"))
	f.Add(line("dev-g", "1", "56", "491520", "(null)", "down*"))
	f.Fuzz(func(t *testing.T, s string) {
		kinds, _ := parseNodeKinds(s)
		for _, k := range kinds {
			for _, g := range k.Gres {
				if g.Name == "" || g.Count < 0 {
					t.Errorf("%q: %+v", s, g)
				}
			}
		}
	})
}
