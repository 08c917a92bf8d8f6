//go:build engine

package vllm_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hpcbench/engine"
	"hpcbench/engine/realtest"
	"hpcbench/engine/vllm"
)

const key = "sesame"

func found(t *testing.T) realtest.Engine {
	t.Helper()
	e, err := realtest.Find()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func serveArgs(t *testing.T, c vllm.ServeConfig) []string {
	t.Helper()
	c.Extra = append(append([]string{}, realtest.Args...), c.Extra...)
	args, err := vllm.ServeArgs(c)
	if err != nil {
		t.Fatal(err)
	}
	return args
}

// One server through its life: started by our command line, found ready and
// ours, measured, and stopped in the middle of a stream.
func TestRealServer(t *testing.T) {
	e := found(t)
	p := e.Run(t, realtest.Start{Key: key, Args: serveArgs(t, vllm.ServeConfig{Model: e.Model, ServedName: "org/tiny", TP: 1, MaxModelLen: 4096, MaxNumSeqs: 8})})
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	at := engine.Loopback(p.Port, key)
	id, err := vllm.Ready(ctx, at, "org/tiny-nonce", p.Dead)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Log(t))
	}
	want := engine.Identity{Version: "0.32.0", ServedModel: "org/tiny-nonce", Root: e.Model, OwnedBy: "vllm", MaxModelLen: 4096}
	if id != want || id.Simulated() {
		t.Errorf("identity %+v, want %+v", id, want)
	}

	t.Run("a stranger's server isn't ours", func(t *testing.T) {
		var foreign *engine.ForeignError
		if _, err := vllm.Identify(ctx, at, "org/tiny-other"); !errors.As(err, &foreign) {
			t.Errorf("another nonce: %v", err)
		}
		if _, err := vllm.Identify(ctx, engine.Loopback(p.Port, "wrong"), "org/tiny-nonce"); !errors.As(err, &foreign) || !foreign.RefusedKey {
			t.Errorf("another key: %v", err)
		}
	})

	t.Run("log and metrics state the same KV cache", func(t *testing.T) {
		fromLog, ok, err := vllm.KVFromLog(bytes.NewReader(p.Log(t)))
		if err != nil || !ok {
			t.Fatalf("%v %v", ok, err)
		}
		page, err := at.Get(ctx, "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		fromMetrics, ok, err := vllm.KVFromMetrics(bytes.NewReader(page))
		if err != nil || !ok || fromMetrics.Tokens != fromLog.Tokens || fromLog.Tokens == 0 {
			t.Errorf("log %+v, metrics %+v %v %v", fromLog, fromMetrics, ok, err)
		}
		if v, err := vllm.VersionFromLog(bytes.NewReader(p.Log(t))); v != "0.32.0" || err != nil {
			t.Errorf("version %q %v", v, err)
		}
		if c := vllm.Classify(p.Log(t)); c.Class != engine.ClassUnknown {
			t.Errorf("the log of a good start is taken for %+v", c)
		}
	})

	t.Run("metrics count what was asked", func(t *testing.T) {
		before, err := vllm.Scrape(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		// The same 100 tokens twice: three whole blocks of 32 are found again.
		for range 2 {
			ids := make([]int, 100)
			for i := range ids {
				ids[i] = 300 + i
			}
			events := stream(t, ctx, at, map[string]any{"model": "org/tiny-nonce", "prompt": ids, "max_tokens": 7, "ignore_eos": true})
			if got := events[len(events)-1]; got != "[DONE]" {
				t.Errorf("the stream ends with %s", got)
			}
		}
		after, err := vllm.Scrape(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		for name, d := range map[string][3]*float64{
			"prompt tokens":     {before.PromptTokens, after.PromptTokens, num(200)},
			"generation tokens": {before.GenerationTokens, after.GenerationTokens, num(14)},
			"prefix queries":    {before.PrefixQueries, after.PrefixQueries, num(200)},
			"prefix hits":       {before.PrefixHits, after.PrefixHits, num(96)},
			"preemptions":       {before.Preemptions, after.Preemptions, num(0)},
			"process start":     {before.ProcessStart, after.ProcessStart, num(0)},
		} {
			if d[0] == nil || d[1] == nil || *d[1]-*d[0] != *d[2] {
				t.Errorf("%s: %v -> %v, want +%v", name, d[0], d[1], *d[2])
			}
		}
		if got := after.Finished["length"] - before.Finished["length"]; got != 2 {
			t.Errorf("%v requests ended by length, want 2", got)
		}
		if got := after.TTFT.Count - before.TTFT.Count; got != 2 {
			t.Errorf("TTFT counts %v, want 2", got)
		}
	})

	t.Run("TERM in the middle of a stream", func(t *testing.T) {
		// vLLM ends such a stream in three ways, by chance: finish_reason "abort",
		// an error event, or not at all until the client leaves. None is a whole answer.
		leaving, leave := context.WithTimeout(ctx, 10*time.Second)
		defer leave()
		res := post(t, leaving, at, map[string]any{"model": "org/tiny-nonce", "prompt": "Once", "max_tokens": 4000, "ignore_eos": true, "stream": true,
			"stream_options": map[string]bool{"include_usage": true}})
		defer res.Body.Close()
		in := bufio.NewReader(res.Body)
		if _, err := in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		p.Signal(t, syscall.SIGTERM)
		defer func() {
			if t.Failed() {
				t.Logf("the server's log\n%s", p.Log(t))
			}
		}()
		var rest bytes.Buffer
		_, err := rest.ReadFrom(in)
		text := rest.String()
		aborted, failed := strings.Contains(text, `"finish_reason":"abort"`), strings.Contains(text, `data: {"error": {`)
		done := strings.HasSuffix(strings.TrimSpace(text), "data: [DONE]")
		if strings.Contains(text, `"finish_reason":"length"`) || (done && !aborted && !failed) {
			t.Errorf("the stream looks whole: %.400s", text[max(0, len(text)-400):])
		}
		t.Logf("aborted %v, error event %v, [DONE] %v, then %v", aborted, failed, done, err)
		if code, err := p.Exit(20 * time.Second); err != nil || code != 0 {
			t.Errorf("exit code %d, %v", code, err)
		}
		for end := time.Now().Add(15 * time.Second); p.Group(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Error("processes are left")
				break
			}
		}
		if _, err := vllm.Ready(ctx, at, "org/tiny-nonce", p.Dead); !errors.Is(err, engine.ErrEnded) {
			t.Errorf("a dead server is %v", err)
		}
	})
}

func num(v float64) *float64 { return &v }

func post(t *testing.T, ctx context.Context, at engine.Endpoint, body any) *http.Response {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at.BaseURL+"/v1/completions", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+at.Key.Reveal())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		b, err := io.ReadAll(res.Body)
		t.Fatalf("status %d: %s %v", res.StatusCode, b, err)
	}
	return res
}

