// Package record writes the append-only files of an attempt: one JSON line a
// request or sample. Appending costs the measuring side one locked append to a
// slice; encoding, write and fsync happen in the background.
//
// What is promised: a line is in the kernel within FlushEvery of its Append, so
// that a kill -9 loses at most those milliseconds, and on the disk within
// SyncEvery, so that a lost node loses at most those seconds. A full disk or
// quota is no end: the lines wait in memory, up to MaxWaitingBytes, and are
// tried again. Some file systems report a full quota only at fsync and drop the
// data; so the bytes since the last good fsync are kept and written again.
package record
