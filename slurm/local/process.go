package local

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a process that can be told from a later one with the same number.
type process struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start_ticks,omitempty"` // since boot; 0 where /proc doesn't say
}

func (p process) alive() bool {
	if p.PID <= 0 {
		return false
	}
	if err := syscall.Kill(p.PID, 0); err != nil && err != syscall.EPERM {
		return false
	}
	stat, err := readStat(p.PID)
	if err != nil {
		return p.Start == 0 // no /proc on this system: the number is all there is
	}
	return stat.state != 'Z' && (p.Start == 0 || stat.start == p.Start)
}

func self() process {
	p := process{PID: os.Getpid()}
	if stat, err := readStat(p.PID); err == nil {
		p.Start = stat.start
	}
	return p
}

// stat is what is needed of /proc/PID/stat.
type stat struct {
	state   byte
	session int
	start   uint64
}

func readStat(pid int) (stat, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, err
	}
	return parseStat(b)
}

// parseStat counts fields from the last bracket: the name before it may hold anything.
func parseStat(b []byte) (stat, error) {
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return stat{}, fmt.Errorf("no name in %q", b)
	}
	f := strings.Fields(string(b[end+1:]))
	if len(f) < 20 {
		return stat{}, fmt.Errorf("only %d fields in %q", len(f), b)
	}
	session, err := strconv.Atoi(f[3])
	if err != nil {
		return stat{}, fmt.Errorf("session in %q: %w", b, err)
	}
	start, err := strconv.ParseUint(f[19], 10, 64)
	if err != nil {
		return stat{}, fmt.Errorf("start in %q: %w", b, err)
	}
	return stat{state: f[0][0], session: session, start: start}, nil
}

// killSession ends everything of a session, also what has put itself into another
// process group, until nothing of it is left.
func killSession(session int, within time.Duration) {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		entries, err := os.ReadDir("/proc")
		if err != nil {
			_ = syscall.Kill(-session, syscall.SIGKILL) // no /proc: the group is what can be reached
			return
		}
		left := 0
		for _, e := range entries {
			pid, err := strconv.Atoi(e.Name())
			if err != nil {
				continue
			}
			if s, err := readStat(pid); err == nil && s.session == session && s.state != 'Z' {
				left++
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if left == 0 {
			return
		}
	}
}
