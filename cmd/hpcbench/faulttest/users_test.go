//go:build fault

package faulttest

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"hpcbench/cmd/hpcbench/world"
	"hpcbench/results"
	"hpcbench/slurm/slurmtest"
)

// asUser runs a command of the other user's, in that user's world.
func asUser(t *testing.T, w *world.World, args ...string) (string, int) {
	t.Helper()
	u, err := user.Lookup(slurmtest.User)
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env, cmd.Dir = append(w.Env, "USER="+slurmtest.User), w.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	out, _ := cmd.CombinedOutput() // the code is the answer
	return string(out), cmd.ProcessState.ExitCode()
}

func TestTwoUsersOnOneNode(t *testing.T) {
	t.Parallel()
	f := put(t, "Other users", "two users' runs on one node", "root's and another user's, started together on a node of its own, with the same model and plan")
	node := f.reserve("acn02")
	// The other user can't enter the checkout's folders, so its world lies elsewhere.
	dir, err := os.MkdirTemp("/var/tmp", "hpcbench-other-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	other := world.In(t, filepath.Join(dir, "world"))
	program := filepath.Join(dir, "hpcbench")
	if err := copyFile(world.Program, program); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"apptainer"} {
		if err := copyFile(filepath.Join(filepath.Dir(world.Program), "doubles", name), filepath.Join(other.Dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("chown", "-R", slurmtest.User, other.Dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f.slowPlan()
	other.T = t
	args := []string{"submit", "--site", "karolina", "--model", "Qwen3-8B", "--gpus", "1", "--repeats", "1", "--reservation", node}
	out, code := asUser(t, other, append(append([]string{program}, args...), "--name", "theirs", "--force")...)
	if code != 0 {
		t.Fatalf("the other user's submit: exit code %d\n%s", code, out)
	}
	f.submit("--repeats", "1", "--reservation", node)
	f.measuring(1, 0)
	f.Until("the repeat has ended", func() bool { return !f.attempt(1, 0).EndedAt.IsZero() })
	if out, code := asUser(t, other, program, "wait", "theirs"); code != 0 {
		t.Fatalf("the other user's wait: exit code %d\n%s\n%s", code, out, other.JobOutput())
	}
	mine, theirs := f.attempt(1, 0), other.Attempts("theirs")[0]
	if mine.Node.Hostname != theirs.Node.Hostname || mine.Slurm.NodeList != theirs.Slurm.NodeList {
		t.Fatalf("they ran on %s and %s", mine.Slurm.NodeList, theirs.Slurm.NodeList)
	}
	if mine.StartedAt.After(theirs.EndedAt) || theirs.StartedAt.After(mine.EndedAt) {
		t.Errorf("they didn't run at one time: %s to %s, and %s to %s", mine.StartedAt, mine.EndedAt, theirs.StartedAt, theirs.EndedAt)
	}
	for _, a := range []results.Attempt{mine, theirs} {
		if a.State != results.StateComplete || a.Server.ExitWords != "exit code 0 on TERM" || len(a.Starts) != 1 {
			t.Errorf("%s is %s, its server ended with %q after %d starts", a.Run, a.State, a.Server.ExitWords, len(a.Starts))
		}
	}
	// Neither can read what the other measured.
	if out, code := asUser(t, other, "cat", f.dir(1, 0).Records()); code == 0 || !strings.Contains(out, "Permission denied") {
		t.Errorf("the other user reads our records: %d\n%s", code, out)
	}
	f.saw("each has its own port, key and name, measures its own server, ends nothing but that, and can't read the other's results")
	f.keeps()
	f.clean()
	other.NothingLeft("theirs")
	f.end = "both repeats are complete"
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o755)
}

// reserve keeps a node for a test's own jobs, with nobody else's on it, and answers the reservation's name.
func (f *fault) reserve(node string) string {
	f.T.Helper()
	name := "r-" + f.run
	f.Until("no other test has a reservation of "+node, func() bool {
		_, err := world.Cluster.Tool(f.T.Context(), "scontrol", "create", "reservation", "ReservationName="+name, "Nodes="+node,
			"Users=root,"+slurmtest.User, "StartTime=now", "Duration=30", "Flags=IGNORE_JOBS")
		return err == nil
	})
	f.Until("the other tests' jobs on "+node+" are over", func() bool { return f.tool("squeue", "-h", "-w", node) == "" })
	f.T.Cleanup(func() {
		// Jobs that are left in it keep it from being deleted.
		f.Until("the reservation is deleted", func() bool {
			_, err := world.Cluster.Tool(context.Background(), "scontrol", "delete", "ReservationName="+name)
			return err == nil
		})
	})
	return name
}
