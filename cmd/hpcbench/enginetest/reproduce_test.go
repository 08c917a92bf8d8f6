//go:build engine

package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/collect/compare"
	"hpcbench/engine"
	"hpcbench/engine/realtest"
	"hpcbench/engine/vllm"
)

// The walk of whoever lays a service beside its published table: a real vLLM by its
// URL. A tiny model on a CPU in four seconds can't have the published figures, and the
// page says what differs.
func TestReproduceThroughAURL(t *testing.T) {
	w, e := onReal(t)
	const key = "test-key"
	p := e.Run(t, realtest.Start{Key: key, Args: append([]string{"vllm", "serve", e.Model, "--served-model-name", "tiny", "--host", "127.0.0.1",
		"--port", "{port}", "--max-model-len", "4096", "--max-num-seqs", "16"}, realtest.Args...)})
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	if _, err := vllm.Ready(ctx, engine.Loopback(p.Port, engine.Secret(key)), "tiny", p.Dead); err != nil {
		t.Fatalf("%v\n%s", err, p.Log(t))
	}
	w.File("config/plans/short.yaml", `kind: rate
rates_per_s: [2.53]
max_in_flight: 128
duration_s: 4
warmup: {duration_s: 2}
prompt: {source: synthetic, tokens: 200}
output: {distribution: normal, tokens: 30, sd: 3, min: 20, max: 40}
request: {api: chat, temperature: 0, usage: final, timeout_s: 30}
drain_s: 20
`)
	secret := w.File("key", key+"\n")
	out, code := w.Hpcbench("reproduce", "karolina-qwen3-4b-heappe", "--url", fmt.Sprintf("http://127.0.0.1:%d", p.Port), "--api-key-file", secret,
		"--plan", "short", "--repeats", "3", "--service", "Go rewrite", "--name", "rewrite", "--out", "rewrite.html")
	if code != 2 || !strings.Contains(out, "The service's Go rewrite at http://127.0.0.1:") || strings.Contains(out, "SIMULATED") || strings.Contains(out, key) {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	page, err := os.ReadFile(filepath.Join(w.Dir, "rewrite.html"))
	if err != nil || !strings.Contains(string(page), "Go rewrite") || strings.Contains(string(page), key) {
		t.Errorf("the page: %d bytes, %v", len(page), err)
	}
	again, code := w.Hpcbench("reproduce", "karolina-qwen3-4b-heappe", "--from", "rewrite", "--json", "--out", "again.html")
	if code != 2 {
		t.Fatalf("exit code %d\n%s", code, again)
	}
	var r compare.Reproduction
	if err := json.NewDecoder(strings.NewReader(again[strings.IndexByte(again, '{'):])).Decode(&r); err != nil {
		t.Fatalf("%v\n%s", err, again)
	}
	differ := map[string]bool{}
	for _, d := range r.Comparison.Matters {
		differ[d.What] = true
	}
	if !differ["model"] || !differ["step length"] || r.Comparison.Simulated || r.Service != "Go rewrite" || !r.Services {
		t.Errorf("what differs: %+v", r.Comparison.Matters)
	}
	if len(r.Hidden) != 1 || r.Hidden[0].Sent < 10 || len(r.Corrected) == 0 || r.Corrected[0].Corrected.Mean == nil || *r.Corrected[0].Corrected.Mean <= 0 {
		t.Errorf("hidden %+v, corrected %+v", r.Hidden, r.Corrected)
	}
}
