package slurm

import (
	"fmt"
	"strconv"
	"strings"
)

// TRES are trackable resources by name, as sacct and scontrol write them:
// billing=4,cpu=4,gres/gpu:mi250=8,gres/gpu=8,mem=480000M,node=1.
type TRES map[string]string

// ParseTRES reads such a list. An empty one, or (null), has no entries.
func ParseTRES(s string) (TRES, error) {
	t := TRES{}
	if s == "" || s == "(null)" {
		return t, nil
	}
	for _, part := range strings.Split(s, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("resources %q: %q is not name=value", s, part)
		}
		t[name] = value
	}
	return t, nil
}

// Count is the whole number under a name; 0 where there is none.
func (t TRES) Count(name string) int64 {
	n, err := strconv.ParseInt(t[name], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// CPUs and Nodes are counts.
func (t TRES) CPUs() int64  { return t.Count("cpu") }
func (t TRES) Nodes() int64 { return t.Count("node") }

// GPUs is the count of GPUs. The total counts where the cluster tracks it,
// otherwise the kinds are added up.
func (t TRES) GPUs() int64 {
	if _, ok := t["gres/gpu"]; ok {
		return t.Count("gres/gpu")
	}
	var n int64
	for name := range t {
		if strings.HasPrefix(name, "gres/gpu:") {
			n += t.Count(name)
		}
	}
	return n
}

// MemoryBytes is the memory; 0 where none is stated.
func (t TRES) MemoryBytes() int64 {
	n, err := ParseMemory(t["mem"])
	if err != nil {
		return 0
	}
	return n
}
