// Package node is what happens inside the job: Repeat starts the server, waits
// until it is ready and ours, has it loaded, stops it and leaves nothing behind.
//
// Process control is done here and not in bash. The process that runs a repeat
// is a child subreaper (prctl(2)), so that engine processes whose API server
// was killed are adopted by it and can be ended; it needs Linux.
package node
