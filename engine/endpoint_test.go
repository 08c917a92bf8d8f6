package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hpcbench/engine"
)

func TestSecretIsNeverPrinted(t *testing.T) {
	e := engine.Loopback(8000, "sesame")
	asJSON, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{fmt.Sprint(e), fmt.Sprintf("%v %+v %#v %s %q %x %d", e, e, e, e.Key, e.Key, e.Key, e.Key), string(asJSON)} {
		if strings.Contains(s, "sesame") || strings.Contains(s, "736573616d65") {
			t.Errorf("the key is in %q", s)
		}
	}
	if e.Key.Reveal() != "sesame" {
		t.Error("the key is lost")
	}
}

func TestGet(t *testing.T) {
	var gotKey string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		gotKey = r.Header.Get("Authorization")
		switch r.URL.Path {
		case "/ok":
			_, _ = w.Write([]byte("fine"))
		case "/away":
			http.Redirect(w, r, "/ok", http.StatusFound)
		default:
			http.Error(w, "first line\nsecond", http.StatusTeapot)
		}
	}))
	defer srv.Close()
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1") // must not be used
	e := engine.Endpoint{BaseURL: srv.URL, Key: "sesame"}
	body, err := e.Get(context.Background(), "/ok")
	if err != nil || string(body) != "fine" || gotKey != "Bearer sesame" {
		t.Errorf("%q %v, key %q", body, err, gotKey)
	}
	var status *engine.StatusError
	if _, err := e.Get(context.Background(), "/nothing"); !errors.As(err, &status) || status.Code != http.StatusTeapot || status.Body != "first line" {
		t.Errorf("got %v", err)
	}
	if _, err := e.Get(context.Background(), "/away"); !errors.As(err, &status) || status.Code != http.StatusFound {
		t.Errorf("a redirect was followed: %v", err)
	}
}

func TestModelsRefusesWhatIsNoJSON(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html>login</html>"))
	}))
	defer srv.Close()
	if _, err := (engine.Endpoint{BaseURL: srv.URL}).Models(context.Background()); err == nil || !strings.Contains(err.Error(), "/v1/models") {
		t.Errorf("got %v", err)
	}
}

func TestOurs(t *testing.T) {
	have := []engine.Identity{{ServedModel: "m-1"}, {ServedModel: "m-2", Root: "/w"}}
	if id, err := engine.Ours(have, "m-2"); err != nil || id.Root != "/w" {
		t.Errorf("%+v %v", id, err)
	}
	var foreign *engine.ForeignError
	if _, err := engine.Ours(have, "m-3"); !errors.As(err, &foreign) || !strings.Contains(err.Error(), `m-1, m-2 and not "m-3"`) {
		t.Errorf("got %v", err)
	}
	if _, err := engine.Ours(nil, "m-3"); !errors.As(err, &foreign) {
		t.Errorf("got %v", err)
	}
}

func TestCauseInOneLine(t *testing.T) {
	c := engine.Cause{Class: "x", Words: "it broke", Line: "Error 1", Remedy: "mend it", Passing: true}
	if got := c.String(); got != "it broke (Error 1); mend it" {
		t.Error(got)
	}
	if f := c.Failure(); f.Class != "x" || f.Line != "Error 1" || !f.Passing || f.Words != "it broke" || f.Remedy != "mend it" {
		t.Errorf("%+v", f)
	}
}
