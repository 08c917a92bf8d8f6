package stub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const captures = "testdata/vllm-0.32.0"

// The engine that was captured had this name, key and limit.
var capturedConfig = Config{Model: "tiny", Root: "$DIR", APIKey: "K", MaxModelLen: 4096}

// capturedHead is the head of a capture, which was kept with plain line ends.
func capturedHead(t *testing.T, name string) (status string, headers []string, body string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(captures, name))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(raw), "\r\n", "\n")
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	return lines[0], lines[1:], body
}

// names are the header names; the stub adds its mark and says close where the test asked for it.
func names(headers []string) []string {
	var out []string
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == SimulatedHeader || name == "connection" {
			continue
		}
		if name == "content-type" || name == "vary" || name == "allow" || name == "transfer-encoding" {
			name += ": " + value
		}
		out = append(out, name)
	}
	return out
}

// shape replaces each value of a JSON text by its kind and keeps the keys in order.
func shape(text string) (string, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	var b strings.Builder
	var walk func() error
	walk = func() error {
		tok, err := dec.Token()
		if err != nil {
			return err
		}
		switch v := tok.(type) {
		case json.Delim:
			b.WriteString(v.String())
			for dec.More() {
				if v == '{' {
					key, err := dec.Token()
					if err != nil {
						return err
					}
					fmt.Fprintf(&b, "%v:", key)
				}
				if err := walk(); err != nil {
					return err
				}
				b.WriteString(",")
			}
			end, err := dec.Token()
			if err != nil {
				return err
			}
			b.WriteString(end.(json.Delim).String())
		case nil:
			b.WriteString("null")
		default:
			fmt.Fprintf(&b, "%T", v)
		}
		return nil
	}
	if err := walk(); err != nil {
		return "", err
	}
	out := b.String()
	// Lists of ids differ in length only.
	for strings.Contains(out, "float64,float64,") {
		out = strings.ReplaceAll(out, "float64,float64,", "float64,")
	}
	return out, nil
}

// shapes are those of a stream's events, with runs of equal ones as one.
func shapes(t *testing.T, body string) []string {
	t.Helper()
	var out []string
	for _, d := range dataLines(body) {
		if d == "[DONE]" {
			out = append(out, d)
			continue
		}
		s, err := shape(d)
		if err != nil {
			t.Fatalf("%v in %s", err, d)
		}
		out = append(out, s)
	}
	return slices.Compact(out)
}

const ids9 = `[42,71,362,81,14,578,491,2047,16]`

