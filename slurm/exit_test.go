package slurm

import "testing"

func TestExit(t *testing.T) {
	if e, err := ParseExit("1:9"); err != nil || e != (Exit{1, 9}) || e.String() != "1:9" {
		t.Errorf("got %v, %v", e, err)
	}
	if _, err := ParseExit("x"); err == nil {
		t.Error("x was accepted")
	}
}

func FuzzExit(f *testing.F) {
	f.Add("0:15")
	f.Fuzz(func(t *testing.T, s string) {
		if e, err := ParseExit(s); err == nil && (e.Code < 0 || e.Signal < 0) {
			t.Errorf("%q is %v", s, e)
		}
	})
}
