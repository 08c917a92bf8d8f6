package jobs

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"hpcbench/results"
)

func TestKeepBinary(t *testing.T) {
	s := newStore(t, "a", "b")
	program := filepath.Join(t.TempDir(), "hpcbench")
	if err := os.WriteFile(program, []byte("v1"), 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(name string) results.RunDir { return results.RunDir(filepath.Join(s.Dir, name)) }
	digest, err := s.KeepBinary(run("a"), program)
	if err != nil {
		t.Fatal(err)
	}
	// Two copies were killed in the middle, one of them long ago, and the kept program is half.
	kept := filepath.Join(s.Dir, ".bin", digest)
	old, young := filepath.Join(kept, ".copy-1"), filepath.Join(kept, ".copy-2")
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, []byte("v"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(kept, "hpcbench")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(kept, "hpcbench"), []byte("v"), 0o700); err != nil {
		t.Fatal(err)
	}
	if again, err := s.KeepBinary(run("b"), program); err != nil || again != digest {
		t.Fatalf("got %s, %v", again, err)
	}
	for path, want := range map[string]string{run("a").Binary(): "v1", run("b").Binary(): "v1", young: "v"} {
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", path, b, err)
		}
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the half copy of two hours ago is still there")
	}
	a, errA := os.Stat(run("b").Binary())
	k, errK := os.Stat(filepath.Join(kept, "hpcbench"))
	if errA != nil || errK != nil || !os.SameFile(a, k) {
		t.Error("the run's program isn't the kept one")
	}
}
