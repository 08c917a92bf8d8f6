package stub

import (
	"math"
	"time"
)

// States of a stream.
const (
	waiting = iota
	prefill // has a slot, the first token is on its way
	decode_ // emits tokens
	ended
)

// finishes that aren't an answer's own.
const (
	finishAbort     = "abort"
	finishError     = "error"
	finishCancelled = "cancelled"
	finishDropped   = "dropped"
)

// stream is one accepted request. The engine's lock guards its fields up to the
// line; what is below belongs to the scheduler alone, which writes without the lock.
type stream struct {
	ask     *ask
	id      string
	hashes  []uint64 // of the prompt's whole blocks, but for one that ends it
	limit   int      // tokens that will come
	natural string   // finish_reason when they did
	dropAt  int      // the connection is closed after so many tokens; 0 = never
	seed    uint32   // of the answer's words

	state    int
	roleDue  bool // the next due is the role event's
	heapAt   int
	due, set int64 // ns: when its next event is due, and when that was decided
	firstDue int64
	readNs   int64
	admitted int64
	cached   int // prompt tokens from the prefix cache
	produced int
	firstNs  int64
	lastNs   int64
	reserved int64 // KV tokens

	finish string // valid once done is closed
	done   chan struct{}
	onEnd  func() // called by the scheduler after done was closed
	// ---
	out     *sink // nil: the answer is collected
	ev      *events
	buf     []byte
	roleOut bool
	truth   *Truth
}

// mix is a cheap hash of a token's place in a stream.
func mix(seed uint32, n int) uint32 {
	h := (seed ^ uint32(n)*2654435761) * 2246822519
	h ^= h >> 15
	h *= 3266489917
	return h ^ h>>16
}

// token is the n-th token of the answer. Empty says that its text is left out,
// as that of a special token.
func (s *stream) token(n int, emptyShare float64) (word int, empty bool) {
	h := mix(s.seed, n)
	word = int(h % uint32(len(words)))
	if emptyShare > 0 {
		empty = float64(mix(h, n)) < emptyShare*math.MaxUint32
	}
	return word, empty
}

// text is the answer's text over [from, to).
func (s *stream) text(b []byte, from, to int, emptyShare float64) []byte {
	for n := from; n < to; n++ {
		if w, empty := s.token(n, emptyShare); !empty {
			b = append(b, words[w]...)
		}
	}
	return b
}

// tokenIDs are the ids over [from, to).
func (s *stream) tokenIDs(from, to int, emptyShare float64) []int {
	ids := make([]int, 0, to-from)
	for n := from; n < to; n++ {
		w, empty := s.token(n, emptyShare)
		if empty {
			ids = append(ids, idEnd)
		} else {
			ids = append(ids, wordIDs[w])
		}
	}
	return ids
}

// maxBacklog is how many bytes may wait for a slow client before its stream
// stands still, and stallPause how long it does before it is looked at again.
const (
	maxBacklog = 1 << 20
	stallPause = 2 * time.Millisecond
)

// stalled says that the client is too slow; a real server's writes would block there.
func (s *stream) stalled() bool { return s.out != nil && s.out.backlog() > maxBacklog }

// emission is what the scheduler has to write, decided under the lock.
type emission struct {
	s        *stream
	role     bool
	from, to int
	finish   string // "" = it goes on
	err      *apiError
}

// send writes an emission and tells whoever waits for the end.
func (e *engine) send(m emission) {
	s := m.s
	if s.out != nil {
		s.buf = s.buf[:0]
		answers := m.to > m.from || (m.finish != "" && m.err == nil && m.finish != finishDropped && m.finish != finishCancelled)
		if m.role || (s.ask.chat && !s.roleOut && answers) {
			s.buf = s.ev.appendRole(s.buf)
			s.roleOut = true
			e.note(s, 0)
		}
		switch {
		case m.err != nil:
			s.buf = s.ev.appendError(s.buf, m.err)
		case answers:
			e.appendEvents(m)
		}
		if s.truth != nil && m.finish != "" {
			s.truth.EndNs = e.clock.now()
		}
		if len(s.buf) > 0 {
			s.out.write(s.buf)
		}
	}
	if m.finish == "" {
		return
	}
	if s.truth != nil {
		s.truth.OutputTokens, s.truth.Finish = m.to, m.finish
		if s.truth.EndNs == 0 {
			s.truth.EndNs = e.clock.now()
		}
		e.truth.lines <- *s.truth
	}
	s.finish = m.finish
	close(s.done)
	s.onEnd()
}

// appendEvents adds the events of an emission, each with as many tokens as the
// configuration says, and the answer's end where it is one.
func (e *engine) appendEvents(m emission) {
	s := m.s
	share := e.cfg.Faults.EmptyShare
	for from := m.from; ; {
		to := min(from+e.cfg.Faults.Coalesce, m.to)
		finish := ""
		if to == m.to {
			finish = m.finish
		}
		var ids []int
		if s.ask.returnIDs {
			ids = s.tokenIDs(from, to, share)
		}
		e.words = s.text(e.words[:0], from, to, share)
		s.buf = s.ev.appendTokens(s.buf, e.words, ids, from == 0, to, finish)
		e.note(s, to-from)
		if from = to; from >= m.to {
			break
		}
	}
	if m.finish != "" {
		s.buf = s.ev.appendEnd(s.buf, m.to)
	}
}

// note keeps the moment before the write of an event.
func (e *engine) note(s *stream, tokens int) {
	if s.truth != nil {
		s.truth.WriteNs = append(s.truth.WriteNs, e.clock.now())
		s.truth.Tokens = append(s.truth.Tokens, tokens)
	}
}