// stream returns the payloads of all events.
func stream(t *testing.T, ctx context.Context, at engine.Endpoint, body map[string]any) []string {
	t.Helper()
	body["stream"] = true
	res := post(t, ctx, at, body)
	defer res.Body.Close()
	var events []string
	sc := bufio.NewScanner(res.Body)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		if d, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
			events = append(events, d)
		}
	}
	return events
}

// Starts that fail: the end is noticed within a second, and the log says why.
func TestRealFailures(t *testing.T) {
	e := found(t)
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	tests := []struct {
		name  string
		c     vllm.ServeConfig
		port  int
		class string
	}{
		{"port taken", vllm.ServeConfig{Model: e.Model, MaxModelLen: 4096}, taken.Addr().(*net.TCPAddr).Port, vllm.ClassPort},
		{"heads don't divide", vllm.ServeConfig{Model: e.Model, TP: 3}, 0, vllm.ClassTP},
		{"context too long", vllm.ServeConfig{Model: e.Model, MaxModelLen: 100000}, 0, vllm.ClassMaxModelLen},
		{"no such folder", vllm.ServeConfig{Model: filepath.Join(e.Dir, "no-such-model")}, 0, vllm.ClassNoModel},
		{"unknown flag", vllm.ServeConfig{Model: e.Model, Extra: []string{"--frobnicate"}}, 0, vllm.ClassFlag},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := e.Run(t, realtest.Start{Key: key, Args: serveArgs(t, tt.c), Port: tt.port})
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
			defer cancel()
			_, err := vllm.Ready(ctx, engine.Loopback(p.Port, key), tt.c.Model+"-nonce", p.Dead)
			noticed := time.Now()
			if !errors.Is(err, engine.ErrEnded) {
				t.Fatalf("got %v\n%s", err, p.Log(t))
			}
			if late := noticed.Sub(p.Ended()); late > time.Second {
				t.Errorf("noticed %v after the end", late)
			}
			if c := vllm.Classify(p.Log(t)); c.Class != tt.class {
				t.Errorf("taken for %+v, want %s\n%s", c, tt.class, p.Log(t))
			}
		})
	}
}

