package endpoint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxKey bounds a key file: a larger one is some other file.
const maxKey = 16 << 10

// ErrKeyReadable says that others can read a key's file.
var ErrKeyReadable = errors.New("others can read it")

// ReadKey reads a key from a file that only its owner can read. The error never
// holds a part of it.
func ReadKey(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	if info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("key file %s has mode %04o: %w; chmod 600 it", path, info.Mode().Perm(), ErrKeyReadable)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKey+1))
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	key := strings.TrimSpace(string(b))
	switch {
	case len(b) > maxKey:
		return "", fmt.Errorf("key file %s has more than %d bytes: that is no key", path, maxKey)
	case key == "":
		return "", fmt.Errorf("key file %s is empty", path)
	}
	for _, r := range key {
		if r <= ' ' || r >= 0x7f {
			return "", fmt.Errorf("key file %s holds characters that can't stand in a header; it should be one line", path)
		}
	}
	return key, nil
}
