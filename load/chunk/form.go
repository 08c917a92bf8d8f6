package chunk

import "bytes"

// form is an event with holes: the text, and the counts of usage. The events of
// a stream mostly differ in these alone, so an event that has the same bytes
// around its holes, and a string and numbers in them, is read without looking
// at its structure again: JSON's structure can't depend on them.
type form struct {
	bytes []byte
	holes [maxHoles]hole
	n     int
	facts Facts // without what is in the holes
}

const maxHoles = 4

type hole struct {
	kind       holeKind
	start, end int
}

type holeKind uint8

const (
	holeContent holeKind = iota // the inside of a string
	holeReasoning
	holePrompt
	holeCompletion
	holeNumber // one that means nothing to us
	tooMany
)

// note remembers a hole. One too many makes the event unfit.
func (s *scanner) note(kind holeKind, start, end int) {
	if s.nHole == maxHoles {
		s.holes[maxHoles-1].kind = tooMany
		return
	}
	s.holes[s.nHole] = hole{kind, start, end}
	s.nHole++
}

// countHole is count for a number that may be another in the next event.
func (s *scanner) countHole(kind holeKind) (int, bool) {
	s.space()
	start := s.i
	n, ok := s.count()
	s.note(kind, start, s.i)
	return n, ok
}

// maxForm bounds what is kept of an event, in bytes.
const maxForm = 2 << 10

// learn keeps the form of an event that was scanned, if it has text in one
// place and is of a usual size.
func (m *form) learn(s *scanner, f *Facts) {
	contents, texts := 0, 0
	for _, h := range s.holes[:s.nHole] {
		switch h.kind {
		case holeContent:
			contents++
			texts++
		case holeReasoning:
			texts++
		case tooMany:
			return
		}
	}
	if texts == 0 || contents > 1 || len(s.b) > maxForm {
		return
	}
	m.bytes = append(m.bytes[:0], s.b...)
	m.holes, m.n = s.holes, s.nHole
	m.facts = *f
	m.facts.Content, m.facts.ContentBytes, m.facts.Reasoning = false, 0, false
	if f.ID != nil {
		at := bytes.Index(m.bytes, f.ID)
		m.facts.ID = m.bytes[at : at+len(f.ID)]
	}
}

// match reads data by the form, and says whether it could.
func (m *form) match(data []byte, f *Facts) bool {
	if m.n == 0 {
		return false
	}
	s := scanner{b: data}
	from := 0 // in the form
	*f = m.facts
	for _, h := range m.holes[:m.n] {
		if !s.literal(m.bytes[from:h.start]) {
			return false
		}
		from = h.end
		if h.kind <= holeReasoning {
			s.i-- // the opening quote
			raw, plain, ok := s.str()
			if !ok || hasControl(raw) {
				return false
			}
			s.i-- // the closing quote belongs to what follows
			if h.kind == holeReasoning {
				f.Reasoning = f.Reasoning || len(raw) > 0
				continue
			}
			f.ContentBytes = len(raw)
			if !plain {
				f.ContentBytes = decodedLen(raw)
			}
			f.Content = f.ContentBytes > 0
			continue
		}
		if s.i < len(data) && data[s.i] == ' ' {
			return false
		}
		n, ok := s.count()
		if !ok {
			return false
		}
		switch h.kind {
		case holePrompt:
			f.PromptTokens = n
		case holeCompletion:
			f.CompletionTokens = n
		}
	}
	return s.literal(m.bytes[from:]) && s.i == len(data)
}

// literal takes exactly these bytes.
func (s *scanner) literal(b []byte) bool {
	if !bytes.HasPrefix(s.b[s.i:], b) {
		return false
	}
	s.i += len(b)
	return true
}
