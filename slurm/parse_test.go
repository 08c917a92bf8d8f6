package slurm

import (
	"encoding/json"
	"testing"
	"time"
)

func TestJobIDForms(t *testing.T) {
	for in, want := range map[string]JobID{
		"123":          {Job: 123},
		"123_4":        {Job: 123, Array: true, Task: 4},
		"123_0":        {Job: 123, Array: true},
		"123_[1-5%2]":  {Job: 123, Array: true, Tasks: "1-5%2"},
		"123_[1,3-5]":  {Job: 123, Array: true, Tasks: "1,3-5"},
		"123+0":        {Job: 123, Het: true},
		"123.batch":    {Job: 123, StepRef: "batch"},
		"123_4.0":      {Job: 123, Array: true, Task: 4, StepRef: "0"},
		"123+1.extern": {Job: 123, Het: true, Offset: 1, StepRef: "extern"},
	} {
		got, err := ParseJobID(in)
		if err != nil || got != want || got.String() != in {
			t.Errorf("ParseJobID(%q) = %+v, %v; written %q", in, got, err, got)
		}
	}
	for _, in := range []string{"", "0", "-1", "abc", "12 3", "12_", "12_x", "12_[", "12_[]", "12_[5-1]", "12.", "1;rm", "12+", "99999999999999999999"} {
		if got, err := ParseJobID(in); err == nil {
			t.Errorf("ParseJobID(%q) = %+v without an error", in, got)
		}
	}
	if !(JobID{Job: 9, Array: true, Tasks: "1-9:2,20%3"}).Covers(JobID{Job: 9, Array: true, Task: 7}) ||
		(JobID{Job: 9, Array: true, Tasks: "1-9:2,20%3"}).Covers(JobID{Job: 9, Array: true, Task: 8}) ||
		(JobID{Job: 9}).Covers(JobID{Job: 9, Array: true, Task: 8}) {
		t.Error("Covers is wrong")
	}
	b, err := json.Marshal(map[JobID]JobID{{Job: 1}: {Job: 2, Array: true, Task: 3}})
	if err != nil || string(b) != `{"1":"2_3"}` {
		t.Errorf("JSON %s, %v", b, err)
	}
	var back map[JobID]JobID
	if err := json.Unmarshal(b, &back); err != nil || back[JobID{Job: 1}].Task != 3 {
		t.Errorf("read back %v, %v", back, err)
	}
}

func FuzzJobID(f *testing.F) {
	f.Add("123_[1-5%2]")
	f.Add("123+0.batch")
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseJobID(s)
		if err != nil {
			return
		}
		again, err := ParseJobID(id.String())
		if err != nil || again != id {
			t.Errorf("%q: %+v is written %q and read back as %+v, %v", s, id, id, again, err)
		}
	})
}

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

func FuzzInstant(f *testing.F) {
	f.Add("2026-12-01T10:00:00")
	f.Add("Unknown")
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := parseInstant(s); err == nil && v.Location() != time.UTC {
			t.Errorf("%q is read as %v", s, v)
		}
	})
}
