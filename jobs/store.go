package jobs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/agext/levenshtein"

	"hpcbench/results"
)

// Store is the folder that holds the runs.
type Store struct {
	Dir string
	// Group is the numeric id of the project's group that may read runs, −1 = the owner alone.
	Group int
}

// runName is what a run may be called: it becomes a folder, a job name and a
// word of the command line.
var runName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// CheckName refuses names that can't be a folder, a job's name and a word.
func CheckName(name string) error {
	if name == "last" {
		return errors.New(`a run can't be named "last": that word means the newest run`)
	}
	if !runName.MatchString(name) {
		return fmt.Errorf("run name %q: letters, digits, dot, dash and underscore, at most 100, the first a letter or digit", name)
	}
	return nil
}

// ErrExists says that the name is taken.
var ErrExists = errors.New("a run of that name exists")

// Claim makes the folder of a new run. mkdir is the lock: two submits can't take
// one name, on any file system and from any login node. With next set a taken name
// gets -2, -3 … behind it; otherwise the error wraps ErrExists.
func (s Store) Claim(name string, next bool) (results.RunDir, string, error) {
	if err := CheckName(name); err != nil {
		return "", "", err
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return "", "", fmt.Errorf("make the runs folder: %w", err)
	}
	for i := 1; i < 10_000; i++ {
		try := name
		if i > 1 {
			try = name + "-" + strconv.Itoa(i)
		}
		dir := filepath.Join(s.Dir, try)
		err := os.Mkdir(dir, 0o700)
		switch {
		case err == nil:
			if err := s.share(dir); err != nil {
				return "", "", err
			}
			return results.RunDir(dir), try, nil
		case errors.Is(err, os.ErrExist) && next:
			continue
		case errors.Is(err, os.ErrExist) && missing(results.RunDir(dir).Spec()):
			return "", "", fmt.Errorf("%w: %s holds no run yet: another hpcbench is just making it, or was killed at it; take another --name, or remove the folder", ErrExists, dir)
		case errors.Is(err, os.ErrExist):
			return "", "", fmt.Errorf("%w: %s; take another --name, or `hpcbench resume %s` for its missing repeats", ErrExists, dir, name)
		default:
			return "", "", fmt.Errorf("make the run folder: %w", err)
		}
	}
	return "", "", fmt.Errorf("%w: %s and all names up to -9999", ErrExists, name)
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

// share opens a folder to the project's group, for reading only.
func (s Store) share(dir string) error {
	if s.Group < 0 {
		return nil
	}
	if err := os.Chown(dir, -1, s.Group); err != nil {
		return fmt.Errorf("give %s to the project's group %d: %w", dir, s.Group, err)
	}
	if err := os.Chmod(dir, 0o2750); err != nil { // setgid: what is made inside belongs to the group as well
		return fmt.Errorf("let the project's group read %s: %w", dir, err)
	}
	return nil
}

// Entry is one run of the store.
type Entry struct {
	Name string
	Dir  results.RunDir
	Spec results.Spec
	Err  error // why its run.json couldn't be read
}

// List answers all runs, the newest first. A folder without run.json is none of
// ours and left out; one whose run.json is broken is listed with its error.
func (s Store) List() ([]Entry, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, name := range names {
		all = append(all, s.open(name))
	}
	sort.SliceStable(all, func(i, j int) bool { return created(all[i]).After(created(all[j])) })
	return all, nil
}

func created(e Entry) time.Time { return e.Spec.CreatedAt }

// Names lists the runs by name alone, without opening them: what a shell's completion needs.
func (s Store) Names() ([]string, error) { return s.names() }

// names lists the folders that have a run.json, in alphabetical order.
func (s Store) names() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the runs: %w", err)
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() || !runName.MatchString(e.Name()) {
			continue
		}
		if _, err := os.Stat(results.RunDir(filepath.Join(s.Dir, e.Name())).Spec()); err == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func (s Store) open(name string) Entry {
	dir := results.RunDir(filepath.Join(s.Dir, name))
	spec, err := results.ReadJSON[results.Spec](dir.Spec(), results.FormatSpec)
	return Entry{Name: name, Dir: dir, Spec: spec, Err: err}
}

// ErrNoRun says that nothing answers to the name.
var ErrNoRun = errors.New("no such run")

// Find answers the run that is meant: its name, a prefix that only one has,
// "last" for the newest, or the path of a run folder.
func (s Store) Find(ref string) (Entry, error) {
	if strings.ContainsRune(ref, filepath.Separator) {
		return s.findPath(ref)
	}
	names, err := s.names()
	if err != nil {
		return Entry{}, err
	}
	if len(names) == 0 {
		return Entry{}, fmt.Errorf("%w %q: there are no runs in %s yet", ErrNoRun, ref, s.Dir)
	}
	if ref == "last" {
		all, err := s.List()
		if err != nil {
			return Entry{}, err
		}
		return all[0], all[0].Err
	}
	var found []string
	for _, name := range names {
		if name == ref {
			e := s.open(name)
			return e, e.Err
		}
		if strings.HasPrefix(name, ref) {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 1:
		e := s.open(found[0])
		return e, e.Err
	case 0:
		return Entry{}, fmt.Errorf("%w %q in %s; the nearest is %q", ErrNoRun, ref, s.Dir, nearest(ref, names))
	}
	return Entry{}, fmt.Errorf("%w: %q could be any of %s", ErrNoRun, ref, strings.Join(found, ", "))
}

func (s Store) findPath(ref string) (Entry, error) {
	abs, err := filepath.Abs(ref)
	if err != nil {
		return Entry{}, fmt.Errorf("find the run folder: %w", err)
	}
	dir := results.RunDir(abs)
	spec, err := results.ReadJSON[results.Spec](dir.Spec(), results.FormatSpec)
	if errors.Is(err, os.ErrNotExist) {
		return Entry{}, fmt.Errorf("%w: %s has no run.json", ErrNoRun, abs)
	}
	return Entry{Name: filepath.Base(abs), Dir: dir, Spec: spec, Err: err}, err
}

func nearest(word string, names []string) string {
	best, distance := "", int(^uint(0)>>1)
	for _, name := range names {
		if d := levenshtein.Distance(strings.ToLower(word), strings.ToLower(name), nil); d < distance {
			best, distance = name, d
		}
	}
	return best
}
