// Package local answers like package slurm, from processes of this machine, for
// a site without Slurm: the same script is submitted, waits for its turn, runs
// as an array or with a time limit, is cancelled and asked about, in Slurm's
// words. One job runs at a time in one state directory, in the order of
// submission, and the elements of an array one after the other: two benchmarks
// side by side would measure each other.
//
// Submit writes the job into the state directory and starts a supervisor, in a
// session of its own, that outlives the submitter. The supervisor is the
// caller's own binary, started again with the arguments in Scheduler.Supervise
// and the job's directory; that must call Supervise. It is the parent of
// everything that the job starts, orphans included (child subreaper), so that
// nothing is left when the job ends. Any process can ask and cancel, since all
// state is in files:
//
//	STATE/12/job.json         what was submitted, once for a job or array
//	STATE/12/script           the script as it was then
//	STATE/12/supervisor.json  its process, with start time and boot, since pids are used again
//	STATE/12/supervisor.log
//	STATE/12/cancel-3         somebody cancelled element 3
//	STATE/12/state.json       state of the first element, or of the job
//	STATE/13/state.json       state of the second: like Slurm's, each has an id of its own
//
// The environment is never written down; it is handed from the submitter to
// the supervisor to the script.
//
// What Slurm has and this has not: nodes, accounts and limits (account, partition
// and QOS are kept and shown, not checked), requeueing, dependencies other than on
// earlier jobs of the same directory. At the time limit and on Cancel TERM goes
// to the batch shell alone, and KILL to all after a grace, as on a machine with
// proctrack/cgroup.
package local
