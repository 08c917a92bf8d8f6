package prompt

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseShareGPTBothLayouts(t *testing.T) {
	got, err := parseShareGPT([]byte(`[
	 {"id":"a","conversations":[{"from":"human","value":"Hi"},{"from":"gpt","value":"Hello there"},{"from":"human","value":"More"}]},
	 {"id":"b","conversations":[{"role":"system","content":"Be brief"},{"role":"user","content":"Why?"}]},
	 {"id":"c","conversations":[{"from":"gpt","value":"I begin"},{"from":"human","value":"Ask"},{"from":"gpt","value":"So"}]},
	 {"id":"d","conversations":[{"from":"gpt","value":"alone"}]},
	 {"id":"e","conversations":[{"role":"user","content":[{"type":"image"}]}]},
	 {"id":"f","conversations":[{"role":"user","content":"one"},{"role":"user","content":"two"}]},
	 {"id":"g","conversations":[], "extra": 1}
	]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []entry{
		{[]Message{{"user", "Hi"}}, "Hello there"},
		{[]Message{{"system", "Be brief"}, {"user", "Why?"}}, ""},
		{[]Message{{"user", "Ask"}}, "So"},
		{[]Message{{"user", "one"}}, ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "{}", "[{]", `[{"conversations":[]}`, `[{"conversations":1}]`} {
		if _, err := parseShareGPT([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestParseJSONL(t *testing.T) {
	got, err := parseJSONL([]byte(`{"prompt":"Hi","output":"Yes"}

{"messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}],"extra":1}
{"messages":[{"role":"user","content":"U"},{"role":"assistant","content":"A"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []entry{
		{[]Message{{"user", "Hi"}}, "Yes"},
		{[]Message{{"system", "S"}, {"user", "U"}}, ""},
		{[]Message{{"user", "U"}}, "A"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"{", `{"text":"a"}`, `{"prompt":" "}`, `{"prompt":"a","messages":[{"role":"user","content":"b"}]}`, `{"messages":[{"role":"user"}]}`} {
		_, err := parseJSONL([]byte("{\"prompt\":\"fine\"}\n" + bad))
		if err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestReadFolderTakesTextOnly(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.txt": "second\n", "a.md": " first", ".hidden": "x", "image.png": "\x89PNG\x00", "empty": " \n", "latin": "\xe9t\xe9"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := readFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]entry{{Messages: []Message{{"user", "first"}}}, {Messages: []Message{{"user", "second"}}}}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseShareGPT(f *testing.F) {
	f.Add([]byte(`[{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"}]}]`))
	f.Add([]byte(`[{"conversation":[{"role":"user","content":null}]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := parseShareGPT(b)
		if err != nil && len(entries) > 0 {
			t.Error("entries beside an error")
		}
		for _, e := range entries {
			if n := len(e.Messages); n == 0 || e.Messages[n-1].Role != "user" && e.Messages[n-1].Role != "human" || e.Messages[n-1].Content == "" {
				t.Errorf("entry %+v can't be sent", e)
			}
		}
	})
}

func FuzzParseJSONL(f *testing.F) {
	f.Add([]byte("{\"prompt\":\"a\"}\n"))
	f.Add([]byte(`{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := parseJSONL(b)
		if err != nil {
			return
		}
		for _, e := range entries {
			if len(e.Messages) == 0 || strings.TrimSpace(e.Messages[0].Content) == "" && len(e.Messages) == 1 {
				t.Errorf("entry %+v can't be sent", e)
			}
			if _, err := json.Marshal(e); err != nil {
				t.Error(err)
			}
		}
	})
}
