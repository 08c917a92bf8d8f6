package wire

import (
	"bufio"
	"bytes"
	"io"
	"net/http"

	"hpcbench/results"
)

// answer reads one response from bytes as they arrive: the state of the raw
// wire's connections between two reads. The zero value is ready. The status
// line and headers are parsed by the standard library once they are whole.
type answer struct {
	headBytes []byte // of a head that isn't whole yet
	seen      int    // bytes of all heads so far, informational ones included
	response  *http.Response
	framing   framing
	left      int64
	chunks    chunked
}

type framing uint8

const (
	inHead framing = iota
	byLength
	byChunks
	byClose
	ended
)

// feed takes bytes of a read and answers those of the body, moved together in
// place, and the bytes that lie behind the end of the response.
func (a *answer) feed(b []byte) (body, rest []byte, err error) {
	for whole := true; a.framing == inHead; {
		if b, whole, err = a.takeHead(b); err != nil || !whole {
			return nil, nil, err
		}
	}
	switch a.framing {
	case byLength:
		n := min(a.left, int64(len(b)))
		if a.left -= n; a.left == 0 {
			a.framing = ended
		}
		return b[:n], b[n:], nil
	case byChunks:
		data, used, done, err := a.chunks.decode(b)
		if done {
			a.framing = ended
		}
		return data, b[used:], err
	case byClose:
		return b, nil, nil
	}
	return nil, b, nil
}

// more says that the last feed had bytes behind the body's that aren't the
// line end of its chunk. They arrived after the body, or no earlier.
func (a *answer) more() bool {
	return a.chunks.behind > len("\r\n")
}

// eof says that the peer has closed; whole reports that the response ends so.
func (a *answer) eof() (whole bool, err error) {
	switch a.framing {
	case ended:
		return true, nil
	case byClose:
		a.framing = ended
		return true, nil
	case inHead:
		if a.seen == 0 {
			return false, fail(results.ErrorClosed, "read the answer", "the server closed the connection without one")
		}
		return false, fail(results.ErrorClosed, "read the answer", "the server closed the connection within the headers")
	}
	return false, fail(results.ErrorClosed, "read the answer", "the server closed the connection within the body")
}

// begun says that a byte of the response has come.
func (a *answer) begun() bool { return a.seen > 0 }

// keepAlive says that the connection can take another request after the end.
func (a *answer) keepAlive() bool {
	return a.framing == ended && a.response != nil && !a.response.Close
}

// takeHead takes bytes up to the end of a head and answers what is behind it.
func (a *answer) takeHead(b []byte) (rest []byte, found bool, err error) {
	known := len(a.headBytes)
	whole := b
	if known > 0 {
		a.headBytes = append(a.headBytes, b...)
		whole = a.headBytes
	}
	a.seen += len(b)
	end := headEnd(whole, known)
	if end >= 0 {
		a.seen -= len(whole) - end
	}
	if a.seen > MaxHead {
		return nil, false, fail(results.ErrorTooLarge, "read the answer", "its headers have more than %d bytes", MaxHead)
	}
	if end < 0 {
		if known == 0 {
			a.headBytes = append(a.headBytes, b...)
		}
		return nil, false, nil
	}
	if err := a.parse(whole[:end]); err != nil {
		return nil, false, err
	}
	a.headBytes = nil
	return b[end-known:], true, nil
}

// headEnd is the index behind the blank line that ends a head, or -1. The first
// known bytes were searched before.
func headEnd(b []byte, known int) int {
	// A blank line may have begun up to two bytes before.
	for i := max(known-2, 0); i < len(b); {
		lf := bytes.IndexByte(b[i:], '\n')
		if lf < 0 {
			return -1
		}
		i += lf + 1
		switch {
		case i < len(b) && b[i] == '\n':
			return i + 1
		case i+1 < len(b) && b[i] == '\r' && b[i+1] == '\n':
			return i + 2
		}
	}
	return -1
}

// parse takes a whole head. An informational one is dropped, and the next head
// awaited.
func (a *answer) parse(head []byte) error {
	r, err := http.ReadResponse(bufio.NewReaderSize(bytes.NewReader(head), 256), nil)
	if err != nil {
		if err == io.ErrUnexpectedEOF || err == io.EOF {
			return fail(results.ErrorProtocol, "read the answer", "its headers are malformed")
		}
		return &Error{Class: results.ErrorProtocol, Op: "read the answer", Err: err}
	}
	if err := checkStatus(r); err != nil {
		return err
	}
	if r.StatusCode < 200 {
		return nil
	}
	a.response = r
	switch {
	case len(r.TransferEncoding) > 0:
		a.framing = byChunks
	case r.ContentLength > 0:
		a.framing, a.left = byLength, r.ContentLength
	case r.ContentLength == 0:
		a.framing = ended
	default:
		a.framing = byClose
	}
	return nil
}

// checkStatus refuses what neither wire can go on with.
func checkStatus(r *http.Response) error {
	if r.StatusCode == http.StatusSwitchingProtocols {
		return fail(results.ErrorProtocol, "read the answer", "the server switched to the protocol %q", r.Header.Get("Upgrade"))
	}
	return nil
}
