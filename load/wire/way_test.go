package wire

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hpcbench/load/clock"
	"hpcbench/results"
)

func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }

// ask sends a request over a wire for the endpoint and answers the body.
func ask(t *testing.T, e Endpoint, header http.Header) (string, *Response, error) {
	t.Helper()
	w, err := New(Config{Endpoint: e, Clock: clock.New(time.Now()), Kernel: true, Timeouts: Timeouts{Connect: 5 * time.Second, Total: 5 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	p := NewPool(w)
	t.Cleanup(func() { p.Close(); w.Close() })
	req, err := NewRequest(e, "POST", "/v1/x?y=z", header, []byte("body"))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	resp, _, _, err := p.Do(t.Context(), req, func(b []byte, _ clock.Stamp) error { got.Write(b); return nil })
	return got.String(), resp, err
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	io.WriteString(w, r.Method+" "+r.Host+" "+r.URL.String()+" "+string(body)+" "+r.Header.Get("Accept-Encoding"))
}

// A Unix socket has no receive stamps: setsockopt succeeds there and none ever
// comes.
func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(echo)}
	go srv.Serve(ln)
	defer srv.Close()
	got, resp, err := ask(t, Endpoint{URL: &url.URL{Scheme: "http", Host: "localhost"}, Socket: path}, nil)
	if err != nil || got != "POST localhost /v1/x?y=z body identity" || resp.Kind() != clock.Process {
		t.Errorf("%q, stamped by the %v, %v", got, resp.Kind(), err)
	}
}

func TestTLSIsStampedByTheKernel(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 {
			t.Errorf("HTTP/%d was agreed on", r.ProtoMajor)
		}
		echo(w, r)
	}))
	defer srv.Close()
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	got, resp, err := ask(t, Endpoint{URL: u, TLS: trusting(srv)}, nil)
	if err != nil || !strings.HasPrefix(got, "POST "+u.Host+" /v1/x?y=z body") {
		t.Fatalf("%q, %v", got, err)
	}
	if rawAvailable && resp.Kind() != clock.Kernel {
		t.Errorf("%d of %d reads by the kernel", resp.KernelReads, resp.Reads)
	}
}

func trusting(srv *httptest.Server) *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(srv.Certificate())
	return &tls.Config{RootCAs: pool}
}

// proxy is an HTTP proxy that wants a password.
func proxy(t *testing.T) (*url.URL, *atomic.Int32) {
	var used atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		used.Add(1)
		if r.Header.Get("Proxy-Authorization") != "Basic dXNlcjpwYXNz" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if r.Method != http.MethodConnect {
			if !r.URL.IsAbs() {
				t.Errorf("a proxy was asked for %q", r.URL)
			}
			echo(w, r)
			return
		}
		up, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		down, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(down, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() { defer up.Close(); io.Copy(up, bufio.NewReader(buffered)) }()
		defer down.Close()
		io.Copy(down, up)
	}))
	t.Cleanup(srv.Close)
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("user", "pass")
	return u, &used
}

func TestProxy(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(echo))
	defer plain.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(echo))
	defer secure.Close()
	for name, srv := range map[string]*httptest.Server{"http": plain, "https": secure} {
		t.Run(name, func(t *testing.T) {
			through, used := proxy(t)
			u, err := url.Parse(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			e := Endpoint{URL: u, Proxy: through}
			if name == "https" {
				e.TLS = trusting(srv)
			}
			got, _, err := ask(t, e, nil)
			if err != nil || !strings.Contains(got, "/v1/x?y=z body") || used.Load() != 1 {
				t.Errorf("%q, the proxy was used %d times, %v", got, used.Load(), err)
			}
			e.Proxy = &url.URL{Scheme: "http", Host: through.Host}
			_, _, err = ask(t, e, nil)
			if Class(err) != results.ErrorHTTP || !strings.Contains(err.Error(), "407") {
				t.Errorf("without a password: %v", err)
			}
		})
	}
}

func TestProxyForLocalAddressesIsNone(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://proxy.example:3128")
	t.Setenv("HTTPS_PROXY", "http://proxy.example:3128")
	for _, local := range []string{"http://localhost:8000", "http://127.0.0.1:1", "http://[::1]:1"} {
		u, err := url.Parse(local)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := ProxyFor(u); p != nil || err != nil {
			t.Errorf("%s goes through %v, %v", local, p, err)
		}
	}
}

func TestNewRequest(t *testing.T) {
	e := Endpoint{URL: &url.URL{Scheme: "http", Host: "h:80"}}
	req, err := NewRequest(e, "POST", "/p?q=1", http.Header{"Authorization": {"Bearer k"}, "Accept": {"text/event-stream"}}, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := http.ReadRequest(bufio.NewReader(strings.NewReader(string(req.bytes))))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(parsed.Body)
	if parsed.Host != "h:80" || parsed.RequestURI != "/p?q=1" || string(body) != "{}" || parsed.Header.Get("Authorization") != "Bearer k" ||
		parsed.ContentLength != 2 || parsed.Header.Get("Accept-Encoding") != "identity" || parsed.Header.Get("User-Agent") != "hpcbench" {
		t.Errorf("%q", req.bytes)
	}
	for name, header := range map[string]http.Header{
		"a line end in a value": {"Authorization": {"Bearer secret\r\nX: y"}},
		"a blank in a name":     {"X y": {"z"}},
		"an empty name":         {"": {"z"}},
	} {
		if _, err := NewRequest(e, "GET", "/", header, nil); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewRequest(e, "GET", "v1", nil, nil); err == nil {
		t.Error("a target without a slash was taken")
	}
}

// A request larger than any socket's buffer goes out in parts, while the answer
// is waited for.
func TestLargeRequest(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(20 * time.Millisecond)
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err)
	}))
	defer srv.Close()
	body := strings.Repeat("x", 32<<20)
	bothWires(t, srv.URL, Timeouts{Total: 20 * time.Second}, func(t *testing.T, w Wire) {
		p := NewPool(w)
		defer p.Close()
		req := mustRequest(t, srv.URL, "POST", "/", nil, body)
		for range 2 {
			var got strings.Builder
			resp, _, _, err := p.Do(t.Context(), req, func(b []byte, _ clock.Stamp) error { got.Write(b); return nil })
			if err != nil || got.String() != fmt.Sprint(len(body), nil) || resp.BytesOut != int64(req.Len()) {
				t.Fatalf("%q, %v", got.String(), err)
			}
		}
		if p.Idle() != 1 {
			t.Errorf("%d connections idle", p.Idle())
		}
	})
}
