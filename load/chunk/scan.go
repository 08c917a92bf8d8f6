package chunk

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON without control characters. Every method answers false
// where it meets something that is broken or that it doesn't know; then
// nothing it filled in counts.
type scanner struct {
	b     []byte
	i     int
	depth int

	holes [maxHoles]hole // what may differ in the next event
	nHole int
}

// maxDepth is how deep values may nest.
const maxDepth = 32

// hasControl says whether b has a byte below 0x20: in a string that is an
// error, and between values it is a line end of a pretty-printed text.
func hasControl(b []byte) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		v := binary.LittleEndian.Uint64(b)
		// The high bit of a byte is set where the byte is below 0x20 (and
		// possibly above such a one, which doesn't matter here).
		if (v-0x20*ones)&^v&high != 0 {
			return true
		}
	}
	for _, c := range b {
		if c < 0x20 {
			return true
		}
	}
	return false
}

func (s *scanner) space() {
	for s.i < len(s.b) && s.b[s.i] == ' ' {
		s.i++
	}
}

// is takes c, after blanks, if it comes next.
func (s *scanner) is(c byte) bool {
	s.space()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// null takes null, after blanks, if it comes next.
func (s *scanner) null() bool {
	s.space()
	if bytes.HasPrefix(s.b[s.i:], []byte("null")) {
		s.i += 4
		return true
	}
	return false
}

// str takes a string and answers its inside as it is written; plain says that
// there is no escape in it and no byte beyond ASCII.
func (s *scanner) str() (raw []byte, plain, ok bool) {
	if !s.is('"') {
		return nil, false, false
	}
	start := s.i
	for {
		end := bytes.IndexByte(s.b[s.i:], '"')
		if end < 0 {
			return nil, false, false
		}
		escape := bytes.IndexByte(s.b[s.i:s.i+end], '\\')
		if escape < 0 {
			s.i += end + 1
			raw = s.b[start : s.i-1]
			return raw, s.i-1-start == end && ascii(raw), true
		}
		s.i += escape + 1
		if !s.escape() {
			return nil, false, false
		}
	}
}

// escape takes what stands behind a backslash.
func (s *scanner) escape() bool {
	if s.i >= len(s.b) {
		return false
	}
	c := s.b[s.i]
	s.i++
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		if len(s.b)-s.i < 4 || hex4(s.b[s.i:]) < 0 {
			return false
		}
		s.i += 4
		return true
	}
	return false
}

func ascii(b []byte) bool {
	const high = 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b)&high != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hex4 is the number in the first four hexadecimal digits of b, or −1.
func hex4(b []byte) rune {
	n := rune(0)
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		n = n<<4 | rune(c)
	}
	return n
}

// decodedLen is the length of a string's inside once it is decoded, counting
// as encoding/json does: what isn't valid becomes a replacement character.
func decodedLen(raw []byte) int {
	n := 0
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\\' && raw[i+1] == 'u':
			r := hex4(raw[i+2:])
			i += 6
			if utf16.IsSurrogate(r) {
				pair := rune(utf8.RuneError)
				if len(raw)-i >= 6 && raw[i] == '\\' && raw[i+1] == 'u' {
					pair = utf16.DecodeRune(r, hex4(raw[i+2:]))
				}
				if r = pair; r != utf8.RuneError {
					i += 6
				}
			}
			n += utf8.RuneLen(r)
		case c == '\\':
			i += 2
			n++
		case c < utf8.RuneSelf:
			i++
			n++
		default:
			r, size := utf8.DecodeRune(raw[i:])
			i += size
			n += utf8.RuneLen(r)
		}
	}
	return n
}

// key takes a key and its colon. A key with an escape is left to others.
func (s *scanner) key() (key []byte, ok bool) {
	key, plain, ok := s.str()
	return key, ok && plain && s.is(':')
}

// object takes an object, and calls value at each value with its key.
func (s *scanner) object(value func(key []byte) bool) bool {
	if !s.is('{') {
		return false
	}
	if s.is('}') {
		return true
	}
	for {
		key, ok := s.key()
		if !ok || !value(key) {
			return false
		}
		if s.is(',') {
			continue
		}
		return s.is('}')
	}
}

// array takes an array, and calls value at each of its values.
func (s *scanner) array(value func() bool) (n int, ok bool) {
	if !s.is('[') {
		return 0, false
	}
	if s.is(']') {
		return 0, true
	}
	for {
		n++
		if !value() {
			return n, false
		}
		if s.is(',') {
			continue
		}
		return n, s.is(']')
	}
}

// skip takes any value.
func (s *scanner) skip() bool {
	s.space()
	if s.i >= len(s.b) || s.depth >= maxDepth {
		return false
	}
	switch c := s.b[s.i]; c {
	case '"':
		_, _, ok := s.str()
		return ok
	case '{', '[':
		s.depth++
		ok := s.skipNested(c)
		s.depth--
		return ok
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

func (s *scanner) skipNested(open byte) bool {
	s.i++
	closing := byte(']')
	if open == '{' {
		closing = '}'
	}
	if s.is(closing) {
		return true
	}
	for {
		if open == '{' {
			if _, _, ok := s.str(); !ok || !s.is(':') {
				return false
			}
		}
		if !s.skip() {
			return false
		}
		if s.is(',') {
			continue
		}
		return s.is(closing)
	}
}

func (s *scanner) word(w string) bool {
	if !bytes.HasPrefix(s.b[s.i:], []byte(w)) {
		return false
	}
	s.i += len(w)
	return true
}

func (s *scanner) digits() (n int) {
	for s.i < len(s.b) && s.b[s.i]-'0' <= 9 {
		s.i++
		n++
	}
	return n
}

// number takes a number by the grammar of JSON.
func (s *scanner) number() bool {
	at := func(list string) bool {
		if s.i < len(s.b) && bytes.IndexByte([]byte(list), s.b[s.i]) >= 0 {
			s.i++
			return true
		}
		return false
	}
	at("-")
	if !at("0") && s.digits() == 0 {
		return false
	}
	if at(".") && s.digits() == 0 {
		return false
	}
	if at("eE") {
		at("+-")
		return s.digits() > 0
	}
	return true
}

// count takes a whole number that isn't negative.
func (s *scanner) count() (n int, ok bool) {
	s.space()
	start := s.i
	size := s.digits()
	if size == 0 || size > 15 || size > 1 && s.b[start] == '0' {
		return 0, false
	}
	for _, c := range s.b[start:s.i] {
		n = n*10 + int(c-'0')
	}
	if bits.UintSize < 64 && size > 9 {
		return 0, false
	}
	// A fraction or an exponent would follow here; the caller wants a comma or
	// a brace and refuses it.
	return n, true
}
