package sse

import (
	"bytes"
	"errors"
	"fmt"

	"hpcbench/load/clock"
)

// DefaultMaxEvent bounds the data of one event, in bytes, where nothing else is
// asked for.
const DefaultMaxEvent = 2 << 20

// maxType bounds the name of an event; what is longer is cut.
const maxType = 64

// keepBuffer is how large a buffer for split events is kept between events.
const keepBuffer = 4 << 10

// ErrTorn says that the stream ended in the middle of an event.
var ErrTorn = errors.New("the stream ended in the middle of an event")

// ErrTooLarge says that an event was larger than the bound.
var ErrTooLarge = errors.New("event too large")

// Event is one event. It and its bytes are valid until the callback returns.
type Event struct {
	Data  []byte // the data lines, joined by LF
	Type  []byte // the event field; empty stands for "message"
	Index int    // 0-based among the events of the stream
	Stamp clock.Stamp
	// Merged says that the event shares its stamp with bytes behind it, so
	// that it arrived somewhere in (Stamp.PrevNs, Stamp.Ns].
	Merged bool
}

// Done reports the [DONE] that ends a stream of the OpenAI interface.
func (e *Event) Done() bool { return isDone(e.Data) }

func isDone(data []byte) bool { return string(bytes.TrimSpace(data)) == "[DONE]" }

// Parser turns bytes into events. The zero value is ready for a stream and
// bounds events at DefaultMaxEvent.
type Parser struct {
	maxEvent int
	event    Event
	index    int

	begun   bool // the byte order mark was looked for
	skipLF  bool // the line before ended with CR at the end of what was there
	hasData bool // the event has a data line

	// data of the event so far, when it isn't one line within the current
	// read; line is the start of a line that the read before left unfinished.
	data     []byte
	dataLine []byte // the one data line, inside the current read
	line     []byte
	longLine bool // the unfinished line is none that matters and is skipped
	typ      []byte
}

// Reset makes the parser ready for another stream whose events have at most
// maxEvent bytes of data (0 = DefaultMaxEvent). Buffers are kept.
func (p *Parser) Reset(maxEvent int) {
	*p = Parser{maxEvent: maxEvent, data: trim(p.data), line: trim(p.line), typ: p.typ[:0]}
}

func trim(b []byte) []byte {
	if cap(b) > keepBuffer {
		return nil
	}
	return b[:0]
}

// Feed takes the bytes of one read and calls emit for every event that they
// complete. An error of emit ends the feeding and is answered as it is;
// otherwise the error wraps ErrTooLarge. After an error the parser must be
// Reset.
func (p *Parser) Feed(b []byte, st clock.Stamp, emit func(*Event) error) error {
	if !p.begun {
		if b = p.skipMark(b); !p.begun {
			return nil
		}
	}
	if p.skipLF && len(b) > 0 {
		p.skipLF = false
		if b[0] == '\n' {
			b = b[1:]
		}
	}
	for len(b) > 0 {
		end := lineEnd(b)
		if end < 0 {
			return p.keep(b)
		}
		line := b[:end]
		next := end + 1
		if b[end] == '\r' {
			if next < len(b) {
				if b[next] == '\n' {
					next++
				}
			} else {
				p.skipLF = true
			}
		}
		b = b[next:]
		switch {
		case len(p.line) > 0 || p.longLine:
			if err := p.finishLine(line); err != nil {
				return err
			}
		case len(line) > 0:
			if err := p.field(line, true); err != nil {
				return err
			}
		default:
			if err := p.dispatch(st, b, emit); err != nil {
				return err
			}
		}
	}
	if p.dataLine != nil {
		// The event ends in a later read, so its line must outlive this one.
		p.data = append(p.data[:0], p.dataLine...)
		p.dataLine = nil
	}
	return nil
}

// Close says that the stream ended as the transport sees it. A [DONE] without
// the blank line behind it is emitted as an event; anything else unfinished is
// ErrTorn, since a cut event can't be told from a whole one.
func (p *Parser) Close(st clock.Stamp, emit func(*Event) error) error {
	cut := len(p.line) > 0 && p.line[0] != ':'
	if cut {
		if err := p.field(p.line, false); err != nil {
			return err
		}
		p.line = p.line[:0]
	}
	switch {
	case p.hasData && isDone(p.current()):
		return p.dispatch(st, nil, emit)
	case p.hasData || cut:
		return ErrTorn
	}
	return nil
}

