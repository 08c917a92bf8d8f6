package slurm

import (
	"testing"
	"time"
)

func TestTimeLimitForms(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"30": 30 * time.Minute, "0:30": 30 * time.Second, "1:02:03": time.Hour + 2*time.Minute + 3*time.Second,
		"2-00:00:00": 48 * time.Hour, "1-12": 36 * time.Hour, "1-12:30": 36*time.Hour + 30*time.Minute,
		"UNLIMITED": Unlimited, "infinite": Unlimited, "NOT_SET": 0, "Partition_Limit": 0, "": 0, "INVALID": 0,
		"00:01.500": time.Second,
	} {
		if got, err := ParseTimeLimit(in); err != nil || got != want {
			t.Errorf("ParseTimeLimit(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"x", "1:2:3:4", "-", "1-", "-5", "1.5", "1-2-3", "99999999999", "1-1:2:3:4"} {
		if got, err := ParseTimeLimit(in); err == nil {
			t.Errorf("ParseTimeLimit(%q) = %v without an error", in, got)
		}
	}
	for want, in := range map[string]time.Duration{
		"00:30:00": 30 * time.Minute, "2-00:00:00": 48 * time.Hour, "00:00:01": time.Millisecond, "UNLIMITED": Unlimited, "03:00:00": 3 * time.Hour,
	} {
		if got := FormatTimeLimit(in); got != want {
			t.Errorf("FormatTimeLimit(%v) = %q, want %q", in, got, want)
		}
	}
}

func FuzzTimeLimit(f *testing.F) {
	f.Add("1-12:30:00")
	f.Add("UNLIMITED")
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseTimeLimit(s)
		if err != nil {
			return
		}
		if again, err := ParseTimeLimit(FormatTimeLimit(d)); err != nil || again != d {
			t.Errorf("%q: %v is written %q and read back as %v, %v", s, d, FormatTimeLimit(d), again, err)
		}
	})
}
