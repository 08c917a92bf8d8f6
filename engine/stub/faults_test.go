package stub

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

const streamBody = `{"model":"stub","prompt":"a","max_tokens":1000,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}}`

// opened starts a stream and reads its first event.
func opened(t *testing.T, s *Server, body string) *bufio.Reader {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.URL()+"/v1/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	in := bufio.NewReader(res.Body)
	if _, err := in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return in
}

// A stop ends streams as vLLM's default does: 200, "abort", usage, [DONE].
func TestStopAborts(t *testing.T) {
	s := started(t, Config{TTFTBaseMs: 5, ITLMs: 5})
	in := opened(t, s, streamBody)
	go s.Close()
	rest, err := io.ReadAll(in)
	if err != nil {
		t.Fatalf("the stream broke off: %v", err)
	}
	lines := dataLines("\n\n" + strings.TrimSpace(string(rest)))
	n := len(lines)
	if n < 3 || lines[n-1] != "[DONE]" || !strings.Contains(lines[n-2], `"usage":{"prompt_tokens":1,`) || !strings.Contains(lines[n-3], `"finish_reason":"abort"`) {
		t.Errorf("the stream ends with %q", lines[max(0, n-3):])
	}
	if _, err := net.DialTimeout("tcp", s.Addr(), time.Second); err == nil {
		t.Error("the port still answers")
	}
}

// With a shutdown time-out open streams end by themselves and new requests are answered with nothing.
func TestStopWithGrace(t *testing.T) {
	s := started(t, Config{TTFTBaseMs: 5, ITLMs: 5, ShutdownTimeout: 5 * time.Second})
	in := opened(t, s, strings.Replace(streamBody, "1000", "60", 1))
	go s.Close()
	time.Sleep(50 * time.Millisecond)
	_, body := parsed(t, call(t, s, "POST", "/v1/completions", "", `{"prompt":"a"}`))
	if !strings.Contains(body, `"text":""`) || !strings.Contains(body, `"finish_reason":"abort"`) {
		t.Errorf("a new request got %s", body)
	}
	rest, err := io.ReadAll(in)
	if err != nil || !strings.Contains(string(rest), `"finish_reason":"length"`) || !strings.Contains(string(rest), `"completion_tokens":60`) {
		t.Errorf("the open stream ends with %v: %.300s", err, rest[max(0, len(rest)-300):])
	}
}

// The engine's death is an error event and [DONE] inside a 200; then /health says 503, then nobody answers.
func TestEngineDies(t *testing.T) {
	s := started(t, Config{TTFTBaseMs: 5, ITLMs: 5, Faults: Faults{DieAfterRequests: 2}})
	in := opened(t, s, streamBody)
	second, _ := parsed(t, call(t, s, "POST", "/v1/completions", "", `{"prompt":"a"}`))
	if second.StatusCode != 500 {
		t.Errorf("the request that killed it got %d", second.StatusCode)
	}
	health, _ := parsed(t, call(t, s, "GET", "/health", "", ""))
	if health.StatusCode != 503 {
		t.Errorf("/health is %d", health.StatusCode)
	}
	rest, err := io.ReadAll(in)
	if err != nil || !strings.HasSuffix(string(rest), errDead.event()+"data: [DONE]\n\n") {
		t.Errorf("the stream ends with %v: %.300s", err, rest[max(0, len(rest)-300):])
	}
	if err := s.Close(); !errors.Is(err, ErrEngineDied) {
		t.Errorf("the server ended with %v", err)
	}
}

func TestRefusals(t *testing.T) {
	for _, inStream := range []bool{false, true} {
		s := started(t, Config{TTFTBaseMs: 500, ITLMs: 5, MaxInFlight: 1, Faults: Faults{RefuseInStream: inStream}})
		var wg sync.WaitGroup
		wg.Go(func() { call(t, s, "POST", "/v1/completions", "", `{"prompt":"a","max_tokens":1}`) })
		for s.engine.inFlight() == 0 {
			time.Sleep(time.Millisecond)
		}
		res, body := parsed(t, call(t, s, "POST", "/v1/completions", "", streamBody))
		switch {
		case inStream && (res.StatusCode != 200 || body != errBusy.event()+"data: [DONE]\n\n"):
			t.Errorf("in a stream: %d %s", res.StatusCode, body)
		case !inStream && (res.StatusCode != 503 || body != string(errBusy.body())):
			t.Errorf("%d %s", res.StatusCode, body)
		}
		if got := metric(t, s, "vllm:admission_rejections_total"); got != 1 {
			t.Errorf("%v rejections counted", got)
		}
		wg.Wait()
	}
}

