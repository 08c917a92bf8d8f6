// Package read turns a run folder into one typed Run, and never fails the
// whole for one bad file: whatever is missing, torn, newer, foreign or edited
// is a Problem that names the file, and the rest is still read.
//
// A repeat is made of one attempt only: the newest that is complete, else the
// newest that has data. Where summary.json is there and good, the records
// aren't touched; it is made again from them when it is missing, was judged by
// older rules, doesn't fit its attempt, or when Options ask for it.
package read
