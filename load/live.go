package load

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"hpcbench/results"
)

// liveSpan is how long a half of the live figures reaches back: they are of the
// last one to two spans.
const liveSpan = 5 * time.Second

// live are the figures for people to watch. Reported figures are never made
// from them.
type live struct {
	inFlight atomic.Int64
	sent     atomic.Int64
	tokens   atomic.Int64

	mu        sync.Mutex
	completed int
	errors    map[string]int
	halves    [2]half // the older one and the current one
	turnedAt  time.Time
	lastDone  int
	lastTok   int64
	lastAt    time.Time
}

type half struct{ ttft, tpot *hdrhistogram.Histogram }

func newHalf() half {
	const most = 600_000_000 // µs
	return half{hdrhistogram.New(1, most, 2), hdrhistogram.New(1, most, 2)}
}

func newLive() *live {
	return &live{errors: map[string]int{}, halves: [2]half{newHalf(), newHalf()}, turnedAt: time.Now(), lastAt: time.Now()}
}

// ended takes a finished request.
func (l *live) ended(r *results.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Outcome == results.OutcomeDropped {
		l.errors[results.OutcomeDropped]++
		return
	}
	switch r.Outcome {
	case results.OutcomeCompleted:
		l.completed++
	case results.OutcomeShed:
		l.errors[results.OutcomeShed]++
	case results.OutcomeFailed, results.OutcomeTimedOut:
		l.errors[r.ErrorClass]++
	}
	now := &l.halves[1]
	if r.TFirstToken > 0 {
		// Values above the range are of no use to a live figure.
		_ = now.ttft.RecordValue(r.TFirstToken - max(r.TIntended, 1))
	}
	if n := int64(r.OutputTokens - r.FirstTokens); n > 0 && r.TLastToken > r.TFirstToken {
		_ = now.tpot.RecordValue(max(1, (r.TLastToken-r.TFirstToken)/n))
	}
}

// read fills the live figures into p; it is called once a second.
func (l *live) read(p *results.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	ttft, tpot := hdrhistogram.Import(l.halves[0].ttft.Export()), hdrhistogram.Import(l.halves[0].tpot.Export())
	ttft.Merge(l.halves[1].ttft)
	tpot.Merge(l.halves[1].tpot)
	if now.Sub(l.turnedAt) >= liveSpan {
		l.halves[0], l.halves[1] = l.halves[1], l.halves[0]
		l.halves[1].ttft.Reset()
		l.halves[1].tpot.Reset()
		l.turnedAt = now
	}
	p.InFlight = int(l.inFlight.Load())
	p.Sent, p.Completed = int(l.sent.Load()), l.completed
	p.Errors = maps.Clone(l.errors)
	ms := func(h *hdrhistogram.Histogram, q float64) float64 { return float64(h.ValueAtPercentile(q)) / 1000 }
	p.TTFTp50Ms, p.TTFTp95Ms = ms(ttft, 50), ms(ttft, 95)
	p.TPOTp50Ms, p.TPOTp95Ms = ms(tpot, 50), ms(tpot, 95)
	tokens := l.tokens.Load()
	if s := now.Sub(l.lastAt).Seconds(); s > 0 {
		p.TokensPerS = float64(tokens-l.lastTok) / s
		p.AchievedPerS = float64(l.completed-l.lastDone) / s
	}
	l.lastTok, l.lastDone, l.lastAt = tokens, l.completed, now
}
