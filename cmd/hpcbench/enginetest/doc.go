// Package enginetest sends whole runs through a real vLLM (its CPU build with a tiny
// model made on the spot) on the test Slurm: what a user does on a big machine, but
// for the GPU and the container, which is the strict double. It has tests only, which
// need the tag engine.
package enginetest
