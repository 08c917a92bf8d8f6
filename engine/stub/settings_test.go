package stub

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"
)

// arrivals is the Hugging Face tool's open loop against the scheduler alone, in
// simulated time: a tick of 10 ms adds rate/100 to an account, whole requests of
// it start, those above maxVUs are left out, and what is open at the end is not counted.
type arrivals struct {
	rate      float64
	duration  time.Duration
	maxVUs    int
	maxTokens int
}

// figures are means over the requests that ended within the duration.
type figures struct {
	counted             int
	ttftMs, itlMs, e2eS float64
}

func (a arrivals) run(t *testing.T, cfg Config) figures {
	t.Helper()
	cfg, err := cfg.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	sleeper, err := newSleeper()
	if err != nil {
		t.Fatal(err)
	}
	defer sleeper.close()
	e := &engine{cfg: cfg, sleeper: sleeper, prefix: newPrefixCache(10), m: newCounters(), ttft: 1, itl: 1}
	var open, done []*stream
	var batch []emission
	// until lets everything happen that is due by an instant.
	until := func(end int64) {
		for now := int64(0); ; {
			next := e.advance(now, &batch)
			if next < 0 || now+int64(next) > end {
				return
			}
			now += int64(next)
		}
	}
	account := 0.0
	for tick := int64(0); tick < int64(a.duration); tick += int64(10 * time.Millisecond) {
		until(tick)
		still := open[:0]
		for _, s := range open {
			if s.state == ended {
				done = append(done, s)
			} else {
				still = append(still, s)
			}
		}
		open = still
		for account += a.rate * 0.01; account >= 1; account-- {
			if len(open) >= a.maxVUs {
				continue
			}
			s := &stream{readNs: tick, ask: &ask{promptIDs: []int{1}, maxTokens: a.maxTokens}, done: make(chan struct{})}
			if refused := e.submit(s, func() {}); refused != nil {
				t.Fatal(refused.message)
			}
			open = append(open, s)
		}
	}
	until(int64(a.duration))
	var f figures
	for _, s := range append(done, open...) {
		if s.state != ended || s.lastNs > int64(a.duration) {
			continue
		}
		f.counted++
		f.ttftMs += float64(s.firstNs-s.readNs) / 1e6
		f.itlMs += float64(s.lastNs-s.firstNs) / 1e6 / float64(a.maxTokens-1)
		f.e2eS += float64(s.lastNs-s.readNs) / 1e9
	}
	n := float64(f.counted)
	f.ttftMs, f.itlMs, f.e2eS = f.ttftMs/n, f.itlMs/n, f.e2eS/n
	return f
}

// The stub with the settings of the three servers that the Hugging Face tool
// was run against gives what the tool printed.
func TestSettingsOfTheCapturedServers(t *testing.T) {
	for _, c := range []struct {
		file      string
		cfg       Config
		maxVUs    int
		maxTokens int
	}{
		{"A.json", Config{TTFTBaseMs: 100, ITLMs: 10}, 800, 50},
		{"B.json", Config{TTFTBaseMs: 100, ITLMs: 10, Slots: 10}, 800, 50},
		{"C.json", Config{TTFTBaseMs: 500, ITLMs: 20}, 16, 100},
	} {
		raw, err := os.ReadFile("testdata/inference-benchmarker/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		var captured struct {
			Results []struct {
				ID     string `json:"id"`
				Config struct {
					Rate     *float64 `json:"rate"`
					Duration float64  `json:"duration_secs"`
				} `json:"config"`
				OK   int                   `json:"successful_requests"`
				TTFT struct{ Avg float64 } `json:"time_to_first_token_ms"`
				ITL  struct{ Avg float64 } `json:"inter_token_latency_ms"`
				E2E  struct{ Avg float64 } `json:"e2e_latency_ms"`
			} `json:"results"`
		}
		if err := json.Unmarshal(raw, &captured); err != nil {
			t.Fatal(err)
		}
		compared := 0
		for _, want := range captured.Results {
			if want.Config.Rate == nil {
				continue // the warm-up
			}
			compared++
			id := want.ID
			got := arrivals{rate: *want.Config.Rate, duration: time.Duration(want.Config.Duration * float64(time.Second)), maxVUs: c.maxVUs, maxTokens: c.maxTokens}.run(t, c.cfg)
			near := func(what string, got, want, share float64) {
				if math.Abs(got-want) > share*want {
					t.Errorf("%s %s: %s is %.2f, the tool printed %.2f", c.file, id, what, got, want)
				}
			}
			near("requests counted", float64(got.counted), float64(want.OK), 0.02)
			near("TTFT", got.ttftMs, want.TTFT.Avg, 0.02)
			near("ITL", got.itlMs, want.ITL.Avg, 0.01)
			near("E2E", got.e2eS*1000, want.E2E.Avg, 0.02)
		}
		if compared < 2 {
			t.Errorf("%s has %d rates", c.file, compared)
		}
	}
}
