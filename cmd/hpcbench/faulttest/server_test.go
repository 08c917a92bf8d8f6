//go:build fault

package faulttest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/cmd/hpcbench/world"
	"hpcbench/results"
)

// script writes a server script of the user's own: $1 is the port, $2 the name to
// serve, and the stub of this world is "$STUB".
func (f *fault) script(body string) string {
	f.T.Helper()
	return f.File("home/serve.sh", fmt.Sprintf("STUB=%s\nTRUTH=%s-$$\nONCE=%s\n%s\n",
		world.Program, filepath.Join(f.Dir, "cache", "truth-"+f.run), filepath.Join(f.Dir, "once"), body))
}

// orphanScript is a server as vLLM is one: an API server, and an engine that outlives it.
func (f *fault) orphanScript() string {
	f.T.Helper()
	return f.script(`setsid "$STUB" stub --port "$1" --served-model-name "$2" --truth "$TRUTH" &
wait`)
}

func TestAPIServerKilled(t *testing.T) {
	t.Parallel()
	f := put(t, "The server", "API server killed -9, its engine stays", "in a step of the first of two repeats; the orphaned engine goes on answering")
	f.slowPlan()
	f.submit("--repeats", "2", "--repeat-mode", "restart", "--server-script", f.orphanScript())
	f.measuring(1, 0)
	pids := find("bash", filepath.Join(f.Dir, "home", "serve.sh"))
	if len(pids) == 0 {
		t.Fatal("the server script doesn't run")
	}
	for _, pid := range pids {
		if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && filepath.Base(exe) == "bash" {
			kill9(pid)
		}
	}
	s := f.over()
	f.shows(s, 1, "failed", "the server ended while it was loaded")
	f.shows(s, 2, "complete", "")
	if a := f.attempt(1, 0); !strings.Contains(a.Server.ExitWords, "it left were killed") {
		t.Errorf("the server's end: %q", a.Server.ExitWords)
	}
	f.saw("the load stops within seconds, the orphan is ended, repeat 1 is shown as failed, and repeat 2 has a server of its own")
	f.keeps()
	f.clean()
	f.resumes()
}

func TestEngineDies(t *testing.T) {
	t.Parallel()
	f := put(t, "The server", "engine killed -9 under a serving API server", "the stub does what vLLM does: an error inside the 200, then [DONE], /health 503, and it ends by itself")
	f.slowPlan()
	// A second attempt's server dies after 100020 requests only.
	f.submit("--repeats", "1", "--server-arg=--die-after={attempt}00020")
	s := f.over()
	f.shows(s, 1, "failed", "the server ended while it was loaded")
	failed := 0
	if _, err := results.ReadLinesFile(f.dir(1, 0).Records(), func(r results.Record) {
		if r.Outcome == results.OutcomeFailed {
			failed++
		}
		if r.Outcome == results.OutcomeCompleted && r.Finish != "length" {
			t.Errorf("an answer that ended badly counts: %+v", r)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if failed == 0 {
		t.Error("no request failed")
	}
	f.saw("no answer that ended badly counts; the repeat is shown as failed, with how the server ended")
	f.keeps()
	f.clean()
	f.resumes()
}

func TestEngineFrozen(t *testing.T) {
	t.Parallel()
	f := put(t, "The server", "engine stopped while /health says 200", "no token leaves the stub from the third second on, for an hour")
	f.slowPlan()
	f.submit("--repeats", "1", "--server-arg=--freeze-at={attempt}h3s", "--server-arg=--freeze-for=1h")
	s := f.over()
	f.shows(s, 1, "complete", "INVALID")
	if s.Repeats[0].Invalid == "" {
		t.Error("status doesn't say why it is invalid")
	}
	f.saw("requests time out, the repeat ends by itself and is shown as complete, but INVALID; resume runs it again")
	f.keeps()
	f.clean()
	f.resumes()
	if n := f.Status(f.run).Repeats[0].Attempts; n < 2 {
		t.Errorf("%d attempts after resume", n)
	}
}

func TestProcessStopped(t *testing.T) {
	t.Parallel()
	f := put(t, "The server", "server process stopped (SIGSTOP)", "in a step, for good")
	f.Plan("short", "rates_per_s: [5, 10]", "rates_per_s: [8]", "duration_s: 1.5", "duration_s: 12")
	f.submit("--repeats", "1")
	f.measuring(1, 0)
	stop(f.stubProcess())
	s := f.over()
	f.shows(s, 1, "complete", "INVALID")
	f.saw("requests time out, TERM isn't heeded, KILL is; the repeat is shown as complete, but INVALID")
	f.Until("TERM was not heeded", func() bool { return strings.Contains(f.attempt(1, 0).Server.ExitWords, "TERM was not heeded") })
	f.keeps()
	f.clean()
	f.resumes()
}

func TestTermLostWhileStarting(t *testing.T) {
	t.Parallel()
	f := put(t, "The server", "TERM lost while the server starts", "scancel in the middle of a start of 15 s that doesn't heed TERM, as vLLM's doesn't")
	f.submit("--repeats", "1", "--server-arg=--start-delay=15s", "--server-arg=--ignore-term")
	f.Until("the server is starting", func() bool { return len(f.Marked(f.run)) > 1 })
	job := f.job(1, 0)
	if err := world.Cluster.TermThenKill(job, 25*time.Second); err != nil {
		t.Fatal(err)
	}
	s := f.over()
	f.shows(s, 1, "interrupted", "while the server started")
	f.saw("the server is killed after its grace and the attempt ends as interrupted")
	f.clean()
	f.resumes()
}

// The port that was free is taken by somebody else's server before ours binds it. It answers
// everything, with another name and without our key.
func TestStrangerOnOurPort(t *testing.T) {
	t.Parallel()
	f := put(t, "Other users", "a stranger's server takes our port", "between the choice of the port and the start, which is forced; it serves a model of the same name")
	f.submit("--repeats", "1", "--server-script", f.script(`name=$2
if mkdir "$ONCE"; then
  setsid env -u VLLM_API_KEY "$STUB" stub --port "$1" --served-model-name "${name%-*}" --truth "$ONCE/stranger" >/dev/null 2>&1 &
  sleep 2
  echo "OSError: [Errno 98] Address already in use"
  exec "$STUB" stub --port "$1" --served-model-name "$name"
fi
exec "$STUB" stub --port "$1" --served-model-name "$name" --truth "$TRUTH"`))
	s := f.over()
	f.shows(s, 1, "complete", "")
	if b, err := os.ReadFile(filepath.Join(f.Dir, "once", "stranger")); err != nil || len(b) > 0 {
		t.Errorf("the stranger was asked something: %s, %v", b, err)
	}
	a := f.attempt(1, 0)
	if len(a.Starts) != 2 || a.Starts[0].Failure == nil || a.Starts[0].Port == a.Starts[1].Port {
		t.Errorf("starts %+v", a.Starts)
	}
	f.saw("not one request reaches the stranger; the second start takes another port and is measured")
	f.keeps()
	f.clean()
	f.end = "the repeat is complete"
}
