// Package clustertest runs the product as its users do, on the project's real
// test Slurm: submit, follow, collect on both sites, and what goes wrong there. It
// has tests only, which need the tag cluster. The container runtime is the strict
// double unless a real one is on PATH and HPCBENCH_TEST_REAL_APPTAINER names it.
package clustertest
