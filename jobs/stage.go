package jobs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hpcbench/results"
)

// Stage makes a folder in which a run can be written before anybody sees it. It
// begins with a dot, so that no list shows it.
func (s Store) Stage(name string) (results.RunDir, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return "", fmt.Errorf("make the runs folder: %w", err)
	}
	dir, err := os.MkdirTemp(s.Dir, ".new-"+name+"-")
	if err != nil {
		return "", fmt.Errorf("make the run folder: %w", err)
	}
	if err := s.share(dir); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return results.RunDir(dir), nil
}

// Publish gives a staged run its name. Of several that publish one name one wins;
// the others get an error that wraps ErrExists. The run is there whole or not at all,
// so that a caller who is killed leaves no name taken by half a run.
func (s Store) Publish(staged results.RunDir, name string) (results.RunDir, error) {
	dir := filepath.Join(s.Dir, name)
	err := os.Rename(string(staged), dir) // refused where there is a folder that isn't empty
	switch {
	case err == nil:
		return results.RunDir(dir), nil
	case exists(dir):
		return "", fmt.Errorf("%w: %s", ErrExists, dir)
	}
	return "", fmt.Errorf("name the run folder: %w", err)
}

// Beside makes a folder beside the runs, which the project's group may read as it may read them.
func (s Store) Beside(names ...string) (string, error) {
	dir := s.Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the runs folder: %w", err)
	}
	for _, name := range names {
		dir = filepath.Join(dir, name)
		err := os.Mkdir(dir, 0o700)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			err = s.share(dir)
		}
		if err != nil {
			return "", fmt.Errorf("make the folder %s: %w", dir, err)
		}
	}
	return dir, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
