// Package history keeps the headline figures of many runs in one append-only
// file of JSON lines, so that trends of thousands of runs come without opening
// one of them.
//
// The file is a copy: Rebuild makes it from the run folders at any time. A torn
// or broken line is skipped and counted; of several lines on one run the last
// counts. No database, since these fail on network file systems.
package history
