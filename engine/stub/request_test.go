package stub

import (
	"encoding/json"
	"testing"
)

func TestParseAsk(t *testing.T) {
	c, err := Config{MaxModelLen: 100}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, body string
		chat       bool
		max, min   int
		stream     bool
	}{
		{"a completion's default", `{"prompt":"a b"}`, false, 16, 0, false},
		{"a chat goes to the context's end", `{"messages":[{"role":"user","content":"a"}]}`, true, 100 - 12, 0, false},
		{"parts of a message", `{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`, true, 100 - 12, 0, false},
		{"null is none", `{"model":null,"prompt":"a","max_tokens":null,"temperature":null,"stream_options":null}`, false, 16, 0, false},
		{"the newer name", `{"messages":[{"role":"user","content":"a"}],"max_tokens":3,"max_completion_tokens":5,"stream":true}`, true, 5, 0, true},
		{"one text in a list", `{"prompt":["a"],"max_tokens":4,"min_tokens":2}`, false, 4, 2, false},
		{"ids", `{"prompt":[1,2,3],"max_tokens":99}`, false, 97, 0, false},
	} {
		a, bad := c.parseAsk([]byte(tt.body), tt.chat)
		if bad != nil {
			t.Errorf("%s: refused: %s", tt.name, bad.message)
			continue
		}
		if a.maxTokens != tt.max || a.minTokens != tt.min || a.stream != tt.stream || a.chat != tt.chat {
			t.Errorf("%s: %+v (%d prompt tokens)", tt.name, a, len(a.promptIDs))
		}
	}
}

func FuzzParseAsk(f *testing.F) {
	f.Add([]byte(`{"model":"stub","prompt":"a","max_tokens":3}`), false)
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"text":"a"}]}],"stream_options":{"include_usage":true}}`), true)
	f.Add([]byte(`{"max_tokens":"many"}`), false)
	f.Add([]byte(`[`), true)
	f.Fuzz(func(t *testing.T, raw []byte, chat bool) {
		c, err := Config{MaxModelLen: 50}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		a, bad := c.parseAsk(raw, chat)
		if (a == nil) == (bad == nil) {
			t.Fatalf("%v %v", a, bad)
		}
		if bad != nil {
			if bad.status < 400 || !json.Valid(bad.body()) {
				t.Errorf("%d %s", bad.status, bad.body())
			}
			return
		}
		if a.maxTokens < 1 || len(a.promptIDs) == 0 || len(a.promptIDs)+a.maxTokens > 50 || a.minTokens > a.maxTokens {
			t.Errorf("%+v", a)
		}
	})
}
