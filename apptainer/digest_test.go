package apptainer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/apptainer/siftest"
)

// wantSum holds digests made by sha256sum.
func wantSum(t *testing.T, content string) string {
	t.Helper()
	sum, ok := map[string]string{
		"image\n":  "254eddf15d9534e3b20c55469077aa2f24f167aa4b897a36381d3e251e4829c2",
		"IMAGE\n":  "0d566894635a0328ba41adf930142ed8e3e3f1c75c9c92a670e97c06b01bf617",
		"IMAGE2\n": "f82d518a9ae0e10050eb6742ba3ee8365b1beece0a2f1952c4bd1c59201cb659",
	}[content]
	if !ok {
		t.Fatalf("no digest for %q", content)
	}
	return sum
}

func TestDigest(t *testing.T) {
	dir := t.TempDir()
	path, cache := filepath.Join(dir, "a.sif"), filepath.Join(dir, "cache", "digests.json")
	write := func(content string, at time.Time) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	digest := func() string {
		t.Helper()
		d, err := Digest(context.Background(), path, cache)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	noon := time.Date(2026, 1, 2, 12, 0, 0, 5, time.UTC)
	write("image\n", noon)
	if _, ok := CachedDigest(path, cache); ok {
		t.Error("an empty cache answered")
	}
	first := digest()
	if first != wantSum(t, "image\n") {
		t.Errorf("digest %s", first)
	}
	if d, ok := CachedDigest(path, cache); !ok || d != first {
		t.Errorf("cached %q, %v", d, ok)
	}
	// Same inode, size and time: the cache answers without reading.
	write("IMAGE\n", noon)
	if got := digest(); got != first {
		t.Errorf("the cache wasn't used: %s", got)
	}
	// Any of the four differs: it is read again.
	write("IMAGE\n", noon.Add(1))
	if got := digest(); got != wantSum(t, "IMAGE\n") {
		t.Errorf("a newer time was not noticed: %s", got)
	}
	write("IMAGE2\n", noon.Add(1))
	if got := digest(); got != wantSum(t, "IMAGE2\n") {
		t.Errorf("another size was not noticed: %s", got)
	}
	if entries := readCache(cache); len(entries) != 3 || entries[0].SHA256 != wantSum(t, "IMAGE2\n") {
		t.Errorf("cache: %+v", entries)
	}
	if info, err := os.Stat(cache); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("cache mode: %v %v", info.Mode(), err)
	}
}

func TestDigestWithoutACache(t *testing.T) {
	dir := t.TempDir()
	path, cache := filepath.Join(dir, "a.sif"), filepath.Join(dir, "cache.json")
	if err := siftest.Write(path, siftest.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, spoiled := range []string{"", "[", `[{"sha256":"short"}]`, `{"a":1}`} {
		if err := os.WriteFile(cache, []byte(spoiled), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Digest(context.Background(), path, cache)
		if err != nil || len(d) != 64 {
			t.Errorf("cache %q: %q, %v", spoiled, d, err)
		}
	}
	// A cache that can't be written is said, and the digest isn't lost.
	d, err := Digest(context.Background(), path, filepath.Join(path, "cache.json"))
	if err == nil || !strings.Contains(err.Error(), "remember") || len(d) != 64 {
		t.Errorf("%q, %v", d, err)
	}
}

func TestDigestErrors(t *testing.T) {
	dir := t.TempDir()
	cache := filepath.Join(dir, "cache.json")
	if _, err := Digest(context.Background(), filepath.Join(dir, "none.sif"), cache); err == nil {
		t.Error("a missing image has a digest")
	}
	if _, err := Digest(context.Background(), dir, cache); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	path := filepath.Join(dir, "a.sif")
	if err := siftest.Write(path, siftest.Options{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Digest(ctx, path, cache); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped digest: %v", err)
	}
	if readCache(cache) != nil {
		t.Error("a stopped digest was remembered")
	}
}

func TestCacheForgetsTheOldest(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache.json")
	for i := range cacheLimit + 5 {
		if err := remember(cache, digestEntry{fileID{Inode: uint64(i)}, "x", strings.Repeat("a", 64)}); err != nil {
			t.Fatal(err)
		}
	}
	entries := readCache(cache)
	if len(entries) != cacheLimit || entries[0].Inode != cacheLimit+4 || entries[cacheLimit-1].Inode != 5 {
		t.Errorf("%d entries, from %d to %d", len(entries), entries[0].Inode, entries[len(entries)-1].Inode)
	}
}
