package apptainer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// fileID names one state of one file: hashing 20 GB on Lustre takes up to a minute, so
// it is done once for each.
type fileID struct {
	Device    uint64 `json:"device"`
	Inode     uint64 `json:"inode"`
	SizeBytes int64  `json:"size_bytes"`
	ModTimeNs int64  `json:"mtime_ns"`
}

type digestEntry struct {
	fileID
	Path   string `json:"path"` // for people; not part of the key
	SHA256 string `json:"sha256"`
}

// cacheLimit is how many images are remembered; the oldest are forgotten.
const cacheLimit = 256

// Resolve follows links, such as …-latest.sif, to the file that they mean now.
func Resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("resolve image %s: %w", path, err)
	}
	target, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("resolve image %s: %w", path, err)
	}
	return target, nil
}

// CachedDigest is the digest that Digest would find in the cache file, and false where
// the image would have to be read.
func CachedDigest(path, cacheFile string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	id, ok := identify(info)
	if !ok {
		return "", false
	}
	return find(readCache(cacheFile), id)
}

// Digest is the SHA-256 of the whole file in hexadecimal, from the cache file where
// the file's device, inode, size and modification time are the same as they were. A
// cache that can't be read counts as empty, and one that can't be written is returned as
// an error together with the digest. A file that changes while it is read has no digest.
func Digest(ctx context.Context, path, cacheFile string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("open image: %w", err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("look at image %s: %w", path, err)
	}
	if !before.Mode().IsRegular() {
		return "", fmt.Errorf("hash image %s: not a regular file", path)
	}
	id, identified := identify(before)
	if identified {
		if sum, ok := find(readCache(cacheFile), id); ok {
			return sum, nil
		}
	}
	h := sha256.New()
	if _, err := io.CopyBuffer(h, stopping{ctx, f}, make([]byte, 1<<20)); err != nil {
		return "", fmt.Errorf("hash image %s: %w", path, err)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	after, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("look at image %s again: %w", path, err)
	}
	if now, _ := identify(after); now != id {
		return "", fmt.Errorf("hash image %s: it changed while it was read", path)
	}
	if !identified {
		return sum, nil
	}
	return sum, remember(cacheFile, digestEntry{id, path, sum})
}

func find(entries []digestEntry, id fileID) (string, bool) {
	for _, e := range entries {
		if e.fileID == id && len(e.SHA256) == sha256.Size*2 {
			return e.SHA256, true
		}
	}
	return "", false
}

// readCache never fails: the cache only saves time.
func readCache(file string) []digestEntry {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var entries []digestEntry
	if json.Unmarshal(b, &entries) != nil {
		return nil
	}
	return entries
}

// remember writes the cache as a whole, so that two writers at once can lose an entry
// but never spoil the file.
func remember(file string, e digestEntry) error {
	entries := []digestEntry{e}
	for _, old := range readCache(file) {
		if old.fileID != e.fileID && len(entries) < cacheLimit {
			entries = append(entries, old)
		}
	}
	b, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return fmt.Errorf("remember the image's digest: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("remember the image's digest: %w", err)
	}
	if err := renameio.WriteFile(file, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("remember the image's digest in %s: %w", file, err)
	}
	return nil
}

// stopping ends a long read when the job is told to end.
type stopping struct {
	ctx context.Context
	r   io.Reader
}

func (s stopping) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}
