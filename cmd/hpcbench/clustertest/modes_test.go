//go:build cluster

package clustertest

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"hpcbench/cmd/hpcbench/world"
	"hpcbench/results"
)

// overWords is what collect says the repeats differ by.
func overWords(t *testing.T, w *world.World, name string) string {
	t.Helper()
	text := w.Measure("collect", name, "--json")
	var doc struct {
		Over struct {
			Words string `json:"words"`
		} `json:"over"`
	}
	if err := json.Unmarshal([]byte(text[strings.Index(text, "{\n"):]), &doc); err != nil || doc.Over.Words == "" {
		t.Fatalf("collect: %v\n%s", err, text)
	}
	return doc.Over.Words
}

// Each job of a chain waits for the one before, and has its own repeats.
func TestChain(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	out := w.Measure("submit", "--site", "karolina", "--model", "Qwen3-4B-2507", "--gpus", "1", "--repeats", "3", "--repeat-mode", "chain", "--name", "cha", "--wait")
	if !strings.Contains(out, "3 repeats as chain (asked for)") || !strings.Contains(out, "3 of 3 repeats") {
		t.Errorf("submit says\n%s", out)
	}
	jobs := map[string][]results.Attempt{}
	for _, a := range w.Attempts("cha") {
		jobs[a.Slurm.JobID] = append(jobs[a.Slurm.JobID], a)
	}
	if len(jobs) != 2 { // the fewest that are a chain
		t.Fatalf("%d jobs", len(jobs))
	}
	attempts := w.Attempts("cha")
	for i := 1; i < len(attempts); i++ {
		if attempts[i].StartedAt.Before(attempts[i-1].EndedAt) {
			t.Errorf("repeat %d began before repeat %d had ended", i+1, i)
		}
	}
	nodes := map[string]bool{}
	for _, a := range attempts {
		nodes[a.Node.Hostname] = true
	}
	want := fmt.Sprintf("%d jobs on one node", len(jobs))
	if len(nodes) > 1 {
		want = fmt.Sprintf("%d nodes", len(nodes))
	}
	if got := overWords(t, w, "cha"); got != want {
		t.Errorf("collect says %q, want %q", got, want)
	}
	w.NothingLeft("cha")
}

// All repeats against one server, and collect says so.
func TestReuse(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	out := w.Measure("submit", "--site", "karolina", "--model", "Qwen3-4B-2507", "--gpus", "1", "--repeats", "3", "--repeat-mode", "reuse", "--name", "reu", "--wait")
	if !strings.Contains(out, "3 repeats as reuse") || !strings.Contains(out, "3 of 3 repeats") || !strings.Contains(out, "one server") {
		t.Errorf("submit says\n%s", out)
	}
	attempts := w.Attempts("reu")
	if len(attempts) != 3 {
		t.Fatalf("%d attempts\n%s", len(attempts), w.JobOutput())
	}
	for _, a := range attempts {
		if a.State != results.StateComplete || a.Slurm.JobID != attempts[0].Slurm.JobID || !a.Server.StartedAt.Equal(attempts[0].Server.StartedAt) || a.Server.StartedAt.IsZero() {
			t.Errorf("repeat %d: %s, job %s, server of %s", a.Repeat, a.State, a.Slurm.JobID, a.Server.StartedAt)
		}
	}
	if got := overWords(t, w, "reu"); got != "one server" {
		t.Errorf("collect says %q", got)
	}
	if n := strings.Count(w.Must("logs", "reu"), "server ready after"); n != 1 {
		t.Errorf("the server was started %d times", n)
	}
	w.NothingLeft("reu")
}

func TestWhatCollectSaysOfArrayAndRestart(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Measure("submit", "--site", "karolina", "--model", "Qwen3-4B-2507", "--gpus", "1", "--repeats", "2", "--repeat-mode", "restart", "--name", "res", "--wait")
	if got := overWords(t, w, "res"); got != "within one job" {
		t.Errorf("restart: collect says %q", got)
	}
	w.Measure("submit", "--site", "karolina", "--model", "Qwen3-4B-2507", "--gpus", "8", "--repeats", "4", "--name", "arr", "--wait")
	nodes := map[string]bool{}
	for _, a := range w.Attempts("arr") {
		nodes[a.Node.Hostname] = true
	}
	want := "4 jobs on one node"
	if len(nodes) > 1 {
		want = fmt.Sprintf("%d nodes", len(nodes))
	}
	if got := overWords(t, w, "arr"); got != want {
		t.Errorf("array: collect says %q, want %q", got, want)
	}
	// What doesn't fit is refused with its sum.
	out, code := w.Hpcbench("submit", "--site", "lumi", "--model", "Qwen3-4B-2507", "--gpus", "1", "--repeat-mode", "array")
	if code != 2 || !strings.Contains(out, "5 array elements, and each counts against the 2 jobs that may be submitted") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// turn is one repeat of one run of a session.
type turn struct {
	run        string
	repeat     int
	start, end time.Time
	job        string
}

// turns are all repeats of the runs, in the order in which they started.
func turns(t *testing.T, w *world.World, names ...string) []turn {
	t.Helper()
	var all []turn
	for _, name := range names {
		for _, a := range w.Attempts(name) {
			if a.State != results.StateComplete {
				t.Errorf("%s repeat %d is %s: %+v\n%s", name, a.Repeat, a.State, a.Failure, w.JobOutput())
			}
			all = append(all, turn{name, a.Repeat, a.StartedAt, a.EndedAt, a.Slurm.JobID})
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].start.Before(all[j].start) })
	return all
}

