package sites

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"hpcbench/sites/conf"
)

// Options says where settings are looked for. Nothing else of the process is consulted.
type Options struct {
	Environ []string     // as os.Environ gives it
	Dir     string       // the folder that may have an hpcbench.yaml; empty = none
	Flags   []conf.Value // paths as in Config, such as {"account"}
}

// System takes the environment and the working folder of this process.
func System(flags ...conf.Value) Options {
	return Options{Environ: os.Environ(), Dir: ".", Flags: flags}
}

func (o Options) getenv(name string) string {
	for i := len(o.Environ) - 1; i >= 0; i-- { // the last one counts, as for exec
		if value, ok := strings.CutPrefix(o.Environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// Who is the user as the environment tells it. os/user is not asked: without
// cgo it knows no users of a directory service.
type Who struct {
	User string // $USER, else $LOGNAME, else the number
	Home string // $HOME
	Dir  string // the working folder, absolute; empty = relative paths are refused
}

// Who reads the environment and the working folder.
func (o Options) Who() Who {
	w := Who{User: o.getenv("USER"), Home: o.getenv("HOME")}
	if w.User == "" {
		w.User = o.getenv("LOGNAME")
	}
	if w.User == "" {
		w.User = strconv.Itoa(os.Getuid())
	}
	if o.Dir != "" {
		if dir, err := filepath.Abs(o.Dir); err == nil {
			w.Dir = dir
		}
	}
	return w
}

// ConfigDir is the user's configuration folder, which may be missing; empty
// when there is no home either.
func (o Options) ConfigDir() string {
	if dir := o.getenv("HPCBENCH_CONFIG_DIR"); dir != "" {
		return dir
	}
	if dir := o.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hpcbench")
	}
	if home := o.getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "hpcbench")
	}
	return ""
}

// userFile is a layer of a file in the configuration folder; ok is false where there is none.
func (o Options) userFile(names ...string) (layer conf.Layer, ok bool, err error) {
	dir := o.ConfigDir()
	if dir == "" {
		return conf.Layer{}, false, nil
	}
	return optionalFile(filepath.Join(append([]string{dir}, names...)...))
}

func optionalFile(path string) (conf.Layer, bool, error) {
	data, err := readTrusted(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return conf.Layer{}, false, nil
	}
	if err != nil {
		return conf.Layer{}, false, err
	}
	return conf.Bytes(path, data), true, nil
}

// maxFile bounds a settings file in bytes: a mistaken path must not fill the memory.
const maxFile = 4 << 20

// readTrusted reads a file that only the user or root could have written. It
// looks at the open file, so that it can't be exchanged in between.
func readTrusted(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	owner := -1
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = int(stat.Uid)
	}
	if err := trust(path, info.Mode(), owner, os.Geteuid()); err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("read settings: %s has %d bytes, more than %d; is this the right file?", path, info.Size(), maxFile)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, fmt.Errorf("read settings %s: %w", path, err)
	}
	return data, nil
}

// trust says why a file may not be believed: settings become shell lines and paths of a job.
func trust(path string, mode fs.FileMode, owner, me int) error {
	switch {
	case !mode.IsRegular():
		return fmt.Errorf("settings %s: not a regular file", path)
	case owner != me && owner != 0:
		return fmt.Errorf("settings %s: it belongs to user %d, so somebody else decides what your jobs run; copy it and use the copy", path, owner)
	case mode.Perm()&0o022 != 0:
		return fmt.Errorf("settings %s: its mode %04o lets others write it; run: chmod go-w %s", path, mode.Perm(), path)
	}
	return nil
}
