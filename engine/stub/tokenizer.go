package stub

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The vocabulary is made by a rule and not by a table: three special tokens as
// in ChatML models, then every text of one, two or three bytes, then every rune
// of four. A text has exactly one way into tokens and the tokens exactly one
// way back, so that prompts can be cut to an exact length.
const (
	idEndOfText = 0
	idStart     = 1
	idEnd       = 2
	idBytes1    = 3
	idBytes2    = idBytes1 + 1<<8
	idBytes3    = idBytes2 + 1<<16
	idRunes     = idBytes3 + 1<<24
	vocabulary  = idRunes + utf8.MaxRune + 1
)

var specials = []string{"<|endoftext|>", "<|im_start|>", "<|im_end|>"}

// maxPiece is the longest token in bytes; a rune of four bytes is one token too.
const maxPiece = 3

// encode turns a text into tokens: a special token's text, else up to three
// bytes of whole runes of one class (letters, digits, spaces, other), where
// one space in front of letters belongs to them.
func encode(text string, ids []int) []int {
	for len(text) > 0 {
		if text[0] == '<' {
			if id := specialAt(text); id >= 0 {
				ids, text = append(ids, id), text[len(specials[id]):]
				continue
			}
		}
		n := piece(text)
		ids, text = append(ids, pieceID(text[:n])), text[n:]
	}
	return ids
}

func specialAt(text string) int {
	for id, s := range specials {
		if strings.HasPrefix(text, s) {
			return id
		}
	}
	return -1
}

// piece is the length of the token that text begins with.
func piece(text string) int {
	first, n := utf8.DecodeRuneInString(text)
	if n >= maxPiece || (first == utf8.RuneError && n == 1) {
		return n
	}
	kind := class(first)
	if text[0] == ' ' && n < len(text) {
		if next, _ := utf8.DecodeRuneInString(text[n:]); class(next) == letters || class(next) == digits {
			kind = class(next)
		} else {
			return n
		}
	}
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if n+size > maxPiece || class(r) != kind || (r == utf8.RuneError && size == 1) || text[n] == ' ' || text[n] == '<' {
			break
		}
		n += size
	}
	return n
}

const (
	letters = iota
	digits
	spaces
	other
)

func class(r rune) int {
	switch {
	case unicode.IsLetter(r):
		return letters
	case unicode.IsDigit(r):
		return digits
	case unicode.IsSpace(r):
		return spaces
	}
	return other
}

func pieceID(s string) int {
	switch len(s) {
	case 1:
		return idBytes1 + int(s[0])
	case 2:
		return idBytes2 + int(s[0])<<8 + int(s[1])
	case 3:
		return idBytes3 + int(s[0])<<16 + int(s[1])<<8 + int(s[2])
	}
	r, _ := utf8.DecodeRuneInString(s)
	return idRunes + int(r)
}

// decode is the way back. Ids outside the vocabulary are left out.
func decode(ids []int) string {
	var b strings.Builder
	for _, id := range ids {
		switch {
		case id < 0 || id >= vocabulary:
		case id < idBytes1:
			b.WriteString(specials[id])
		case id < idBytes2:
			b.WriteByte(byte(id - idBytes1))
		case id < idBytes3:
			v := id - idBytes2
			b.Write([]byte{byte(v >> 8), byte(v)})
		case id < idRunes:
			v := id - idBytes3
			b.Write([]byte{byte(v >> 16), byte(v >> 8), byte(v)})
		default:
			b.WriteRune(rune(id - idRunes))
		}
	}
	return b.String()
}

// message is one turn of a chat.
type message struct {
	Role    string
	Content string
}

// encodeChat lays out the turns as ChatML does and opens the assistant's.
func encodeChat(messages []message, openAnswer bool) []int {
	var ids []int
	for _, m := range messages {
		ids = append(ids, idStart)
		ids = encode(m.Role+"\n"+m.Content, ids)
		ids = append(ids, idEnd)
		ids = encode("\n", ids)
	}
	if openAnswer {
		ids = append(ids, idStart)
		ids = encode("assistant\n", ids)
	}
	return ids
}

// words are the pieces that answers are made of; each is one token, also
// beside the others.
var words = strings.Split(" of, to, in, it, is, be, as, at, so, we, he, by, or, on, do, if, me, my, up, an, go, no, us, am", ",")

var wordIDs = func() []int {
	ids := make([]int, len(words))
	for i, w := range words {
		ids[i] = pieceID(w)
	}
	return ids
}()
