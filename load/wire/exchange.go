package wire

import (
	"errors"
	"mime"
	"net/http"
	"strings"

	"hpcbench/load/clock"
	"hpcbench/results"
)

// exchange judges an answer as its parts come, the same way for both wires. It
// knows nothing of connections.
type exchange struct {
	want    string
	data    Data
	resp    Response
	bad     *Error // the answer isn't good: its body is kept instead of given to data
	stopped bool
}

// errEnough ends the reading of a body of which enough was kept.
var errEnough = errors.New("enough of the body was read")

// head takes the final headers. It never fails: an answer that isn't good is
// read on for the server's own words.
func (x *exchange) head(h *http.Response, st clock.Stamp) {
	x.resp.Status, x.resp.Proto, x.resp.Header = h.StatusCode, h.Proto, h.Header
	x.resp.THeaders = st
	const op = "read the answer"
	media, _, err := mime.ParseMediaType(h.Header.Get("Content-Type"))
	if err != nil {
		media = strings.TrimSpace(h.Header.Get("Content-Type"))
	}
	encoding := h.Header.Get("Content-Encoding")
	switch status := h.StatusCode; {
	case status >= 300 && status < 400:
		x.bad = fail(results.ErrorRedirect, op, "status %d sends us to %q; redirects are not followed, give that address instead",
			status, h.Header.Get("Location"))
	case status < 200 || status >= 400:
		x.bad = fail(results.ErrorHTTP, op, "status %d", status)
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		x.bad = fail(results.ErrorProtocol, op, "the body is encoded with %q though only identity was accepted", encoding)
	case x.want != "" && !strings.EqualFold(media, x.want):
		x.bad = fail(results.ErrorContentType, op, "its type is %q, not %q", h.Header.Get("Content-Type"), x.want)
	}
}

// received counts the bytes of one read.
func (x *exchange) received(n int, kind clock.Kind) {
	x.resp.BytesIn += int64(n)
	x.resp.Reads++
	if kind == clock.Kernel {
		x.resp.KernelReads++
	}
}

// body takes bytes of the body. An error ends the reading: errEnough or data's
// own. ErrStop is remembered instead, and the rest of the body dropped.
func (x *exchange) body(p []byte, st clock.Stamp) error {
	if x.bad != nil {
		room := MaxErrorBody - len(x.resp.Body)
		x.resp.Body = append(x.resp.Body, p[:min(room, len(p))]...)
		if len(x.resp.Body) == MaxErrorBody {
			return errEnough
		}
		return nil
	}
	if x.stopped {
		return nil
	}
	err := x.data(p, st)
	if err == ErrStop {
		x.stopped = true
		return nil
	}
	return err
}

// verdict turns the end of the reading into the error of the call. What was
// known before the end is worth more than how the reading ended.
func (x *exchange) verdict(err error) error {
	switch {
	case x.bad != nil:
		return x.bad
	case x.stopped:
		return nil
	}
	return err
}
