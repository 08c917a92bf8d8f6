package results

// Sample kinds.
const (
	SampleServer = "server"
	SampleGPU    = "gpu"
	SampleHost   = "host"
	SampleClient = "client"
	SampleStep   = "step" // a step's window opens or closes
)

// Sample is one line of telemetry.jsonl: exactly one of the pointers is set, by Kind.
type Sample struct {
	At     int64         `json:"at_us"`
	Kind   string        `json:"kind"`
	Server *ServerSample `json:"server,omitempty"`
	GPU    *GPUSample    `json:"gpu,omitempty"`
	Host   *HostSample   `json:"host,omitempty"`
	Client *ClientSample `json:"client,omitempty"`
	Step   *StepSample   `json:"step,omitempty"`
}

// ServerSample is one reading of the engine's /metrics. Counters run since the
// server's start; a nil pointer means that the engine doesn't state it.
type ServerSample struct {
	Running            *float64           `json:"running,omitempty"`
	Waiting            *float64           `json:"waiting,omitempty"`
	KVUsage            *float64           `json:"kv_usage,omitempty"` // 0..1
	PrefixQueries      *float64           `json:"prefix_queries_tokens,omitempty"`
	PrefixHits         *float64           `json:"prefix_hits_tokens,omitempty"`
	Preemptions        *float64           `json:"preemptions,omitempty"`
	PromptTokens       *float64           `json:"prompt_tokens,omitempty"`
	GenerationTokens   *float64           `json:"generation_tokens,omitempty"`
	Finished           map[string]float64 `json:"finished,omitempty"` // by finished_reason
	Rejected           *float64           `json:"rejected,omitempty"`
	TTFT               *SumCount          `json:"ttft_s,omitempty"`
	E2E                *SumCount          `json:"e2e_s,omitempty"`
	Queue              *SumCount          `json:"queue_s,omitempty"`
	Prefill            *SumCount          `json:"prefill_s,omitempty"`
	Decode             *SumCount          `json:"decode_s,omitempty"`
	ProcessStart       *float64           `json:"process_start_unix_s,omitempty"`
	KVTokens           *float64           `json:"kv_tokens,omitempty"`
	PrefixCacheEnabled *bool              `json:"prefix_cache_enabled,omitempty"`
	BlockTokens        *float64           `json:"block_tokens,omitempty"`
	ScrapeMs           float64            `json:"scrape_ms"` // how long the question took
	Failed             string             `json:"failed,omitempty"`
}

// SumCount is a histogram's sum (seconds) and count.
type SumCount struct {
	SumS  float64 `json:"sum_s"`
	Count float64 `json:"count"`
}

// GPUSample is one GPU at one instant; nil = the tool says N/A.
type GPUSample struct {
	Index       string   `json:"index"`
	UtilShare   *float64 `json:"util_share,omitempty"` // 0..1
	MemUsedMiB  *float64 `json:"mem_used_mib,omitempty"`
	PowerW      *float64 `json:"power_w,omitempty"`
	ClockMHz    *float64 `json:"clock_mhz,omitempty"`
	TempC       *float64 `json:"temp_c,omitempty"`
	Throttle    string   `json:"throttle,omitempty"` // the reasons in the tool's words
	PackageOnly bool     `json:"package_power,omitempty"`
}

// HostSample is the node's CPU and memory pressure.
type HostSample struct {
	CPUShare    float64 `json:"cpu_share"` // of all allowed cores, 0..1
	LoadOne     float64 `json:"load_1m"`
	MemAvailMiB int64   `json:"mem_available_mib"`
	OOMKills    int64   `json:"oom_kills"` // of our cgroup, since boot
}

// ClientSample is the generator watching itself.
type ClientSample struct {
	CPUShare    float64 `json:"cpu_share"` // of one core
	GCPauseUs   int64   `json:"gc_pause_us"`
	RunDelayUs  int64   `json:"run_delay_us"` // time spent runnable but not running since the last sample
	InFlight    int     `json:"in_flight"`
	RSSMiB      int64   `json:"rss_mib"`
	ClockStepUs int64   `json:"clock_step_us,omitempty"`
}

// StepSample marks the edges of a step: telemetry is joined to steps by it, and
// a summary made later knows the windows.
type StepSample struct {
	Index int    `json:"index"`
	Edge  string `json:"edge"` // begin | open | close | drained | end
	// Step is the whole step at its begin, so that one chosen while running is known.
	Step *Step `json:"step,omitempty"`
	// Planned is how many arrivals the drawn schedule has in the window (open loops).
	Planned int `json:"planned,omitempty"`
	// StreamSecondsHeld is the integral of streams held over the window (closed loops).
	StreamSecondsHeld float64 `json:"stream_seconds_held,omitempty"`
}

// Edges of a step.
const (
	EdgeBegin   = "begin"   // its warm-up begins
	EdgeOpen    = "open"    // its window opens
	EdgeClose   = "close"   // its window closes
	EdgeDrained = "drained" // nothing of it is in flight
	EdgeEnd     = "end"     // left early, by a signal or limit
)
