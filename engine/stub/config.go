package stub

import (
	"errors"
	"fmt"
	"time"
)

// Version is what /version answers. It can't be mistaken for an engine's.
const Version = "stub-0.32.0"

// SimulatedHeader is in every answer.
const SimulatedHeader = "x-hpcbench-simulated"

// Owner is the owned_by of the model in /v1/models.
const Owner = "hpcbench-stub"

// Config is the behaviour of a stub server. The zero value of a number means
// "none" or "no limit" unless its comment gives a default.
type Config struct {
	Host   string // default 127.0.0.1
	Port   int    // 0 = a free one
	Socket string // a Unix socket's path instead of host and port

	Model       string // the served name; default "stub"
	Root        string // what /v1/models states as the model's source; default Model
	MaxModelLen int    // tokens of prompt and output together; default 32768
	APIKey      string // demanded on /v1/* where it isn't empty

	// The first token leaves TTFTBaseMs + TTFTPerTokenMs x (prompt tokens that
	// the prefix cache doesn't hold) after the request got a slot; each further
	// one ITLMs x (1 + ITLPerRunning x running requests) after the last.
	TTFTBaseMs     float64
	TTFTPerTokenMs float64
	ITLMs          float64
	ITLPerRunning  float64
	// Steps emits the tokens of all running requests at one instant, as an
	// engine's step does; else each stream has its own phase.
	Steps bool
	// Batch is how many events leave in one write, as from a server that is
	// faster than its socket or a proxy that gathers; default 1.
	Batch int

	Slots       int   // requests that run at once, the rest waits first in first out
	MaxInFlight int   // running and waiting; the next one gets 503
	KVTokens    int64 // KV cache; default 1048576
	BlockTokens int   // of the KV cache; default 16
	NoPrefix    bool  // prefix cache off
	// StopAfterTokens ends an answer with finish_reason "stop" after so many
	// tokens where the request doesn't say ignore_eos.
	StopAfterTokens int
	KeepAlive       time.Duration // idle connections are closed after it; default 5 s, as vLLM does

	Noise  Noise
	Faults Faults

	// ShutdownTimeout is how long open streams may go on after a stop; with 0
	// they end at once with finish_reason "abort".
	ShutdownTimeout time.Duration
	// TruthFile gets one Truth line a request.
	TruthFile string
}

// Noise are multiplicative lognormal factors of mean 1 on TTFT and ITL, fixed
// for the server's life by their seeds: one for the repeat and one that all
// repeats of a night share. Gates are tested with them.
type Noise struct {
	RepeatCV   float64 // coefficient of variation, 0.02 = 2 %
	RepeatSeed string
	NightCV    float64
	NightSeed  string
}

// Faults are ways to go wrong that have been seen in real servers.
type Faults struct {
	StartDelay time.Duration // the port isn't bound before
	// DieAfterRequests: when so many requests were accepted, the engine behind
	// the server dies: open streams get an error event and [DONE] inside their
	// 200, /health says 503, and the server ends.
	DieAfterRequests int
	// FreezeAt and FreezeFor stop all tokens for a while, counted from the
	// start, while /health goes on saying 200.
	FreezeAt, FreezeFor time.Duration
	ErrorShare          float64       // of requests that get a 500
	DropShare           float64       // of streams whose connection is closed in the middle
	EmptyShare          float64       // of tokens whose text is empty, as special tokens are
	RefuseInStream      bool          // a refusal is an error event inside a 200
	Coalesce            int           // tokens an event, default 1
	RoleEarly           time.Duration // a chat's role event leaves so long before the first token
	IgnoreTerm          bool          // Serve doesn't heed its context: only a KILL ends the process
	Seed                string        // of the shares
}

// withDefaults fills in what is left open and reports everything that can't be.
func (c Config) withDefaults() (Config, error) {
	if c.Host == "" {
		c.Host = "127.0.0.1"
	}
	if c.Model == "" {
		c.Model = "stub"
	}
	if c.Root == "" {
		c.Root = c.Model
	}
	if c.MaxModelLen == 0 {
		c.MaxModelLen = 32768
	}
	if c.KVTokens == 0 {
		c.KVTokens = 1 << 20
	}
	if c.BlockTokens == 0 {
		c.BlockTokens = 16
	}
	if c.Faults.Coalesce == 0 {
		c.Faults.Coalesce = 1
	}
	if c.Batch == 0 {
		c.Batch = 1
	}
	if c.KeepAlive == 0 {
		c.KeepAlive = 5 * time.Second
	}
	return c, c.check()
}

func (c Config) check() error {
	var bad []error
	least := func(name string, value, min float64) {
		if !(value >= min) || value > 1e12 {
			bad = append(bad, fmt.Errorf("stub: %s is %v, it must be a number from %v up", name, value, min))
		}
	}
	least("port", float64(c.Port), 0)
	least("max_model_len", float64(c.MaxModelLen), 2)
	least("TTFT base (ms)", c.TTFTBaseMs, 0)
	least("TTFT per token (ms)", c.TTFTPerTokenMs, 0)
	least("ITL (ms)", c.ITLMs, 0)
	least("ITL per running request", c.ITLPerRunning, 0)
	least("slots", float64(c.Slots), 0)
	least("requests in flight", float64(c.MaxInFlight), 0)
	least("block (tokens)", float64(c.BlockTokens), 1)
	least("KV cache (tokens)", float64(c.KVTokens), float64(c.BlockTokens))
	least("stop after (tokens)", float64(c.StopAfterTokens), 0)
	least("repeat CV", c.Noise.RepeatCV, 0)
	least("night CV", c.Noise.NightCV, 0)
	least("tokens an event", float64(c.Faults.Coalesce), 1)
	least("events a write", float64(c.Batch), 1)
	least("die after (requests)", float64(c.Faults.DieAfterRequests), 0)
	for name, share := range map[string]float64{"error share": c.Faults.ErrorShare, "drop share": c.Faults.DropShare, "empty share": c.Faults.EmptyShare} {
		if !(share >= 0 && share <= 1) {
			bad = append(bad, fmt.Errorf("stub: %s is %v, it must be from 0 to 1", name, share))
		}
	}
	for name, d := range map[string]time.Duration{"start delay": c.Faults.StartDelay, "freeze at": c.Faults.FreezeAt,
		"freeze for": c.Faults.FreezeFor, "role early": c.Faults.RoleEarly, "shutdown timeout": c.ShutdownTimeout, "keep alive": c.KeepAlive} {
		if d < 0 {
			bad = append(bad, fmt.Errorf("stub: %s is %v, it can't be negative", name, d))
		}
	}
	if c.Port > 65535 {
		bad = append(bad, fmt.Errorf("stub: port is %d, the highest is 65535", c.Port))
	}
	return errors.Join(bad...)
}
