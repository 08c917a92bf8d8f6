package slurm

import (
	"encoding/json"
	"testing"
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
