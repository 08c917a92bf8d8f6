package wire

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"hpcbench/results"
)

// gather feeds text in parts, as dechunk does, and then the end of the stream.
func gather(text string, cuts ...byte) (a *answer, body, rest string, err error) {
	a = &answer{}
	for i := 0; text != "" && err == nil; i++ {
		n := len(text)
		if len(cuts) > 0 {
			if cut := int(cuts[min(i, len(cuts)-1)]); cut > 0 {
				n = min(n, cut)
			}
		}
		part := []byte(text[:n])
		var got, behind []byte
		got, behind, err = a.feed(part)
		body, rest = body+string(got), rest+string(behind)
		text = text[n:]
		for j := range part {
			part[j] = '#' // a read buffer is used again
		}
	}
	if err == nil && a.framing != ended {
		_, err = a.eof()
	}
	return a, body, rest, err
}

func TestAnswer(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	tests := []struct {
		name, text string
		status     int
		body, rest string
		keep       bool
		class      string
	}{
		{"length", ok + "Content-Length: 3\r\n\r\nabc", 200, "abc", "", true, ""},
		{"length and more", ok + "Content-Length: 3\r\n\r\nabcd", 200, "abc", "d", true, ""},
		{"length 0", ok + "Content-Length: 0\r\n\r\n", 200, "", "", true, ""},
		{"chunked", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nx", 200, "abc", "x", true, ""},
		{"chunked wins over a length", ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 200, "abc", "", true, ""},
		{"until it closes", ok + "\r\nabc", 200, "abc", "", false, ""},
		{"asked to close", ok + "Connection: close\r\nContent-Length: 3\r\n\r\nabc", 200, "abc", "", false, ""},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc", 200, "abc", "", false, ""},
		{"HTTP/1.0 kept alive", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc", 200, "abc", "", true, ""},
		{"no body", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", "", true, ""},
		{"informational first", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok + "Content-Length: 1\r\n\r\na", 200, "a", "", true, ""},
		{"line feeds", "HTTP/1.1 200 OK\nContent-Length: 1\n\na", 200, "a", "", true, ""},
		{"nothing", "", 0, "", "", false, results.ErrorClosed},
		{"cut in the head", ok + "Content-Le", 0, "", "", false, results.ErrorClosed},
		{"cut in the body", ok + "Content-Length: 3\r\n\r\nab", 200, "ab", "", false, results.ErrorClosed},
		{"cut in a chunk", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nab", 200, "ab", "", false, results.ErrorClosed},
		{"another protocol", "220 smtp.example ESMTP\r\n\r\n", 0, "", "", false, results.ErrorProtocol},
		{"a blank line first", "\r\n\r\n" + ok, 0, "", "", false, results.ErrorProtocol},
		{"a length that is none", ok + "Content-Length: x\r\n\r\n", 0, "", "", false, results.ErrorProtocol},
		{"informational without an end", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", 2000), 0, "", "", false, results.ErrorTooLarge},
		{"a head without an end", ok + strings.Repeat("X: y\r\n", MaxHead/6), 0, "", "", false, results.ErrorTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, cut := range []byte{0, 1, 2, 200} {
				a, body, rest, err := gather(tt.text, cut)
				status := 0
				if a.response != nil {
					status = a.response.StatusCode
				}
				if status != tt.status || body != tt.body || rest != tt.rest || a.keepAlive() != tt.keep || Class(err) != tt.class {
					t.Errorf("cut at %d: %d, %q, rest %q, keep %v, %v", cut, status, body, rest, a.keepAlive(), err)
				}
			}
		})
	}
}

// FuzzAnswer: however the bytes are cut, the answer is one; and it is what the
// standard library reads.
func FuzzAnswer(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nx", []byte{5, 1})
	f.Add("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", []byte{1})
	f.Add("HTTP/1.0 200 OK\n\nabc", []byte{9})
	f.Add("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", []byte{})
	f.Fuzz(func(t *testing.T, text string, cuts []byte) {
		a, body, rest, err := gather(text)
		b, cutBody, cutRest, cutErr := gather(text, cuts...)
		if (a.response == nil) != (b.response == nil) || body != cutBody || rest != cutRest || a.framing != b.framing || Class(err) != Class(cutErr) {
			t.Fatalf("%q: %q, %q, %v\ncut by %v: %q, %q, %v", text, body, rest, err, cuts, cutBody, cutRest, cutErr)
		}
		r, stdErr := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), nil)
		if stdErr != nil || r.StatusCode < 200 {
			return
		}
		if a.response == nil {
			t.Fatalf("%q: %v, the standard library reads %s", text, err, r.Status)
		}
		if a.response.StatusCode != r.StatusCode || a.response.Close != r.Close {
			t.Errorf("%q: %+v, the standard library reads %+v", text, a.response, r)
		}
		std, stdErr := io.ReadAll(r.Body)
		if stdErr == nil && (err != nil || string(std) != body) {
			t.Errorf("%q: %q, %v, the standard library reads %q", text, body, err, std)
		}
	})
}
