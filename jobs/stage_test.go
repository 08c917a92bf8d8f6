package jobs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"hpcbench/results"
)

func TestPublishIsWonByOne(t *testing.T) {
	s := newStore(t)
	won, lost := 0, 0
	for range 3 {
		staged, err := s.Stage("night")
		if err != nil {
			t.Fatal(err)
		}
		if err := results.WriteJSON(staged.Spec(), results.Spec{Format: results.FormatSpec, Name: "night"}, 0o600); err != nil {
			t.Fatal(err)
		}
		switch dir, err := s.Publish(staged, "night"); {
		case err == nil:
			won++
			if string(dir) != filepath.Join(s.Dir, "night") {
				t.Errorf("published as %s", dir)
			}
		case errors.Is(err, ErrExists):
			lost++
		default:
			t.Fatal(err)
		}
	}
	if won != 1 || lost != 2 {
		t.Errorf("%d won, %d lost", won, lost)
	}
	names, err := s.Names()
	if err != nil || len(names) != 1 || names[0] != "night" {
		t.Errorf("the store lists %v, %v", names, err)
	}
}

func TestStagedRunsAreNotSeen(t *testing.T) {
	s := newStore(t)
	staged, err := s.Stage("night")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(string(staged)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("staged folder: %v, %v", info, err)
	}
	if names, err := s.Names(); err != nil || len(names) != 0 {
		t.Errorf("the store lists %v, %v", names, err)
	}
	if _, err := s.Stage("../night"); err == nil {
		t.Error("a name that leaves the folder was taken")
	}
}

func TestBesideTheRuns(t *testing.T) {
	s := newStore(t)
	s.Group = os.Getgid()
	for range 2 { // it may be there already
		dir, err := s.Beside("nightly", "models")
		if err != nil || dir != filepath.Join(s.Dir, "nightly", "models") {
			t.Fatalf("%s, %v", dir, err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o750 {
			t.Errorf("%v, %v: the group can't read it", info.Mode(), err)
		}
	}
}
