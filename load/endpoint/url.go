package endpoint

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// URL is the base of an OpenAI-compatible server: scheme, host and the prefix
// in front of /v1, without a slash at its end.
type URL struct{ base *url.URL }

// endings are what people copy together with the base.
var endings = []string{"/v1/chat/completions", "/v1/completions", "/v1/models", "/v1"}

// ParseURL understands a base as users mean it: https://host, with a prefix
// (https://host/lumi/), with /v1, or the whole path of a route; the prefix is
// kept. Without a scheme it is http for addresses of this machine, else an
// error. Names, passwords, queries and fragments are refused: a key in a URL
// would end up in logs.
func ParseURL(text string) (URL, error) {
	full := text
	if !strings.Contains(full, "://") {
		host, _, _ := strings.Cut(full, "/")
		if name, _, err := net.SplitHostPort(host); err != nil || !isLoopback(name) {
			return URL{}, fmt.Errorf("URL %q has no scheme: write https:// or http:// in front", text)
		}
		full = "http://" + full
	}
	u, err := url.Parse(full)
	if err != nil {
		return URL{}, fmt.Errorf("URL %q can't be read; it should look like https://host/prefix", redact(text))
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return URL{}, fmt.Errorf("URL %q has the scheme %q: only http and https are spoken", redact(text), u.Scheme)
	case u.User != nil:
		return URL{}, fmt.Errorf("URL of host %q has a name or password in it: give the key as a file (--api-key-file)", u.Host)
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return URL{}, fmt.Errorf("URL of host %q has a query or fragment: give the part in front of /v1 only, and a key as a file (--api-key-file)", u.Host)
	case u.Hostname() == "":
		return URL{}, fmt.Errorf("URL %q has no host", text)
	}
	u.Path, u.RawPath = strings.TrimRight(u.EscapedPath(), "/"), ""
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(u.Path, e); ok {
			u.Path = strings.TrimRight(rest, "/")
			break
		}
	}
	if u.RawPath = u.Path; u.Path != "" {
		if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
			return URL{}, fmt.Errorf("URL %q has a path that can't be read: %w", text, err)
		}
	}
	return URL{u}, nil
}

// redact keeps a password that stands in front of an @ out of an error.
func redact(text string) string {
	if i := strings.LastIndex(text, "@"); i >= 0 {
		return "…@" + text[i+1:]
	}
	return text
}

// Route is the address of a route such as /v1/models or /health.
func (u URL) Route(path string) string { return u.base.String() + path }

// String is the base.
func (u URL) String() string { return u.base.String() }

// Host is host:port, with the scheme's port where none is written.
func (u URL) Host() string {
	if u.base.Port() != "" {
		return u.base.Host
	}
	if u.Secure() {
		return net.JoinHostPort(u.base.Hostname(), "443")
	}
	return net.JoinHostPort(u.base.Hostname(), "80")
}

// Secure says whether it is https.
func (u URL) Secure() bool { return u.base.Scheme == "https" }

// Local says whether the server is on this machine or in the private network
// around it: loopback, private and link-local addresses, and host names
// without a dot, as compute nodes have. For these a proxy of the environment
// isn't used: on many sites it is set for downloads and can't reach a node.
func (u URL) Local() bool {
	host := u.base.Hostname()
	if isLoopback(host) {
		return true
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsPrivate() || addr.IsLinkLocalUnicast()
	}
	return !strings.Contains(strings.TrimSuffix(host, "."), ".")
}

func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// Path is the path of a route, as it stands in a request.
func (u URL) Path(route string) string { return u.base.EscapedPath() + route }

// Base is the base as a *url.URL of its own.
func (u URL) Base() *url.URL {
	c := *u.base
	return &c
}