var contract = []struct {
	file, method, path, key, body string
	exact                         bool // the body is the same bytes
}{
	{"health.http", "GET", "/health", "", "", true},
	{"ping.http", "GET", "/ping", "", "", true},
	{"load.http", "GET", "/load", "", "", true},
	{"version.http", "GET", "/version", "", "", false},
	{"models.http", "GET", "/v1/models", "K", "", false},
	{"models-no-key.http", "GET", "/v1/models", "", "", true},
	{"models-wrong-key.http", "GET", "/v1/models", "wrong", "", true},
	{"err-no-key.http", "POST", "/v1/completions", "", `{"model":"tiny","prompt":"a"}`, true},
	{"tokenize.http", "POST", "/tokenize", "K", `{"model":"tiny","prompt":"Hello, world!"}`, false},
	{"tokenize-nokey.http", "POST", "/tokenize", "", `{"model":"tiny","prompt":"Hello, world!"}`, false},
	{"tokenize-chat.http", "POST", "/tokenize", "", `{"model":"tiny","messages":[{"role":"user","content":"Hello"}]}`, false},
	{"detokenize.http", "POST", "/detokenize", "", `{"model":"tiny","tokens":[42,71]}`, false},
	{"completions-nonstream.http", "POST", "/v1/completions", "K", `{"model":"tiny","prompt":` + ids9 + `,"max_tokens":8}`, false},
	{"unknown-field-ignored.http", "POST", "/v1/completions", "K", `{"model":"tiny","prompt":"a","max_tokens":1,"nonsense":{"a":1}}`, false},
	{"chat-nonstream.http", "POST", "/v1/chat/completions", "K", `{"model":"tiny","messages":[{"role":"user","content":"Hello"}],"max_tokens":6}`, false},
	{"completions-stream-plain.http", "POST", "/v1/completions", "K", `{"model":"tiny","prompt":` + ids9 + `,"max_tokens":4,"stream":true}`, false},
	{"completions-stream-include-usage.http", "POST", "/v1/completions", "K", `{"model":"tiny","prompt":` + ids9 + `,"max_tokens":4,"stream":true,"stream_options":{"include_usage":true}}`, false},
	{"completions-stream-continuous-usage.http", "POST", "/v1/completions", "K", `{"model":"tiny","prompt":` + ids9 + `,"max_tokens":8,"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}}`, false},
	{"completions-max-tokens-1.http", "POST", "/v1/completions", "K", `{"model":"tiny","prompt":` + ids9 + `,"max_tokens":1,"stream":true,"stream_options":{"include_usage":true}}`, false},
	{"completions-return-token-ids.http", "POST", "/v1/completions", "K", `{"model":"tiny","prompt":` + ids9 + `,"max_tokens":4,"stream":true,"return_token_ids":true,"stream_options":{"include_usage":true}}`, false},
	{"chat-stream-include-usage.http", "POST", "/v1/chat/completions", "K", `{"model":"tiny","messages":[{"role":"user","content":"Hello"}],"max_tokens":6,"stream":true,"stream_options":{"include_usage":true}}`, false},
	{"chat-stream-continuous-usage.http", "POST", "/v1/chat/completions", "K", `{"model":"tiny","messages":[{"role":"user","content":"Hello"}],"max_tokens":6,"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}}`, false},
	{"err-bad-field.http", "POST", "/v1/completions", "K", `{"model":"tiny","prompt":"a","max_tokens":"many"}`, true},
	{"err-bad-json.http", "POST", "/v1/completions", "K", `{"model":}`, true},
	{"err-max-tokens-0.http", "POST", "/v1/completions", "K", `{"model":"tiny","prompt":"a","max_tokens":0}`, true},
	{"err-min-gt-max.http", "POST", "/v1/completions", "K", `{"model":"tiny","prompt":"a","max_tokens":2,"min_tokens":5}`, true},
	{"err-temperature.http", "POST", "/v1/completions", "K", `{"model":"tiny","prompt":"a","temperature":-1}`, true},
	{"err-wrong-model.http", "POST", "/v1/completions", "K", `{"model":"nope","prompt":"a"}`, true},
	{"err-unknown-path.http", "GET", "/nothing", "K", "", true},
	{"err-method.http", "GET", "/v1/completions", "K", "", true},
	{"err-prompt-too-long-ids.http", "POST", "/v1/completions", "K", `{"model":"tiny","prompt":[` + strings.Repeat("300,", 4099) + `300]}`, true},
	{"err-chat-too-long.http", "POST", "/v1/chat/completions", "K", `{"model":"tiny","messages":[{"role":"user","content":"` + strings.Repeat("word ", 5000) + `"}]}`, true},
}

// The stub answers in the shape of the bytes that a real engine sent: status
// line, header names in their order, JSON keys in theirs, order of events; and
// with the same bytes where nothing depends on time or text.
func TestAnswersAreShapedAsTheEngines(t *testing.T) {
	s := started(t, capturedConfig)
	for _, c := range contract {
		t.Run(strings.TrimSuffix(c.file, ".http"), func(t *testing.T) {
			status, headers, body := capturedHead(t, c.file)
			raw := call(t, s, c.method, c.path, c.key, c.body)
			if !strings.Contains(raw, "\r\n"+SimulatedHeader+": 1\r\n") {
				t.Error("the answer isn't marked as simulated")
			}
			sameShape(t, raw, status, headers, body, c.exact)
		})
	}
}

