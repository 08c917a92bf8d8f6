package results

// The kinds of plan. Each says how load is applied; load/plans has one file for each.
const (
	KindRate        = "rate"        // constant arrival at each rate, open loop
	KindPoisson     = "poisson"     // seeded exponential gaps at each rate, open loop
	KindConcurrency = "concurrency" // n streams held for a window
	KindThroughput  = "throughput"  // everything at once up to a limit, to the end
	KindSweep       = "sweep"       // throughput first, then rates up to a fraction of it
	KindMatrix      = "matrix"      // contexts x concurrency, prefill and sustained decode
	KindCapacity    = "capacity"    // rising levels until p95 or the shed rate is unacceptable
	KindGateway     = "gateway"     // direct and through the gateway in ABBA blocks
)

// Kinds lists every plan kind in the order of the documentation.
var Kinds = []string{KindRate, KindPoisson, KindConcurrency, KindThroughput, KindSweep, KindMatrix, KindCapacity, KindGateway}

// Plan says what load to apply. It is read from YAML (strictly) and kept whole
// in the spec. Only the fields of its kind may be set; Check says so.
type Plan struct {
	Name        string `json:"name" yaml:"name"`
	Kind        string `json:"kind" yaml:"kind"`
	Description string `json:"description,omitempty" yaml:"description"`

	// RatesPerS are the arrival rates of rate and poisson plans, each > 0.
	RatesPerS []float64 `json:"rates_per_s,omitempty" yaml:"rates_per_s"`
	// Levels are the numbers of streams of concurrency, matrix, capacity and gateway plans.
	Levels []int `json:"levels,omitempty" yaml:"levels"`
	// MaxInFlight caps the open requests of an open loop ("max VUs" of the Hugging Face tool), 0 = no cap;
	// an arrival over the cap is dropped and counted. For throughput it is the number of streams.
	MaxInFlight int `json:"max_in_flight,omitempty" yaml:"max_in_flight"`
	// DurationS is the length of a step's window.
	DurationS float64 `json:"duration_s,omitempty" yaml:"duration_s"`
	// DrainS bounds how long open requests are waited for after a step; 0 = the request timeout.
	DrainS float64 `json:"drain_s,omitempty" yaml:"drain_s"`
	// CoolDownS is a pause between steps, after the drain.
	CoolDownS float64 `json:"cool_down_s,omitempty" yaml:"cool_down_s"`
	// Seed makes arrivals and lengths; repeat k of two runs with the same plan and seed has the same ones.
	Seed uint64 `json:"seed" yaml:"seed"`

	Warmup  Warmup      `json:"warmup" yaml:"warmup"`
	Prompt  PromptPlan  `json:"prompt" yaml:"prompt"`
	Output  OutputPlan  `json:"output" yaml:"output"`
	Request RequestPlan `json:"request" yaml:"request"`
	SLO     *SLO        `json:"slo,omitempty" yaml:"slo"`
	Limits  *Limits     `json:"limits,omitempty" yaml:"limits"`

	Sweep    *SweepPlan    `json:"sweep,omitempty" yaml:"sweep"`
	Matrix   *MatrixPlan   `json:"matrix,omitempty" yaml:"matrix"`
	Capacity *CapacityPlan `json:"capacity,omitempty" yaml:"capacity"`
	Gateway  *GatewayPlan  `json:"gateway,omitempty" yaml:"gateway"`
}

// Warmup is load that isn't measured.
type Warmup struct {
	// DurationS is a closed loop of Streams before the first step, as the Hugging Face tool does it with one.
	DurationS float64 `json:"duration_s" yaml:"duration_s"`
	Streams   int     `json:"streams,omitempty" yaml:"streams"` // 0 = 1
	// PerStepS is load at each step's own rate or concurrency, outside its window.
	PerStepS float64 `json:"per_step_s,omitempty" yaml:"per_step_s"`
}

// Prompt sources.
const (
	SourceSynthetic = "synthetic" // varied text made here, no network
	SourceShareGPT  = "sharegpt"  // JSON array of conversations, also the Hugging Face tool's layout
	SourceJSONL     = "jsonl"     // one object a line with prompt or messages
	SourceText      = "text"      // a folder of text files
)

// PromptPlan says which prompts are sent.
type PromptPlan struct {
	Source string `json:"source" yaml:"source"`
	File   string `json:"file,omitempty" yaml:"file"` // for the sources that read one
	// Tokens is the length as the server's usage counts it without the chat template; 0 = as in the data set.
	Tokens int `json:"tokens,omitempty" yaml:"tokens"`
	// Shared sends one prompt from every stream and keeps the prefix cache warm, for parity with pages measured so.
	Shared bool `json:"shared,omitempty" yaml:"shared"`
}

// Output length distributions.
const (
	DistFixed   = "fixed"
	DistNormal  = "normal" // trunc(Normal(Tokens, SD)) clipped to [Min, Max], as the Hugging Face tool does it
	DistUniform = "uniform"
	DistDataset = "dataset"
)

// OutputPlan says how many tokens are asked for.
type OutputPlan struct {
	Distribution string  `json:"distribution" yaml:"distribution"`
	Tokens       int     `json:"tokens,omitempty" yaml:"tokens"`
	SD           float64 `json:"sd,omitempty" yaml:"sd"`
	Min          int     `json:"min,omitempty" yaml:"min"`
	Max          int     `json:"max,omitempty" yaml:"max"`
}

