package openai_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hpcbench/engine"
	"hpcbench/engine/openai"
	"hpcbench/engine/stub"
)

func TestReadyOnAnyServer(t *testing.T) {
	s, err := stub.Start(stub.Config{Model: "m-abc", APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	e := engine.Endpoint{BaseURL: s.URL(), Key: "k"}
	for _, model := range []string{"m-abc", ""} {
		id, err := openai.Ready(ctx, e, model, nil)
		if err != nil || id.ServedModel != "m-abc" || !id.Simulated() || id.Version != "" {
			t.Errorf("%q: %+v %v", model, id, err)
		}
	}
	var foreign *engine.ForeignError
	if _, err := openai.Ready(ctx, e, "other", nil); !errors.As(err, &foreign) {
		t.Errorf("got %v", err)
	}
}

func TestSeveralModels(t *testing.T) {
	answer := `{"object":"list","data":[{"id":"a"},{"id":"b"}]}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) }))
	defer srv.Close()
	e := engine.Endpoint{BaseURL: srv.URL}
	if _, err := openai.Identify(context.Background(), e, ""); !errors.Is(err, openai.ErrSeveralModels) || !strings.Contains(err.Error(), "a, b") {
		t.Errorf("got %v", err)
	}
	if id, err := openai.Identify(context.Background(), e, "b"); err != nil || id.ServedModel != "b" {
		t.Errorf("%+v %v", id, err)
	}
	answer = `{"data":[]}`
	if _, err := openai.Identify(context.Background(), e, ""); err == nil {
		t.Error("an empty list was taken")
	}
}
