package siftest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSameOptionsSameBytes(t *testing.T) {
	dir := t.TempDir()
	for name, o := range map[string]Options{
		"plain":  {},
		"full":   {Arch: "arm64", Labels: map[string]string{"b": "2", "a": "1"}, Definition: "Bootstrap: docker\n", ID: "b2659d4e-bd50-4ea5-bd17-eec5e54f918e", Created: time.Unix(1e9, 0), FS: []byte("fs")},
		"no FS":  {NoPartition: true},
		"timed":  {Created: time.Unix(1e9, 0)},
		"labels": {Labels: map[string]string{}},
	} {
		var first []byte
		for i := range 2 {
			path := filepath.Join(dir, name+string(rune('0'+i)))
			if err := Write(path, o); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && !bytes.Equal(first, b) {
				t.Errorf("%s: two images differ", name)
			}
			first = b
		}
	}
}

func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.sif")
	if err := Write(path, Options{}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path string
		o    Options
		says string
	}{
		"exists":    {path, Options{}, "it exists"},
		"folder":    {filepath.Join(dir, "none", "a.sif"), Options{}, "no such file"},
		"processor": {filepath.Join(dir, "b.sif"), Options{Arch: "vax"}, "arch"},
		"id":        {filepath.Join(dir, "c.sif"), Options{ID: "x"}, "UUID"},
	} {
		if err := Write(c.path, c.o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v should say %q", name, err, c.says)
		}
	}
}

func TestBuildError(t *testing.T) {
	if _, err := build(t.TempDir(), "x", "hpcbench/no/such/package"); err == nil || !strings.Contains(err.Error(), "hpcbench/no/such/package") {
		t.Errorf("%v", err)
	}
}
