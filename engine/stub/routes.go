package stub

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// newID makes an answer's id as vLLM does.
func newID(chat bool) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	if chat {
		return "chatcmpl-" + hex.EncodeToString(b[:])
	}
	return "cmpl-" + hex.EncodeToString(b[:])
}

// route answers what can be answered at once and parses completions.
func (s *Server) route(req *http.Request, raw []byte) reply {
	path := req.URL.Path
	if !s.allowed(path, req) {
		return reply{status: 401, kind: kindJSON, body: []byte(`{"error":"Unauthorized"}`), noVary: true}
	}
	method, known := methods[path]
	switch {
	case !known:
		return detail(404, "Not Found", "")
	case !strings.Contains(method, req.Method):
		return detail(405, "Method Not Allowed", method)
	}
	if kind, _, _ := strings.Cut(req.Header.Get("Content-Type"), ";"); method == http.MethodPost && !strings.EqualFold(strings.TrimSpace(kind), kindJSON) {
		return failed(&apiError{status: 400, kind: "Bad Request", message: "1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed"})
	}
	switch path {
	case "/health":
		if s.engine.isDead() {
			return reply{status: 503}
		}
		return reply{status: 200}
	case "/ping":
		return reply{status: 200}
	case "/version":
		return json200(map[string]string{"version": Version})
	case "/load":
		return json200(map[string]int{"server_load": 0})
	case "/metrics":
		return s.metrics()
	case "/v1/models":
		return json200(s.models(time.Now()))
	case "/tokenize":
		return s.tokenize(raw)
	case "/detokenize":
		return s.detokenize(raw)
	case "/v1/chat/completions":
		return s.completion(raw, true)
	case "/v1/completions":
		return s.completion(raw, false)
	}
	// /invocations makes whichever completion the body looks like, and asks for no key.
	return s.completion(raw, bytes.Contains(raw, []byte(`"messages"`)))
}

var methods = map[string]string{
	"/health": http.MethodGet, "/ping": "GET, POST", "/version": http.MethodGet, "/load": http.MethodGet, "/metrics": http.MethodGet,
	"/v1/models": http.MethodGet, "/tokenize": http.MethodPost, "/detokenize": http.MethodPost,
	"/v1/chat/completions": http.MethodPost, "/v1/completions": http.MethodPost, "/invocations": http.MethodPost,
}

// allowed checks the key where vLLM asks for one: everything under /v1 and /inference, and nothing else.
func (s *Server) allowed(path string, req *http.Request) bool {
	guarded := strings.HasPrefix(path, "/v1") || strings.HasPrefix(path, "/inference")
	if s.cfg.APIKey == "" || !guarded {
		return true
	}
	scheme, key, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "bearer") && subtle.ConstantTimeCompare([]byte(key), []byte(s.cfg.APIKey)) == 1
}

func detail(status int, words, allow string) reply {
	return reply{status: status, kind: kindJSON, body: marshal(map[string]string{"detail": words}), allow: allow}
}

func json200(v any) reply { return reply{status: 200, kind: kindJSON, body: marshal(v)} }

func failed(err *apiError) reply { return reply{status: err.status, kind: kindJSON, body: err.body()} }

func (s *Server) metrics() reply {
	text, err := s.engine.metrics(s.started)
	if err != nil {
		return reply{status: 500, kind: "text/plain; charset=utf-8", body: []byte(err.Error())}
	}
	return reply{status: 200, kind: "text/plain; version=1.0.0; charset=utf-8", body: text}
}

func (s *Server) completion(raw []byte, chat bool) reply {
	a, err := s.cfg.parseAsk(raw, chat)
	if err != nil {
		return failed(err)
	}
	return reply{ask: a}
}

type modelPermission struct {
	ID         string  `json:"id"`
	Object     string  `json:"object"`
	Created    int64   `json:"created"`
	Create     bool    `json:"allow_create_engine"`
	Sampling   bool    `json:"allow_sampling"`
	Logprobs   bool    `json:"allow_logprobs"`
	Search     bool    `json:"allow_search_indices"`
	View       bool    `json:"allow_view"`
	FineTuning bool    `json:"allow_fine_tuning"`
	Organise   string  `json:"organization"`
	Group      *string `json:"group"`
	IsBlocking bool    `json:"is_blocking"`
}

type modelCard struct {
	ID          string            `json:"id"`
	Object      string            `json:"object"`
	Created     int64             `json:"created"`
	OwnedBy     string            `json:"owned_by"`
	Root        string            `json:"root"`
	Parent      *string           `json:"parent"`
	MaxModelLen int               `json:"max_model_len"`
	Permission  []modelPermission `json:"permission"`
}

type modelList struct {
	Object string      `json:"object"`
	Data   []modelCard `json:"data"`
}

func (s *Server) models(now time.Time) modelList {
	at := now.Unix()
	return modelList{Object: "list", Data: []modelCard{{ID: s.cfg.Model, Object: "model", Created: at, OwnedBy: Owner, Root: s.cfg.Root,
		MaxModelLen: s.cfg.MaxModelLen, Permission: []modelPermission{{ID: "modelperm-" + strings.TrimPrefix(newID(false), "cmpl-"),
			Object: "model_permission", Created: at, Sampling: true, Logprobs: true, View: true, Organise: "*"}}}}}
}

type tokenized struct {
	Count       int       `json:"count"`
	MaxModelLen int       `json:"max_model_len"`
	Tokens      []int     `json:"tokens"`
	Strings     *[]string `json:"token_strs"`
}

func (s *Server) tokenize(raw []byte) reply {
	var b struct {
		Model    *string      `json:"model"`
		Prompt   *string      `json:"prompt"`
		Messages []rawMessage `json:"messages"`
		Open     *bool        `json:"add_generation_prompt"`
		Strings  bool         `json:"return_token_strs"`
	}
	if err := decodeBody(raw, &b); err != nil {
		return failed(err)
	}
	if b.Model != nil && *b.Model != s.cfg.Model {
		return failed(noModel(*b.Model, s.cfg.Model))
	}
	out := tokenized{MaxModelLen: s.cfg.MaxModelLen, Tokens: []int{}}
	switch {
	case b.Messages != nil:
		messages, err := plainMessages(b.Messages)
		if err != nil {
			return failed(err)
		}
		out.Tokens = encodeChat(messages, b.Open == nil || *b.Open)
	case b.Prompt != nil:
		out.Tokens = encode(*b.Prompt, out.Tokens)
	default:
		return failed(badField("body.prompt", "missing", "Field required", "<dict>"))
	}
	out.Count = len(out.Tokens)
	if b.Strings {
		texts := make([]string, len(out.Tokens))
		for i, id := range out.Tokens {
			texts[i] = decode([]int{id})
		}
		out.Strings = &texts
	}
	return json200(out)
}

func (s *Server) detokenize(raw []byte) reply {
	var b struct {
		Model  *string         `json:"model"`
		Tokens json.RawMessage `json:"tokens"`
	}
	if err := decodeBody(raw, &b); err != nil {
		return failed(err)
	}
	if b.Model != nil && *b.Model != s.cfg.Model {
		return failed(noModel(*b.Model, s.cfg.Model))
	}
	var ids []int
	if json.Unmarshal(b.Tokens, &ids) != nil {
		return failed(badField("body.tokens", "list_type", "Input should be a valid list", "<tokens>"))
	}
	for _, id := range ids {
		if id < 0 || id >= vocabulary {
			return failed(badRequest("", "Token id is out of vocabulary"))
		}
	}
	return json200(map[string]string{"prompt": decode(ids)})
}
