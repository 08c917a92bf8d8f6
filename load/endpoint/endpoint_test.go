package endpoint

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseURLAsUsersMeanIt(t *testing.T) {
	for text, want := range map[string]string{
		"https://chat.example.eu/lumi/":               "https://chat.example.eu/lumi/v1/chat/completions",
		"https://chat.example.eu/lumi":                "https://chat.example.eu/lumi/v1/chat/completions",
		"https://chat.example.eu/lumi/v1":             "https://chat.example.eu/lumi/v1/chat/completions",
		"https://chat.example.eu/v1/":                 "https://chat.example.eu/v1/chat/completions",
		"https://chat.example.eu/v1/chat/completions": "https://chat.example.eu/v1/chat/completions",
		"https://h:8443/a/b/v1/completions":           "https://h:8443/a/b/v1/chat/completions",
		"http://127.0.0.1:8000":                       "http://127.0.0.1:8000/v1/chat/completions",
		"localhost:8000/x":                            "http://localhost:8000/x/v1/chat/completions",
		"[::1]:8000":                                  "http://[::1]:8000/v1/chat/completions",
		"http://h/v1v1/v1":                            "http://h/v1v1/v1/chat/completions",
		"https://h/with%20space%2Fand/v1":             "https://h/with%20space%2Fand/v1/chat/completions",
		"https://h//":                                 "https://h/v1/chat/completions",
		"https://h/v1//":                              "https://h/v1/chat/completions",
	} {
		u, err := ParseURL(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := u.Route("/v1/chat/completions"); got != want {
			t.Errorf("%s calls %s, want %s", text, got, want)
		}
	}
}

func TestParseURLRefuses(t *testing.T) {
	for _, text := range []string{"", "host:8000", "ftp://h", "https://", "https://name:secret@h/", "https://h/?key=secret", "https://h/#secret", "http://h:port", "https://name:secret@h:bad"} {
		_, err := ParseURL(text)
		if err == nil {
			t.Errorf("%q is taken", text)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error shows the secret: %v", text, err)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"https://h/lumi/", "localhost:1/v1", "http://[::1]:8/%2f/v1", "https://a:b@c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := ParseURL(s)
		if err != nil {
			return
		}
		again, err := ParseURL(u.String())
		if err != nil || again.String() != u.String() && !strings.HasSuffix(u.String(), "/v1") {
			t.Errorf("%q gives %q, which gives %v, %v", s, u, again, err)
		}
		u.Host()
		u.Local()
	})
}

func TestLocal(t *testing.T) {
	for text, want := range map[string]bool{
		"http://127.0.0.1:1": true, "http://[::1]:1": true, "http://localhost": true, "http://10.1.2.3": true, "http://192.168.0.1": true,
		"http://nid001234:8000": true, "https://chat.example.eu": false, "http://8.8.8.8": false, "http://[2001:db8::1]": false,
	} {
		u, err := ParseURL(text)
		if err != nil {
			t.Fatal(err)
		}
		if u.Local() != want {
			t.Errorf("%s: local is %v", text, u.Local())
		}
	}
	u, _ := ParseURL("https://h")
	if u.Host() != "h:443" || !u.Secure() {
		t.Errorf("host %s", u.Host())
	}
}

func TestReadKey(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if key, err := ReadKey(write("good", "sk-abc\n", 0o600)); err != nil || key != "sk-abc" {
		t.Errorf("%q, %v", key, err)
	}
	if _, err := ReadKey(write("open", "sk-abc\n", 0o644)); !errors.Is(err, ErrKeyReadable) {
		t.Errorf("a key that others can read: %v", err)
	}
	for name, text := range map[string]string{"empty": " \n", "two": "sk-a\nsk-b", "large": strings.Repeat("x", maxKey+1)} {
		if _, err := ReadKey(write(name, text, 0o600)); err == nil || strings.Contains(err.Error(), "sk-") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadKey(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestModelsWithKeyAndPrefix(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/pre/v1/models" && r.Header.Get("Authorization") == "Bearer k" && r.Header.Get("X-Team") == "a":
			w.Write([]byte(`{"object":"list","data":[{"id":"tiny","root":"/m","max_model_len":4096}]}`))
		case r.URL.Path == "/moved/v1/models":
			http.Redirect(w, r, "/pre/v1/models", http.StatusFound)
		default:
			w.WriteHeader(http.StatusUnauthorized)
			w.Write([]byte(`{"error":"Unauthorized"}`))
		}
	}))
	defer srv.Close()
	ask := func(prefix, key string) ([]Model, error) {
		u, err := ParseURL(srv.URL + prefix)
		if err != nil {
			t.Fatal(err)
		}
		e := Endpoint{URL: u, Key: key, Headers: map[string]string{"X-Team": "a"}}
		return e.Models(context.Background(), e.Client())
	}
	models, err := ask("/pre", "k")
	if err != nil || len(models) != 1 || models[0].MaxModelLen != 4096 {
		t.Fatalf("%+v, %v", models, err)
	}
	var status *StatusError
	if _, err := ask("/pre", "wrong"); !errors.As(err, &status) || status.Status != 401 || status.Words != "Unauthorized" {
		t.Errorf("%v", err)
	}
	if _, err := ask("/moved", "k"); !errors.As(err, &status) || status.Status != 302 {
		t.Errorf("a redirect is followed: %v", err)
	}
}

func TestPickModel(t *testing.T) {
	one, two := []Model{{ID: "a"}}, []Model{{ID: "a"}, {ID: "b"}}
	if m, err := PickModel(one, ""); err != nil || m.ID != "a" {
		t.Errorf("%v %v", m, err)
	}
	if m, err := PickModel(two, "b"); err != nil || m.ID != "b" {
		t.Errorf("%v %v", m, err)
	}
	for _, c := range []struct {
		models []Model
		wanted string
	}{{nil, ""}, {two, ""}, {two, "c"}} {
		if _, err := PickModel(c.models, c.wanted); err == nil {
			t.Errorf("%v for %q is no error", c.models, c.wanted)
		}
	}
}

func TestFirstLine(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"The model is busy","code":503}}`: "The model is busy",
		`{"error":"Unauthorized"}`:                             "Unauthorized",
		`{"detail":"Not Found"}`:                               "Not Found",
		"<html>\n<body>":                                       "<html>",
		"\n\n  gone \x1b[31m\nmore":                            "gone [31m",
		"":                                                     "",
	} {
		if got := FirstLine([]byte(body)); got != want {
			t.Errorf("%q gives %q", body, got)
		}
	}
	if got := FirstLine([]byte(strings.Repeat("é", 300))); len(got) > 200 {
		t.Errorf("%d bytes", len(got))
	}
}