// finishLine adds the rest to a line that an earlier read began.
func (p *Parser) finishLine(rest []byte) error {
	if err := p.keep(rest); err != nil {
		return err
	}
	if p.longLine {
		p.longLine = false
		return nil
	}
	err := p.field(p.line, false)
	p.line = trim(p.line)
	return err
}

// lineEnd finds the first CR or LF.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if cr := bytes.IndexByte(b[:lf], '\r'); cr >= 0 {
		return cr
	}
	return lf
}

func onlyLineEnds(b []byte) bool {
	for _, c := range b {
		if c != '\n' && c != '\r' {
			return false
		}
	}
	return true
}

// skipMark drops a byte order mark, which may come byte by byte.
func (p *Parser) skipMark(b []byte) []byte {
	const mark = "\xef\xbb\xbf"
	for len(b) > 0 && len(p.line) < len(mark) && b[0] == mark[len(p.line)] {
		p.line, b = append(p.line, b[0]), b[1:]
	}
	switch {
	case len(p.line) == len(mark):
		p.line, p.begun = p.line[:0], true
	case len(b) > 0:
		p.begun = true // what looked like a mark stays the start of the line
	}
	return b
}

// keep holds the start of a line until the rest of it comes.
func (p *Parser) keep(b []byte) error {
	if p.dataLine != nil {
		p.data = append(p.data[:0], p.dataLine...)
		p.dataLine = nil
	}
	if p.longLine || len(b) == 0 {
		return nil
	}
	p.line = append(p.line, b...)
	if len(p.line) <= maxType {
		return nil
	}
	if !bytes.HasPrefix(p.line, []byte("data:")) && !bytes.HasPrefix(p.line, []byte("event:")) {
		p.longLine, p.line = true, p.line[:0]
		return nil
	}
	return p.checkSize(len(p.line) - len("data: ") + len(p.data))
}

func (p *Parser) checkSize(n int) error {
	limit := p.maxEvent
	if limit == 0 {
		limit = DefaultMaxEvent
	}
	if n > limit {
		return fmt.Errorf("%w: event %d has more than %d bytes", ErrTooLarge, p.index, limit)
	}
	return nil
}

// field takes one whole line that isn't empty. inRead says that its bytes stay
// as they are until the current Feed returns.
func (p *Parser) field(line []byte, inRead bool) error {
	switch {
	case bytes.HasPrefix(line, []byte("data")):
		value := line[4:]
		if len(value) > 0 {
			if value[0] != ':' {
				return nil
			}
			value = value[1:]
			if len(value) > 0 && value[0] == ' ' {
				value = value[1:]
			}
		}
		return p.addData(value, inRead)
	case bytes.HasPrefix(line, []byte("event:")):
		value := line[len("event:"):]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
		p.typ = append(p.typ[:0], value[:min(len(value), maxType)]...)
	case string(line) == "event":
		p.typ = p.typ[:0]
	}
	return nil
}

func (p *Parser) addData(value []byte, inRead bool) error {
	if !p.hasData {
		p.hasData = true
		if inRead {
			p.dataLine = value
			return p.checkSize(len(value))
		}
		p.data = append(p.data[:0], value...)
		return p.checkSize(len(value))
	}
	if p.dataLine != nil {
		p.data = append(p.data[:0], p.dataLine...)
		p.dataLine = nil
	}
	p.data = append(append(p.data, '\n'), value...)
	return p.checkSize(len(p.data))
}

func (p *Parser) current() []byte {
	if p.dataLine != nil {
		return p.dataLine
	}
	return p.data
}

// dispatch ends an event at a blank line, with rest behind it in the same read.
// An event without data is none.
func (p *Parser) dispatch(st clock.Stamp, rest []byte, emit func(*Event) error) error {
	if !p.hasData {
		p.typ = p.typ[:0]
		return nil
	}
	p.event = Event{Data: p.current(), Type: p.typ, Index: p.index, Stamp: st, Merged: st.More || !onlyLineEnds(rest)}
	p.index++
	err := emit(&p.event)
	p.event.Data = nil
	p.hasData, p.dataLine, p.data, p.typ = false, nil, trim(p.data), p.typ[:0]
	return err
}
