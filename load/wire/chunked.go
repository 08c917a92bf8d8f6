package wire

import (
	"bytes"

	"hpcbench/results"
)

// maxChunkLine bounds the line with a chunk's size and extensions.
const maxChunkLine = 4 << 10

// chunked undoes the chunked coding of HTTP/1.1 (RFC 9112, 7.1) on bytes as
// they arrive. Extensions and trailers are read over. The zero value is ready.
type chunked struct {
	state chunkState
	left  int64 // of the chunk's data, or its size so far
	line  int   // bytes of the line or the trailers so far
	// behind is how many bytes came behind the last data in one decode.
	behind int
}

type chunkState uint8

const (
	chunkSize chunkState = iota // before or in the digits
	chunkExt                    // behind the digits
	chunkData
	chunkCR // the line end behind the data
	chunkLF
	trailerStart // at the start of a line behind the last chunk
	trailerLine
	trailerLF // a CR at the start of a line: the end is next
	chunkedEnd
)

// decode moves the data inside b together, in place, and answers it with the
// number of bytes of b that belong to the body; only at the end, which done
// reports, these can be fewer than all. Data before an error is answered, too.
func (c *chunked) decode(b []byte) (data []byte, used int, done bool, err error) {
	from, to := 0, 0 // data is b[from:to]
	dataEnd := 0     // where it was before it was moved
	defer func() { c.behind = used - dataEnd }()
	for i := 0; i < len(b); {
		if c.state == chunkData {
			n := int(min(c.left, int64(len(b)-i)))
			if to == from { // nothing before it: no need to move
				from, to = i, i
			}
			if to != i {
				copy(b[to:], b[i:i+n])
			}
			to, i, c.left = to+n, i+n, c.left-int64(n)
			dataEnd = i
			if c.left == 0 {
				c.state = chunkCR
			}
			continue
		}
		if c.state == chunkExt || c.state == trailerLine {
			end := bytes.IndexByte(b[i:], '\n')
			if end < 0 {
				end = len(b) - i
			}
			c.line, i = c.line+end, i+end
			if err := c.bound(); err != nil {
				return b[from:to], i, false, err
			}
			if i == len(b) {
				break
			}
		}
		if err := c.next(b[i]); err != nil {
			return b[from:to], i, false, err
		}
		i++
		if c.state == chunkedEnd {
			return b[from:to], i, true, nil
		}
	}
	return b[from:to], len(b), false, nil
}

// next takes one byte outside of the data.
func (c *chunked) next(ch byte) error {
	switch c.state {
	case chunkSize:
		if digit := unhex(ch); digit >= 0 {
			if c.line++; c.line > 16 || c.left > (1<<62)>>4 {
				return broken("a chunk's size has too many digits")
			}
			c.left = c.left<<4 | int64(digit)
			return nil
		}
		if c.line == 0 {
			return broken("a chunk's size begins with %q, not with a hexadecimal digit", ch)
		}
		switch ch {
		case '\n':
			c.endSize()
		case '\r', ';', ' ', '\t':
			c.state = chunkExt
		default:
			return broken("%q stands in a chunk's size", ch)
		}
	case chunkExt: // a line feed, the rest was read over
		c.endSize()
	case chunkCR:
		if ch == '\r' {
			c.state = chunkLF
			return nil
		}
		return broken("a chunk's data is followed by %q, not by a line end", ch)
	case chunkLF:
		if ch != '\n' {
			return broken("a chunk's data is followed by CR and %q", ch)
		}
		c.state, c.line = chunkSize, 0
	case trailerStart:
		switch ch {
		case '\n':
			c.state = chunkedEnd
		case '\r':
			c.state = trailerLF
		default:
			c.line++
			c.state = trailerLine
		}
	case trailerLF:
		if ch != '\n' {
			return broken("CR and %q stand where the body's end should be", ch)
		}
		c.state = chunkedEnd
	case trailerLine:
		c.line++
		c.state = trailerStart
	}
	return nil
}

func (c *chunked) endSize() {
	c.line = 0
	c.state = chunkData
	if c.left == 0 {
		c.state = trailerStart
	}
}

func (c *chunked) bound() error {
	limit, what := maxChunkLine, "the line of a chunk's size"
	if c.state == trailerLine {
		limit, what = MaxHead, "the part behind the last chunk"
	}
	if c.line > limit {
		return fail(results.ErrorTooLarge, "read the body", "%s has more than %d bytes", what, limit)
	}
	return nil
}

func broken(format string, args ...any) error {
	return fail(results.ErrorProtocol, "read the body", format, args...)
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
