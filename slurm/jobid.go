package slurm

import (
	"fmt"
	"strconv"
	"strings"
)

// JobID names a job, an array element, a component of a heterogeneous job or a
// step, in the ways that Slurm's tools write it:
//
//	123  123_4  123_[1-5%2]  123+0  123.batch  123_4.0
//
// Two equal JobIDs name the same thing, so it can be a map's key.
type JobID struct {
	Job     uint64 // 0 means no job
	Array   bool   // Task or Tasks is set
	Task    uint64
	Tasks   string // elements still packed together: "1-5%2"; Task is then 0
	Het     bool   // Offset is set
	Offset  uint64
	StepRef string // "batch", "extern", "0"; empty for the job itself
}

// ParseJobID reads any of the forms above.
func ParseJobID(s string) (JobID, error) {
	var id JobID
	bad := func(why string) (JobID, error) {
		return JobID{}, fmt.Errorf("job id %q: %s", s, why)
	}
	rest, step, hasStep := strings.Cut(s, ".")
	if hasStep {
		if step == "" || strings.ContainsFunc(step, func(r rune) bool { return !isAlnum(r) && r != '+' && r != '_' }) {
			return bad("the step after the dot is not a name or a number")
		}
		id.StepRef = step
	}
	if head, offset, ok := strings.Cut(rest, "+"); ok {
		n, err := parseDigits(offset)
		if err != nil {
			return bad("the part after + is not a number")
		}
		rest, id.Het, id.Offset = head, true, n
	}
	if head, task, ok := strings.Cut(rest, "_"); ok {
		rest, id.Array = head, true
		switch {
		case strings.HasPrefix(task, "[") && strings.HasSuffix(task, "]"):
			id.Tasks = task[1 : len(task)-1]
			if _, _, err := parseTasks(id.Tasks); err != nil {
				return bad(err.Error())
			}
		default:
			n, err := parseDigits(task)
			if err != nil {
				return bad("the part after _ is neither a number nor a list in brackets")
			}
			id.Task = n
		}
	}
	n, err := parseDigits(rest)
	if err != nil || n == 0 {
		return bad("it does not begin with a positive number")
	}
	id.Job = n
	return id, nil
}

// String writes the id as Slurm's tools take it.
func (id JobID) String() string {
	if id.Job == 0 {
		return ""
	}
	s := strconv.FormatUint(id.Job, 10)
	switch {
	case id.Tasks != "":
		s += "_[" + id.Tasks + "]"
	case id.Array:
		s += "_" + strconv.FormatUint(id.Task, 10)
	}
	if id.Het {
		s += "+" + strconv.FormatUint(id.Offset, 10)
	}
	if id.StepRef != "" {
		s += "." + id.StepRef
	}
	return s
}

// MarshalText and UnmarshalText keep the written form in JSON.
func (id JobID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

func (id *JobID) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*id = JobID{}
		return nil
	}
	got, err := ParseJobID(string(b))
	if err != nil {
		return err
	}
	*id = got
	return nil
}

// Base is the job that sbatch answered with: the array of an element, the job
// of a step.
func (id JobID) Base() JobID { return JobID{Job: id.Job} }

// Element is one element of the array with this id.
func (id JobID) Element(task uint64) JobID { return JobID{Job: id.Job, Array: true, Task: task} }

// Parent is the id without its step.
func (id JobID) Parent() JobID { id.StepRef = ""; return id }

// Covers says whether a row with this id speaks of other: it is the same, or it
// stands for array elements that are still packed together.
func (id JobID) Covers(other JobID) bool {
	if id == other {
		return true
	}
	if id.Tasks == "" || id.Job != other.Job || !other.Array || other.Tasks != "" || id.StepRef != other.StepRef {
		return false
	}
	ranges, _, err := parseTasks(id.Tasks)
	if err != nil {
		return false
	}
	for _, r := range ranges {
		if other.Task >= r.first && other.Task <= r.last && (other.Task-r.first)%r.step == 0 {
			return true
		}
	}
	return false
}

type taskRange struct{ first, last, step uint64 }

// parseTasks reads an array's element list: "1-5%2", "1,3,7-9:2". A list that
// squeue cut short ends in dots; the elements that are hidden there cannot be
// known.
func parseTasks(s string) (ranges []taskRange, limit uint64, err error) {
	list, lim, ok := strings.Cut(s, "%")
	if ok {
		if limit, err = parseDigits(lim); err != nil {
			return nil, 0, fmt.Errorf("the limit after %% is not a number")
		}
	}
	for _, part := range strings.Split(list, ",") {
		if part == "..." {
			continue
		}
		span, step, hasStep := strings.Cut(part, ":")
		first, last, hasLast := strings.Cut(span, "-")
		r := taskRange{step: 1}
		if r.first, err = parseDigits(first); err != nil {
			return nil, 0, fmt.Errorf("%q is not an array element", part)
		}
		r.last = r.first
		if hasLast {
			if r.last, err = parseDigits(last); err != nil || r.last < r.first {
				return nil, 0, fmt.Errorf("%q is not a range of array elements", part)
			}
		}
		if hasStep {
			if r.step, err = parseDigits(step); err != nil || r.step == 0 || !hasLast {
				return nil, 0, fmt.Errorf("%q has no valid step", part)
			}
		}
		ranges = append(ranges, r)
	}
	return ranges, limit, nil
}

// parseDigits reads a number of digits only: no sign, no space. 18 digits hold any
// id and cannot overflow.
func parseDigits(s string) (uint64, error) {
	if s == "" || len(s) > 18 {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	for _, r := range s {
		if r < '0' || r > '9' {
			return 0, fmt.Errorf("%q is not a number", s)
		}
	}
	return strconv.ParseUint(s, 10, 64)
}

func isAlnum(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
