package check

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// lustreMagic is the type that statfs gives a Lustre file system (LL_SUPER_MAGIC).
const lustreMagic = 0x0BD00BD0

// look asks the kernel about the file system of a folder.
func look(path string) (fileSystem, error) {
	var st unix.Stat_t
	var fs unix.Statfs_t
	if err := unix.Stat(path, &st); err != nil {
		return fileSystem{}, fmt.Errorf("look at %s: %w", path, err)
	}
	if err := unix.Statfs(path, &fs); err != nil {
		return fileSystem{}, fmt.Errorf("look at the file system of %s: %w", path, err)
	}
	f := fileSystem{
		device: st.Dev, group: int(st.Gid), free: times(fs.Bavail, fs.Bsize), files: math.MaxInt64,
		lustre: fs.Type == lustreMagic, noExec: fs.Flags&unix.ST_NOEXEC != 0,
	}
	if fs.Files > 0 { // some file systems make inodes as they need them
		f.files = int64(min(fs.Ffree, math.MaxInt64))
	}
	return f, nil
}

func times(blocks uint64, size int64) int64 {
	if size <= 0 || blocks > uint64(math.MaxInt64/size) {
		return math.MaxInt64
	}
	return int64(blocks) * size
}
