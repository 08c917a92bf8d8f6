package chunk

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/load/clock"
	"hpcbench/load/sse"
)

func TestDecode(t *testing.T) {
	tests := []struct {
		name string
		data string
		want Facts
	}{
		{"completion", `{"id":"cmpl-1","object":"text_completion","created":1,"choices":[{"index":0,"text":" attach","logprobs":null,"finish_reason":null}]}`,
			Facts{ID: []byte("cmpl-1"), Choices: true, Content: true, ContentBytes: 7}},
		{"role only", `{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
			Facts{ID: []byte("c"), Choices: true, Role: true}},
		{"null content", `{"choices":[{"delta":{"content":null}}]}`, Facts{Choices: true}},
		{"empty delta and a finish", `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, Facts{Choices: true, Finish: "stop"}},
		{"abort", `{"choices":[{"text":"","finish_reason":"abort"}]}`, Facts{Choices: true, Finish: "abort"}},
		{"a reason of its own", `{"choices":[{"text":"","finish_reason":"repetition"}]}`, Facts{Choices: true, Finish: "repetition"}},
		{"reasoning", `{"choices":[{"delta":{"reasoning":"hm","content":null}}]}`, Facts{Choices: true, Reasoning: true}},
		{"reasoning_content", `{"choices":[{"delta":{"reasoning_content":"hm"}}]}`, Facts{Choices: true, Reasoning: true}},
		{"tool call", `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a"}}]}}]}`, Facts{Choices: true, Tool: true}},
		{"tool call's name", `{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":""}}]}}]}`, Facts{Choices: true, Tool: true}},
		{"no tool calls", `{"choices":[{"delta":{"tool_calls":[],"content":"x"}}]}`, Facts{Choices: true, Content: true, ContentBytes: 1}},
		{"usage only", `{"choices":[],"usage":{"prompt_tokens":9,"total_tokens":17,"completion_tokens":8}}`,
			Facts{Usage: true, PromptTokens: 9, CompletionTokens: 8}},
		{"usage in every event", `{"choices":[{"text":"a"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"completion_tokens_details":{"x":[1,{}]}}}`,
			Facts{Choices: true, Content: true, ContentBytes: 1, Usage: true, PromptTokens: 9, CompletionTokens: 1}},
		{"usage null", `{"choices":[{"text":"a"}],"usage":null}`, Facts{Choices: true, Content: true, ContentBytes: 1}},
		{"usage that is a placeholder", `{"choices":[{"text":"a"}],"usage":{"completion_tokens":null}}`, Facts{Choices: true, Content: true, ContentBytes: 1}},
		{"usage in another notation", `{"usage":{"prompt_tokens":9.0,"completion_tokens":1e1}}`, Facts{Usage: true, PromptTokens: 9, CompletionTokens: 10}},
		{"two choices", `{"choices":[{"text":"a"},{"text":"bc","finish_reason":"length"}]}`, Facts{Choices: true, Content: true, ContentBytes: 3, Finish: "length"}},
		{"escapes are counted as the text they stand for", `{"choices":[{"text":"\n\"\u00e4\ud83d\ude00\ud800ä😀"}]}`,
			Facts{Choices: true, Content: true, ContentBytes: 1 + 1 + 2 + 4 + 3 + 2 + 4}},
		{"error", `{"error": {"message": "busy", "type": "Service Unavailable", "param": null, "code": 503}}`,
			Facts{Error: true, ErrorText: "busy", ErrorStatus: 503}},
		{"error beside an answer", `{"id":"x","choices":[{"text":"a"}],"error":{"message":"m","code":"429"}}`,
			Facts{Error: true, ErrorText: "m", ErrorStatus: 429}},
		{"error with a word for a code", `{"error":{"message":"m","code":"rate_limit_exceeded"}}`, Facts{Error: true, ErrorText: "m"}},
		{"error of an older vLLM", `{"object":"error","message":"m","type":"BadRequestError","code":400}`, Facts{Error: true, ErrorText: "m", ErrorStatus: 400}},
		{"error that is a string", `{"error":"overloaded","error_type":"overloaded"}`, Facts{Error: true, ErrorText: "overloaded"}},
		{"error of another shape", `{"error":{"reason":7}}`, Facts{Error: true, ErrorText: `{"reason":7}`}},
		{"error null", `{"error":null,"choices":[]}`, Facts{}},
		{"pretty-printed", "{\n\t\"choices\": [ { \"text\" : \"a\" } ]\n}\n", Facts{Choices: true, Content: true, ContentBytes: 1}},
		{"a key with an escape", `{"choices":[{"te\u0078t":"a"}]}`, Facts{Choices: true, Content: true, ContentBytes: 1}},
		{"the last of equal keys", `{"choices":[{"text":"a","text":""}]}`, Facts{Choices: true}},
		{"keys that differ in case are others", `{"Choices":[{"text":"a"}],"ID":7}`, Facts{}},
		{"deep", `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,"choices":[{"text":"a"}]}`, Facts{Choices: true, Content: true, ContentBytes: 1}},
		{"nothing", " \n", Facts{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got Facts
			if err := new(Decoder).Decode([]byte(tt.data), &got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, data := range map[string]string{
		"text":                `hello`,
		"cut":                 `{"choices":[{"text":"a"`,
		"more behind":         `{"choices":[]} x`,
		"an array":            `[1]`,
		"a bad escape":        `{"choices":[{"text":"\x"}]}`,
		"a control character": "{\"choices\":[{\"text\":\"a\x01\"}]}",
		"choices no array":    `{"choices":{}}`,
		"content no string":   `{"choices":[{"delta":{"content":7}}]}`,
		"half a token":        `{"usage":{"completion_tokens":1.5}}`,
		"less than none":      `{"usage":{"completion_tokens":-1}}`,
		"a broken number":     `{"created":01}`,
	} {
		var f Facts
		if err := new(Decoder).Decode([]byte(data), &f); err == nil {
			t.Errorf("%s: %s gives %+v", name, data, f)
		}
	}
}

// The bytes that vLLM 0.32.0 sent, through the parser of events. The tails begin
// in the middle of an event, which is cut off first.
func TestRealAnswers(t *testing.T) {
	type sum struct {
		Events, Text, Roles, Prompt, Completion int
		Finish, Error                           string
		Status                                  int
		Done                                    bool
	}
	for file, want := range map[string]sum{
		"chat-stream-continuous-usage.http":          {Events: 8, Text: 6, Roles: 1, Prompt: 21, Completion: 6, Finish: "length", Done: true},
		"chat-stream-eos-at-once.http":               {Events: 3, Roles: 1, Prompt: 16, Completion: 1, Finish: "stop", Done: true},
		"chat-stream-ignore-eos-special-tokens.http": {Events: 8, Roles: 1, Prompt: 16, Completion: 6, Finish: "length", Done: true},
		"chat-stream-include-usage.http":             {Events: 8, Text: 6, Roles: 1, Prompt: 21, Completion: 6, Finish: "length", Done: true},
		"completions-max-tokens-1.http":              {Events: 2, Text: 1, Prompt: 9, Completion: 1, Finish: "length", Done: true},
		"completions-return-token-ids.http":          {Events: 5, Text: 4, Prompt: 9, Completion: 4, Finish: "length", Done: true},
		"completions-stream-continuous-usage.http":   {Events: 9, Text: 8, Prompt: 9, Completion: 8, Finish: "length", Done: true},
		"completions-stream-include-usage.http":      {Events: 5, Text: 4, Prompt: 9, Completion: 4, Finish: "length", Done: true},
		"completions-stream-plain.http":              {Events: 4, Text: 4, Finish: "length", Done: true},
		"completions-stream-stop-string.http":        {Events: 4, Text: 3, Prompt: 9, Completion: 3, Finish: "stop", Done: true},
		"prompt-4090-max-tokens-100-clamped.http":    {Events: 6, Text: 6, Finish: "length", Done: true},
		"sigterm-while-streaming-tail.txt":           {Events: 2, Text: 1, Prompt: 3, Completion: 385, Finish: "abort", Done: true},
		"overload-stream-http200-error-event.txt": {Events: 1, Status: 503, Done: true,
			Error: "The engine is currently busy and cannot accept new requests. Please try again later or on a different instance."},
		"kill9-enginecore-tail.txt": {Events: 3, Text: 2, Status: 500, Done: true,
			Error: "EngineCore encountered an issue. See stack trace (above) for the root cause."},
	} {
		t.Run(file, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			raw = raw[bytes.Index(raw, []byte("data: ")):]
			var got sum
			var p sse.Parser
			var d Decoder
			err = p.Feed(raw, clock.Stamp{}, func(e *sse.Event) error {
				if e.Done() {
					got.Done = true
					return nil
				}
				var f, slow Facts
				if err := d.Decode(e.Data, &f); err != nil {
					return err
				}
				if err := decodeSlowly(e.Data, &slow); err != nil {
					return err
				}
				if d := cmp.Diff(slow, f); d != "" {
					t.Error(d)
				}
				if !f.Error && (!(&scanner{b: e.Data}).event(new(Facts)) || hasControl(e.Data)) {
					t.Errorf("left to encoding/json: %s", e.Data)
				}
				got.Events++
				if f.Text() {
					got.Text++
				}
				if f.Role {
					got.Roles++
				}
				if f.Finish != "" {
					got.Finish = f.Finish
				}
				if f.Usage {
					got.Prompt, got.Completion = f.PromptTokens, f.CompletionTokens
				}
				if f.Error {
					got.Error, got.Status = f.ErrorText, f.ErrorStatus
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

const (
	plainEvent = `{"id":"cmpl-8f821dabad043275","object":"text_completion","created":1796131774,"model":"tiny","choices":[{"index":0,"text":" attach","logprobs":null,"finish_reason":null,"stop_reason":null,"prompt_token_ids":null,"token_ids":null}]}`
	usageEvent = `{"id":"chatcmpl-914c2f0e606a4178","object":"chat.completion.chunk","created":1796131774,"model":"tiny","choices":[{"index":0,"delta":{"content":"whether"},"logprobs":null,"finish_reason":null,"token_ids":null}],"usage":{"prompt_tokens":21,"total_tokens":22,"completion_tokens":1,"completion_tokens_details":null}}`
)

// Events that differ in their text and their counts only are read by the form
// of the one before; others are not.
func TestForm(t *testing.T) {
	next := strings.NewReplacer("whether", `a\"\u00e4ö`, ":22,", ":123,", `completion_tokens":1,`, `completion_tokens":102,`)
	tests := []struct {
		name, first, then string
		fits              bool
	}{
		{"the same", plainEvent, plainEvent, true},
		{"another text", plainEvent, strings.Replace(plainEvent, "attach", "x", 1), true},
		{"no text", plainEvent, strings.Replace(plainEvent, " attach", "", 1), true},
		{"text and counts", usageEvent, next.Replace(usageEvent), true},
		{"reasoning", `{"choices":[{"delta":{"reasoning":"a","reasoning_content":"a"}}]}`, `{"choices":[{"delta":{"reasoning":"","reasoning_content":"bc"}}]}`, true},
		{"reasoning, then content", `{"choices":[{"delta":{"reasoning":"a","content":""}}]}`, `{"choices":[{"delta":{"reasoning":"","content":"x"}}]}`, true},
		{"another id", plainEvent, strings.Replace(plainEvent, "8f8", "8f9", 1), false},
		{"a finish", plainEvent, strings.Replace(plainEvent, `finish_reason":null`, `finish_reason":"stop"`, 1), false},
		{"text that ends early", plainEvent, strings.Replace(plainEvent, " attach", `a","finish_reason":"stop`, 1), false},
		{"a broken escape", plainEvent, strings.Replace(plainEvent, " attach", `\q`, 1), false},
		{"a control character", plainEvent, strings.Replace(plainEvent, " attach", "\x01", 1), false},
		{"a broken number", usageEvent, strings.Replace(usageEvent, ":22,", ":022,", 1), false},
		{"a fraction", usageEvent, strings.Replace(usageEvent, ":22,", ":2.5,", 1), false},
		{"more behind", plainEvent, plainEvent + " ", false},
		{"cut", plainEvent, plainEvent[:len(plainEvent)-1], false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d Decoder
			var first, fast, slow Facts
			if err := d.Decode([]byte(tt.first), &first); err != nil {
				t.Fatal(err)
			}
			if fits := d.form.match([]byte(tt.then), new(Facts)); fits != tt.fits {
				t.Errorf("fits: %v", fits)
			}
			fastErr, slowErr := d.Decode([]byte(tt.then), &fast), decodeSlowly([]byte(tt.then), &slow)
			if (fastErr == nil) != (slowErr == nil) || fastErr == nil && !cmp.Equal(fast, slow) {
				t.Errorf("%v, %+v\nencoding/json: %v, %+v", fastErr, fast, slowErr, slow)
			}
		})
	}
}

func TestAllocatesNothing(t *testing.T) {
	events := [][]byte{[]byte(plainEvent), []byte(usageEvent), []byte(usageEvent), []byte(`{"choices":[{"text":"a\n","finish_reason":"stop"}]}`)}
	var d Decoder
	var f Facts
	if n := testing.AllocsPerRun(100, func() {
		for _, e := range events {
			if err := d.Decode(e, &f); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzDecode holds the scanner to encoding/json.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		f.Fatal("no captures", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		before := []byte("{}")
		for line := range bytes.Lines(raw) {
			if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && len(data) < 2000 {
				f.Add(before, bytes.TrimSpace(data))
				before = bytes.TrimSpace(data)
			}
		}
	}
	f.Add([]byte(usageEvent), []byte(`{"choices":[{"text":"\ud83d\ude00\ud800\u00e4"},{"delta":{"tool_calls":[{"function":{"name":"x"}}]}}],"usage":{"completion_tokens":1e1}}`))
	f.Add([]byte(`{"choices":[{"delta":{"reasoning":"a","content":""}}]}`), []byte(`{"choices":[{"delta":{"reasoning":"","content":"x"}}]}`))
	f.Add([]byte(plainEvent), []byte(`{"id":null,"object":"error","message":"m","code":"400","a":[-0.5e+7,true,false,{"":""}]}`))
	f.Fuzz(func(t *testing.T, before, data []byte) {
		if len(bytes.TrimSpace(data)) == 0 {
			return
		}
		var d Decoder
		_ = d.Decode(before, new(Facts)) // only for the form it leaves behind
		var fast, slow Facts
		fastErr, slowErr := d.Decode(data, &fast), decodeSlowly(data, &slow)
		if (fastErr == nil) != (slowErr == nil) {
			t.Fatalf("%q: %v, but encoding/json: %v", data, fastErr, slowErr)
		}
		if fastErr != nil {
			return
		}
		if len(fast.ID) == 0 {
			fast.ID = nil
		}
		if d := cmp.Diff(slow, fast); d != "" {
			t.Fatalf("%q\n%s", data, d)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for name, event := range map[string]string{"plain": plainEvent, "continuous": usageEvent} {
		data := []byte(event)
		var d Decoder
		for how, decode := range map[string]func([]byte, *Facts) error{
			"form":          d.Decode,
			"scan":          func(data []byte, f *Facts) error { return new(Decoder).Decode(data, f) },
			"encoding_json": decodeSlowly,
		} {
			b.Run(name+"/"+how, func(b *testing.B) {
				var f Facts
				b.ReportAllocs()
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					if err := decode(data, &f); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
