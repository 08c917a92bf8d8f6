package results

// Summary is summary.json: what one attempt measured, one entry a step. It is a
// pure function of attempt.json, records.jsonl and telemetry.jsonl, so that
// collect makes the same bytes from them.
type Summary struct {
	Format       string `json:"format"`
	RulesVersion int    `json:"rules_version"` // of results/judge
	Run          string `json:"run"`
	Repeat       int    `json:"repeat"`
	Attempt      int    `json:"attempt"`
	Simulated    bool   `json:"simulated"`
	// Imported names the tool and file that the figures were read from; there are no records then.
	Imported string `json:"imported,omitempty"`
	State    string `json:"state"`
	Clock    string `json:"clock"`

	ScheduleDigest string        `json:"schedule_digest,omitempty"`
	Warmup         *StepSummary  `json:"warmup,omitempty"`
	Steps          []StepSummary `json:"steps"`
	// Findings of the repeat as a whole; each step has its own.
	Findings []Finding `json:"findings,omitempty"`
	// TornRecords is how many lines at the end of records.jsonl were incomplete (0 or 1), BadRecords how many others couldn't be read.
	TornRecords int `json:"torn_records,omitempty"`
	BadRecords  int `json:"bad_records,omitempty"`
	// BadSamples is the same for telemetry.jsonl, torn ones included.
	BadSamples int `json:"bad_samples,omitempty"`
	// DuplicateRecords is how many records carry a Seq that another one has: a file put together from two.
	DuplicateRecords int `json:"duplicate_records,omitempty"`
	// Digest is ContentDigest as the program wrote it; "" where nobody set one (imported files).
	Digest string `json:"digest,omitempty"`
}

// StepSummary is one step of one repeat.
type StepSummary struct {
	Step        Step    `json:"step"`
	Finished    bool    `json:"finished"`         // its window ran to the planned end
	WindowFrom  int64   `json:"window_from_us"`   // since the attempt's epoch
	WindowTo    int64   `json:"window_to_us"`     // as planned, or where it was left
	DrainedAt   int64   `json:"drained_us"`       // nothing in flight any more; 0 = not known
	WindowS     float64 `json:"window_s"`         // WindowTo − WindowFrom
	InFlightEnd int     `json:"in_flight_at_end"` // at WindowTo
	// StartedInWindow is how many of the step's requests were sent inside the window: none in a window of long requests.
	StartedInWindow int `json:"started_in_window"`
	// LeftOver is how many requests of earlier steps were still open when this one began.
	LeftOver int `json:"left_over,omitempty"`
	// NoWindow says that telemetry has no edges of this step: its records can't be placed.
	NoWindow bool `json:"no_window,omitempty"`

	Counts    Counts         `json:"counts"`
	Errors    []ErrorCount   `json:"errors,omitempty"`
	Corrected Corrected      `json:"corrected"`
	Compat    Compat         `json:"compat"`
	Client    ClientFacts    `json:"client"`
	Server    *ServerStats   `json:"server,omitempty"`
	Clocks    map[string]int `json:"clocks,omitempty"`  // requests by the clock that stamped them
	Sources   map[string]int `json:"sources,omitempty"` // requests by where their tokens come from
	// CutShort counts completed requests that the context limit ended: finish_reason "length" with fewer tokens than asked.
	CutShort int `json:"cut_short,omitempty"`
	// Contradictory counts records whose own figures can't all be true: an end before its send, counts that don't fit the events.
	Contradictory int       `json:"contradictory_records,omitempty"`
	Findings      []Finding `json:"findings,omitempty"`
}

// Counts are requests of the window (by t_intended) by how they ended; where a
// step cancels what is open at its end (windows of long requests), they are
// those that were in flight in the window.
// Planned = Sent + Dropped + NotSent; Sent = Completed + Shed + Failed + TimedOut + OpenAtEnd.
type Counts struct {
	Planned   int `json:"planned"`
	Sent      int `json:"sent"`
	Completed int `json:"completed"`
	Shed      int `json:"shed"`
	Failed    int `json:"failed"`
	TimedOut  int `json:"timed_out"`
	OpenAtEnd int `json:"open_at_end"`
	Dropped   int `json:"dropped"`
	NotSent   int `json:"not_sent"` // planned, but the step ended first
}

