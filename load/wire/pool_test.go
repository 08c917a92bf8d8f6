package wire

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hpcbench/load/clock"
	"hpcbench/results"
)

func drop([]byte, clock.Stamp) error { return nil }

func TestPoolOpensInAPacedWay(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	bothWires(t, srv.URL, Timeouts{}, func(t *testing.T, w Wire) {
		p := NewPool(w)
		defer p.Close()
		begin := time.Now()
		took, err := p.Open(t.Context(), 21, 200)
		if err != nil || len(took) != 21 || p.Idle() != 21 {
			t.Fatalf("%d opened, %d idle, %v", len(took), p.Idle(), err)
		}
		if d := time.Since(begin); d < 100*time.Millisecond {
			t.Errorf("21 connections at 200 a second took %v", d)
		}
		for _, d := range took {
			if d <= 0 {
				t.Error("a connection took no time")
			}
		}
		if took, err := p.Open(t.Context(), 21, 200); err != nil || len(took) != 0 {
			t.Errorf("21 were there: %d more, %v", len(took), err)
		}
	})
}

func TestPoolOpenFails(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := "http://" + ln.Addr().String()
	ln.Close()
	bothWires(t, addr, Timeouts{}, func(t *testing.T, w Wire) {
		_, err := NewPool(w).Open(t.Context(), 3, 1000)
		if Class(err) != results.ErrorRefused || !strings.Contains(err.Error(), "open connection") {
			t.Errorf("nobody listens: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := NewPool(w).Open(ctx, 3, 1000); Class(err) != results.ErrorCancelled {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// A connection that the server closed while it was idle isn't used, and one
// that it closes at the sight of a request is called stale.
func TestClosedWhileIdle(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	var mu sync.Mutex
	var conns []net.Conn
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			go func() { // answers one request, and closes at the second
				buf := make([]byte, 4096)
				if _, err := c.Read(buf); err == nil {
					c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
				}
				if _, err := c.Read(buf); err == nil {
					c.Close()
				}
			}()
		}
	}()
	addr := "http://" + ln.Addr().String()
	bothWires(t, addr, Timeouts{}, func(t *testing.T, w Wire) {
		p := NewPool(w)
		defer p.Close()
		req := mustRequest(t, addr, "GET", "/", nil, "")
		if _, err := p.Open(t.Context(), 1, 1000); err != nil {
			t.Fatal(err)
		}
		if _, fresh, connect, err := p.Do(t.Context(), req, drop); err != nil || fresh || connect != 0 {
			t.Fatalf("fresh %v, connect %v, %v", fresh, connect, err)
		}
		_, fresh, _, err := p.Do(t.Context(), req, drop)
		var own *Error
		if fresh || !errors.As(err, &own) || !own.Stale || own.Class != results.ErrorClosed && own.Class != results.ErrorReset {
			t.Errorf("closed at the second request: fresh %v, %v", fresh, err)
		}
		if _, fresh, connect, err := p.Do(t.Context(), req, drop); err != nil || !fresh || connect == 0 {
			t.Errorf("a new connection: fresh %v, connect %v, %v", fresh, connect, err)
		}
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		conns = nil
		mu.Unlock()
		// The good-bye may take a moment to arrive.
		for deadline := time.Now().Add(5 * time.Second); p.TryGet() != nil; {
			if time.Now().After(deadline) {
				t.Fatal("a closed connection is still handed out")
			}
		}
	})
}

func TestCancelAndClose(t *testing.T) {
	release := make(chan struct{})
	var started atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		started.Add(1)
		<-release
	}))
	defer srv.Close()
	defer close(release)
	bothWires(t, srv.URL, Timeouts{}, func(t *testing.T, w Wire) {
		p := NewPool(w)
		defer p.Close()
		req := mustRequest(t, srv.URL, "POST", "/", nil, "{}")
		mine := errors.New("interrupted")
		for _, how := range []struct {
			name, class string
			stop        func(cancel context.CancelCauseFunc, c Conn)
		}{
			{"cancelled", results.ErrorCancelled, func(cancel context.CancelCauseFunc, _ Conn) { cancel(context.Canceled) }},
			{"a cause", results.ErrorProtocol, func(cancel context.CancelCauseFunc, _ Conn) { cancel(mine) }},
			{"closed", results.ErrorCancelled, func(_ context.CancelCauseFunc, c Conn) { c.Close() }},
		} {
			c, _, err := p.Get(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			before := started.Load()
			ctx, cancel := context.WithCancelCause(t.Context())
			call := c.Start(req, drop)
			go func() {
				for started.Load() == before {
					time.Sleep(time.Millisecond)
				}
				how.stop(cancel, c)
			}()
			resp, err := call.Wait(ctx)
			cancel(nil)
			if Class(err) != how.class || how.name == "a cause" && !errors.Is(err, mine) {
				t.Errorf("%s: class %q, %v", how.name, Class(err), err)
			}
			if resp.TEnd < resp.TSend || c.Usable() {
				t.Errorf("%s: end %d, send %d, usable %v", how.name, resp.TEnd, resp.TSend, c.Usable())
			}
			p.Put(c)
		}
		if p.Idle() != 0 {
			t.Errorf("%d connections idle", p.Idle())
		}
	})
}

// Starting on a connection that is gone isn't a crash but a stale call.
func TestStartOnAClosedConnection(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	bothWires(t, srv.URL, Timeouts{}, func(t *testing.T, w Wire) {
		c, err := w.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		c.Close()
		_, err = c.Start(mustRequest(t, srv.URL, "GET", "/", nil, ""), drop).Wait(t.Context())
		var own *Error
		if !errors.As(err, &own) || !own.Stale {
			t.Errorf("got %v", err)
		}
	})
}

func TestDialErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		cfg   Config
		class string
	}{
		"unknown host":         {Config{Endpoint: Endpoint{URL: &url.URL{Scheme: "http", Host: "no-such-host.invalid:80"}}}, results.ErrorDNS},
		"no socket":            {Config{Endpoint: Endpoint{URL: &url.URL{Scheme: "http", Host: "x"}, Socket: filepath.Join(t.TempDir(), "none")}}, results.ErrorRefused},
		"plain where TLS is":   {Config{Endpoint: Endpoint{URL: &url.URL{Scheme: "https", Host: plainServer(t)}}}, results.ErrorTLS},
		"unknown certificate":  {Config{Endpoint: Endpoint{URL: tlsServer(t)}}, results.ErrorTLS},
		"no answer in TLS":     {Config{Endpoint: Endpoint{URL: &url.URL{Scheme: "https", Host: silentServer(t)}}, Timeouts: Timeouts{Connect: 50 * time.Millisecond}}, results.ErrorTimeout},
		"no answer of a proxy": {Config{Endpoint: Endpoint{URL: &url.URL{Scheme: "https", Host: "x:1"}, Proxy: &url.URL{Scheme: "http", Host: silentServer(t)}}, Timeouts: Timeouts{Connect: 50 * time.Millisecond}}, results.ErrorTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			tt.cfg.Clock = clock.New(time.Now())
			w, err := New(tt.cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if c, err := w.Open(t.Context()); Class(err) != tt.class {
				t.Errorf("class %q: %v, %v", Class(err), c, err)
			}
		})
	}
	if got := classify(syscall.EMFILE); got != results.ErrorClient {
		t.Errorf("no descriptor left is %q", got)
	}
}

