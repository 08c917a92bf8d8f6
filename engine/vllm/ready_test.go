package vllm_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"hpcbench/engine"
	"hpcbench/engine/stub"
	"hpcbench/engine/vllm"
)

func TestReady(t *testing.T) {
	s, err := stub.Start(stub.Config{Model: "m-abc", Root: "/w/m", APIKey: "k", MaxModelLen: 4096})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	id, err := vllm.Ready(ctx, engine.Endpoint{BaseURL: s.URL(), Key: "k"}, "m-abc", nil)
	want := engine.Identity{Version: stub.Version, ServedModel: "m-abc", Root: "/w/m", OwnedBy: stub.Owner, MaxModelLen: 4096}
	if err != nil || id != want || !id.Simulated() {
		t.Errorf("%+v %v, want %+v", id, err, want)
	}
	// A stranger's server on the port: another nonce, or another key.
	for _, e := range []struct {
		key  engine.Secret
		name string
	}{{"k", "m-def"}, {"wrong", "m-abc"}} {
		var foreign *engine.ForeignError
		if _, err := vllm.Ready(ctx, engine.Endpoint{BaseURL: s.URL(), Key: e.key}, e.name, nil); !errors.As(err, &foreign) {
			t.Errorf("%+v: %v", e, err)
		}
	}
	if engine.StubOwner != stub.Owner || stub.Version[:len(engine.StubVersionPrefix)] != engine.StubVersionPrefix {
		t.Error("the stub isn't recognised as one")
	}
}

// A port where something listens that isn't ready yet, or never will be.
func TestNotReady(t *testing.T) {
	status := http.StatusServiceUnavailable
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	defer srv.Close()
	for _, status = range []int{503, 404, 500} {
		ctx, cancel := context.WithTimeout(context.Background(), 600*time.Millisecond)
		_, err := vllm.Ready(ctx, engine.Endpoint{BaseURL: srv.URL}, "m", nil)
		cancel()
		var late *engine.NotReadyError
		var answer *engine.StatusError
		if !errors.As(err, &late) || !errors.As(err, &answer) || answer.Code != status {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestScrapeTheStub(t *testing.T) {
	s, err := stub.Start(stub.Config{KVTokens: 8192})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := vllm.Scrape(context.Background(), engine.Endpoint{BaseURL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	if got.Running == nil || *got.Running != 0 || got.KVTokens == nil || *got.KVTokens != 8192 || got.PrefixCacheEnabled == nil || !*got.PrefixCacheEnabled ||
		got.ProcessStart == nil || got.TTFT == nil || got.E2E == nil || got.Queue == nil || got.Prefill == nil || got.Decode == nil || got.Rejected == nil ||
		got.Preemptions == nil || got.PrefixHits == nil || got.ScrapeMs <= 0 {
		t.Errorf("%+v", got)
	}
}
