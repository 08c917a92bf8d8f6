package node

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of every orphan among its descendants.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphans (PR_SET_CHILD_SUBREAPER): %w", err)
	}
	return nil
}

// endWithParent makes the end of the batch shell a TERM for this process. Slurm kills
// what is left of a job with the shell, but on a machine that only knows process
// trees it wouldn't find us. By hand, without a job, a repeat may outlive its shell.
func endWithParent() error {
	if os.Getenv("SLURM_JOB_ID") == "" {
		return nil
	}
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGTERM), 0, 0, 0); err != nil {
		return fmt.Errorf("ask for a signal when the batch shell ends (PR_SET_PDEATHSIG): %w", err)
	}
	return nil
}

// process is a line of /proc.
type process struct {
	pid, parent int
	state       byte   // Z is dead and waits to be reaped
	started     uint64 // clock ticks since boot: tells a pid from its reuse
	name        string
}

// readProcess parses /proc/PID/stat. The name may hold blanks and brackets, so
// the fields are counted from its last bracket.
func readProcess(stat []byte) (process, error) {
	var p process
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 1 || end < open {
		return p, fmt.Errorf("no name in %q", stat)
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 20 {
		return p, fmt.Errorf("only %d fields in %q", len(fields), stat)
	}
	if state := fields[0][0]; state < 'A' || state > 'z' {
		return p, fmt.Errorf("no state in %q", stat)
	}
	var err error
	if p.pid, err = strconv.Atoi(strings.TrimSpace(string(stat[:open]))); err != nil {
		return p, fmt.Errorf("pid of %q: %w", stat, err)
	}
	if p.parent, err = strconv.Atoi(fields[1]); err != nil {
		return p, fmt.Errorf("parent in %q: %w", stat, err)
	}
	if p.started, err = strconv.ParseUint(fields[19], 10, 64); err != nil {
		return p, fmt.Errorf("start in %q: %w", stat, err)
	}
	p.name, p.state = string(stat[open+1:end]), fields[0][0]
	return p, nil
}

// processes lists /proc; those that end meanwhile are left out.
func processes() ([]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var all []process
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		if p, err := readProcess(stat); err == nil {
			all = append(all, p)
		}
	}
	return all, nil
}

// below answers the descendants of root, root itself left out, and none of the
// processes in except or below them.
func below(all []process, root int, except map[int]bool) []process {
	children := map[int][]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	var found []process
	var walk func(int)
	walk = func(pid int) {
		for _, c := range children[pid] {
			if except[c.pid] {
				continue
			}
			found = append(found, c)
			walk(c.pid)
		}
	}
	walk(root)
	return found
}

// endTree kills everything below this process but except, again and again until
// nothing is left (a fork may slip past one round), and reaps the orphans it
// adopted. It answers how many living processes it had to kill.
func endTree(except map[int]bool, within time.Duration) (killed int, err error) {
	self := os.Getpid()
	seen := map[int]bool{}
	for end := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		all, err := processes()
		if err != nil {
			return killed, err
		}
		left := below(all, self, except)
		if len(left) == 0 {
			return killed, nil
		}
		for _, p := range left {
			if p.state == 'Z' {
				if p.parent == self {
					_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil) // ours to reap
				}
				continue
			}
			if !seen[p.pid] {
				seen[p.pid] = true
				killed++
			}
			_ = unix.Kill(p.pid, unix.SIGKILL) // it may just have ended
		}
		if time.Now().After(end) {
			return killed, fmt.Errorf("end what the server left: %s still there after %s", names(left), within)
		}
	}
}

func names(ps []process) string {
	var s []string
	for _, p := range ps {
		s = append(s, fmt.Sprintf("%d (%s)", p.pid, p.name))
	}
	return strings.Join(s, ", ")
}

// marker is the variable by which the processes of a server are known even when
// the repeat that started them was killed -9 and nobody adopted them.
const marker = "HPCBENCH_JOB_SERVER"

// sweep ends processes of this user that carry the marker of this run and job,
// left by a repeat that was killed. It answers their names.
func sweep(mark string, within time.Duration) (string, error) {
	want := []byte(marker + "=" + mark + "\x00")
	var swept []process
	for end := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		all, err := processes()
		if err != nil {
			return "", err
		}
		alive := 0
		for _, p := range all {
			if p.pid == os.Getpid() || p.state == 'Z' {
				continue
			}
			environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
			if err != nil || !bytes.Contains(append([]byte{0}, environ...), append([]byte{0}, want...)) {
				continue // another user's, or gone
			}
			alive++
			if unix.Kill(p.pid, unix.SIGKILL) == nil {
				swept = append(swept, p)
			}
		}
		if alive == 0 {
			return names(unique(swept)), nil
		}
		if time.Now().After(end) {
			return names(unique(swept)), fmt.Errorf("end the server of a killed repeat: %d processes still there after %s", alive, within)
		}
	}
}

func unique(ps []process) []process {
	var out []process
	seen := map[int]bool{}
	for _, p := range ps {
		if !seen[p.pid] {
			seen[p.pid] = true
			out = append(out, p)
		}
	}
	return out
}
