package stub

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// started runs a stub for a test and takes it down after it.
func started(t testing.TB, cfg Config) *Server {
	t.Helper()
	s, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// call sends one request over a connection of its own and returns the raw answer, headers as they came.
func call(t testing.TB, s *Server, method, path, key, body string) string {
	t.Helper()
	return callAt(t, s.Addr(), method, path, key, body)
}

func callAt(t testing.TB, addr, method, path, key, body string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	var b bytes.Buffer
	b.WriteString(method + " " + path + " HTTP/1.1\r\nhost: x\r\nconnection: close\r\n")
	if key != "" {
		b.WriteString("authorization: Bearer " + key + "\r\n")
	}
	b.WriteString("content-type: application/json\r\ncontent-length: " + itoa(len(body)) + "\r\n\r\n" + body)
	if _, err := c.Write(b.Bytes()); err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// parsed splits a raw answer and undoes the chunks.
func parsed(t testing.TB, raw string) (*http.Response, string) {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(raw)), nil)
	if err != nil {
		t.Fatalf("%v in %.200q", err, raw)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

// dataLines are the payloads of a stream's events.
func dataLines(body string) []string {
	var out []string
	for _, ev := range strings.Split(body, "\n\n") {
		if d, ok := strings.CutPrefix(ev, "data: "); ok {
			out = append(out, d)
		}
	}
	return out
}

// streamed opens a stream and returns the lines with the time each one came.
func streamed(t testing.TB, s *Server, path, body string) ([]string, []time.Time) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(res.Body)
		t.Fatalf("status %d: %s", res.StatusCode, b)
	}
	var lines []string
	var at []time.Time
	sc := bufio.NewScanner(res.Body)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		if d, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
			lines, at = append(lines, d), append(at, time.Now())
		}
	}
	return lines, at
}
