package jobs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hpcbench/results"
)

func newStore(t *testing.T, names ...string) Store {
	t.Helper()
	s := Store{Dir: filepath.Join(t.TempDir(), "runs"), Group: -1}
	for i, name := range names {
		dir, _, err := s.Claim(name, false)
		if err != nil {
			t.Fatal(err)
		}
		spec := results.Spec{Format: results.FormatSpec, Name: name, CreatedAt: time.Date(2026, 12, 1, 10, i, 0, 0, time.UTC)}
		if err := results.WriteJSON(dir.Spec(), spec, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestFind(t *testing.T) {
	s := newStore(t, "karolina-qwen3-4b", "karolina-qwen3-coder-30b", "lumi-qwen2.5-7b")
	if err := os.MkdirAll(filepath.Join(s.Dir, "karolina-not-a-run"), 0o700); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{
		"karolina-qwen3-4b": "karolina-qwen3-4b",
		"karolina-qwen3-c":  "karolina-qwen3-coder-30b",
		"lumi":              "lumi-qwen2.5-7b",
		"last":              "lumi-qwen2.5-7b",
		filepath.Join(s.Dir, "karolina-qwen3-4b"):  "karolina-qwen3-4b",
		filepath.Join(s.Dir, "karolina-qwen3-4b/"): "karolina-qwen3-4b",
	} {
		e, err := s.Find(ref)
		if err != nil || e.Name != want {
			t.Errorf("%s: got %q, %v", ref, e.Name, err)
		}
	}
	for ref, says := range map[string]string{
		"karolina":            "karolina-qwen3-4b, karolina-qwen3-coder-30b",
		"lumi-qwen2.5-8b":     `nearest is "lumi-qwen2.5-7b"`,
		"/nowhere/at/all":     "has no run.json",
		"karolina-not-a-run":  "nearest",
		"karolina-qwen3-4b-2": "nearest",
	} {
		_, err := s.Find(ref)
		if !errors.Is(err, ErrNoRun) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v should say %q", ref, err, says)
		}
	}
	if _, err := (Store{Dir: t.TempDir()}).Find("last"); !errors.Is(err, ErrNoRun) {
		t.Errorf("an empty store says %v", err)
	}
}

func TestFindNamesABrokenRun(t *testing.T) {
	s := newStore(t, "good", "bad")
	if err := os.WriteFile(filepath.Join(s.Dir, "bad", "run.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Find("bad"); err == nil || !strings.Contains(err.Error(), filepath.Join("bad", "run.json")) {
		t.Errorf("got %v", err)
	}
	all, err := s.List()
	if err != nil || len(all) != 2 || all[0].Name != "good" || all[1].Err == nil {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestTwoClaimsNeverTakeOneName(t *testing.T) {
	s := newStore(t)
	var mu sync.Mutex
	taken := map[string]int{}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, name, err := s.Claim("night", true)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			taken[name]++
		})
	}
	wg.Wait()
	if len(taken) != 20 || taken["night"] != 1 || taken["night-20"] != 1 {
		t.Errorf("got %v", taken)
	}
	if _, _, err := s.Claim("night", false); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), "holds no run yet") {
		t.Errorf("got %v", err)
	}
	whole := newStore(t, "night")
	if _, _, err := whole.Claim("night", false); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), "resume night") {
		t.Errorf("got %v", err)
	}
	info, err := os.Stat(filepath.Join(s.Dir, "night"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestClaimRefusesNames(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{"", "last", "a b", "../x", "-x", "x\ny", "ž", strings.Repeat("x", 101)} {
		if _, _, err := s.Claim(name, true); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
}

func TestKeepBinaryOnceByDigest(t *testing.T) {
	s := newStore(t, "a", "b")
	program := filepath.Join(t.TempDir(), "hpcbench")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho one\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var infos []os.FileInfo
	for _, name := range []string{"a", "b"} {
		run := results.RunDir(filepath.Join(s.Dir, name))
		digest, err := s.KeepBinary(run, program)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Digest(run.Binary()); err != nil || got != digest {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		info, err := os.Stat(run.Binary())
		if err != nil {
			t.Fatal(err)
		}
		infos = append(infos, info)
	}
	if !os.SameFile(infos[0], infos[1]) {
		t.Error("the program is there twice")
	}
	// A rebuild must not change what a queued job will run.
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho two\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(results.RunDir(filepath.Join(s.Dir, "a")).Binary())
	if !strings.Contains(string(b), "one") {
		t.Errorf("the kept program became %q", b)
	}
}
