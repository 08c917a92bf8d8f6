package slurm

import "testing"

func TestMemoryForms(t *testing.T) {
	for in, want := range map[string]int64{
		"60G": 60 << 30, "480000M": 480000 << 20, "1.5T": 3 << 39, "123K": 123 << 10, "4000": 4000 << 20, "0": 0, "4Gn": 4 << 30, "2000Mc": 2000 << 20,
	} {
		if got, err := ParseMemory(in); err != nil || got != want {
			t.Errorf("ParseMemory(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "G", "-1G", "1e9", "NaN", "Inf", "1GG", "999999999999E", "1.2.3"} {
		if got, err := ParseMemory(in); err == nil {
			t.Errorf("ParseMemory(%q) = %d without an error", in, got)
		}
	}
}

func FuzzMemory(f *testing.F) {
	f.Add("1.5T")
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseMemory(s); err == nil && n < 0 {
			t.Errorf("%q is %d bytes", s, n)
		}
	})
}
