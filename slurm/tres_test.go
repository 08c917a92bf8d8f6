package slurm

import "testing"

func TestTRES(t *testing.T) {
	got, err := ParseTRES("billing=16,cpu=16,gres/gpu:mi250=8,mem=60G,node=1")
	if err != nil || got.GPUs() != 8 || got.CPUs() != 16 || got.Nodes() != 1 || got.MemoryBytes() != 60<<30 {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := ParseTRES("gres/gpu=8,gres/gpu:a100=8"); err != nil || got.GPUs() != 8 {
		t.Errorf("total and kind: %d GPUs, %v", got.GPUs(), err)
	}
	if got, err := ParseTRES(""); err != nil || len(got) != 0 || got.MemoryBytes() != 0 {
		t.Errorf("empty: %v, %v", got, err)
	}
	for _, in := range []string{"cpu", "=1", "cpu=", "cpu=1,,mem=2"} {
		if _, err := ParseTRES(in); err == nil {
			t.Errorf("%q was accepted", in)
		}
	}
}

func FuzzTRES(f *testing.F) {
	f.Add("billing=16,cpu=16,gres/gpu:mi250=8,mem=60G,node=1")
	f.Fuzz(func(t *testing.T, s string) {
		if tres, err := ParseTRES(s); err == nil {
			tres.GPUs()
			tres.MemoryBytes()
		}
	})
}
