//go:build linux

package wire

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"hpcbench/load/clock"
	"hpcbench/load/sse"
)

// A client that is late sees several events in one read. Their true instants lie
// in their intervals, and they are marked; below TLS, too. What comes alone has
// the right stamp.
func TestLateReaderStillKnowsWhen(t *testing.T) {
	c := clock.New(time.Now())
	wrote := make(chan [2]int64, 16) // before and after each write
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, size := range []int{10, 10, 20, 30_000, 10} {
			before := c.Now()
			w.Write([]byte("data: " + strings.Repeat("x", size) + "\n\n"))
			w.(http.Flusher).Flush()
			wrote <- [2]int64{before, c.Now()}
			time.Sleep(15 * time.Millisecond)
		}
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	for name, srv := range map[string]*httptest.Server{"raw": plain, "std": plain, "tls": secure} {
		t.Run(name, func(t *testing.T) {
			u, err := url.Parse(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			cfg := Config{Endpoint: Endpoint{URL: u}, Clock: c, Kernel: true}
			if name == "tls" {
				cfg.Endpoint.TLS = trusting(srv)
			}
			w, err := New(cfg)
			if name == "std" {
				w, err = NewStd(cfg)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			conn, err := w.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			req, err := NewRequest(cfg.Endpoint, "GET", "/", nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			var events []sse.Event
			var p sse.Parser
			resp, err := conn.Start(req, func(b []byte, st clock.Stamp) error {
				err := p.Feed(b, st, func(e *sse.Event) error {
					e.Data = bytes.Clone(e.Data)
					events = append(events, *e)
					return nil
				})
				if len(events) == 1 && len(b) < 100 {
					time.Sleep(100 * time.Millisecond) // while the others arrive
				}
				return err
			}).Wait(t.Context())
			if err != nil || len(events) != 5 || resp.Kind() != clock.Kernel {
				t.Fatalf("%d events, stamped by the %v, %v", len(events), resp.Kind(), err)
			}
			merged := 0
			const slack = int64(5 * time.Millisecond) // of a busy machine, below the pause
			for i, e := range events {
				at := <-wrote
				if e.Stamp.Kind != clock.Kernel {
					t.Errorf("event %d is stamped by the %v", i, e.Stamp.Kind)
				}
				if e.Merged {
					merged++
				} else if e.Stamp.Ns < at[0] || e.Stamp.Ns > at[1]+slack {
					t.Errorf("event %d was written %.3f ms before its stamp", i, float64(e.Stamp.Ns-at[1])/1e6)
				}
				if at[1] < e.Stamp.PrevNs || at[0] > e.Stamp.Ns {
					t.Errorf("event %d was written in %v, its interval is (%d, %d]", i, at, e.Stamp.PrevNs, e.Stamp.Ns)
				}
			}
			// The first one came alone; the end of the body shares the last one's
			// read.
			if events[0].Merged || merged != 4 {
				t.Errorf("%d events are marked as merged, the first: %v", merged, events[0].Merged)
			}
		})
	}
}
