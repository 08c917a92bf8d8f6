package wire

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hpcbench/load/clock"
	"hpcbench/load/sse"
	"hpcbench/load/wire/wiretest"
	"hpcbench/results"
)

// seen is what a client makes of a case, in the words of wiretest.Want.
func seen(t *testing.T, c Conn, req *Request) wiretest.Want {
	t.Helper()
	var got wiretest.Want
	var p sse.Parser
	var before clock.Stamp
	take := func(e *sse.Event) error {
		if e.Done() {
			got.Done = true
			return ErrStop
		}
		got.Events = append(got.Events, string(e.Data))
		return nil
	}
	resp, err := c.Start(req, func(b []byte, st clock.Stamp) error {
		if st.Ns < before.Ns || st.PrevNs > st.Ns {
			t.Errorf("the stamp %+v comes after %+v", st, before)
		}
		before = st
		return p.Feed(b, st, take)
	}).Wait(t.Context())
	got.Status, got.Class, got.Reused = resp.Status, Class(err), c.Usable()
	if err == nil && !got.Done {
		if err = p.Close(before, take); errors.Is(err, sse.ErrTorn) {
			got.Class = results.ErrorClosed
		}
	}
	if errors.Is(err, sse.ErrTooLarge) {
		got.Class = results.ErrorTooLarge
	}
	if len(resp.Body) > MaxErrorBody {
		t.Errorf("%d bytes of the body were kept", len(resp.Body))
	}
	if resp.TEnd < resp.TSend || resp.TSend == 0 || resp.Status != 0 && resp.THeaders.Ns < resp.TSend {
		t.Errorf("instants out of order: send %d, headers %d, end %d", resp.TSend, resp.THeaders.Ns, resp.TEnd)
	}
	return got
}

func TestTorture(t *testing.T) {
	for _, secure := range []bool{false, true} {
		srv := wiretest.Start(t, secure)
		u, err := url.Parse(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		e := Endpoint{URL: u, TLS: &tls.Config{RootCAs: srv.Pool}}
		cfg := Config{Endpoint: e, Clock: clock.New(time.Now()), Kernel: true, Timeouts: Timeouts{
			Connect: time.Second, Headers: wiretest.HeadersTimeout, Idle: wiretest.IdleTimeout, Total: wiretest.TotalTimeout}}
		wires := map[string]Wire{"std": newStd(cfg)}
		if secure {
			wires = map[string]Wire{"tls": newStd(cfg)}
		} else if rawAvailable {
			raw, err := newRaw(cfg)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(raw.Close)
			wires["raw"] = raw
		}
		body := []byte(`{"prompt":"` + strings.Repeat("x", 200_000) + `"}`)
		for name, w := range wires {
			for i, c := range wiretest.Cases {
				t.Run(name+"/"+c.Name, func(t *testing.T) {
					t.Parallel()
					req, err := NewRequest(e, http.MethodPost, fmt.Sprintf("/%d", i), http.Header{"X-Case": {c.Name}}, body)
					if err != nil {
						t.Fatal(err)
					}
					req.Want = "text/event-stream"
					conn, err := w.Open(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					defer conn.Close()
					want := c.Want
					want.Outcome, want.ErrorClass = "", "" // of the record, not of the wire
					for range 2 {
						got := seen(t, conn, req)
						if d := cmp.Diff(want, got); d != "" {
							t.Fatal(d)
						}
						if !got.Reused {
							break // else the same again on the same connection
						}
					}
				})
			}
		}
	}
}

// Nothing that a server may send makes memory grow with its size.
func TestMemoryIsBounded(t *testing.T) {
	srv := wiretest.Start(t, false)
	bothWires(t, srv.URL, Timeouts{Total: 5 * time.Second}, func(t *testing.T, w Wire) {
		for i, c := range wiretest.Cases {
			if !strings.Contains(c.Name, "beyond all bounds") && !strings.Contains(c.Name, "of any size") {
				continue
			}
			conn, err := w.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			req := mustRequest(t, srv.URL, http.MethodPost, fmt.Sprintf("/%d", i), nil, "{}")
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			seen(t, conn, req)
			runtime.ReadMemStats(&after)
			// The server sends 64 MB. An event may have 2 MB, for which its buffer
			// grows step by step.
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 24<<20 {
				t.Errorf("%s: %d MB were allocated", c.Name, grown>>20)
			}
			conn.Close()
		}
	})
}
