package fit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/results"
)

// legacy is the published LUMI plan: 60 s of warm-up, nine rates of 120 s, drains of at most 60 s.
var legacy = Times{StartS: 240, LoadS: 60 + 9*120, DrainS: 9 * 60, StopS: 30, StartReserveS: 660, SignalS: 120}

var devG = Limits{Partition: "dev-g", WalltimeS: 3 * 3600, MaxJobs: 2, MaxRunning: 1, Scheduler: results.SchedulerSlurm}

func TestWalltimeOfFiveLegacyRepeats(t *testing.T) {
	got, sum := Walltime(legacy, 5, true)
	// 5 x (240 + 1140 + 540 + 30) + 660 + 60 + 120 = 10,590 s, up to the minute.
	if want := 177 * 60; got != want {
		t.Errorf("got %d s, want %d: %v", got, want, sum)
	}
	if text := strings.Join(sum, "\n"); !strings.Contains(text, "5 x (start 4m + load 19m + drain at most 9m + stop 30s) = 2h42m30s") || !strings.Contains(text, "02:57:00") {
		t.Errorf("the sum reads\n%s", text)
	}
	reuse, _ := Walltime(legacy, 5, false)
	if want := 159 * 60; reuse != want { // 270 + 5 x 1680 + 840 = 9,510 s, up to the minute
		t.Errorf("one server: got %d s, want %d", reuse, want)
	}
}

func TestGroup(t *testing.T) {
	long := legacy
	long.LoadS = 5000
	qgpu := Limits{Partition: "qgpu", WalltimeS: 48 * 3600, Scheduler: results.SchedulerSlurm}
	for name, c := range map[string]struct {
		n    int
		t    Times
		l    Limits
		mode string
		want results.Grouping
		fail string
	}{
		"karolina takes an array": {5, legacy, qgpu, "",
			results.Grouping{Mode: "array", Jobs: [][]int{{1}, {2}, {3}, {4}, {5}}, FreshServer: true}, ""},
		"an array is throttled": {5, legacy, Limits{WalltimeS: 48 * 3600, MaxRunning: 2, Scheduler: "slurm"}, "",
			results.Grouping{Mode: "array", Jobs: [][]int{{1}, {2}, {3}, {4}, {5}}, FreshServer: true, MaxAtOnce: 2}, ""},
		"dev-g restarts in one job": {5, legacy, devG, "",
			results.Grouping{Mode: "restart", Jobs: [][]int{{1, 2, 3, 4, 5}}, FreshServer: true}, ""},
		"a longer plan needs two linked jobs": {3, long, devG, "",
			results.Grouping{}, "the limit is 03:00:00"},
		"two of them fit a chain": {2, long, devG, "",
			results.Grouping{Mode: "chain", Jobs: [][]int{{1}, {2}}, FreshServer: true, Chained: true}, ""},
		"reuse is only taken when asked for": {5, legacy, devG, "reuse",
			results.Grouping{Mode: "reuse", Jobs: [][]int{{1, 2, 3, 4, 5}}}, ""},
		"an unknown mode":      {5, legacy, devG, "sideways", results.Grouping{}, "no such mode"},
		"no repeats":           {0, legacy, devG, "", results.Grouping{}, "at least 1"},
		"local restarts":       {5, legacy, Limits{Scheduler: "local"}, "", results.Grouping{Mode: "restart", Jobs: [][]int{{1, 2, 3, 4, 5}}, FreshServer: true}, ""},
		"array on dev-g fails": {5, legacy, devG, "array", results.Grouping{}, "each counts against the 2 jobs"},
	} {
		t.Run(name, func(t *testing.T) {
			got, seconds, sum, err := Group(c.n, c.t, c.l, c.mode)
			if c.fail != "" {
				if err == nil || !strings.Contains(err.Error(), c.fail) {
					t.Fatalf("error %v should say %q", err, c.fail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Why == "" || seconds == 0 || len(sum) == 0 {
				t.Errorf("no reason or no sum: %+v %d %v", got, seconds, sum)
			}
			got.Why = ""
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			var all []int
			for _, job := range got.Jobs {
				all = append(all, job...)
			}
			if !cmp.Equal(all, span(1, c.n)) {
				t.Errorf("repeats %v", all)
			}
		})
	}
}

func TestClock(t *testing.T) {
	for seconds, want := range map[int]string{0: "00:00:00", 61: "00:01:01", 10620: "02:57:00", 172800: "2-00:00:00"} {
		if got := Clock(seconds); got != want {
			t.Errorf("%d s: got %s, want %s", seconds, got, want)
		}
	}
}
