package stub

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// engine is the scheduler: slots, queue, KV and prefix cache, and the time.
type engine struct {
	cfg     Config
	clock   clock
	startNs int64
	sleeper *sleeper
	truth   *truthLog
	ttft    float64 // noise factors
	itl     float64
	words   []byte // scratch of send, which one goroutine calls

	mu       sync.Mutex
	queue    []*stream // first in first out
	due      dueHeap   // prefills, and decodes where each stream has its own phase
	stepping []*stream // decodes of an engine that steps
	nextStep int64     // 0 = none
	running  int
	reserved int64 // KV tokens that running requests may come to use
	kvUsed   int64
	prefix   *prefixCache
	faults   *rand.Rand
	accepted int
	thawed   bool
	draining bool
	dead     bool
	closing  bool
	ended    []emission // streams ended from outside, for the scheduler to write
	m        counters
	loopDone chan struct{}
	died     chan struct{} // closed when the engine died
}

func newEngine(cfg Config) (*engine, error) {
	e := &engine{cfg: cfg, clock: newClock(), prefix: newPrefixCache(int(cfg.KVTokens) / cfg.BlockTokens),
		faults: seeded("faults", cfg.Faults.Seed), loopDone: make(chan struct{}), died: make(chan struct{})}
	e.startNs = e.clock.now()
	e.m = newCounters()
	e.ttft, e.itl = cfg.Noise.factors()
	var err error
	if e.sleeper, err = newSleeper(); err != nil {
		return nil, err
	}
	if cfg.TruthFile != "" {
		if e.truth, err = openTruth(cfg.TruthFile); err != nil {
			return nil, err
		}
	}
	go e.loop()
	return e, nil
}