// ErrorCount is one line of the table of errors.
type ErrorCount struct {
	Class  string `json:"class"`
	Status int    `json:"status,omitempty"`
	Text   string `json:"text,omitempty"` // the server's words, as first seen
	Count  int    `json:"count"`
}

// Dist is the distribution of one value over requests (or gaps). A percentile
// that falls among unfinished requests is unbounded: it is nil and its name is
// in Unbounded; Mean and SD are nil where anything is unbounded.
// Percentiles are Hyndman-Fan type 7 (numpy's default).
type Dist struct {
	N    int      `json:"n"`
	Mean *float64 `json:"mean,omitempty"`
	SD   *float64 `json:"sd,omitempty"` // n−1
	Min  *float64 `json:"min,omitempty"`
	P50  *float64 `json:"p50,omitempty"`
	P60  *float64 `json:"p60,omitempty"`
	P70  *float64 `json:"p70,omitempty"`
	P80  *float64 `json:"p80,omitempty"`
	P90  *float64 `json:"p90,omitempty"`
	P95  *float64 `json:"p95,omitempty"`
	P99  *float64 `json:"p99,omitempty"`
	Max  *float64 `json:"max,omitempty"`
	// P95Lower and P95Upper are a 95 % interval of the 95th percentile by order statistics. The lower end is nil where
	// n is below 72 or it is unbounded itself, the upper end also where the interval reaches the unbounded.
	P95Lower  *float64 `json:"p95_lower,omitempty"`
	P95Upper  *float64 `json:"p95_upper,omitempty"`
	Unbounded []string `json:"unbounded,omitempty"` // such as ["p99", "max"]
	// Over is the largest finished value: an unbounded percentile is printed as "> Over".
	Over *float64 `json:"over,omitempty"`
}

// Corrected is the default metric set: latency from the intended send time,
// tokens from the server's usage, nothing censored (a request that was open
// when the drain ended, timed out, failed or was shed counts as unbounded in
// E2E and, where it had no token, in TTFT). ServiceTTFT and ServiceE2E are of
// completed requests only: what those saw that got through. Where a step
// cancels what is open at its end, an answer that it cut counts as completed
// for TPOT, ServiceTTFT and tokens.
type Corrected struct {
	// Valid is false where the cap dropped arrivals: dropping changed the load itself.
	Valid bool `json:"valid"`

	TTFTMs       Dist `json:"ttft_ms"` // t_first_token − t_intended
	TPOTMs       Dist `json:"tpot_ms"` // (t_last_token − t_first_token)/(n − k1), completed requests
	E2EMs        Dist `json:"e2e_ms"`  // t_end − t_intended
	GapMs        Dist `json:"gap_ms"`  // between successive token events, pooled, merged ones left out
	ServiceTTFT  Dist `json:"ttft_from_send_ms"`
	ServiceE2E   Dist `json:"e2e_from_send_ms"`
	FirstEventMs Dist `json:"first_event_ms"` // from t_send
	HeadersMs    Dist `json:"headers_ms"`
	ConnectMs    Dist `json:"connect_ms"` // of requests that dialled
	ShedMs       Dist `json:"shed_ms"`    // how long a refusal took

	OfferedPerS  float64  `json:"offered_per_s"`  // planned arrivals / window
	SentPerS     float64  `json:"sent_per_s"`     // sent / window
	AchievedPerS float64  `json:"achieved_per_s"` // completions inside the window / window, of any arrival
	CohortShare  float64  `json:"cohort_share"`   // completed / sent, of the window's arrivals followed to their end
	OutputTokens int64    `json:"output_tokens"`
	PromptTokens int64    `json:"prompt_tokens"`
	TokensPerS   float64  `json:"output_tokens_per_s"`                             // tokens that arrived inside the window / window
	TotalPerS    float64  `json:"total_tokens_per_s"`                              // with the prompt tokens of requests whose first token arrived inside
	TokensPerReq *float64 `json:"output_tokens_per_request" jsonschema:"nullable"` // mean over completed
	PromptPerReq *float64 `json:"prompt_tokens_per_request" jsonschema:"nullable"`
	GoodputPerS  *float64 `json:"goodput_per_s,omitempty"` // requests/s that meet the SLO; failures count as misses
	GoodShare    *float64 `json:"good_share,omitempty"`
	InFlightMean float64  `json:"in_flight_mean"` // time average over the window
	InFlightMax  int      `json:"in_flight_max"`
	InFlightRise *float64 `json:"in_flight_slope_per_s,omitempty"` // least squares over the second half
	// InFlightRiseP is the two-sided p against no drift, from the steps between instants of the second half: a queue
	// that wanders near its capacity has a slope, but no drift.
	InFlightRiseP *float64 `json:"in_flight_slope_p,omitempty"`
	// SlicesPerS are the output tokens/s of six equal slices of the window (closed loops).
	SlicesPerS []float64 `json:"slices_output_tokens_per_s,omitempty"`
	// SilenceS is the longest time in which no token arrived though a request was open at every moment of it, to 1/64
	// of the window; less than 1 s is left out.
	SilenceS     float64 `json:"silence_s,omitempty"`
	MergedShare  float64 `json:"merged_share"` // of token events
	TokensPerEvt float64 `json:"tokens_per_event"`
	MaxPerEvt    int     `json:"max_tokens_per_event"`
}

