package summary

import (
	"encoding/base64"
	"encoding/binary"

	"hpcbench/results"
)

// scratch holds buffers that every request of an attempt uses in turn.
type scratch struct {
	raw  []byte
	gaps []results.Gap
}

// events are the token events of one request: when each came and its tokens.
type events struct {
	first  int64
	gaps   []results.Gap // between event i and i+1
	counts []int         // nil = one token in each
	// scale turns counted tokens into the server's: usage at the end / what the events add up to.
	scale float64
	// spread says that only the first and the last instant are known, so that tokens are spread evenly between.
	spread bool
	last   int64
	tokens float64 // by usage, else by the events
	broken bool    // gaps or counts that can't be read or don't fit
}

// decode reads a record's token events. Buffers are the scratch's: the answer
// holds until the next call.
func (s *scratch) decode(r *results.Record) events {
	e := events{first: r.TFirstToken, last: max(r.TLastToken, r.TFirstToken), scale: 1}
	if r.TFirstToken == 0 {
		return e
	}
	counted := max(r.TokenEvents, 1)
	if !s.decodeGaps(r.Gaps) || (len(s.gaps) != counted-1 && len(s.gaps) > 0) {
		e.broken = true
	}
	if !e.broken && len(s.gaps) == counted-1 {
		e.gaps = s.gaps
	} else {
		e.spread = true
	}
	if r.TokenCounts != "" {
		counts, err := results.DecodeCounts(r.TokenCounts, r.TokenEvents)
		if err != nil {
			e.broken = true
		} else {
			e.counts = counts
			counted = 0
			for _, c := range counts {
				counted += c
			}
		}
	}
	e.tokens = float64(counted)
	if r.OutputTokens > 0 {
		e.tokens = float64(r.OutputTokens)
		if counted > 0 {
			e.scale = e.tokens / float64(counted)
		} else {
			e.spread = true
		}
	}
	return e
}

// decodeGaps is results.DecodeGaps without an allocation a request: an attempt
// has millions of gaps. It says whether the text is sound.
func (s *scratch) decodeGaps(text string) bool {
	s.gaps = s.gaps[:0]
	if text == "" {
		return true
	}
	if need := base64.RawStdEncoding.DecodedLen(len(text)); cap(s.raw) < need {
		s.raw = make([]byte, 2*need)
	}
	n, err := base64.RawStdEncoding.Decode(s.raw[:cap(s.raw)], []byte(text))
	if err != nil {
		return false
	}
	for at := 0; at < n; {
		v, size := binary.Uvarint(s.raw[at:n])
		if size <= 0 {
			s.gaps = s.gaps[:0]
			return false
		}
		s.gaps = append(s.gaps, results.Gap{Us: int64(v >> 1), Merged: v&1 == 1})
		at += size
	}
	return true
}

// within is how many tokens arrived in [from, to).
func (e *events) within(from, to int64) float64 {
	switch {
	case e.first == 0 || e.last < from || e.first >= to:
		return 0
	case e.first >= from && e.last < to:
		return e.tokens
	case e.spread:
		return e.tokens * overlapShare(e.first, e.last, from, to)
	}
	counted, at := 0, e.first
	for i := 0; ; i++ {
		if at >= from && at < to {
			counted += e.count(i)
		}
		if i == len(e.gaps) || at >= to {
			break
		}
		at += e.gaps[i].Us
	}
	return float64(counted) * e.scale
}

// slices adds the tokens to equal slices of [from, to).
func (e *events) slices(into []float64, from, to int64) {
	if e.first == 0 || to <= from {
		return
	}
	width := float64(to-from) / float64(len(into))
	if e.spread {
		for i := range into {
			a := from + int64(float64(i)*width)
			into[i] += e.within(a, from+int64(float64(i+1)*width))
		}
		return
	}
	at := e.first
	for i := 0; ; i++ {
		if at >= to {
			return
		}
		if at >= from {
			into[min(int(float64(at-from)/width), len(into)-1)] += float64(e.count(i)) * e.scale
		}
		if i == len(e.gaps) {
			return
		}
		at += e.gaps[i].Us
	}
}

func (e *events) count(i int) int {
	if e.counts == nil {
		return 1
	}
	return e.counts[i]
}

// overlapShare is how much of [first, last] lies in [from, to).
func overlapShare(first, last, from, to int64) float64 {
	if last <= first {
		return 1
	}
	return float64(min(last, to)-max(first, from)) / float64(last-first)
}
