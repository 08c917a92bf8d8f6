package vllm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// command writes a program that answers as vllm does.
func command(t *testing.T, body string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vllm")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	return []string{"env", path}
}

func TestLearnAndKeep(t *testing.T) {
	cmd := command(t, `case $1 in
--version) echo "W1201 16:22:55.578000 15645 torch/x.py:29] 1.2 not found" >&2; echo 0.32.0+cpu ;;
serve) printf '  --host HOST\n  --port PORT  text\n' ;;
esac`)
	r, err := Learn(context.Background(), cmd, "sha256:abc")
	if err != nil {
		t.Fatal(err)
	}
	if r.Version != "0.32.0" || len(r.Flags) != 2 || r.Flags[0] != "--host" {
		t.Errorf("%+v", r)
	}
	dir := filepath.Join(t.TempDir(), "cache")
	if _, err := Kept(dir, "sha256:abc"); !errors.Is(err, ErrNotLearnt) {
		t.Errorf("got %v", err)
	}
	if err := r.Keep(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Kept(dir, "sha256:abc")
	if diff := cmp.Diff(r, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if _, err := Kept(dir, "sha256:def"); !errors.Is(err, ErrNotLearnt) {
		t.Errorf("another image: %v", err)
	}
	// A torn file is learnt again and not an error to stop at.
	if err := os.WriteFile(releaseFile(dir, "sha256:abc"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Kept(dir, "sha256:abc"); !errors.Is(err, ErrNotLearnt) {
		t.Errorf("torn: %v", err)
	}
}

func TestLearnFails(t *testing.T) {
	for body, want := range map[string]string{
		"echo 'FATAL: image is broken' >&2; exit 255": "FATAL: image is broken",
		"echo hello": "no version",
	} {
		if _, err := Learn(context.Background(), command(t, body), "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", body, err)
		}
	}
	if _, err := Learn(context.Background(), nil, "x"); err == nil {
		t.Error("no command was taken")
	}
}
