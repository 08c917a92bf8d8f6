package slurmtest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is what /proc says of one process.
type process struct {
	pid, ppid int
	state     byte // Z for a zombie
	name      string
	environ   []string
}

// processes lists all processes that can be read.
func processes() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, ok := readProcess(pid); ok {
			out = append(out, p)
		}
	}
	return out
}

func readProcess(pid int) (process, bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return process{}, false
	}
	// pid (name) state ppid …; the name may have spaces and parentheses.
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	f := strings.Fields(string(stat[end+1:]))
	if len(f) < 2 {
		return process{}, false
	}
	ppid, err := strconv.Atoi(f[1])
	if err != nil {
		return process{}, false
	}
	p := process{pid: pid, ppid: ppid, state: f[0][0], name: string(stat[open+1 : end])}
	if env, err := os.ReadFile(filepath.Join(dir, "environ")); err == nil {
		p.environ = strings.Split(string(env), "\x00")
	}
	return p, true
}

func (p process) has(kv string) bool { return slices.Contains(p.environ, kv) }

// holds says whether the process has a file open whose path begins so.
func (p process) holds(prefix string) bool {
	dir := filepath.Join("/proc", strconv.Itoa(p.pid), "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && strings.HasPrefix(target, prefix) {
			return true
		}
	}
	return false
}

// withDescendants adds everything below the given processes.
func withDescendants(all []process, roots []process) []process {
	in := map[int]bool{}
	for _, r := range roots {
		in[r.pid] = true
	}
	out := slices.Clone(roots)
	for grew := true; grew; {
		grew = false
		for _, p := range all {
			if !in[p.pid] && in[p.ppid] {
				in[p.pid], grew = true, true
				out = append(out, p)
			}
		}
	}
	return out
}

// alive says whether a pid is a running process; a zombie isn't.
func alive(pid int) bool {
	p, ok := readProcess(pid)
	return ok && p.state != 'Z'
}

// end sends TERM to processes, and KILL to those that are left after grace.
func end(ps []process, grace time.Duration) {
	if grace > 0 {
		for _, p := range ps {
			_ = syscall.Kill(p.pid, syscall.SIGTERM)
		}
		waitFor(grace, func() bool { return !slices.ContainsFunc(ps, func(p process) bool { return alive(p.pid) }) })
	}
	for _, p := range ps {
		if alive(p.pid) {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
	waitFor(5*time.Second, func() bool { return !slices.ContainsFunc(ps, func(p process) bool { return alive(p.pid) }) })
}

// waitFor asks ten times a second until cond holds or the time is over.
func waitFor(limit time.Duration, cond func() bool) bool {
	for deadline := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
		if cond() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}