// On a site where many jobs run at a time every repeat is a job, and no run gets ahead
// of the others: a round starts when the one before has.
func TestSessionStartsRoundByRound(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	out := w.Measure("submit", "--site", "karolina", "--model", "Qwen3-4B-2507", "--model", "Qwen2.5-Coder-7B", "--gpus", "8", "--repeats", "3", "--name", "ses", "--wait")
	for _, words := range []string{"Session ses: 2 runs by turns", "3 repeats of each as array", "round by round", "Slurm expects it to start "} {
		if !strings.Contains(out, words) {
			t.Errorf("%q isn't in\n%s", words, out)
		}
	}
	names := []string{"ses-qwen3-4b-instruct-2507", "ses-qwen2.5-coder-7b-instruct"}
	all := turns(t, w, names...)
	if len(all) != 6 {
		t.Fatalf("%d repeats: %+v", len(all), all)
	}
	for i, one := range all {
		if want := i/2 + 1; one.repeat != want {
			t.Errorf("start %d is repeat %d of %s, want round %d:\n%+v", i+1, one.repeat, one.run, want, all)
		}
	}
	for _, name := range names {
		spec := must(results.ReadJSON[results.Spec](w.Run(name).Spec(), results.FormatSpec))
		if spec.Session == nil || spec.Session.Name != "ses" || fmt.Sprint(spec.Session.Runs) != fmt.Sprint(names) || spec.Session.OneJob {
			t.Errorf("%s: session %+v", name, spec.Session)
		}
		w.NothingLeft(name)
	}
}

// Where one job runs at a time the runs go by turns in it.
func TestSessionAlternatesInOneJob(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	out := w.Measure("submit", "--site", "lumi", "--model", "Qwen2.5-Coder-7B", "--model", "Qwen3-4B-2507", "--gpus", "2", "--repeats", "2", "--name", "one", "--wait")
	for _, words := range []string{"2 repeats of each as restart", "4 jobs (2 repeats of 2 configurations), and 2 may be submitted", "in which the 2 configurations alternate", "Slurm expects it to start "} {
		if !strings.Contains(out, words) {
			t.Errorf("%q isn't in\n%s", words, out)
		}
	}
	a, b := "one-qwen2.5-coder-7b-instruct", "one-qwen3-4b-instruct-2507"
	all := turns(t, w, a, b)
	var order []string
	for i, one := range all {
		order = append(order, fmt.Sprint(one.run, " ", one.repeat))
		if one.job != all[0].job {
			t.Errorf("%s repeat %d is of job %s, the first of %s", one.run, one.repeat, one.job, all[0].job)
		}
		if i > 0 && one.start.Before(all[i-1].end) {
			t.Errorf("%s repeat %d began before the one before had ended", one.run, one.repeat)
		}
	}
	if want := fmt.Sprint([]string{a + " 1", b + " 1", b + " 2", a + " 2"}); fmt.Sprint(order) != want {
		t.Errorf("order %s, want %s", order, want)
	}
	for _, name := range []string{a, b} {
		if got := overWords(t, w, name); got != "within one job" {
			t.Errorf("%s: collect says %q", name, got)
		}
		if log := w.Must("logs", name); strings.Count(log, "server ready after") != 2 {
			t.Errorf("the output of %s is\n%s", name, log)
		}
		if s := w.Status(name); s.Repeats[0].Phase != "complete" || s.Repeats[0].JobID != all[0].job {
			t.Errorf("status of %s: %+v", name, s)
		}
		w.NothingLeft(name)
	}
	// The job is paid for once: the two parts are its whole.
	var hours float64
	var share float64
	w.Until("the accounting has the job's end", func() bool {
		hours, share = 0, 0
		for _, name := range []string{a, b} {
			spec := must(results.ReadJSON[results.Spec](w.Run(name).Spec(), results.FormatSpec))
			share += spec.Session.Share
			text := w.Measure("collect", name, "--json")
			var doc struct {
				Spent *struct {
					Hours float64 `json:"hours"`
				} `json:"spent"`
			}
			if json.Unmarshal([]byte(text[strings.Index(text, "{\n"):]), &doc) != nil || doc.Spent == nil {
				return false
			}
			hours += doc.Spent.Hours
		}
		return true
	})
	text, _ := w.Command("sacct", "-n", "-P", "-X", "--format=ElapsedRaw", "--jobs="+all[0].job)
	var seconds float64
	if _, err := fmt.Sscan(text, &seconds); err != nil {
		t.Fatalf("sacct: %q", text)
	}
	if want := seconds / 3600 * 1; share < 0.999 || share > 1.001 || hours < want*0.999 || hours > want*1.001 {
		t.Errorf("the parts are %g of the job and %g GPU-hours, the job's own %g", share, hours, want)
	}
}

// Cancelling one run of a shared job ends the job, and both say so.
func TestCancelOfASharedJob(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Plan("long", "duration_s: 1.5", "duration_s: 60")
	w.Must("submit", "--site", "karolina", "--partition", "qgpu", "--model", "Qwen3-4B-2507", "--model", "Qwen2.5-Coder-7B", "--gpus", "1", "--repeats", "2",
		"--repeat-mode", "restart", "--plan", "long", "--name", "can")
	a, b := "can-qwen3-4b-instruct-2507", "can-qwen2.5-coder-7b-instruct"
	w.Until("the first repeat is under way", func() bool { return w.Status(a).Repeats[0].Phase == "running" && len(w.Attempts(a)) > 0 })
	out := w.Must("cancel", b)
	if !strings.Contains(out, "Cancelled job") || !strings.Contains(out, a) {
		t.Errorf("cancel says\n%s", out)
	}
	for _, name := range []string{a, b} {
		w.Until("all of "+name+" is cancelled", func() bool {
			s := w.Status(name)
			return s.Repeats[0].Phase == "cancelled" && s.Repeats[1].Phase == "cancelled"
		})
		w.NothingLeft(name)
	}
}
