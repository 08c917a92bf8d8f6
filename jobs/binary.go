package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"hpcbench/results"
)

// KeepBinary puts the program that runs now into the run folder, so that a
// rebuild next week doesn't change a queued job. Binaries are kept once by
// digest in the store and hard-linked: 200 runs of 20 MB each would fill a quota.
func (s Store) KeepBinary(run results.RunDir, program string) (digest string, err error) {
	digest, err = Digest(program)
	if err != nil {
		return "", fmt.Errorf("read the program to keep with the run: %w", err)
	}
	kept := filepath.Join(s.Dir, ".bin", digest, "hpcbench")
	if have, err := Digest(kept); err != nil || have != digest {
		if err := copyProgram(program, kept); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(filepath.Dir(run.Binary()), 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the run's program: %w", err)
	}
	if s.Group >= 0 {
		if err := os.Chmod(filepath.Dir(run.Binary()), 0o2750); err != nil {
			return "", fmt.Errorf("let the project's group read the run's program: %w", err)
		}
	}
	if err := os.Link(kept, run.Binary()); err == nil {
		return digest, nil
	}
	// Some file systems refuse hard links between folders with quotas of their own.
	return digest, copyProgram(program, run.Binary())
}

// copyPrefix begins the name of a copy that isn't whole yet.
const copyPrefix = ".copy-"

// copyProgram copies to a name beside the target and renames, so that nobody
// ever runs half a program.
func copyProgram(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("make the folder of kept programs: %w", err)
	}
	removeHalves(filepath.Dir(to))
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy the program: %w", err)
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), copyPrefix+"*")
	if err != nil {
		return fmt.Errorf("copy the program: %w", err)
	}
	defer os.Remove(out.Name()) // gone already when the rename worked
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return fmt.Errorf("copy the program to %s: %w", to, err)
	}
	if err := out.Chmod(0o700); err != nil {
		_ = out.Close()
		return fmt.Errorf("make %s executable: %w", to, err)
	}
	if err := out.Close(); err != nil { // a quota may speak only here
		return fmt.Errorf("copy the program to %s: %w", to, err)
	}
	if err := os.Rename(out.Name(), to); err != nil {
		return fmt.Errorf("copy the program: %w", err)
	}
	return nil
}

// removeHalves takes away what a killed copy left: some 20 MB each. One that is
// younger than an hour may still be under way.
func removeHalves(dir string) {
	halves, err := filepath.Glob(filepath.Join(dir, copyPrefix+"*"))
	if err != nil {
		return
	}
	for _, half := range halves {
		if info, err := os.Stat(half); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(half) // somebody else may just have done so
		}
	}
}

// Digest is the sha256 of a file in hexadecimal.
func Digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
