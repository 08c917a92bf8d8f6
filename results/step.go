package results

// Loops.
const (
	LoopOpen   = "open"   // arrivals come by a schedule, whatever the server does
	LoopClosed = "closed" // each stream sends its next request when the last one ended
)

// Arms of a comparison inside one run.
const (
	ArmDirect  = "direct"
	ArmControl = "control" // direct again: A/A
	ArmGateway = "gateway"
)

// Step is one rate, level or matrix cell of a plan within a repeat. Every plan
// kind reduces to it, so the runner and the summary know only two loops.
type Step struct {
	Index int    `json:"index"` // 0-based; the warm-up is no step
	ID    string `json:"id"`    // "constant@2.53req/s", "concurrency@16", "ctx16384@c8", "prefill@8192"
	Loop  string `json:"loop"`

	Arrival     string  `json:"arrival,omitempty"` // open: constant | poisson
	RatePerS    float64 `json:"rate_per_s,omitempty"`
	Streams     int     `json:"streams,omitempty"`       // closed: held open
	MaxInFlight int     `json:"max_in_flight,omitempty"` // open: cap, 0 = none

	WarmupS   float64 `json:"warmup_s,omitempty"` // at this step's own load, before its window
	DurationS float64 `json:"duration_s,omitempty"`
	// MaxRequests ends the step when so many were sent; with DurationS 0 it alone ends it.
	MaxRequests int `json:"max_requests,omitempty"`

	PromptTokens int  `json:"prompt_tokens,omitempty"` // instead of the plan's
	OutputTokens int  `json:"output_tokens,omitempty"` // instead of the plan's, fixed
	CancelAtEnd  bool `json:"cancel_at_end,omitempty"` // windows of long requests: what is open is cancelled, not awaited
	// SettleS: every stream must have been producing for so long before the window opens.
	SettleS float64 `json:"settle_s,omitempty"`
	// ReissueMs paces a stream whose request was shed.
	ReissueMs float64 `json:"reissue_ms,omitempty"`
	Phase     string  `json:"phase,omitempty"` // matrix: prefill | decode; capacity: baseline | level | refine
	Arm       string  `json:"arm,omitempty"`
	Block     int     `json:"block,omitempty"` // 1-based

	// NotRun says why a planned step isn't run (such as "over_capacity_planned"), with the arithmetic.
	NotRun string `json:"not_run,omitempty"`
}

// FrozenSteps is steps.json: what the first repeat's plan chose while running,
// so that the other repeats run the same steps.
type FrozenSteps struct {
	Format     string `json:"format"`
	SpecDigest string `json:"spec_digest"`
	ByRepeat   int    `json:"by_repeat"`
	ByAttempt  int    `json:"by_attempt"`
	Steps      []Step `json:"steps"`
}
