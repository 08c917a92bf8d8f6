package wire

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"hpcbench/load/clock"
)

// TestMain holds the kernel's stamping switched on.
func TestMain(m *testing.M) {
	proof := clock.Prove(clock.New(time.Now()))
	code := m.Run()
	proof.Close()
	os.Exit(code)
}

// bothWires makes each wire for the server at rawURL and runs the test with it.
func bothWires(t *testing.T, rawURL string, timeouts Timeouts, run func(t *testing.T, w Wire)) {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Endpoint: Endpoint{URL: u}, Clock: clock.New(time.Now()), Kernel: true, Timeouts: timeouts}
	t.Run("std", func(t *testing.T) { run(t, newStd(cfg)) })
	if rawAvailable && u.Scheme == "http" {
		t.Run("raw", func(t *testing.T) {
			w, err := newRaw(cfg)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(w.Close)
			run(t, w)
		})
	}
}

func mustRequest(t *testing.T, rawURL, method, target string, header http.Header, body string) *Request {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	req, err := NewRequest(Endpoint{URL: u}, method, target, header, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func TestRoundTripOverBothWires(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", r.Header.Get("X-Ask"))
		for range 3 {
			w.Write([]byte("data: x\n\n"))
			w.(http.Flusher).Flush()
			time.Sleep(2 * time.Millisecond)
		}
	}))
	defer srv.Close()
	bothWires(t, srv.URL, Timeouts{}, func(t *testing.T, w Wire) {
		p := NewPool(w)
		defer p.Close()
		if _, err := p.Open(t.Context(), 2, 1000); err != nil {
			t.Fatal(err)
		}
		req := mustRequest(t, srv.URL, "POST", "/v1/x?y=1", http.Header{"X-Ask": {"77"}}, strings.Repeat("b", 100_000))
		for range 3 {
			var got strings.Builder
			var stamps []clock.Stamp
			resp, fresh, _, err := p.Do(context.Background(), req, func(b []byte, st clock.Stamp) error {
				got.Write(b)
				stamps = append(stamps, st)
				return nil
			})
			if err != nil || fresh || got.String() != strings.Repeat("data: x\n\n", 3) {
				t.Fatalf("%q, fresh %v, %v", got.String(), fresh, err)
			}
			if resp.Status != 200 || resp.Header.Get("X-Request-Id") != "77" || resp.BytesOut != int64(req.Len()) {
				t.Errorf("response %+v", resp)
			}
			if resp.Kind() != clock.Kernel || len(stamps) != 3 {
				t.Errorf("%v of %d reads by the kernel, %d stamps", resp.KernelReads, resp.Reads, len(stamps))
			}
			before := resp.TSend
			for _, st := range append(stamps, clock.Stamp{Ns: resp.TEnd, PrevNs: resp.TEnd}) {
				if st.Ns < before || st.PrevNs > st.Ns || st.PrevNs < resp.TSend {
					t.Errorf("stamps out of order: %+v, sent %d, end %d", stamps, resp.TSend, resp.TEnd)
				}
				before = st.Ns
			}
		}
		if p.Idle() != 2 {
			t.Errorf("%d connections idle", p.Idle())
		}
	})
}