// submit takes a request in, or says why not. accepted is called before
// anything of its answer is written.
func (e *engine) submit(s *stream, accepted func()) *apiError {
	s.heapAt = -1
	if !e.cfg.NoPrefix {
		s.hashes = blockHashes(s.ask.promptIDs[:len(s.ask.promptIDs)-1], e.cfg.BlockTokens)
	}
	for _, id := range s.ask.promptIDs {
		s.seed = mix(s.seed, id) // the same prompt gets the same answer
	}
	s.limit, s.natural = s.ask.maxTokens, "length"
	if stop := max(e.cfg.StopAfterTokens, s.ask.minTokens); e.cfg.StopAfterTokens > 0 && !s.ask.ignoreEOS && stop < s.limit {
		s.limit, s.natural = stop, "stop"
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dead {
		return errDead
	}
	f := e.cfg.Faults
	if f.ErrorShare > 0 && e.faults.Float64() < f.ErrorShare {
		return errInjected
	}
	if e.cfg.MaxInFlight > 0 && e.running+len(e.queue) >= e.cfg.MaxInFlight {
		e.m.rejected++
		return errBusy
	}
	if f.DropShare > 0 && e.faults.Float64() < f.DropShare {
		s.dropAt = 1 + e.faults.IntN(max(s.limit-1, 1))
	}
	e.accepted++
	if e.truth != nil {
		s.truth = &Truth{ID: s.id, PromptTokens: len(s.ask.promptIDs), ReadNs: s.readNs, RealOffsetNs: e.clock.realOffset()}
	}
	accepted()
	// First in is who was read first, whichever connection got here first.
	at := len(e.queue)
	for at > 0 && e.queue[at-1].readNs > s.readNs {
		at--
	}
	e.queue = slices.Insert(e.queue, at, s)
	switch {
	case e.draining:
		e.end(s, finishAbort, nil)
	case f.DieAfterRequests > 0 && e.accepted >= f.DieAfterRequests:
		e.die()
	default:
		e.admit(s.readNs)
	}
	e.sleeper.wake()
	return nil
}

// admit gives slots to the head of the queue; now is the instant that freed them.
func (e *engine) admit(now int64) {
	for len(e.queue) > 0 {
		s := e.queue[0]
		need := int64(len(s.ask.promptIDs) + s.limit)
		if e.cfg.Slots > 0 && e.running >= e.cfg.Slots {
			return
		}
		if e.running > 0 && e.reserved+need > e.cfg.KVTokens {
			return
		}
		e.queue[0] = nil
		e.queue = e.queue[1:]
		prompt := len(s.ask.promptIDs)
		s.state, s.reserved, s.admitted = prefill, need, max(now, s.readNs)
		s.cached = e.prefix.hits(s.hashes) * e.cfg.BlockTokens
		e.running++
		e.reserved += need
		e.kvUsed += int64(prompt)
		e.m.admitted(prompt, s.cached, !e.cfg.NoPrefix)
		wait := time.Duration((e.cfg.TTFTBaseMs + e.cfg.TTFTPerTokenMs*float64(prompt-s.cached)) * e.ttft * float64(time.Millisecond))
		s.firstDue = s.admitted + int64(wait)
		s.due, s.set = s.firstDue, now
		if early := int64(e.cfg.Faults.RoleEarly); early > 0 && s.ask.chat {
			s.roleDue = true
			s.due = max(s.admitted, s.firstDue-early)
		}
		if s.truth != nil {
			s.truth.AdmittedNs, s.truth.FirstDueNs = s.admitted, s.firstDue
		}
		heap.Push(&e.due, s)
	}
}

// gap is the time between two tokens as things are.
func (e *engine) gap() int64 {
	ms := e.cfg.ITLMs * (1 + e.cfg.ITLPerRunning*float64(e.running)) * e.itl
	// An engine can't step in no time; without this a stream of gap 0 would keep the scheduler from everything else.
	return max(int64(ms*float64(time.Millisecond)), int64(time.Microsecond))
}

// loop is the scheduler's life.
func (e *engine) loop() {
	defer close(e.loopDone)
	e.sleeper.own()
	var batch []emission
	for {
		e.mu.Lock()
		batch = append(batch[:0], e.ended...)
		clear(e.ended)
		e.ended = e.ended[:0]
		now := e.clock.now()
		next := e.advance(now, &batch)
		stop := e.closing && len(batch) == 0
		e.mu.Unlock()
		if stop {
			return
		}
		for i := range batch {
			e.send(batch[i])
			batch[i] = emission{}
		}
		if len(batch) > 0 {
			continue
		}
		e.sleeper.sleep(next)
	}
}

// advance decides what is to be written now and returns how long nothing else
// will be; < 0 = until a wake. It takes one due stream at a time, or one step.
func (e *engine) advance(now int64, batch *[]emission) time.Duration {
	if e.frozen(now) {
		return time.Duration(e.startNs + int64(e.cfg.Faults.FreezeAt+e.cfg.Faults.FreezeFor) - now)
	}
	next := int64(-1)
	if len(e.due) > 0 {
		next = e.due[0].due
	}
	if e.nextStep > 0 && (next < 0 || e.nextStep < next) {
		if e.nextStep <= now {
			e.step(now, batch)
			return 0
		}
		return time.Duration(e.nextStep - now)
	}
	if next < 0 {
		return -1
	}
	if next > now {
		return time.Duration(next - now)
	}
	s := e.due[0]
	if s.roleDue {
		s.roleDue = false
		s.due, s.set = s.firstDue, now
		heap.Fix(&e.due, 0)
		*batch = append(*batch, emission{s: s, role: true})
		return 0
	}
	if e.cfg.Steps {
		heap.Pop(&e.due)
		e.stepping = append(e.stepping, s)
		if e.nextStep == 0 {
			e.nextStep = s.due
		}
		return 0
	}
	if s.stalled() {
		s.due, s.set = now+int64(stallPause), now
		heap.Fix(&e.due, 0)
		return 0
	}
	m := e.produce(s, s.due, now)
	*batch = append(*batch, m)
	if m.finish != "" {
		return 0
	}
	s.due, s.set = s.due+e.gap()*int64(m.to-m.from), now
	heap.Fix(&e.due, 0)
	return 0
}

// step gives each decoding stream its token of this step.
func (e *engine) step(now int64, batch *[]emission) {
	at := e.nextStep
	going := e.stepping[:0]
	for _, s := range e.stepping {
		if s.stalled() {
			going = append(going, s)
			continue
		}
		m := e.produce(s, at, now)
		*batch = append(*batch, m)
		if m.finish == "" {
			going = append(going, s)
		}
	}
	clear(e.stepping[len(going):])
	e.stepping = going
	e.nextStep = 0
	if len(going) > 0 {
		e.nextStep = at + e.gap()*int64(e.cfg.Faults.Coalesce*e.cfg.Batch)
	}
}

// produce counts the stream's next tokens, due at an instant of the schedule, and ends it where they were its last.
func (e *engine) produce(s *stream, at, now int64) emission {
	n := min(e.cfg.Faults.Coalesce*e.cfg.Batch, s.limit-s.produced)
	m := emission{s: s, from: s.produced, to: s.produced + n}
	s.state = decode_
	s.produced += n
	e.kvUsed += int64(n)
	e.m.tokens(s, n, now)
	if s.dropAt > 0 && s.produced >= s.dropAt {
		m.finish = finishDropped
		m.to = m.from
		e.release(s, finishAbort, at, now)
		return m
	}
	if s.produced == s.limit {
		m.finish = s.natural
		e.release(s, s.natural, at, now)
	}
	return m
}

// release takes a stream out of wherever it is and gives its slot away; at is
// the schedule's instant, so that lateness of ours doesn't add up in the queue.
func (e *engine) release(s *stream, finish string, at, now int64) {
	if s.state == waiting {
		e.queue = slices.DeleteFunc(e.queue, func(q *stream) bool { return q == s })
		s.state = ended
		return
	}
	if s.heapAt >= 0 {
		heap.Remove(&e.due, s.heapAt)
	}
	s.state = ended
	e.running--
	e.reserved -= s.reserved
	e.kvUsed -= int64(len(s.ask.promptIDs) + s.produced)
	if !e.cfg.NoPrefix {
		e.prefix.add(s.hashes)
	}
	e.m.finished(s, finish, now)
	e.admit(at)
}

// end takes a stream out from outside the schedule; the scheduler writes what its client gets.
func (e *engine) end(s *stream, finish string, err *apiError) {
	if s.state == ended {
		return
	}
	now := e.clock.now()
	m := emission{s: s, from: s.produced, to: s.produced, finish: finish, err: err}
	if finish == finishAbort && s.produced > 0 {
		m.to++ // the token that was being made leaves with the abort
		s.produced++
		e.kvUsed++
		e.m.generated++
	}
	e.stepping = slices.DeleteFunc(e.stepping, func(q *stream) bool { return q == s })
	e.release(s, finishAbort, now, now)
	e.ended = append(e.ended, m)
}

// frozen says whether tokens stand still; at the thaw everything that was due is put off.
func (e *engine) frozen(now int64) bool {
	f := e.cfg.Faults
	from := e.startNs + int64(f.FreezeAt)
	to := from + int64(f.FreezeFor)
	if f.FreezeFor == 0 || now < from || e.thawed {
		return false
	}
	if now < to {
		return true
	}
	e.thawed = true
	for _, s := range e.due {
		shift := to - max(from, s.set)
		s.due += shift
		if s.state == prefill {
			s.firstDue += shift
		}
	}
	heap.Init(&e.due)
	if e.nextStep > 0 {
		e.nextStep += to - from
	}
	return false
}