// The list of flags that tests use is the engine's own.
func TestRealFlags(t *testing.T) {
	t.Parallel()
	e := found(t)
	bin := t.TempDir()
	if err := e.InstallCommand(bin, 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	r, err := vllm.Learn(ctx, []string{filepath.Join(bin, "vllm")}, "the test's")
	if err != nil {
		t.Fatal(err)
	}
	if r.Version != "0.32.0" {
		t.Errorf("version %q", r.Version)
	}
	f, err := os.Open("testdata/serve-flag-names.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	listed, err := vllm.ParseHelp(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range listed {
		if !slices.Contains(r.Flags, name) {
			t.Errorf("%s isn't found in the help", name)
		}
	}
	args := serveArgs(t, vllm.ServeConfig{Model: "m", TP: 2, PP: 2, Nodes: 2, MaxModelLen: 1, MaxNumSeqs: 1, DType: "auto", Revision: "r"})
	if err := vllm.CheckFlags(args, r.Flags, r.Version); err != nil {
		t.Error(err)
	}
}

// Two nodes on one machine, without Ray: the same command line on both, with
// the ranks' arguments. Tensor parallel goes over the nodes here, because the CPU
// build of 0.32 starts with pipeline parallel but dies of its first request.
func TestRealTwoNodes(t *testing.T) {
	e := found(t)
	base := serveArgs(t, vllm.ServeConfig{Model: e.Model, ServedName: "tiny", TP: 2, Nodes: 2, MaxModelLen: 4096, MaxNumSeqs: 8})
	rank, worker := vllm.RankArgs(2)
	words := map[string]string{vllm.MasterPortWord: strconv.Itoa(realtest.FreePort(t)), vllm.MasterAddrWord: "127.0.0.1"}
	start := func(n string, more ...string) *realtest.Process {
		filled := map[string]string{vllm.RankWord: n}
		for w, v := range words {
			filled[w] = v
		}
		return e.Run(t, realtest.Start{Key: key, Args: append(append(append([]string{}, base...), rank...), more...), Words: filled, Env: []string{"VLLM_HOST_IP=127.0.0.1"}})
	}
	head := start("0")
	second := start("1", worker...)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	at := engine.Loopback(head.Port, key)
	if _, err := vllm.Ready(ctx, at, "tiny-nonce", head.Dead); err != nil {
		t.Fatalf("%v\n%s\n%s", err, head.Log(t), second.Log(t))
	}
	if v, err := vllm.VersionFromLog(bytes.NewReader(second.Log(t))); v != "0.32.0" || err != nil {
		t.Errorf("the second node's log: version %q %v", v, err)
	}
	events := stream(t, ctx, at, map[string]any{"model": "tiny-nonce", "prompt": "Once upon", "max_tokens": 5, "ignore_eos": true})
	if n := len(events); n != 6 || events[n-1] != "[DONE]" {
		t.Errorf("the answer is %q", events)
	}
	// Without its second node the head gives up at the next token, with exit code 0.
	res := post(t, ctx, at, map[string]any{"model": "tiny-nonce", "prompt": "Once", "max_tokens": 4000, "ignore_eos": true, "stream": true})
	defer res.Body.Close()
	in := bufio.NewReader(res.Body)
	if _, err := in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	second.Kill()
	rest, err := io.ReadAll(in)
	if err != nil || !strings.Contains(string(rest), "EngineCore encountered an issue") {
		t.Errorf("the stream ends with %v %.300s", err, rest[max(0, len(rest)-300):])
	}
	if code, err := head.Exit(20 * time.Second); err != nil || code != 0 {
		t.Errorf("the head's exit code %d, %v", code, err)
	}
	if c := vllm.Classify(head.Log(t)); c.Class == engine.ClassUnknown {
		t.Errorf("the head's log tells nothing: %+v", c)
	} else {
		t.Logf("the head's cause: %s", c)
	}
}