// CompatDist is the Hugging Face tool's set of figures of one value, truncated
// to whole microseconds and given in milliseconds.
type CompatDist struct {
	P50 float64 `json:"p50"`
	P60 float64 `json:"p60"`
	P70 float64 `json:"p70"`
	P80 float64 `json:"p80"`
	P90 float64 `json:"p90"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Avg float64 `json:"avg"`
}

// Compat is what the Hugging Face inference-benchmarker would have printed for
// these requests, with what it leaves out: responses complete before the bell
// only, duration from the first counted response's start to the last counted
// one's end, ITL as (last − first text)/(N − 1) with 0 for one event.
type Compat struct {
	ID           string      `json:"id"`
	Valid        bool        `json:"valid"` // at least one success
	TotalReqs    int         `json:"total_requests"`
	Successful   int         `json:"successful_requests"`
	Failed       int         `json:"failed_requests"`
	TotalTokens  int64       `json:"total_tokens"`
	TokensSent   int64       `json:"total_tokens_sent"`
	DurationMs   int64       `json:"duration_ms"`
	RequestRate  float64     `json:"request_rate"`          // the table's QPS: successes/s
	TokensPerS   float64     `json:"token_throughput_secs"` // output tokens/s
	TTFTMs       *CompatDist `json:"time_to_first_token_ms,omitempty"`
	ITLMs        *CompatDist `json:"inter_token_latency_ms,omitempty"`
	E2EMs        *CompatDist `json:"e2e_latency_ms,omitempty"`
	TokensSource string      `json:"tokens_source"` // events or usage; the tool itself re-encodes each event
	// Excluded requests were in flight at the bell, Discarded arrivals were over the cap; the tool mentions neither.
	Excluded  int `json:"excluded_in_flight"`
	Discarded int `json:"discarded_arrivals"`
}

// ClientFacts is the generator's own health in the step.
type ClientFacts struct {
	SendLagMs       Dist     `json:"send_lag_ms"`                // t_send − t_intended, open loops
	StreamsHeld     *float64 `json:"streams_held,omitempty"`     // mean, closed loops
	StreamsAsked    *float64 `json:"streams_asked,omitempty"`    //
	CPUShareMax     *float64 `json:"cpu_share_max,omitempty"`    // of one core
	GCPauseMaxMs    *float64 `json:"gc_pause_max_ms,omitempty"`  //
	RunDelayShare   *float64 `json:"run_delay_share,omitempty"`  // runnable but not running
	ClockStepMs     *float64 `json:"clock_step_ms,omitempty"`    // largest jump of the wall clock
	ReusedShare     float64  `json:"reused_share"`               // requests on a connection that was open
	DeviationPrompt *float64 `json:"prompt_deviation,omitempty"` // mean of usage.prompt_tokens/asked − 1
	DeviationOutput *float64 `json:"output_deviation,omitempty"` // mean of output_tokens/asked − 1
}

// ServerStats is the engine's own account of the window.
type ServerStats struct {
	Samples          int      `json:"samples"`
	Running          *MinMax  `json:"running,omitempty"`
	Waiting          *MinMax  `json:"waiting,omitempty"`
	KVUsage          *MinMax  `json:"kv_usage,omitempty"`
	Preemptions      *float64 `json:"preemptions,omitempty"`
	PrefixQueries    *float64 `json:"prefix_queries_tokens,omitempty"`
	PrefixHits       *float64 `json:"prefix_hits_tokens,omitempty"`
	GenerationTokens *float64 `json:"generation_tokens,omitempty"`
	PromptTokens     *float64 `json:"prompt_tokens,omitempty"`
	Started          *float64 `json:"started,omitempty"` // requests that got a first token from the engine, else those it finished
	Rejected         *float64 `json:"rejected,omitempty"`
	TTFTMeanMs       *float64 `json:"ttft_mean_ms,omitempty"`
	E2EMeanMs        *float64 `json:"e2e_mean_ms,omitempty"`
	QueueMeanMs      *float64 `json:"queue_mean_ms,omitempty"`
	PrefillMeanMs    *float64 `json:"prefill_mean_ms,omitempty"`
	Restarted        bool     `json:"restarted,omitempty"`
	// BlockTokens is the size of a block of the prefix cache.
	BlockTokens *float64 `json:"block_tokens,omitempty"`
	// BusyBefore is running + waiting at the last reading before the step began, where it was taken on an idle server.
	BusyBefore *float64 `json:"busy_before,omitempty"`
	// Whole compares the engine's counters with our records over the whole step, from before it began until it had drained.
	Whole *WholeStep `json:"whole_step,omitempty"`

	GPUUtil    *MinMax  `json:"gpu_util_share,omitempty"`
	GPUPowerW  *MinMax  `json:"gpu_power_w,omitempty"` // sum over GPUs
	GPUMemMiB  *MinMax  `json:"gpu_mem_mib,omitempty"`
	GPUClock   *MinMax  `json:"gpu_clock_mhz,omitempty"`
	Throttle   []string `json:"throttle,omitempty"`
	EnergyJ    *float64 `json:"energy_j,omitempty"`           // over the window; nil where power isn't known for whole packages
	JPerToken  *float64 `json:"energy_j_per_token,omitempty"` // per output token
	HostCPU    *MinMax  `json:"host_cpu_share,omitempty"`
	OOMKills   *float64 `json:"oom_kills,omitempty"`
	ClientPath *float64 `json:"client_or_path_ms,omitempty"` // our TTFT mean from send − the server's
}

// MinMax is a sampled gauge over a window.
type MinMax struct {
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// WholeStep is a balance between the engine's counters and our records, over
// the readings that enclose a step with its warm-up and drain.
type WholeStep struct {
	From int64 `json:"from_us"`
	To   int64 `json:"to_us"`
	// Started is the engine's count of requests with a first token; Ours is how many of our records had theirs.
	Started float64 `json:"started"`
	Ours    int     `json:"ours"`
	// Allowed are requests of ours that the engine may have counted though we saw no token (cancelled, timed out), and
	// those so near the enclosing readings that they may be counted on either side.
	Allowed int `json:"allowed"`
	// Foreign = Started − Ours − Allowed where that is above 0.
	Foreign float64 `json:"foreign"`
	// GenerationTokens is the engine's count, OurTokens ours.
	GenerationTokens *float64 `json:"generation_tokens,omitempty"`
	OurTokens        int64    `json:"our_tokens"`
}
