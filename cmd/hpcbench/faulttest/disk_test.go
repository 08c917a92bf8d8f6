//go:build fault

package faulttest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hpcbench/results"
)

// smallDisk puts the runs on a file system of their own, of so many MB.
func (f *fault) smallDisk(size string) {
	f.T.Helper()
	dir := filepath.Join(f.Dir, "runs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		f.T.Fatal(err)
	}
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size="+size); err != nil {
		f.T.Fatalf("mount a small file system on %s: %v", dir, err)
	}
	f.T.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			f.T.Errorf("unmount %s: %v", dir, err)
		}
	})
}

// fill takes all space that is left, and answers how to give it back.
func (f *fault) fill() (free func()) {
	f.T.Helper()
	path := filepath.Join(f.Dir, "runs", ".filler")
	file, err := os.Create(path)
	if err != nil {
		f.T.Fatal(err)
	}
	for _, size := range []int64{1 << 20, 4096} {
		for err = nil; err == nil; {
			_, err = io.CopyN(file, zeros{}, size)
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		f.T.Fatalf("fill the disk: %v", err)
	}
	if err := file.Close(); err != nil && !errors.Is(err, syscall.ENOSPC) {
		f.T.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			f.T.Error(err)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestDiskFullForAWhile(t *testing.T) {
	t.Parallel()
	f := put(t, "Files", "disk full for a while", "the runs' file system is filled in a step and has space again 4 s later")
	f.smallDisk("120m")
	f.slowPlan()
	f.submit("--repeats", "1")
	f.measuring(1, 0)
	free := f.fill()
	time.Sleep(4 * time.Second)
	free()
	s := f.over()
	f.shows(s, 1, "complete", "")
	out := f.JobOutput()
	for _, words := range []string{"measuring goes on in memory", "the disk takes records again"} {
		if !strings.Contains(out, words) {
			t.Errorf("the job doesn't say %q:\n%s", words, out)
		}
	}
	f.saw("the records wait in memory and are written; the repeat completes")
	f.keeps()
	f.clean()
	f.end = "nothing to resume"
}

func TestDiskStaysFull(t *testing.T) {
	t.Parallel()
	f := put(t, "Files", "disk full to the end", "the runs' file system is filled in a step and stays so until the job is over")
	f.smallDisk("120m")
	f.slowPlan()
	f.submit("--repeats", "1")
	f.measuring(1, 0)
	before, _ := f.Records(f.dir(1, 0))
	free := f.fill()
	s := f.over()
	free()
	if p := s.Repeats[0].Phase; p != "interrupted" && p != "failed" {
		t.Errorf("the repeat is %s: %s\n%s", p, s.Repeats[0].Words, f.JobOutput())
	}
	have, broken := f.Records(f.dir(1, 0))
	if have < before || broken > 0 {
		t.Errorf("%d records before the disk was full, %d afterwards, %d broken", before, have, broken)
	}
	f.saw("every record that was written before can be read; the repeat isn't shown as complete")
	f.kept = "what the disk took is readable"
	f.clean()
	f.resumes()
}

func TestSubmitOnAFullDisk(t *testing.T) {
	t.Parallel()
	f := put(t, "Files", "disk full at `submit`", "no space is left on the runs' file system")
	f.smallDisk("120m")
	free := f.fill()
	out, code := f.Hpcbench(f.submitArgs("--repeats", "1")...)
	if code != 4 || !strings.Contains(out, "no space left") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if left, _ := filepath.Glob(filepath.Join(f.Dir, "runs", f.run)); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	free()
	f.saw("nothing is sent, and the half-made folder is removed: the same command works once there is space")
	f.Measure(f.submitArgs("--repeats", "1", "--wait")...)
	f.completed()
	f.keeps()
	f.clean()
	f.end = "the repeat is complete"
}

func TestAttemptFolderDeleted(t *testing.T) {
	t.Parallel()
	f := put(t, "Files", "attempt's folder deleted", "rm -r of it in a step")
	f.slowPlan()
	f.submit("--repeats", "1")
	f.measuring(1, 0)
	if err := os.RemoveAll(string(f.dir(1, 0))); err != nil {
		t.Fatal(err)
	}
	s := f.over()
	if p := s.Repeats[0].Phase; p != "failed" {
		t.Errorf("the repeat is %s: %s\n%s", p, s.Repeats[0].Words, f.JobOutput())
	}
	f.NothingLeft(f.run)
	f.saw("the job ends with an error that names the folder, and the repeat is shown as failed")
	f.left = "no process left"
	if out := f.JobOutput(); !strings.Contains(out, string(f.dir(1, 0))) {
		t.Errorf("the job says\n%s", out)
	}
	f.resumes()
	f.keepsRest()
}

// keepsRest says that what was deleted is gone, and checks that nothing else is.
func (f *fault) keepsRest() {
	for _, a := range f.Attempts(f.run) {
		if a.State == results.StateComplete {
			if n, broken := f.Records(f.dir(a.Repeat, a.Attempt)); n == 0 || broken > 0 {
				f.T.Errorf("repeat %d has %d records, %d broken", a.Repeat, n, broken)
			}
		}
	}
	f.kept = "what was deleted is gone"
}

func TestRunFolderDeleted(t *testing.T) {
	t.Parallel()
	f := put(t, "Files", "run folder deleted", "rm -r of it in a step of the first of two repeats")
	f.slowPlan()
	f.submit("--repeats", "2", "--repeat-mode", "restart")
	f.measuring(1, 0)
	job := f.job(1, 0)
	if err := os.RemoveAll(string(f.Run(f.run))); err != nil {
		t.Fatal(err)
	}
	f.Until("the job is over", func() bool {
		out := f.tool("squeue", "-h", "-o", "%i %T")
		return !strings.Contains(out, uintText(job)+" RUNNING")
	})
	f.NothingLeft(f.run)
	out, code := f.Hpcbench("status", f.run)
	if code != 2 || !strings.Contains(out, "no such run") {
		t.Errorf("status: exit code %d\n%s", code, out)
	}
	f.saw("the job ends by itself, no second repeat is tried, and status says that there is no such run")
	f.left = "no process left"
	f.kept = "what was deleted is gone"
	f.end = "no run to resume"
}
