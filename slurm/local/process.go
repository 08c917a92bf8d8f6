package local

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// process names a process for good: a pid is used again, a pid with the time
// it started, in clock ticks since this boot of the machine, is not.
type process struct {
	PID   int    `json:"pid"`
	Ticks uint64 `json:"ticks"`
	Boot  string `json:"boot"`
}

func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// identify reads who a pid is now. Without /proc, so not on Linux, the number is
// all there is.
func identify(pid int) (process, error) {
	if !hasProc() {
		return process{PID: pid}, nil
	}
	st, err := readStat(pid)
	if err != nil {
		return process{}, fmt.Errorf("look at process %d: %w", pid, err)
	}
	return process{PID: pid, Ticks: st.ticks, Boot: bootID()}, nil
}

// alive says whether the process still runs; a zombie doesn't.
func (p process) alive() bool {
	if p.PID <= 0 || p.Boot != bootID() {
		return false
	}
	if !hasProc() {
		err := syscall.Kill(p.PID, 0)
		return err == nil || err == syscall.EPERM
	}
	st, err := readStat(p.PID)
	return err == nil && st.ticks == p.Ticks && st.state != 'Z' && st.state != 'X'
}

func hasProc() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}

// stat is what /proc/PID/stat says.
type stat struct {
	pid, ppid, session int
	state              byte
	ticks              uint64
}

func readStat(pid int) (stat, error) {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return stat{}, err
	}
	return parseStat(pid, b)
}

// parseStat reads "pid (name) state ppid pgrp session …"; the name may have
// spaces and parentheses. The start time is field 22 (proc(5)).
func parseStat(pid int, b []byte) (stat, error) {
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return stat{}, fmt.Errorf("process %d: no name in its stat", pid)
	}
	f := strings.Fields(string(b[end+1:]))
	if len(f) < 20 {
		return stat{}, fmt.Errorf("process %d: its stat is cut short", pid)
	}
	if state := f[0][0]; state < 'A' || state > 'z' {
		return stat{}, fmt.Errorf("process %d: its state is no letter", pid)
	}
	ppid, err1 := strconv.Atoi(f[1])
	session, err2 := strconv.Atoi(f[3])
	ticks, err3 := strconv.ParseUint(f[19], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return stat{}, fmt.Errorf("process %d: its stat has no numbers where they should be", pid)
	}
	return stat{pid: pid, ppid: ppid, session: session, state: f[0][0], ticks: ticks}, nil
}

func allProcesses() []stat {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []stat
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if st, err := readStat(pid); err == nil {
				out = append(out, st)
			}
		}
	}
	return out
}

// below lists everything that descends from the given processes, zombies included.
func below(all []stat, roots ...int) []stat {
	in := map[int]bool{}
	for _, r := range roots {
		in[r] = true
	}
	var out []stat
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

// strays lists the live processes of an element whose supervisor is gone: its
// session, and whatever still carries its mark in the environment.
func strays(shell process, mark string) []stat {
	var out []stat
	for _, p := range allProcesses() {
		if p.state == 'Z' || p.pid == os.Getpid() {
			continue
		}
		sameSession := shell.PID > 0 && shell.Boot == bootID() && p.session == shell.PID && p.ticks >= shell.Ticks
		if sameSession || carries(p.pid, mark) {
			out = append(out, p)
		}
	}
	return out
}

func carries(pid int, mark string) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return false
	}
	for _, kv := range bytes.Split(b, []byte{0}) {
		if string(kv) == mark {
			return true
		}
	}
	return false
}