func plainServer(t *testing.T) string {
	srv := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

func tlsServer(t *testing.T) *url.URL {
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = discardLog()
	srv.StartTLS()
	t.Cleanup(srv.Close)
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func silentServer(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln.Addr().String()
}

func TestNewRefuses(t *testing.T) {
	for name, e := range map[string]Endpoint{
		"no URL":           {},
		"no host":          {URL: &url.URL{Scheme: "http"}},
		"scheme":           {URL: &url.URL{Scheme: "ftp", Host: "x"}},
		"proxy's scheme":   {URL: &url.URL{Scheme: "http", Host: "x"}, Proxy: &url.URL{Scheme: "socks5", Host: "y"}},
		"socket and proxy": {URL: &url.URL{Scheme: "http", Host: "x"}, Proxy: &url.URL{Scheme: "http", Host: "y"}, Socket: "/s"},
	} {
		if w, err := New(Config{Endpoint: e, Clock: clock.New(time.Now())}); err == nil {
			w.Close()
			t.Errorf("%s: taken", name)
		}
	}
}

func TestCheckLimits(t *testing.T) {
	if err := CheckLimits(1); err != nil {
		t.Error(err)
	}
	if err := CheckLimits(1 << 30); Class(err) != results.ErrorClient || !strings.Contains(err.Error(), "ulimit") {
		t.Errorf("a billion connections: %v", err)
	}
}
