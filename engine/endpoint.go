package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Secret is a key that can't be printed by accident: every way of formatting
// it gives three stars. Reveal is for the one place that sends it.
type Secret string

const stars = "***"

func (s Secret) String() string   { return stars }
func (s Secret) GoString() string { return stars }

// Format writes stars for every verb; without it %x would print the bytes.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, stars) }

// MarshalText keeps it out of JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(stars), nil }

// Reveal is the key itself.
func (s Secret) Reveal() string { return string(s) }

// Endpoint is where a server answers.
type Endpoint struct {
	BaseURL string // without /v1 and without a slash at the end: http://127.0.0.1:8000
	Socket  string // a Unix socket's path; BaseURL's host is then only a name
	Key     Secret // sent as a bearer token where it isn't empty
}

// Loopback is a server on this machine.
func Loopback(port int, key Secret) Endpoint {
	return Endpoint{BaseURL: "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Key: key}
}

// OnSocket is a server on a Unix socket.
func OnSocket(path string, key Secret) Endpoint {
	return Endpoint{BaseURL: "http://localhost", Socket: path, Key: key}
}

// transport never uses a proxy: what is asked here runs on this node. Each
// question has a connection of its own, so that none is answered by a server
// that has gone meanwhile.
func (e Endpoint) transport() *http.Transport {
	t := &http.Transport{DisableKeepAlives: true}
	if e.Socket != "" {
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", e.Socket)
		}
	}
	return t
}

// maxAnswer bounds what is read of an answer in bytes; a /metrics page is about 50 KB.
const maxAnswer = 16 << 20

// StatusError is an answer with another status than 200.
type StatusError struct {
	Path string
	Code int
	Body string // its first line, at most 200 bytes
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("the server answered %s with status %d: %s", e.Path, e.Code, e.Body)
}

// Get asks for a path and returns the body of a 200. Another status is a *StatusError.
func (e Endpoint) Get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.BaseURL+path, nil)
	if err != nil {
		return nil, fmt.Errorf("ask the server for %s: %w", path, err)
	}
	if e.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.Key.Reveal())
	}
	client := http.Client{Transport: e.transport(), Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a key isn't carried elsewhere
	}}
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the server for %s: %w", path, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the server's answer to %s: %w", path, err)
	}
	if res.StatusCode != http.StatusOK {
		first, _, _ := strings.Cut(string(body), "\n")
		return nil, &StatusError{Path: path, Code: res.StatusCode, Body: fmt.Sprintf("%.200s", first)}
	}
	return body, nil
}

// Models asks /v1/models, which every server with an OpenAI API has.
func (e Endpoint) Models(ctx context.Context) ([]Identity, error) {
	body, err := e.Get(ctx, "/v1/models")
	if err != nil {
		return nil, err
	}
	return parseModels(body)
}

func parseModels(body []byte) ([]Identity, error) {
	var list struct {
		Data []struct {
			ID          string `json:"id"`
			Root        string `json:"root"`
			OwnedBy     string `json:"owned_by"`
			MaxModelLen int    `json:"max_model_len"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("read the server's /v1/models: %w", err)
	}
	models := make([]Identity, len(list.Data))
	for i, m := range list.Data {
		models[i] = Identity{ServedModel: m.ID, Root: m.Root, OwnedBy: m.OwnedBy, MaxModelLen: m.MaxModelLen}
	}
	return models, nil
}
