package stub

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"net/http"
)

// truthOf stops the server and reads what it really did.
func truthOf(t *testing.T, s *Server) []Truth {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(s.cfg.TruthFile)
	if err != nil {
		t.Fatal(err)
	}
	all, err := ReadTruth(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func chatBody(tokens string) string {
	return `{"model":"stub","messages":[{"role":"user","content":"Hello"}],"stream":true,"max_tokens":` + tokens + `}`
}

// Tokens leave when the settings say. Lateness is that of a busy test machine;
// what is checked is that it never adds up and never comes early.
func TestTimesAreThoseOfTheSettings(t *testing.T) {
	s := started(t, Config{TTFTBaseMs: 20, TTFTPerTokenMs: 1, ITLMs: 5, TruthFile: filepath.Join(t.TempDir(), "truth")})
	streamed(t, s, "/v1/chat/completions", chatBody("20"))
	all := truthOf(t, s)
	if len(all) != 1 {
		t.Fatalf("%d lines of truth, want 1", len(all))
	}
	tr := all[0]
	if tr.OutputTokens != 20 || tr.Finish != "length" || len(tr.WriteNs) != 21 || tr.Tokens[0] != 0 || tr.Tokens[1] != 1 {
		t.Fatalf("truth %+v", tr)
	}
	ttft := int64(20+tr.PromptTokens) * int64(time.Millisecond)
	var late []int64
	for i, at := range tr.WriteNs[1:] {
		due := tr.ReadNs + ttft + int64(i)*int64(5*time.Millisecond)
		late = append(late, at-due)
	}
	slices.Sort(late)
	if late[0] < 0 {
		t.Errorf("a token left %v early", time.Duration(-late[0]))
	}
	if median := time.Duration(late[len(late)/2]); median > 4*time.Millisecond {
		t.Errorf("tokens were %v late", median)
	}
}

// With 10 slots the requests behind wait first in first out and the schedule
// stays exact: request k starts when request k-10 ended.
func TestQueueIsFirstInFirstOut(t *testing.T) {
	s := started(t, Config{TTFTBaseMs: 20, ITLMs: 2, Slots: 2, TruthFile: filepath.Join(t.TempDir(), "truth")})
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() { streamed(t, s, "/v1/chat/completions", chatBody("11")) })
	}
	wg.Wait()
	all := truthOf(t, s)
	slices.SortFunc(all, func(a, b Truth) int { return int(a.AdmittedNs - b.AdmittedNs) })
	const service = int64(40 * time.Millisecond) // 20 + 10 x 2
	for k := 2; k < 6; k++ {
		if got := all[k].AdmittedNs - all[k-2].AdmittedNs; got != service {
			t.Errorf("request %d got its slot %v after request %d, want %v", k, time.Duration(got), k-2, time.Duration(service))
		}
		if k > 2 && all[k].ReadNs < all[k-1].ReadNs {
			t.Errorf("request %d was read before request %d but admitted after it", k, k-1)
		}
	}
}

// In step mode all running streams get their tokens at one instant.
func TestStepsBurst(t *testing.T) {
	s := started(t, Config{TTFTBaseMs: 5, ITLMs: 20, Steps: true, TruthFile: filepath.Join(t.TempDir(), "truth")})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 3 * time.Millisecond)
			streamed(t, s, "/v1/chat/completions", chatBody("10"))
		})
	}
	wg.Wait()
	all := truthOf(t, s)
	// Each stream's token times must be near those of the longest-lived grid.
	var first int64
	for _, tr := range all {
		if first == 0 || tr.WriteNs[1] < first {
			first = tr.WriteNs[1]
		}
	}
	const step = int64(20 * time.Millisecond)
	for _, tr := range all {
		var phases []int64
		for _, at := range tr.WriteNs[1:] {
			phase := (at - first) % step
			phases = append(phases, min(phase, step-phase)) // a little early is as good as a little late
		}
		slices.Sort(phases)
		if m := phases[len(phases)/2]; m > int64(8*time.Millisecond) {
			t.Errorf("a stream's tokens are %v off the steps", time.Duration(m))
		}
	}
}

// The gap grows with the requests that run.
func TestGapDependsOnRunning(t *testing.T) {
	e := &engine{cfg: Config{ITLMs: 10, ITLPerRunning: 0.1}, itl: 1, running: 5}
	if got := time.Duration(e.gap()); got != 15*time.Millisecond {
		t.Errorf("gap %v, want 15 ms", got)
	}
}

// Nothing comes during a freeze, /health stays 200, and afterwards everything goes on as if the time hadn't passed.
func TestFreeze(t *testing.T) {
	s := started(t, Config{TTFTBaseMs: 10, ITLMs: 10, TruthFile: filepath.Join(t.TempDir(), "truth"),
		Faults: Faults{FreezeAt: 100 * time.Millisecond, FreezeFor: 300 * time.Millisecond}})
	frozenFrom := s.engine.startNs + int64(100*time.Millisecond)
	done := make(chan struct{})
	go func() { streamed(t, s, "/v1/chat/completions", chatBody("30")); close(done) }()
	time.Sleep(200 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL()+"/health", nil)
	if res, err := http.DefaultClient.Do(req); err != nil || res.StatusCode != 200 {
		t.Errorf("/health during the freeze: %v %v", res, err)
	}
	<-done
	tr := truthOf(t, s)[0]
	if got := len(tr.WriteNs); got != 31 {
		t.Fatalf("%d events", got)
	}
	gaps := make([]int64, 0, 30)
	for i := 2; i < len(tr.WriteNs); i++ {
		gaps = append(gaps, tr.WriteNs[i]-tr.WriteNs[i-1])
		if at := tr.WriteNs[i]; at > frozenFrom+int64(5*time.Millisecond) && at < frozenFrom+int64(300*time.Millisecond) {
			t.Errorf("a token left %v into the freeze", time.Duration(at-frozenFrom))
		}
	}
	slices.Sort(gaps)
	if longest := gaps[len(gaps)-1]; longest < int64(300*time.Millisecond) {
		t.Errorf("the longest gap is %v", time.Duration(longest))
	}
	if second := gaps[len(gaps)-2]; second > int64(100*time.Millisecond) {
		t.Errorf("after the freeze the gaps go on at %v", time.Duration(second))
	}
}
