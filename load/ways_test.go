package load

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hpcbench/engine/stub"
	"hpcbench/load/endpoint"
	"hpcbench/load/telemetry"
	"hpcbench/results"
)

func TestUnixSocketIsStampedByTheProcess(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	startStub(t, stub.Config{TTFTBaseMs: 10, ITLMs: 1, Socket: socket})
	e := endpointOf(t, "http://localhost")
	e.Socket = socket
	c := configOf(t, e, ratePlan(0.5, 20))
	c.Telemetry = telemetry.Options{}
	sum := run(t, c)
	if n := sum.Steps[0].Counts.Completed; n != 10 {
		t.Errorf("%d of 10", n)
	}
	if a := c.Attempt.Get(); a.Clock.Kind != results.ClockProcess || a.Clock.Reason == "" || sum.Steps[0].Clocks[results.ClockProcess] != 10 {
		t.Errorf("%+v, %v", a.Clock, sum.Steps[0].Clocks)
	}
}

// TestServiceBehindAPrefixWithAKey goes through a gateway that has chat and
// models below a prefix, wants a key and a header, and knows nothing else.
func TestServiceBehindAPrefixWithAKey(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 10, ITLMs: 1})
	behind := httputil.NewSingleHostReverseProxy(endpointOf(t, s.URL()).URL.Base())
	behind.FlushInterval = -1
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gateway := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, ok := strings.CutPrefix(r.URL.Path, "/lumi")
		switch {
		case r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("X-Project") != "p1":
			w.WriteHeader(http.StatusUnauthorized)
		case !ok || !strings.HasPrefix(path, "/v1/"):
			w.WriteHeader(http.StatusNotFound)
		default:
			// Go's server drains a request's body when an answer begins, and the proxy may still be
			// reading it: without this a quick engine's answer is cut now and then after its headers.
			_ = http.NewResponseController(w).EnableFullDuplex()
			r.URL.Path = path
			behind.ServeHTTP(w, r)
		}
	})}
	go func() { _ = gateway.Serve(ln) }()
	defer gateway.Close()
	u, err := endpoint.ParseURL("http://" + ln.Addr().String() + "/lumi/")
	if err != nil {
		t.Fatal(err)
	}
	p := ratePlan(0.5, 20)
	p.Request.Headers = map[string]string{"X-Project": "p1"}
	c := configOf(t, endpoint.Endpoint{URL: u, Key: "secret", Model: "m"}, p)
	c.Telemetry = telemetry.Options{}
	var said []string
	c.Warn = func(w string) { said = append(said, w) }
	step := run(t, c).Steps[0]
	if step.Counts.Completed != 10 || len(said) == 0 || !strings.Contains(said[0], "/tokenize") {
		t.Errorf("%+v, said %q", step.Counts, said)
	}
	wrong := configOf(t, endpoint.Endpoint{URL: u, Key: "wrong", Model: "m"}, p)
	if _, err := Run(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), "wrong") {
		t.Errorf("a wrong key: %v", err)
	}
}

func TestAnotherModelIsRefusedBeforeTheLoad(t *testing.T) {
	s := startStub(t, stub.Config{})
	e := endpointOf(t, s.URL())
	e.Model = "other"
	_, err := Run(t.Context(), configOf(t, e, ratePlan(1, 1)))
	var foreign *endpoint.OtherModelError
	if !errors.As(err, &foreign) {
		t.Errorf("got %v", err)
	}
}

func TestServerThatGoesAwayFailsEveryRequest(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 10, ITLMs: 1})
	p := ratePlan(2)
	p.Kind, p.RatesPerS, p.Levels = results.KindConcurrency, nil, []int{5}
	c := configOf(t, endpointOf(t, s.URL()), p)
	time.AfterFunc(time.Second, func() { s.Close() })
	step := run(t, c).Steps[0]
	if step.Counts.Completed < 5 || step.Counts.Failed < 5 || step.Counts.Failed > 60 {
		t.Errorf("%+v", step.Counts)
	}
	if a := c.Attempt.Get(); len(a.Marks) != 1 || !strings.Contains(a.Marks[0].What, "after the load") {
		t.Errorf("marks %+v", a.Marks)
	}
}

func TestLimitsEndAStepAndThePlan(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 1, ITLMs: 1, Faults: stub.Faults{ErrorShare: 1}})
	p := ratePlan(20, 50)
	p.Limits = &results.Limits{Errors: 10, Seconds: 30}
	start := time.Now()
	step := run(t, configOf(t, endpointOf(t, s.URL()), p)).Steps[0]
	if step.Finished || step.Counts.Failed < 10 || step.Counts.Failed > 15 || time.Since(start) > 10*time.Second {
		t.Errorf("finished %v, %+v after %v", step.Finished, step.Counts, time.Since(start))
	}
	p.Limits = &results.Limits{Seconds: 0.5}
	c := configOf(t, endpointOf(t, s.URL()), p)
	sum := run(t, c)
	if a := c.Attempt.Get(); sum.State != results.StateComplete || sum.Steps[0].Finished || len(a.Marks) != 1 || !strings.Contains(a.Marks[0].What, "limit of seconds") {
		t.Errorf("%s, finished %v, %+v", sum.State, sum.Steps[0].Finished, a.Marks)
	}
}

func TestInterruptBeforeTheLoadBegins(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := Run(ctx, configOf(t, endpointOf(t, "http://"+ln.Addr().String()), ratePlan(1, 1))); !errors.Is(err, ErrInterrupted) {
		t.Errorf("got %v", err)
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s := startStub(t, stub.Config{TTFTBaseMs: 10, ITLMs: 1})
	run(t, configOf(t, endpointOf(t, s.URL()), ratePlan(0.5, 20)))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	goleak.VerifyNone(t, before)
}