// Which usage is asked for in a stream.
const (
	UsageFinal      = "final"      // include_usage: once, at the end
	UsageContinuous = "continuous" // continuous_usage_stats: in every event; costs the server some CPU
	UsageNone       = "none"       // not asked for, as the Hugging Face tool; tokens are counted from events
)

// RequestPlan is the shape of a request.
type RequestPlan struct {
	API         string  `json:"api" yaml:"api"` // chat | completions
	Temperature float64 `json:"temperature" yaml:"temperature"`
	// IgnoreEOS and MinTokens force the asked length; without them the length is an upper bound.
	IgnoreEOS bool   `json:"ignore_eos,omitempty" yaml:"ignore_eos"`
	MinTokens bool   `json:"min_tokens,omitempty" yaml:"min_tokens"`
	Usage     string `json:"usage" yaml:"usage"`
	// TimeoutS is the limit of a request from send to end.
	TimeoutS  float64           `json:"timeout_s" yaml:"timeout_s"`
	Headers   map[string]string `json:"headers,omitempty" yaml:"headers"`
	ExtraBody map[string]any    `json:"extra_body,omitempty" yaml:"extra_body"`
}

// SLO bounds a good request; 0 = no bound. Used for goodput and by capacity plans.
type SLO struct {
	TTFTMs float64 `json:"ttft_ms,omitempty" yaml:"ttft_ms"`
	TPOTMs float64 `json:"tpot_ms,omitempty" yaml:"tpot_ms"`
	E2EMs  float64 `json:"e2e_ms,omitempty" yaml:"e2e_ms"`
}

// Limits end a step early; 0 = no limit.
type Limits struct {
	Requests int     `json:"requests,omitempty" yaml:"requests"` // sent in a step
	Seconds  float64 `json:"seconds,omitempty" yaml:"seconds"`   // for the whole plan
	Errors   int     `json:"errors,omitempty" yaml:"errors"`     // failed in a step
}

// SweepPlan: throughput first, then Steps rates i/Steps x Fraction x measured maximum.
type SweepPlan struct {
	Steps    int     `json:"steps" yaml:"steps"`
	Fraction float64 `json:"fraction" yaml:"fraction"` // the Hugging Face tool goes to 1.2
}

// MatrixPlan is the grid of contexts x Plan.Levels.
type MatrixPlan struct {
	ContextsTokens []int `json:"contexts_tokens" yaml:"contexts_tokens"` // 0 = no context before the task
	// PrefillTokens and PrefillSamples are the prefill phase: one request alone, its own prefix each time.
	PrefillTokens  []int `json:"prefill_tokens,omitempty" yaml:"prefill_tokens"`
	PrefillSamples int   `json:"prefill_samples,omitempty" yaml:"prefill_samples"`
	// KVTokens states the KV cache of the server where it can't be read; 0 = from its log line or metrics.
	KVTokens int `json:"kv_tokens,omitempty" yaml:"kv_tokens"`
	// SettleS is how long every stream must have been producing before a window opens.
	SettleS float64 `json:"settle_s,omitempty" yaml:"settle_s"`
}

// CapacityPlan searches the knee.
type CapacityPlan struct {
	Loop string `json:"loop" yaml:"loop"` // closed (levels) | open (highest Poisson rate that meets the SLO)
	// P95E2EMs is the bound on the 95th percentile of E2E; 0 = RelativeToOne x the level-1 value.
	P95E2EMs      float64 `json:"p95_e2e_ms,omitempty" yaml:"p95_e2e_ms"`
	P95TTFTMs     float64 `json:"p95_ttft_ms,omitempty" yaml:"p95_ttft_ms"`
	RelativeToOne float64 `json:"relative_to_one,omitempty" yaml:"relative_to_one"`
	MaxShedShare  float64 `json:"max_shed_share" yaml:"max_shed_share"`   // 0..1
	MaxErrorShare float64 `json:"max_error_share" yaml:"max_error_share"` // 0..1
	MaxLevel      int     `json:"max_level" yaml:"max_level"`
	// BracketShare ends the refinement: (fail − pass)/pass at most this, 0.1 by default.
	BracketShare float64 `json:"bracket_share" yaml:"bracket_share"`
	// MinRequests per level, and where it decides.
	MinRequests         int `json:"min_requests" yaml:"min_requests"`
	MinDecidingRequests int `json:"min_deciding_requests" yaml:"min_deciding_requests"`
	// ReissueMs paces a stream whose request was shed.
	ReissueMs float64 `json:"reissue_ms" yaml:"reissue_ms"`
}

// GatewayPlan compares two ways to one server.
type GatewayPlan struct {
	DirectURL  string `json:"direct_url" yaml:"direct_url"`
	GatewayURL string `json:"gateway_url" yaml:"gateway_url"`
	Blocks     int    `json:"blocks" yaml:"blocks"` // ABBA blocks; 10 by default, at least 6
	Requests   int    `json:"requests" yaml:"requests"`
	AA         bool   `json:"aa" yaml:"aa"` // a control: direct against direct
}
