package wire

import (
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

// Endpoint is where connections go.
type Endpoint struct {
	// URL has the scheme (http or https) and the host; its path isn't looked at.
	URL *url.URL
	// Socket is the path of a Unix socket to connect to instead of the host.
	Socket string
	// Proxy is an HTTP proxy, nil for none; ProxyFor finds it.
	Proxy *url.URL
	// TLS holds settings for https; nil verifies against the system's roots.
	TLS *tls.Config
}

// ProxyFor answers the proxy that the environment (HTTP_PROXY, HTTPS_PROXY,
// NO_PROXY) names for u, nil for none. Local addresses never have one.
func ProxyFor(u *url.URL) (*url.URL, error) {
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u})
	if err != nil {
		return nil, fmt.Errorf("read the proxy from the environment: %w", err)
	}
	return proxy, nil
}

func (e Endpoint) check() error {
	switch {
	case e.URL == nil || e.URL.Host == "":
		return fmt.Errorf("endpoint has no host; give it as http://host:port")
	case e.URL.Scheme != "http" && e.URL.Scheme != "https":
		return fmt.Errorf("endpoint %s has the scheme %q; http and https are known", e.URL.Redacted(), e.URL.Scheme)
	case e.Proxy != nil && e.Proxy.Scheme != "http" && e.Proxy.Scheme != "https":
		return fmt.Errorf("proxy %s has the scheme %q; http and https are known", e.Proxy.Redacted(), e.Proxy.Scheme)
	case e.Proxy != nil && e.Socket != "":
		return fmt.Errorf("endpoint has both a Unix socket and a proxy")
	}
	return nil
}

// viaPlainProxy says that requests go to a proxy with the whole URL in them; for
// https the proxy only makes a tunnel.
func (e Endpoint) viaPlainProxy() bool { return e.Proxy != nil && e.URL.Scheme == "http" }

// address is what u is dialled by.
func address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
		if u.Scheme == "https" {
			port = "443"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}

func proxyAuth(proxy *url.URL) string {
	if proxy.User == nil {
		return ""
	}
	password, _ := proxy.User.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(proxy.User.Username()+":"+password))
}