func TestSharesOfErrorsAndDrops(t *testing.T) {
	s := started(t, Config{Faults: Faults{ErrorShare: 0.3, DropShare: 0.3, Seed: "1"}, TruthFile: filepath.Join(t.TempDir(), "truth")})
	var failed, dropped, whole int
	for range 60 {
		raw := call(t, s, "POST", "/v1/completions", "", strings.Replace(streamBody, "1000", "5", 1))
		switch {
		case strings.HasPrefix(raw, "HTTP/1.1 500"):
			failed++
		case strings.HasSuffix(raw, "data: [DONE]\n\n\r\n0\r\n\r\n"):
			whole++
		default:
			dropped++
		}
	}
	if failed < 8 || failed > 28 || dropped < 4 || dropped > 26 || whole+failed+dropped != 60 {
		t.Errorf("%d failed, %d dropped, %d whole of 60", failed, dropped, whole)
	}
	for _, tr := range truthOf(t, s) {
		if tr.Finish == finishDropped {
			dropped--
		}
	}
	if dropped != 0 {
		t.Errorf("the truth knows of %d drops too few", dropped)
	}
}

// Four tokens an event, counted right; and the role event long before them.
func TestCoalescedTokensAndEarlyRole(t *testing.T) {
	s := started(t, Config{TTFTBaseMs: 100, ITLMs: 5, Faults: Faults{Coalesce: 4, RoleEarly: 80 * time.Millisecond}})
	begin := time.Now()
	lines, at := streamed(t, s, "/v1/chat/completions",
		`{"messages":[{"role":"user","content":"a"}],"max_tokens":10,"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}}`)
	var counts []string
	for _, l := range lines {
		if _, rest, ok := strings.Cut(l, `"completion_tokens":`); ok {
			n, _, _ := strings.Cut(rest, ",")
			counts = append(counts, strings.TrimSuffix(strings.TrimSuffix(n, "}"), "}"))
		}
	}
	if got := strings.Join(counts, " "); !strings.HasPrefix(got, "0 4 8 10") {
		t.Errorf("usage counts %q", got)
	}
	if early := at[1].Sub(at[0]); early < 60*time.Millisecond {
		t.Errorf("the role came %v before the first token", early)
	}
	if ttft := at[1].Sub(begin); ttft < 100*time.Millisecond {
		t.Errorf("the first token came after %v", ttft)
	}
}

// Several events in one write are still one token each, and counted so.
func TestBatchedEvents(t *testing.T) {
	s := started(t, Config{TTFTBaseMs: 1, ITLMs: 1, Batch: 8, TruthFile: filepath.Join(t.TempDir(), "truth")})
	lines, _ := streamed(t, s, "/v1/completions", strings.Replace(streamBody, "1000", "20", 1))
	if len(lines) != 22 || !strings.Contains(lines[20], `"completion_tokens":20`) {
		t.Errorf("%d events: %s", len(lines), lines[max(0, len(lines)-2)])
	}
	tr := truthOf(t, s)[0]
	// The third write is due 16 gaps after the first token and never leaves early.
	if len(tr.WriteNs) != 20 || tr.WriteNs[16]-tr.ReadNs < int64(17*time.Millisecond) {
		t.Errorf("%d events, the third write %v after the request", len(tr.WriteNs), time.Duration(tr.WriteNs[16]-tr.ReadNs))
	}
}

// Text of special tokens is empty, but they count.
func TestEmptyTokens(t *testing.T) {
	s := started(t, Config{Faults: Faults{EmptyShare: 0.5}})
	lines, _ := streamed(t, s, "/v1/completions", strings.Replace(streamBody, "1000", "100", 1))
	empty := 0
	for _, l := range lines {
		if strings.Contains(l, `"text":""`) {
			empty++
		}
	}
	if empty < 25 || empty > 75 || !strings.Contains(lines[len(lines)-2], `"completion_tokens":100`) {
		t.Errorf("%d of 100 are empty; %s", empty, lines[len(lines)-2])
	}
}

// A stop after some tokens is one that ignore_eos and min_tokens put off.
func TestStopAfterTokens(t *testing.T) {
	s := started(t, Config{StopAfterTokens: 5})
	for body, want := range map[string]string{
		`{"prompt":"a","max_tokens":9}`:                    `"finish_reason":"stop"`,
		`{"prompt":"a","max_tokens":9,"min_tokens":7}`:     `"completion_tokens":7`,
		`{"prompt":"a","max_tokens":9,"ignore_eos":true}`:  `"completion_tokens":9`,
		`{"prompt":"a","max_tokens":4}`:                    `"finish_reason":"length"`,
		`{"prompt":"a","max_tokens":9,"ignore_eos":false}`: `"completion_tokens":5`,
	} {
		if _, got := parsed(t, call(t, s, "POST", "/v1/completions", "", body)); !strings.Contains(got, want) {
			t.Errorf("%s: %s isn't in %s", body, want, got)
		}
	}
}

