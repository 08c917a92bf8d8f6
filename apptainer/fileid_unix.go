//go:build unix

package apptainer

import (
	"io/fs"
	"syscall"
)

// identify is false where the file system doesn't say which file it is.
func identify(info fs.FileInfo) (fileID, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, false
	}
	return fileID{
		Device: uint64(st.Dev), Inode: uint64(st.Ino),
		SizeBytes: info.Size(), ModTimeNs: info.ModTime().UnixNano(),
	}, true
}
