package wire

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Request is a request built to the last byte, so that sending it is one write.
// It may be sent more than once, but not by two calls at a time.
type Request struct {
	bytes []byte
	// Want is the media type that a good answer has, such as
	// "text/event-stream"; empty takes any. Another one ends in a call's error
	// of class content_type, with the first bytes of the body beside it.
	Want string
}

// Len is the size of the request in bytes, head and body.
func (r *Request) Len() int { return len(r.bytes) }

// NewRequest builds a request for target (path and query, beginning with "/")
// at the endpoint. Host, Content-Length and Accept-Encoding: identity are set
// by it. The error says which header can't be sent.
func NewRequest(e Endpoint, method, target string, header http.Header, body []byte) (*Request, error) {
	if !strings.HasPrefix(target, "/") {
		return nil, fmt.Errorf("build request: target %q doesn't begin with a slash", target)
	}
	u, err := url.Parse(e.URL.Scheme + "://" + e.URL.Host + target)
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	for name, values := range header {
		for _, v := range values {
			if !isToken(name) || !isFieldValue(v) {
				// The value may be a key, so it isn't shown.
				return nil, fmt.Errorf("build request: header %q has a name or value with characters that HTTP doesn't allow", name)
			}
		}
	}
	req := &http.Request{Method: method, URL: u, Host: e.URL.Host, Header: header.Clone(), ContentLength: int64(len(body)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Accept-Encoding", "identity")
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "hpcbench")
	}
	var buf bytes.Buffer
	buf.Grow(len(body) + 1024)
	req.Body = readCloser{bytes.NewReader(body)}
	if len(body) == 0 {
		req.Body = http.NoBody
	}
	write := req.Write
	if e.viaPlainProxy() {
		write = req.WriteProxy
		if auth := proxyAuth(e.Proxy); auth != "" {
			req.Header.Set("Proxy-Authorization", auth)
		}
	}
	if err := write(&buf); err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	return &Request{bytes: buf.Bytes()}, nil
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

func isFieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
