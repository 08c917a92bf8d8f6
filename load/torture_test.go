package load

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"hpcbench/load/clock"
	"hpcbench/load/wire"
	"hpcbench/load/wire/wiretest"
	"hpcbench/results"
)

// Whatever a server does, the record of the request says what it was, and the
// same over both wires.
func TestOutcomesOfHostileServers(t *testing.T) {
	srv := wiretest.Start(t, false)
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	cfg := wire.Config{Endpoint: wire.Endpoint{URL: u}, Clock: clock.New(time.Now()), Timeouts: wire.Timeouts{
		Connect: time.Second, Headers: wiretest.HeadersTimeout, Idle: wiretest.IdleTimeout, Total: wiretest.TotalTimeout}}
	own, err := wire.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	std, err := wire.NewStd(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []wire.Wire{own, std} {
		t.Cleanup(w.Close)
		for i, c := range wiretest.Cases {
			t.Run(w.Name()+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				req, err := wire.NewRequest(cfg.Endpoint, "POST", fmt.Sprintf("/%d", i), nil, []byte("{}"))
				if err != nil {
					t.Fatal(err)
				}
				req.Want = "text/event-stream"
				conn, err := w.Open(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				var a answer
				resp, err := conn.Start(req, a.data).Wait(t.Context())
				var r results.Record
				good := a.good(err)
				a.fill(&r, resp, err, false)
				if r.Outcome != c.Want.Outcome || r.ErrorClass != c.Want.ErrorClass {
					t.Errorf("%s %q (%s), want %s %q", r.Outcome, r.ErrorClass, r.ErrorText, c.Want.Outcome, c.Want.ErrorClass)
				}
				// A stream sends its next request on this word alone.
				if good && r.Outcome != results.OutcomeCompleted {
					t.Errorf("%s was called good beforehand", r.Outcome)
				}
			})
		}
	}
}
