// Package slurm turns Slurm's command line tools into a library: an argv goes
// in, typed rows come out. It calls sbatch, squeue, sacct, scancel, scontrol
// and sacctmgr, one process a question, and reads only their stable text
// outputs (a format string or --parsable2, never --json, whose layout changes
// with every release). Tested against Slurm 22.05; the tables of states and of
// pending reasons follow the sources up to 26.11.
//
// It knows nothing of engines, plans or runs. What a state or a pending reason
// means is said in one table each (state.go, reason.go), and Resolve is the one
// place that decides what squeue's and sacct's answers say together. Three
// rules hold everywhere: an answer that isn't understood means "keep waiting",
// never "failed"; sbatch is never called twice by itself; scancel gets exact
// job ids and nothing else.
package slurm