// sameShape compares an answer of the stub with an engine's.
func sameShape(t *testing.T, raw, wantStatus string, wantHeaders []string, wantBody string, exact bool) {
	t.Helper()
	head, _, _ := strings.Cut(raw, "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	if lines[0] != wantStatus {
		t.Errorf("status line %q, the engine's is %q", lines[0], wantStatus)
	}
	if got, want := names(lines[1:]), names(wantHeaders); !slices.Equal(got, want) {
		t.Errorf("headers\n%q, the engine's\n%q", got, want)
	}
	_, body := parsed(t, raw)
	switch {
	case exact:
		if strings.TrimRight(body, "\n") != strings.TrimRight(wantBody, "\n") {
			t.Errorf("body\n%s\nthe engine's\n%s", body, wantBody)
		}
	case strings.Contains(wantBody, "data: "):
		if got, want := shapes(t, body), shapes(t, wantBody); !slices.Equal(got, want) {
			t.Errorf("events\n%s\nthe engine's\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	default:
		got, err := shape(body)
		if err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		want, err := shape(wantBody)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("body\n%s\nthe engine's\n%s", got, want)
		}
	}
}

func TestOutOfVocabulary(t *testing.T) {
	s := started(t, capturedConfig)
	_, _, want := capturedHead(t, "err-token-id-out-of-vocab.http")
	want = strings.ReplaceAll(want, "5000", "99999999")
	res, got := parsed(t, call(t, s, "POST", "/v1/completions", "K", `{"model":"tiny","prompt":[99999999]}`))
	if res.StatusCode != 400 || got != strings.TrimSpace(want) {
		t.Errorf("%d %s\nwant %s", res.StatusCode, got, want)
	}
}

// Words that the same engine was heard to say when it was asked again by hand.
func TestFurtherRefusals(t *testing.T) {
	s := started(t, capturedConfig)
	for _, c := range []struct{ path, body, want string }{
		{"/v1/completions", `{"model":"tiny","max_tokens":5,"prompt":[` + strings.Repeat("300,", 4095) + `300]}`,
			`{"error":{"message":"max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)","type":"BadRequestError","param":"max_tokens","code":400}}`},
		{"/v1/chat/completions", `{"model":"tiny","max_tokens":5000,"messages":[{"role":"user","content":"a"}]}`,
			`{"error":{"message":"max_tokens=5000 cannot be greater than max_model_len=4096. Please request fewer output tokens. (parameter=max_tokens, value=5000)","type":"BadRequestError","param":"max_tokens","code":400}}`},
		{"/v1/completions", `{"model":"tiny","prompt":"","max_tokens":2}`,
			`{"error":{"message":"Either prompt or prompt_embeds must be provided and non-empty. (parameter=prompt)","type":"BadRequestError","param":"prompt","code":400}}`},
		{"/v1/chat/completions", `{"model":"tiny","max_tokens":2}`,
			`{"error":{"message":"1 validation error:\n  {'type': 'missing', 'loc': 'body.messages', 'msg': 'Field required', 'input': '<dict of 2 items>'}","type":"Bad Request","param":"body.messages","code":400}}`},
		{"/v1/chat/completions", `{"model":"tiny","max_tokens":2,"messages":[]}`,
			`{"error":{"message":"Cannot apply chat template to an empty conversation. Provide at least one message.","type":"BadRequestError","param":null,"code":400}}`},
		{"/v1/chat/completions", `{"model":"tiny","max_completion_tokens":0,"messages":[{"role":"user","content":"a"}]}`,
			`{"error":{"message":"max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)","type":"BadRequestError","param":"max_tokens","code":400}}`},
	} {
		if res, got := parsed(t, call(t, s, "POST", c.path, "K", c.body)); res.StatusCode != 400 || got != c.want {
			t.Errorf("%.60s: %d %s\nwant %s", c.body, res.StatusCode, got, c.want)
		}
	}
}

// The output is cut at the context's end without a word.
func TestSilentCut(t *testing.T) {
	s := started(t, capturedConfig)
	_, body := parsed(t, call(t, s, "POST", "/v1/completions", "K",
		`{"model":"tiny","max_tokens":100,"stream":true,"prompt":[`+strings.Repeat("300,", 4089)+`300]}`))
	_, _, want := capturedHead(t, "prompt-4090-max-tokens-100-clamped.http")
	if got, want := len(dataLines(body)), len(dataLines(want)); got != want {
		t.Errorf("%d events, the engine sent %d", got, want)
	}
	if got, want := shapes(t, body), shapes(t, want); !slices.Equal(got, want) {
		t.Errorf("events %q, the engine's %q", got, want)
	}
}

func TestRefusalsHaveTheEnginesBytes(t *testing.T) {
	_, _, body := capturedHead(t, "err-503-queue-full.http")
	if got := string(errBusy.body()); got != strings.TrimSpace(body) {
		t.Errorf("503 body %s, the engine's %s", got, body)
	}
	raw, err := os.ReadFile(filepath.Join(captures, "overload-stream-http200-error-event.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(raw), errBusy.event()) {
		t.Errorf("event %q, the engine's %q", errBusy.event(), raw)
	}
	raw, err = os.ReadFile(filepath.Join(captures, "kill9-enginecore-tail.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), errDead.event()+"data: [DONE]\n") {
		t.Errorf("event %q isn't in the engine's", errDead.event())
	}
}

// A body that isn't declared as JSON is refused, in the words that the engine used.
func TestMediaType(t *testing.T) {
	s := started(t, Config{})
	res, err := http.Post(s.URL()+"/v1/completions", "text/plain", strings.NewReader(`{"prompt":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	want := `{"error":{"message":"1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed","type":"Bad Request","param":null,"code":400}}`
	if err != nil || res.StatusCode != 400 || string(body) != want {
		t.Errorf("%d %s %v", res.StatusCode, body, err)
	}
}
