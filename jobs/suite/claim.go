package suite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// claimFor is how long whoever made a claim may take to send what it claimed. An
// hpcbench that is killed leaves a claim and sends nothing; after this time another
// takes its place.
const claimFor = 2 * time.Minute

// claim answers whether the caller is the one that may submit now. mkdir is the
// lock, on any file system and from any login node. A claim that led to nothing is
// followed by one of the next number.
func (m *Machine) claim(key string) (release func() error, ok bool, err error) {
	top := filepath.Join(m.Dir, "claims")
	if err := os.MkdirAll(top, 0o750); err != nil {
		return nil, false, fmt.Errorf("claim %s: %w", key, err)
	}
	for n := 1; ; n++ {
		dir := filepath.Join(top, key+"."+strconv.Itoa(n))
		err := os.Mkdir(dir, 0o750)
		if err == nil {
			return func() error { return released(dir) }, true, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return nil, false, fmt.Errorf("claim %s: %w", key, err)
		}
		over, err := m.lapsed(dir)
		if err != nil || !over {
			return nil, false, err
		}
	}
}

// released says in a claim that nothing was sent for it.
func released(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "released"), nil, 0o640); err != nil {
		return fmt.Errorf("release the claim %s: %w", dir, err)
	}
	return nil
}

// lapsed says that nobody will act on a claim any more.
func (m *Machine) lapsed(dir string) (bool, error) {
	if _, err := os.Stat(filepath.Join(dir, "released")); err == nil {
		return true, nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return false, fmt.Errorf("look at the claim %s: %w", dir, err)
	}
	return m.Now().Sub(info.ModTime()) > claimFor, nil
}
