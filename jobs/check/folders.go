package check

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"hpcbench/sites"
)

// place is one folder that runs need.
type place struct {
	key, path string // key of the profile
	write     bool
	execute   bool // the run's own program lies there
}

// places lists the folders of a site; those that only a job knows are left out.
func places(s Subject) []place {
	var all []place
	add := func(p place) {
		if filepath.IsAbs(p.path) && !strings.Contains(p.path, "{") {
			all = append(all, p)
		}
	}
	add(place{"runs_dir", s.Site.RunsDir, true, true})
	add(place{"cache_dir", s.Site.CacheDir, true, false})
	for _, name := range slices.Sorted(maps.Keys(s.Site.Caches)) {
		c := s.Site.Caches[name]
		if c.Per == sites.PerSite {
			add(place{"caches." + name, c.Path, !c.ReadOnly, false})
		}
	}
	return all
}

// folders checks that runs and caches can be kept where the site says.
func folders(s Subject) []Finding {
	r := &report{name: "folders"}
	for _, p := range places(s) {
		r.place(s, p)
	}
	return r.found
}

func (r *report) place(s Subject, p place) {
	top, here, err := nearest(p.path)
	if err != nil {
		r.fail("correct it, or make the folder", "%s %s: %v", p.key, p.path, err)
		return
	}
	before := len(r.found)
	if s.Site.Scheduler == sites.Slurm {
		for _, tmp := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
			if p.path == tmp || strings.HasPrefix(p.path, tmp+"/") {
				r.fail("set it to a file system that all nodes share", "%s %s: a login node's %s isn't seen by compute nodes", p.key, p.path, tmp)
			}
		}
		if home := s.Who.Home; home != "" && strings.HasPrefix(p.path+"/", strings.TrimRight(home, "/")+"/") {
			r.warn("set it to the project's scratch", "%s %s lies in the home folder, whose quota is small", p.key, p.path)
		}
	}
	need, can := uint32(unix.R_OK|unix.X_OK), "read"
	if p.write {
		need, can = unix.W_OK|unix.X_OK, "written"
	}
	if err := unix.Access(top, need); err != nil {
		r.fail("correct it, or ask whom it belongs to", "%s %s can't be %s: %s: %v", p.key, p.path, can, top, err)
	}
	if fs, err := look(top); err == nil && p.execute && fs.noExec {
		r.fail("set it elsewhere", "%s %s: nothing may be executed on that file system, and a run brings its own program", p.key, p.path)
	}
	if who := outsider(top); who != "" {
		r.fail("chmod o-w it, or set it elsewhere: jobs run what lies there", "%s %s: %s", p.key, p.path, who)
	}
	switch {
	case len(r.found) > before:
	case !here && !p.write:
		r.warn("`hpcbench prepare` makes and fills it", "%s %s isn't there yet", p.key, p.path)
	case !here:
		r.ok("%s %s isn't there yet and can be made", p.key, p.path)
	default:
		r.ok("%s %s", p.key, p.path)
	}
}

// nearest is a path, or the folder above it that exists.
func nearest(path string) (top string, here bool, err error) {
	for top = path; ; top = filepath.Dir(top) {
		info, err := os.Stat(top)
		switch {
		case err == nil && !info.IsDir():
			return top, false, fmt.Errorf("%s is no folder", top)
		case err == nil:
			return top, top == path, nil
		case !errors.Is(err, fs.ErrNotExist) || top == "/":
			return top, false, err
		}
	}
}

// outsider says who else could put files in the place of ours, "" for nobody: a
// folder on the way that everybody may write, without the sticky bit.
func outsider(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	for ; real != "/" && real != "."; real = filepath.Dir(real) {
		info, err := os.Stat(real)
		if err == nil && info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return fmt.Sprintf("everybody may write %s", real)
		}
	}
	return ""
}