// A client that goes away frees its slot at once, and nothing counts it as done.
func TestClientLeaves(t *testing.T) {
	s := started(t, Config{ITLMs: 5, Slots: 1})
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, "POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: "+itoa(len(streamBody))+"\r\n\r\n"+streamBody); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	begin := time.Now()
	call(t, s, "POST", "/v1/completions", "", `{"prompt":"a","max_tokens":2}`)
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("the slot came free after %v", took)
	}
	if got := metric(t, s, "vllm:request_success_total"); got != 1 {
		t.Errorf("%v requests counted as done, want 1", got)
	}
}

// A client that doesn't read must not hold up the others, and gets everything once it does.
func TestSlowReader(t *testing.T) {
	s := started(t, Config{TTFTBaseMs: 1, ITLMs: 0.01})
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := strings.Replace(streamBody, "1000", "30000", 1) // 5 MB, more than any socket buffer
	if _, err := io.WriteString(c, "POST /v1/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: "+itoa(len(body))+"\r\n\r\n"+body); err != nil {
		t.Fatal(err)
	}
	time.Sleep(600 * time.Millisecond)
	s.mu.Lock()
	for c := range s.conns {
		if n := c.out.backlog(); n > maxBacklog+1<<16 {
			t.Errorf("%d bytes are kept for a client that doesn't read", n)
		}
	}
	s.mu.Unlock()
	begin := time.Now()
	call(t, s, "GET", "/health", "", "")
	call(t, s, "POST", "/v1/completions", "", `{"prompt":"b","max_tokens":2}`)
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("others waited %v", took)
	}
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	raw, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	_, all := parsed(t, string(raw))
	if lines := dataLines(all); len(lines) != 30002 || lines[30001] != "[DONE]" {
		t.Errorf("%d events came, want 30002", len(lines))
	}
}

// Connections are reused after streams and whole answers, and closed when they idle.
func TestConnectionsAreReusedAndExpire(t *testing.T) {
	s := started(t, Config{KeepAlive: 150 * time.Millisecond})
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	in := bufio.NewReader(c)
	for _, body := range []string{strings.Replace(streamBody, "1000", "3", 1), `{"prompt":"a"}`, `{"bad`, strings.Replace(streamBody, "1000", "3", 1)} {
		if _, err := io.WriteString(c, "POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: "+itoa(len(body))+"\r\n\r\n"+body); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) || time.Since(begin) > 5*time.Second {
		t.Errorf("an idle connection ended with %v after %v", err, time.Since(begin))
	}
}

func TestStartDelayAndSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ctx, cancel := context.WithCancel(context.Background())
	ready := make(chan string, 1)
	ended := make(chan error, 1)
	begin := time.Now()
	go func() {
		ended <- Serve(ctx, Config{Socket: path, Faults: Faults{StartDelay: 100 * time.Millisecond}}, func(addr string) { ready <- addr })
	}()
	if addr := <-ready; addr != path || time.Since(begin) < 100*time.Millisecond {
		t.Errorf("ready on %q after %v", addr, time.Since(begin))
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, "GET /health HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(c)
	if err != nil || !strings.HasPrefix(string(raw), "HTTP/1.1 200") {
		t.Errorf("%q %v", raw, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s, err := Start(Config{TTFTBaseMs: 1000})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "POST /v1/completions HTTP/1.1\r\nhost: x\r\n"); err != nil { // a request that never comes whole
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The key is asked for where vLLM asks for it and nowhere else; /invocations generates without one.
func TestKey(t *testing.T) {
	s := started(t, Config{APIKey: "sesame"})
	for path, want := range map[string]int{"/v1/models": 401, "/v1/nothing": 401, "/health": 200, "/metrics": 200, "/version": 200, "/nothing": 404} {
		if res, _ := parsed(t, call(t, s, "GET", path, "", "")); res.StatusCode != want {
			t.Errorf("%s without a key is %d, want %d", path, res.StatusCode, want)
		}
	}
	res, body := parsed(t, call(t, s, "POST", "/invocations", "", `{"prompt":"a","max_tokens":1}`))
	if res.StatusCode != 200 || !strings.Contains(body, `"completion_tokens":1`) {
		t.Errorf("/invocations: %d %s", res.StatusCode, body)
	}
	res, _ = parsed(t, call(t, s, "GET", "/v1/models", "sesame", ""))
	if res.StatusCode != 200 {
		t.Errorf("the right key is refused with %d", res.StatusCode)
	}
}

// What is no HTTP is answered and the connection closed.
func TestBadRequestLine(t *testing.T) {
	s := started(t, Config{})
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GARBAGE\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(c)
	if err != nil || !strings.HasPrefix(string(raw), "HTTP/1.1 400 Bad Request\r\n") {
		t.Errorf("%q %v", raw, err)
	}
}
