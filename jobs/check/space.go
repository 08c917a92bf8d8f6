package check

import (
	"fmt"
	"math"

	"hpcbench/results"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// fileSystem is what the kernel says of the file system of a folder.
type fileSystem struct {
	device         uint64
	group          int   // of the folder
	free, files    int64 // bytes and inodes for others than root; math.MaxInt64 = not limited
	lustre, noExec bool
}

// room is what is left in one place, by the file system or by a quota.
type room struct {
	bytes, files int64 // math.MaxInt64 = not limited
	by           string
}

// need is what a run will write below runs_dir: its program, some 1.2 KB a request,
// logs and telemetry, in at most 30 files a repeat.
func need(s Subject) (bytes, files int64) {
	bytes, files = 64*mib, 40
	if s.Spec == nil {
		return bytes, files
	}
	n := int64(s.Spec.Repeats)
	return bytes + n*(16*mib+int64(results.EstimatePlan(s.Spec.Plan).Requests)*1200), files + n*30
}

// space compares what is free, and what the quotas leave, with what a run writes.
func space(s Subject) []Finding {
	r := &report{name: "space"}
	seen := map[uint64]bool{}
	for _, p := range places(s) {
		if !p.write {
			continue
		}
		top, _, err := nearest(p.path)
		if err != nil {
			continue // folders says it
		}
		fs, err := look(top)
		if err != nil {
			r.warn("", "%s: %v", p.key, err)
			continue
		}
		if seen[fs.device] {
			continue // one file system, one answer
		}
		seen[fs.device] = true
		rooms := []room{{bytes: fs.free, files: fs.files, by: "the file system"}}
		if fs.lustre {
			quotas, err := lustreQuotas(s, top, fs.group)
			if err != nil && len(quotas) == 0 { // a site limits by one of them, and may keep the others to itself
				r.warn("", "%s %s: %v", p.key, p.path, err)
			}
			rooms = append(rooms, quotas...)
		}
		r.room(s, p, rooms)
	}
	return r.found
}

func (r *report) room(s Subject, p place, rooms []room) {
	bytes, files := need(s)
	if p.key != "runs_dir" {
		bytes, files = 4*gib, 5000 // compiled graphs and kernels of one job
	}
	good := true
	for _, v := range rooms {
		level, what := Error, "a run"
		if p.key != "runs_dir" {
			level, what = Warning, "the caches of a job" // how much they take isn't known beforehand
		}
		if v.bytes < bytes {
			good = false
			r.add(level, "remove old runs and caches, or set it elsewhere", "%s %s: %s leaves %s, and %s may write %s", p.key, p.path, v.by, sizeWords(v.bytes), what, sizeWords(bytes))
		}
		if v.files < files {
			good = false
			r.add(level, "remove old runs and caches, or set it elsewhere", "%s %s: %s leaves %d files, and %s may make %d", p.key, p.path, v.by, v.files, what, files)
		}
	}
	if good && len(rooms) > 0 {
		least := rooms[0]
		for _, v := range rooms[1:] {
			if v.bytes < least.bytes {
				least = v
			}
		}
		words := ""
		if least.files != math.MaxInt64 {
			words = fmt.Sprintf(", %d files", least.files)
		}
		r.ok("%s %s: %s%s left by %s", p.key, p.path, sizeWords(least.bytes), words, least.by)
	}
}

func sizeWords(bytes int64) string {
	switch {
	case bytes == math.MaxInt64:
		return "any amount"
	case bytes >= 10*gib:
		return fmt.Sprintf("%d GiB", bytes/gib)
	case bytes >= gib:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/gib)
	}
	return fmt.Sprintf("%d MiB", bytes/mib)
}
