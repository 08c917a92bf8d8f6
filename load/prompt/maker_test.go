package prompt

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"hpcbench/engine/stub"
	"hpcbench/load/endpoint"
	"hpcbench/results"
)

func plan() results.Plan {
	return results.Plan{
		Kind: results.KindRate, Seed: 7,
		Prompt:  results.PromptPlan{Source: results.SourceSynthetic, Tokens: 200},
		Output:  results.OutputPlan{Distribution: results.DistNormal, Tokens: 200, SD: 10, Min: 180, Max: 220},
		Request: results.RequestPlan{API: "chat"},
	}
}

func stubServer(t *testing.T) endpoint.Endpoint {
	t.Helper()
	s, err := stub.Start(stub.Config{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return at(t, s.URL())
}

func at(t *testing.T, text string) endpoint.Endpoint {
	t.Helper()
	u, err := endpoint.ParseURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return endpoint.Endpoint{URL: u, Model: "m"}
}

func newMaker(t *testing.T, o Options) *Maker {
	t.Helper()
	m, err := New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// usage asks the server what it counts for a prompt.
func usage(t *testing.T, e endpoint.Endpoint, p Prompt) int {
	t.Helper()
	turns := make([]chatMessage, len(p.Messages))
	for i, m := range p.Messages {
		turns[i] = chatMessage(m)
	}
	var answer struct {
		Usage struct {
			PromptTokens int `json:"prompt_tokens"`
		} `json:"usage"`
	}
	err := e.Post(context.Background(), e.Client(), "/v1/chat/completions",
		map[string]any{"model": e.Model, "messages": turns, "max_tokens": 1}, &answer)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Usage.PromptTokens
}

func TestPromptsHaveExactlyTheTokensAskedFor(t *testing.T) {
	e := stubServer(t)
	m := newMaker(t, Options{Plan: plan(), Repeat: 1, Salt: "a", Endpoint: e})
	c := m.Calibration()
	if c.Method != MethodTokenize || c.Note != "" || c.TemplateTokens < 1 || c.FrontTokens < 1 {
		t.Errorf("%+v", c)
	}
	texts := map[string]bool{}
	for seq, tokens := range []int{1, 2, 3, 7, 20, 64, 200, 200, 200, 201, 1000, 5000} {
		p := m.Make(results.Step{PromptTokens: tokens}, seq, seq)
		if got := usage(t, e, p) - c.TemplateTokens; got != p.Tokens || tokens >= 20 && got != tokens {
			t.Errorf("asked for %d, made %d, the server counts %d", tokens, p.Tokens, got)
		}
		texts[p.Text()] = true
	}
	if len(texts) < 9 {
		t.Errorf("only %d different texts", len(texts))
	}
}

func TestSameSeedGivesSameLengthsAndAnotherSaltOtherText(t *testing.T) {
	e := stubServer(t)
	a := newMaker(t, Options{Plan: plan(), Repeat: 1, Salt: "a", Endpoint: e})
	b := newMaker(t, Options{Plan: plan(), Repeat: 1, Salt: "b", Endpoint: e})
	other := newMaker(t, Options{Plan: plan(), Repeat: 2, Salt: "a", Endpoint: e})
	same, differ := 0, 0
	sum, squares := 0., 0.
	const n = 2000
	for i := range n {
		_, out := a.Lengths(results.Step{Index: 3}, i)
		_, outB := b.Lengths(results.Step{Index: 3}, i)
		_, outOther := other.Lengths(results.Step{Index: 3}, i)
		if out != outB {
			t.Fatalf("request %d asks for %d and %d tokens", i, out, outB)
		}
		if out < 180 || out > 220 {
			t.Fatalf("%d tokens asked for", out)
		}
		if out == outOther {
			same++
		} else {
			differ++
		}
		sum += float64(out)
		squares += float64(out * out)
	}
	mean := sum / n
	if sd := math.Sqrt(squares/n - mean*mean); math.Abs(mean-199.5) > 1 || math.Abs(sd-9) > 1 || differ < same {
		t.Errorf("mean %.1f, sd %.1f; %d of %d lengths are those of another repeat", mean, sd, same, n)
	}
	textA, textB := a.Make(results.Step{}, 0, 5).Text(), b.Make(results.Step{}, 0, 5).Text()
	if textA == textB || textA != a.Make(results.Step{}, 0, 5).Text() {
		t.Error("the salt doesn't make the text")
	}
	if common := len(commonPrefix(textA, textB)); common > 40 {
		t.Errorf("two attempts share %d bytes: %q", common, textA[:common])
	}
}

func commonPrefix(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

func TestSharedPromptIsTheSameForEveryRequest(t *testing.T) {
	p := plan()
	p.Prompt.Shared = true
	m := newMaker(t, Options{Plan: p, Repeat: 1, Salt: "a", Endpoint: stubServer(t)})
	if m.Make(results.Step{}, 0, 1).Text() != m.Make(results.Step{}, 5, 9).Text() {
		t.Error("two requests have different texts")
	}
}

func TestCountsAreKeptByTokenizer(t *testing.T) {
	e := stubServer(t)
	dir := filepath.Join(t.TempDir(), "cache")
	first := newMaker(t, Options{Plan: plan(), Endpoint: e, CacheDir: dir})
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	var asked atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		resp, err := http.Post(e.URL.Route(r.URL.Path), "application/json", r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		w.WriteHeader(resp.StatusCode)
		io.Copy(w, resp.Body)
	}))
	defer proxy.Close()
	second := newMaker(t, Options{Plan: plan(), Endpoint: at(t, proxy.URL), CacheDir: dir})
	if n := asked.Load(); n > 20 {
		t.Errorf("%d questions though the words were counted before", n)
	}
	if first.Make(results.Step{}, 0, 0).Text() != second.Make(results.Step{}, 0, 0).Text() {
		t.Error("the cached counts make other texts")
	}
}

// gateway has chat completions and nothing else. tokens counts a word.
func gateway(t *testing.T, template int, tokens func(word string) int) endpoint.Endpoint {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		var body struct {
			Messages  []chatMessage `json:"messages"`
			MaxTokens int           `json:"max_tokens"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.MaxTokens != 1 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		n := template
		for word := range strings.FieldsSeq(body.Messages[0].Content) {
			n += tokens(strings.Trim(word, ",."))
		}
		fmt.Fprintf(w, `{"usage":{"prompt_tokens":%d}}`, n)
	}))
	t.Cleanup(srv.Close)
	return at(t, srv.URL)
}

func TestProbesFindWordsOfOneToken(t *testing.T) {
	// Words of more than five letters have two tokens: some groups hold none.
	e := gateway(t, 9, func(w string) int {
		if len(w) > 7 {
			return 2
		}
		return 1
	})
	m := newMaker(t, Options{Plan: plan(), Endpoint: e, Salt: "s"})
	c := m.Calibration()
	if c.Method != MethodProbe || c.TemplateTokens != 9 || c.Note == "" {
		t.Fatalf("%+v", c)
	}
	for seq := range 5 {
		p := m.Make(results.Step{}, seq, seq)
		if got := usage(t, e, p) - 9; got != 200 || p.Tokens != 200 {
			t.Errorf("%d tokens, recorded %d", got, p.Tokens)
		}
	}
}

func TestProbesEstimateWhereNoWordIsOneToken(t *testing.T) {
	e := gateway(t, 9, func(w string) int { return 1 + len(w)%3 })
	m := newMaker(t, Options{Plan: plan(), Endpoint: e, Salt: "s"})
	if c := m.Calibration(); c.Method != MethodEstimate || !strings.Contains(c.Note, "average") {
		t.Fatalf("%+v", c)
	}
	sum := 0
	const n = 40
	for seq := range n {
		sum += usage(t, e, m.Make(results.Step{}, seq, seq)) - 9
	}
	if mean := float64(sum) / n; math.Abs(mean/200-1) > 0.02 {
		t.Errorf("the mean length is %.1f", mean)
	}
}

func TestDatasetIsCutToTheLengthAsked(t *testing.T) {
	e := stubServer(t)
	path := filepath.Join(t.TempDir(), "chats.json")
	long := strings.Repeat("Tell me, please, what is written in the naïve book of the 12 kings?  ", 20)
	chats := []map[string]any{}
	for i := range 30 {
		chats = append(chats, map[string]any{"id": fmt.Sprint(i), "conversations": []map[string]string{
			{"from": "human", "value": fmt.Sprintf("%d. %s", i, long)}, {"from": "gpt", "value": "It is written so."}}})
	}
	chats = append(chats, map[string]any{"id": "short", "conversations": []map[string]string{{"from": "human", "value": "Hi"}}})
	b, _ := json.Marshal(chats)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	p := plan()
	p.Prompt = results.PromptPlan{Source: results.SourceShareGPT, File: path, Tokens: 200}
	p.Output = results.OutputPlan{Distribution: results.DistDataset}
	m := newMaker(t, Options{Plan: p, Repeat: 1, Salt: "s", Endpoint: e})
	if len(m.entries) != 30 {
		t.Errorf("%d entries, the short one must be left out", len(m.entries))
	}
	template := m.Calibration().TemplateTokens
	exact := 0
	for seq := range 20 {
		made := m.Make(results.Step{}, seq, seq)
		got := usage(t, e, made) - template
		if got != made.Tokens {
			t.Errorf("recorded %d, the server counts %d", made.Tokens, got)
		}
		if got == 200 {
			exact++
		}
		if made.OutputTokens < 5 || made.OutputTokens > 12 {
			t.Errorf("%d output tokens for a short answer", made.OutputTokens)
		}
	}
	if exact < 18 {
		t.Errorf("only %d of 20 have 200 tokens", exact)
	}

	p.Prompt.Tokens = 0
	whole := newMaker(t, Options{Plan: p, Repeat: 1, Salt: "s", Endpoint: e})
	made := whole.Make(results.Step{}, 4, 4)
	if got := usage(t, e, made) - template; got != made.Tokens || len(whole.entries) != 31 {
		t.Errorf("as in the data set: recorded %d, counted %d, %d entries", made.Tokens, got, len(whole.entries))
	}

	p.Prompt.Tokens = 5000
	if _, err := New(context.Background(), Options{Plan: p, Endpoint: e}); err == nil || !strings.Contains(err.Error(), "5000") {
		t.Errorf("no prompt is long enough: %v", err)
	}
}

func TestConversationsKeepTheirSystemMessage(t *testing.T) {
	e := stubServer(t)
	path := filepath.Join(t.TempDir(), "p.jsonl")
	os.WriteFile(path, []byte(`{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Why is it so?"}]}`), 0o600)
	p := plan()
	p.Prompt = results.PromptPlan{Source: results.SourceJSONL, File: path}
	m := newMaker(t, Options{Plan: p, Repeat: 1, Salt: "s", Endpoint: e})
	made := m.Make(results.Step{}, 0, 0)
	if len(made.Messages) != 2 || !strings.HasSuffix(made.Messages[0].Content, " Be brief.") || made.Messages[1].Content != "Why is it so?" {
		t.Errorf("%+v", made.Messages)
	}
	if again := m.Make(results.Step{}, 0, 1); again.Messages[0].Content == made.Messages[0].Content {
		t.Error("two requests share the salt")
	}
	if got := usage(t, e, made); got-made.Tokens < 1 || got-made.Tokens > 30 {
		t.Errorf("recorded %d, with the template %d", made.Tokens, got)
	}
}

func TestOutputDistributions(t *testing.T) {
	for _, c := range []struct {
		o    results.OutputPlan
		low  int
		high int
	}{
		{results.OutputPlan{Distribution: results.DistFixed, Tokens: 50}, 50, 50},
		{results.OutputPlan{Distribution: results.DistUniform, Min: 10, Max: 13}, 10, 13},
		{results.OutputPlan{Distribution: results.DistNormal, Tokens: 800, SD: 100, Min: 50, Max: 800}, 400, 800},
		{results.OutputPlan{Distribution: results.DistNormal, Tokens: 1, SD: 50}, 1, 300},
	} {
		p := plan()
		p.Output = c.o
		seen := map[int]bool{}
		for i := range 500 {
			n := OutputTokens(p, 1, 0, i)
			seen[n] = true
			if n < c.low || n > c.high {
				t.Fatalf("%+v gives %d", c.o, n)
			}
		}
		if c.o.Distribution == results.DistUniform && len(seen) != 4 {
			t.Errorf("uniform gives %d values of 4", len(seen))
		}
	}
}
