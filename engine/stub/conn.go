package stub

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxBody is the largest request that is read.
const maxBody = 64 << 20

// conn is one connection: HTTP/1.1 with reuse, one request at a time.
type conn struct {
	srv *Server
	net net.Conn
	in  *bufio.Reader
	out *sink
}

// serve reads requests until the client leaves, the keep-alive time runs out or the server stops.
func (c *conn) serve() {
	defer c.net.Close()
	for {
		if _, err := c.in.Peek(1); err != nil {
			break
		}
		// A request that takes longer to come is no client's.
		_ = c.net.SetReadDeadline(time.Now().Add(time.Minute))
		req, err := http.ReadRequest(c.in)
		if err != nil {
			c.reply(reply{status: 400, kind: "text/plain; charset=utf-8", body: []byte("Invalid HTTP request received."), close: true})
			break
		}
		if !c.srv.begin() || !c.answer(req) {
			break
		}
	}
	c.out.wait()
}

// answer reads the body, answers, and says whether the connection may be used again.
func (c *conn) answer(req *http.Request) bool {
	again := !req.Close && req.ProtoAtLeast(1, 1)
	if strings.EqualFold(req.Header.Get("Expect"), "100-continue") {
		c.out.write([]byte("HTTP/1.1 100 Continue\r\n\r\n"))
	}
	raw, err := io.ReadAll(io.LimitReader(req.Body, maxBody+1))
	read := c.srv.engine.clock.now()
	_ = c.net.SetReadDeadline(time.Time{})
	r := reply{status: 413, kind: "text/plain; charset=utf-8", body: []byte("Request body too large."), close: true}
	switch {
	case err != nil:
		c.srv.end()
		return false
	case len(raw) <= maxBody:
		r = c.srv.route(req, raw)
		r.close = r.close || !again
	}
	if r.ask != nil {
		return c.generate(r.ask, read, again)
	}
	r.bodiless = req.Method == http.MethodHead
	c.reply(r)
	c.srv.end()
	_ = c.net.SetReadDeadline(time.Now().Add(c.srv.cfg.KeepAlive))
	return !r.close
}

// generate has one completion made. The scheduler writes the answer; this
// goroutine meanwhile waits for what comes next from the client, be it the next
// request or its leaving.
func (c *conn) generate(a *ask, read int64, again bool) bool {
	s := &stream{ask: a, readNs: read, id: newID(a.chat), done: make(chan struct{})}
	created := time.Now()
	accepted := func() {}
	if a.stream {
		s.out, s.ev = c.out, newEvents(a, s.id, created.Unix(), c.srv.cfg.Model)
		head := c.head(200, "", -1, "text/event-stream; charset=utf-8", true, !again)
		accepted = func() { c.out.write(head) }
		if c.srv.cfg.Faults.RefuseInStream {
			c.out.write(head)
			accepted = func() {}
		}
	}
	s.onEnd = func() {
		if !a.stream {
			c.whole(s, created, again)
		}
		deadline := time.Now()
		if again && s.finish != finishDropped {
			deadline = deadline.Add(c.srv.cfg.KeepAlive)
		}
		_ = c.net.SetReadDeadline(deadline)
		c.srv.end()
	}
	if refused := c.srv.engine.submit(s, accepted); refused != nil {
		if a.stream && c.srv.cfg.Faults.RefuseInStream {
			c.out.write(s.ev.appendError(nil, refused))
		} else {
			c.reply(reply{status: refused.status, kind: kindJSON, body: refused.body(), close: !again})
		}
		c.srv.end()
		_ = c.net.SetReadDeadline(time.Now().Add(c.srv.cfg.KeepAlive))
		return again
	}
	if _, err := c.in.Peek(1); err != nil {
		select {
		case <-s.done:
		default:
			c.srv.engine.cancel(s)
			<-s.done
		}
		return false
	}
	<-s.done
	return again && s.finish != finishDropped
}

// whole answers a request that wasn't streamed.
func (c *conn) whole(s *stream, created time.Time, again bool) {
	r := reply{status: 200, kind: kindJSON, close: !again}
	switch s.finish {
	case finishError:
		r.status, r.body = errDead.status, errDead.body()
	case finishCancelled, finishDropped:
		return
	default:
		r.body = s.whole(&c.srv.cfg, created)
	}
	c.reply(r)
}

const kindJSON = "application/json"

// reply is an answer that is ready, or the completion that has to be made for it.
type reply struct {
	status   int
	kind     string
	body     []byte
	allow    string
	noVary   bool
	bodiless bool
	close    bool
	ask      *ask
}

func (c *conn) reply(r reply) {
	b := c.head(r.status, r.allow, len(r.body), r.kind, !r.noVary, r.close)
	if !r.bodiless {
		b = append(b, r.body...)
	}
	c.out.write(b)
}

// head is the status line and the headers in the order and case of uvicorn;
// length < 0 makes a chunked body.
func (c *conn) head(status int, allow string, length int, kind string, vary, closing bool) []byte {
	b := make([]byte, 0, 320+max(length, 0))
	b = fmt.Appendf(b, "HTTP/1.1 %d %s\r\ndate: ", status, http.StatusText(status))
	b = time.Now().UTC().AppendFormat(b, http.TimeFormat)
	b = append(b, "\r\nserver: "+Owner+"\r\n"...)
	if allow != "" {
		b = append(b, "allow: "+allow+"\r\n"...)
	}
	if length >= 0 {
		b = append(b, "content-length: "...)
		b = strconv.AppendInt(b, int64(length), 10)
		b = append(b, "\r\n"...)
	}
	if kind != "" {
		b = append(b, "content-type: "+kind+"\r\n"...)
	}
	if vary {
		b = append(b, "vary: Origin\r\n"...)
	}
	if length < 0 {
		b = append(b, "transfer-encoding: chunked\r\n"...)
	}
	if closing {
		b = append(b, "connection: close\r\n"...)
	}
	return append(b, SimulatedHeader+": 1\r\n\r\n"...)
}
