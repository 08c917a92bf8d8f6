package wire

import (
	"bytes"
	"errors"
	"io"
	"net/http/httputil"
	"strings"
	"testing"

	"hpcbench/results"
)

// dechunk feeds text in parts of so many bytes each (the last of cuts again and
// again; 0 stands for the rest) and answers the data, what is behind the end,
// and whether the end came.
func dechunk(text string, cuts ...byte) (data, rest string, done bool, err error) {
	var c chunked
	for i := 0; text != "" && !done && err == nil; i++ {
		n := len(text)
		if len(cuts) > 0 {
			if cut := int(cuts[min(i, len(cuts)-1)]); cut > 0 {
				n = min(n, cut)
			}
		}
		part := []byte(text[:n])
		var got []byte
		var used int
		got, used, done, err = c.decode(part)
		data += string(got)
		text = text[used:]
	}
	return data, text, done, err
}

func TestChunked(t *testing.T) {
	tests := []struct {
		name, text string
		data, rest string
		done       bool
		class      string
	}{
		{"one", "5\r\nhello\r\n0\r\n\r\n", "hello", "", true, ""},
		{"two", "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", "hello!", "", true, ""},
		{"none", "0\r\n\r\n", "", "", true, ""},
		{"hexadecimal", "1A\r\nabcdefghijklmnopqrstuvwxyz\r\n000\r\n\r\n", "abcdefghijklmnopqrstuvwxyz", "", true, ""},
		{"extensions", "5;a=\"b\";c\r\nhello\r\n0;x\r\n\r\n", "hello", "", true, ""},
		{"blanks behind the size", "5  \r\nhello\r\n0 \r\n\r\n", "hello", "", true, ""},
		{"trailers", "1\r\nx\r\n0\r\na: b\r\nc: d\r\n\r\n", "x", "", true, ""},
		{"line feeds only where a size or trailer ends", "1\nx\r\n0\na: b\n\n", "x", "", true, ""},
		{"more behind", "1\r\nx\r\n0\r\n\r\nHTTP", "x", "HTTP", true, ""},
		{"cut in the data", "5\r\nhel", "hel", "", false, ""},
		{"cut in the size", "5", "", "", false, ""},
		{"cut in the trailers", "0\r\na: b\r\n", "", "", false, ""},
		{"no size", "\r\nx", "", "\r\nx", false, results.ErrorProtocol},
		{"a size that is none", "1\r\nx\r\nzz\r\n", "x", "zz\r\n", false, results.ErrorProtocol},
		{"a sign", "-1\r\n", "", "-1\r\n", false, results.ErrorProtocol},
		{"too many digits", "ffffffffffffffff\r\n", "", "f\r\n", false, results.ErrorProtocol},
		{"zeros without an end", strings.Repeat("0", 17), "", "0", false, results.ErrorProtocol},
		{"no line end behind the data", "1\r\nxy", "x", "y", false, results.ErrorProtocol},
		{"half a line end behind the data", "1\r\nx\ry", "x", "y", false, results.ErrorProtocol},
		{"half a line end at the end", "0\r\n\rx", "", "x", false, results.ErrorProtocol},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, cut := range []byte{0, 1, 2, 3} {
				data, rest, done, err := dechunk(tt.text, cut)
				if data != tt.data || rest != tt.rest || done != tt.done || Class(err) != tt.class {
					t.Errorf("cut at %d: %q, rest %q, done %v, %v", cut, data, rest, done, err)
				}
			}
		})
	}
}

func TestChunkedIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"extensions": "5;" + strings.Repeat("x", maxChunkLine+1),
		"trailers":   "0\r\n" + strings.Repeat("a: b\r\n", MaxHead/6+1),
	} {
		for _, cut := range []byte{0, 100} {
			if _, _, _, err := dechunk(text, cut); Class(err) != results.ErrorTooLarge {
				t.Errorf("%s, cut at %d: %v", name, cut, err)
			}
		}
	}
}

func TestChunkedAllocatesNothing(t *testing.T) {
	text := []byte(strings.Repeat("5\r\nhello\r\n", 32))
	buf := make([]byte, len(text))
	var c chunked
	if n := testing.AllocsPerRun(100, func() {
		copy(buf, text)
		if data, _, _, err := c.decode(buf); err != nil || len(data) != 5*32 {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzChunked: however the bytes are cut, the answer is one; and what the
// standard library reads to the end, is read to the same.
func FuzzChunked(f *testing.F) {
	f.Add("5;x=y\r\nhello\r\n1\r\n!\r\n0\r\na: b\r\n\r\nmore", []byte{1, 7})
	f.Add("1a \r\nabcdefghijklmnopqrstuvwxyz\r\n00\r\n\r\n", []byte{3})
	f.Add("1\r\nx\rzz", []byte{})
	f.Fuzz(func(t *testing.T, text string, cuts []byte) {
		data, rest, done, err := dechunk(text)
		cutData, cutRest, cutDone, cutErr := dechunk(text, cuts...)
		if data != cutData || rest != cutRest || done != cutDone || Class(err) != Class(cutErr) {
			t.Fatalf("%q: %q, %q, %v, %v\ncut by %v: %q, %q, %v, %v", text, data, rest, done, err, cuts, cutData, cutRest, cutDone, cutErr)
		}
		std, stdErr := io.ReadAll(httputil.NewChunkedReader(strings.NewReader(text)))
		switch {
		case stdErr == nil && string(std) != data:
			t.Errorf("%q: %q, the standard library reads %q", text, data, std)
		case stdErr == nil && err != nil:
			// It stops at the last chunk and leaves the trailers to others.
			if !bytes.Equal(std, []byte(data)) {
				t.Errorf("%q: %v, the standard library reads %q", text, err, std)
			}
		case errors.Is(stdErr, io.ErrUnexpectedEOF) && done:
			t.Errorf("%q: the end was seen, the standard library misses it", text)
		}
	})
}
