package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hpcbench/engine/stub"
	"hpcbench/results"
)

// TestSameSeedSameScheduleOtherTexts runs a plan twice by its verb: repeat 1 of
// both has one schedule, and not one text in common.
func TestSameSeedSameScheduleOtherTexts(t *testing.T) {
	s, err := stub.Start(stub.Config{Model: "m", TTFTBaseMs: 5, ITLMs: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	to, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var bodies []string
	proxy := httputil.NewSingleHostReverseProxy(to)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			b, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(b))
			mu.Lock()
			bodies = append(bodies, string(b))
			mu.Unlock()
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)

	home := t.TempDir()
	bin := filepath.Join(home, "hpcbench")
	program(t, bin)
	plan := filepath.Join(home, "p.yaml")
	if err := os.WriteFile(plan, []byte("kind: poisson\nseed: 9\nrates_per_s: [20]\nduration_s: 0.5\nprompt: {tokens: 30}\noutput: {distribution: uniform, min: 2, max: 9}\nrequest: {ignore_eos: true, timeout_s: 20}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	digests := map[string]bool{}
	for _, name := range []string{"one", "two"} {
		cmd := exec.Command(bin, "load", "--url", front.URL, "--plan", plan, "--name", name, "--runs-dir", filepath.Join(home, "runs"))
		cmd.Env = append(os.Environ(), "HOME="+home)
		out, exit := cmd.CombinedOutput()
		dir := results.RunDir(filepath.Join(home, "runs", name))
		sum, err := results.ReadJSON[results.Summary](dir.Attempt(1, 0).Summary(), results.FormatSummary)
		if err != nil {
			t.Fatalf("%v, %v\n%s", exit, err, out) // a busy machine may make the step invalid: its schedule is there all the same
		}
		digests[sum.ScheduleDigest] = true
	}
	if len(digests) != 1 || digests[""] {
		t.Errorf("schedule digests %v", digests)
	}
	seen := map[string]bool{}
	for _, b := range bodies {
		if seen[b] {
			t.Errorf("sent twice: %s", b)
		}
		seen[b] = true
	}
	if len(seen) < 10 {
		t.Errorf("%d texts", len(seen))
	}
}
