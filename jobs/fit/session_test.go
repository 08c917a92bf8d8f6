package fit

import (
	"fmt"
	"strings"
	"testing"

	"hpcbench/results"
)

func TestSession(t *testing.T) {
	// 20 minutes a repeat, and 10.
	long, short := Times{StartS: 300, LoadS: 780, DrainS: 60, StopS: 60, StartReserveS: 600, SignalS: 120}, Times{StartS: 100, LoadS: 400, DrainS: 50, StopS: 50, StartReserveS: 60, SignalS: 120}
	production := Limits{Partition: "small-g", WalltimeS: 72 * 3600, MaxJobs: 210, MaxRunning: 200}
	tries := Limits{Partition: "dev-g", WalltimeS: 3 * 3600, MaxJobs: 2, MaxRunning: 1}
	here := Limits{Partition: "local", WalltimeS: 24 * 3600, Scheduler: results.SchedulerLocal}
	for name, c := range map[string]struct {
		n      int
		each   []Times
		limits Limits
		mode   string
		differ string
		want   string // mode and jobs
		clock  string
		says   string
	}{
		"independent jobs":   {5, []Times{long, short}, production, "", "", "array [[1] [2] [3] [4] [5]]", "00:33:00", "round by round"},
		"one job":            {5, []Times{long, short}, tries, "", "", "restart [[1 2 3 4 5]]", "02:43:00", "10 jobs (5 repeats of 2 configurations), and 2 may be submitted"},
		"several jobs":       {8, []Times{long, short}, tries, "", "", "chain [[1 2 3 4] [5 6 7 8]]", "02:13:00", "in which the 2 configurations alternate"},
		"too many":           {12, []Times{long, short}, tries, "", "", "", "", "12 repeats of 2 configurations don't fit partition dev-g"},
		"different":          {2, []Times{long, short}, tries, "", "2 and 4 GPUs", "", "", "they can't share a job: 2 and 4 GPUs"},
		"different in array": {2, []Times{long, short}, production, "", "2 and 4 GPUs", "array [[1] [2]]", "00:33:00", ""},
		"one job, asked for": {5, []Times{long, short}, production, results.ModeRestart, "", "restart [[1 2 3 4 5]]", "02:43:00", ""},
		"one server":         {5, []Times{long, short}, production, results.ModeReuse, "", "", "", "one server can't be several"},
		"without Slurm":      {2, []Times{long, short, short}, here, "", "", "restart [[1 2]]", "01:33:00", "this site has no Slurm"},
		"one of them long":   {1, []Times{{LoadS: 4 * 3600}, short}, tries, "", "", "", "", "the limit is 03:00:00"},
	} {
		g, seconds, arithmetic, err := Session(c.n, c.each, c.limits, c.mode, c.differ)
		text := strings.Join(append(arithmetic, g.Why, fmt.Sprint(err)), "\n")
		got := ""
		if err == nil {
			got = fmt.Sprintf("%s %v", g.Mode, g.Jobs)
		}
		if got != c.want || c.clock != "" && Clock(seconds) != c.clock || !strings.Contains(text, c.says) {
			t.Errorf("%s: %q in %s, want %q in %s and %q:\n%s", name, got, Clock(seconds), c.want, c.clock, c.says, text)
		}
		if err == nil && (g.Chained != (g.Mode == results.ModeChain) || !g.FreshServer || g.MaxAtOnce != 0) {
			t.Errorf("%s: %+v", name, g)
		}
	}
	if _, _, _, err := Session(5, []Times{long}, production, "", ""); err == nil {
		t.Error("one configuration is a session")
	}
}
