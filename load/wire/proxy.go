package wire

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"hpcbench/results"
)

// tunnel asks the proxy at the other end of nc for a way to the endpoint.
func tunnel(ctx context.Context, nc net.Conn, e *Endpoint) error {
	stop := context.AfterFunc(ctx, func() { _ = nc.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	target := address(e.URL)
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target, Header: http.Header{}}
	req.Header.Set("User-Agent", "hpcbench")
	if auth := proxyAuth(e.Proxy); auth != "" {
		req.Header.Set("Proxy-Authorization", auth)
	}
	op := fmt.Sprintf("ask the proxy %s for a tunnel to %s", e.Proxy.Host, target)
	if err := req.Write(nc); err != nil {
		return wrap(op, err)
	}
	// The endpoint waits for us to speak first, so nothing of it can be read
	// into this buffer; and the proxy may not talk for ever.
	br := bufio.NewReaderSize(&capped{nc, MaxHead}, 4096)
	resp, err := http.ReadResponse(br, req)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return wrap(op, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fail(results.ErrorHTTP, op, "it answers %s", resp.Status)
	}
	if br.Buffered() > 0 {
		return fail(results.ErrorProtocol, op, "it sent more than an answer")
	}
	return nil
}

// capped reads at most left bytes.
type capped struct {
	net.Conn
	left int
}

// Read fails when the bound is reached.
func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errHeadTooLarge
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}
