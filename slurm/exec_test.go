package slurm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func tool(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tool")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExec(t *testing.T) {
	ctx := context.Background()
	res, err := Exec(ctx, Command{Name: tool(t, `echo "$1 $X"; echo oops >&2; exit 3`), Args: []string{"a b"}, Environ: []string{"X=y"}})
	if err != nil || res.Stdout != "a b y\n" || res.Stderr != "oops\n" || res.Code != 3 {
		t.Errorf("got %+v, %v", res, err)
	}
	if _, err := Exec(ctx, Command{Name: "no-such-tool-of-slurm"}); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("a missing tool gives %v", err)
	}
	if _, err := Exec(ctx, Command{Name: tool(t, "kill -9 $$")}); err == nil || errors.Is(err, ErrNotInstalled) {
		t.Errorf("a killed tool gives %v", err)
	}
}

func TestExecEndsAToolThatHangs(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := Exec(ctx, Command{Name: tool(t, "exec sleep 20")})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 10*time.Second {
		t.Errorf("got %v after %v", err, time.Since(begin))
	}
}
