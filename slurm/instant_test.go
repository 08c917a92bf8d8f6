package slurm

import (
	"testing"
	"time"
)

func FuzzInstant(f *testing.F) {
	f.Add("2026-12-01T10:00:00")
	f.Add("Unknown")
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := parseInstant(s); err == nil && v.Location() != time.UTC {
			t.Errorf("%q is read as %v", s, v)
		}
	})
}
