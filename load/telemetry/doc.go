// Package telemetry samples what stands beside the requests, once a second and
// never on a measured connection: the engine's own metrics, the GPUs by one
// long-running nvidia-smi, rocm-smi or amd-smi, the host's processors and
// memory, and the load generator itself: its share of a core, the pauses of its
// garbage collector, the time it was runnable but not running, and jumps of the
// wall clock.
package telemetry
