package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Endpoint is one server. The zero Key is no key.
type Endpoint struct {
	URL     URL
	Socket  string // a Unix socket's path; then URL's host is only a name
	Key     string
	Model   string            // the served model's name
	Headers map[string]string // sent with everything, the questions here included
}

// maxAnswer bounds what is read of an answer to a question.
const maxAnswer = 64 << 20

// Client makes a client for questions: HTTP/1.1 and 2, TLS verified, the
// environment's proxy for servers that aren't local, no redirects (they would
// carry the key elsewhere).
func (e Endpoint) Client() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	t := &http.Transport{
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     30 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
	}
	if e.Socket != "" {
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", e.Socket)
		}
	} else if !e.URL.Local() {
		t.Proxy = http.ProxyFromEnvironment
	}
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// StatusError is an answer with another status than 200.
type StatusError struct {
	Route  string
	Status int
	Words  string // the first line of the body
}

// Error gives the route, the status and the server's words.
func (e *StatusError) Error() string {
	if e.Words == "" {
		return fmt.Sprintf("%s answered %d", e.Route, e.Status)
	}
	return fmt.Sprintf("%s answered %d: %s", e.Route, e.Status, e.Words)
}

// Get asks a route and decodes its JSON into v. The error is a *StatusError
// where the status isn't 200.
func (e Endpoint) Get(ctx context.Context, c *http.Client, route string, v any) error {
	return e.ask(ctx, c, http.MethodGet, route, nil, v)
}

// Post sends v as JSON and decodes the answer into answer.
func (e Endpoint) Post(ctx context.Context, c *http.Client, route string, v, answer any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the question to %s: %w", route, err)
	}
	return e.ask(ctx, c, http.MethodPost, route, body, answer)
}

func (e Endpoint) ask(ctx context.Context, c *http.Client, method, route string, body []byte, v any) error {
	req, err := http.NewRequestWithContext(ctx, method, e.URL.Route(route), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask %s: %w", route, err)
	}
	for name, value := range e.Headers {
		req.Header.Set(name, value)
	}
	if e.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.Key)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.Do(req)
	if err != nil {
		return fmt.Errorf("ask %s: %w", e.URL.Route(route), err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		head, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return &StatusError{Route: e.URL.Route(route), Status: resp.StatusCode, Words: FirstLine(head)}
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(v); err != nil {
		return fmt.Errorf("%s answered something else than the JSON expected: %w", e.URL.Route(route), err)
	}
	return nil
}

// FirstLine is what to show of an error body: the message of an error object
// where there is one, else the first line, at most 200 bytes and printable.
func FirstLine(body []byte) string {
	var object struct {
		Error   json.RawMessage `json:"error"`
		Detail  string          `json:"detail"`
		Message string          `json:"message"`
	}
	text := string(body)
	if json.Unmarshal(body, &object) == nil {
		var inner struct {
			Message string `json:"message"`
		}
		var plain string
		switch {
		case json.Unmarshal(object.Error, &inner) == nil && inner.Message != "":
			text = inner.Message
		case json.Unmarshal(object.Error, &plain) == nil && plain != "":
			text = plain
		case object.Detail != "":
			text = object.Detail
		case object.Message != "":
			text = object.Message
		}
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most-3], "") + "…"
	}
	return text
}
