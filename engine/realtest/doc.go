// Package realtest finds the real vLLM that `make engine` installed (the CPU
// build and a tiny model, see install.sh) for tests of level engine, and starts
// it. It is never part of the binary.
//
// What is real: HTTP, tokens, usage, KV and prefix cache, scheduler, metrics,
// log lines, signals, processes. What isn't: the text, which comes from random
// weights, and the speed.
package realtest
