package telemetry

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"hpcbench/results"
)

// host watches the node: the cores that this process may use, memory, and
// processes killed for lack of it.
type host struct {
	root   string // of /proc and /sys; a test has its own
	cores  map[string]bool
	busy   uint64
	total  uint64
	events string // the cgroup's memory.events, "" = none found
}

func newHost() *host { return newHostAt("/") }

func newHostAt(root string) *host {
	h := &host{root: root}
	if b, err := os.ReadFile(h.path("proc/self/status")); err == nil {
		h.cores = allowedCores(b)
	}
	if b, err := os.ReadFile(h.path("proc/self/cgroup")); err == nil {
		h.events = h.findEvents(b)
	}
	if b, err := os.ReadFile(h.path("proc/stat")); err == nil {
		h.busy, h.total = coreTimes(b, h.cores)
	}
	return h
}

func (h *host) path(name string) string { return filepath.Join(h.root, name) }

// sample gives the node since the last one; false where there is no /proc.
func (h *host) sample() (results.HostSample, bool) {
	b, err := os.ReadFile(h.path("proc/stat"))
	if err != nil {
		return results.HostSample{}, false
	}
	var s results.HostSample
	busy, total := coreTimes(b, h.cores)
	if total > h.total && busy >= h.busy {
		s.CPUShare = float64(busy-h.busy) / float64(total-h.total)
	}
	h.busy, h.total = busy, total
	if b, err := os.ReadFile(h.path("proc/loadavg")); err == nil {
		first, _, _ := strings.Cut(string(b), " ")
		if v, err := strconv.ParseFloat(first, 64); err == nil && v >= 0 && v < 1e9 {
			s.LoadOne = v
		}
	}
	if b, err := os.ReadFile(h.path("proc/meminfo")); err == nil {
		s.MemAvailMiB = field(b, "MemAvailable:") / 1024
	}
	if h.events != "" {
		if b, err := os.ReadFile(h.events); err == nil {
			s.OOMKills = field(b, "oom_kill")
		}
	}
	return s, true
}

// findEvents finds the file that counts kills for lack of memory: version 2 of
// cgroups has memory.events, version 1 memory.oom_control. The job's own cgroup
// may be a parent of ours, as under Slurm, so all parents are looked at, the
// highest but the root first.
func (h *host) findEvents(cgroup []byte) string {
	for line := range strings.Lines(string(cgroup)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base, name := "sys/fs/cgroup", "memory.events"
		if parts[0] != "0" {
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
			base, name = "sys/fs/cgroup/memory", "memory.oom_control"
		}
		found := ""
		for dir := filepath.Clean("/" + parts[2]); ; dir = filepath.Dir(dir) {
			file := h.path(filepath.Join(base, dir, name))
			if _, err := os.Stat(file); err == nil && (dir != "/" || found == "") {
				found = file
			}
			if dir == "/" {
				break
			}
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// allowedCores reads Cpus_allowed_list of a process's status as the names that
// /proc/stat uses; nil = all.
func allowedCores(status []byte) map[string]bool {
	for line := range bytes.Lines(status) {
		list, ok := bytes.CutPrefix(line, []byte("Cpus_allowed_list:"))
		if !ok {
			continue
		}
		cores := map[string]bool{}
		for part := range strings.SplitSeq(strings.TrimSpace(string(list)), ",") {
			low, high, isRange := strings.Cut(part, "-")
			if !isRange {
				high = low
			}
			from, err1 := strconv.Atoi(low)
			to, err2 := strconv.Atoi(high)
			if err1 != nil || err2 != nil || from < 0 || to < from || to > 1<<16 {
				return nil
			}
			for n := from; n <= to; n++ {
				cores["cpu"+strconv.Itoa(n)] = true
			}
		}
		return cores
	}
	return nil
}

// coreTimes adds up the ticks of the cores in /proc/stat: busy is all but idle
// and waiting for a disk.
func coreTimes(stat []byte, cores map[string]bool) (busy, total uint64) {
	for line := range bytes.Lines(stat) {
		fields := bytes.Fields(line)
		if len(fields) < 6 || !bytes.HasPrefix(fields[0], []byte("cpu")) || len(fields[0]) == 3 {
			continue
		}
		if cores != nil && !cores[string(fields[0])] {
			continue
		}
		for i, f := range fields[1:min(len(fields), 9)] { // guest time is inside user time
			n, err := strconv.ParseUint(string(f), 10, 63)
			if err != nil {
				continue
			}
			total += n
			if i != 3 && i != 4 {
				busy += n
			}
		}
	}
	return busy, total
}

// field is the number behind a name at the start of a line, 0 where it isn't.
func field(b []byte, name string) int64 {
	for line := range bytes.Lines(b) {
		parts := bytes.Fields(line)
		if len(parts) >= 2 && string(parts[0]) == name {
			n, err := strconv.ParseInt(string(parts[1]), 10, 64)
			if err == nil && n >= 0 {
				return n
			}
		}
	}
	return 0
}
