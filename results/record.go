package results

// How a sent request ended. Every one ends in exactly one of these.
const (
	OutcomeCompleted = "completed" // a whole answer with at least one token
	OutcomeShed      = "shed"      // refused because the server was full: 503 or 429, also inside a 200
	OutcomeFailed    = "failed"    // anything else that ended, by ErrorClass
	OutcomeTimedOut  = "timed_out"
	OutcomeOpen      = "open"    // still open when the drain ended, or cancelled by us
	OutcomeDropped   = "dropped" // never sent: the cap on requests in flight was reached
)

// Outcomes lists them in the order of tables.
var Outcomes = []string{OutcomeCompleted, OutcomeShed, OutcomeFailed, OutcomeTimedOut, OutcomeOpen, OutcomeDropped}

// Error classes of failed, timed out and shed requests.
const (
	ErrorHTTP        = "http"         // a status other than 200; Status has it
	ErrorInStream    = "in_stream"    // an error object inside a 200
	ErrorAborted     = "aborted"      // finish_reason "abort": the server was told to stop
	ErrorNoTokens    = "no_tokens"    // a whole answer without a token
	ErrorClosed      = "closed_early" // the stream ended in the middle
	ErrorReset       = "reset"
	ErrorRefused     = "refused"
	ErrorDNS         = "dns"
	ErrorTLS         = "tls"
	ErrorProtocol    = "protocol" // not HTTP, not SSE, not JSON
	ErrorContentType = "content_type"
	ErrorRedirect    = "redirect"
	ErrorTooLarge    = "too_large" // an event or header over the bound
	ErrorTimeout     = "timeout"
	ErrorCancelled   = "cancelled"
	ErrorClient      = "client" // our own side: no descriptor, no port
)

// Clocks that stamp received events.
const (
	ClockKernel  = "kernel"  // SO_TIMESTAMPING software receive time
	ClockProcess = "process" // the monotonic clock after read returned
)

// Where a count of tokens comes from.
const (
	TokensUsage      = "usage"            // the server's usage at the end
	TokensContinuous = "usage-continuous" // the server's usage in every event
	TokensEvents     = "events"           // events with text; an undercount where several tokens share an event
)

// Phases of a record: only those of the window are measured.
const (
	PhaseWarmup     = "warmup"      // before the first step
	PhaseStepWarmup = "step_warmup" // the step's own warm-up
	PhaseWindow     = "window"
	PhaseProbe      = "probe" // prompt calibration and the like
)

// Record is one request: one line of records.jsonl. Instants (_us) are whole
// microseconds since the attempt's epoch; 0 means that it did not happen.
type Record struct {
	Seq    int    `json:"seq"`  // unique in the attempt, in the order of release
	Step   int    `json:"step"` // Step.Index; -1 for the warm-up before the first step
	Phase  string `json:"phase"`
	Stream int    `json:"stream,omitempty"` // closed loops, 0-based
	Arm    string `json:"arm,omitempty"`

	Outcome    string `json:"outcome"`
	ErrorClass string `json:"error_class,omitempty"`
	ErrorText  string `json:"error_text,omitempty"` // the first line of the server's words, at most 200 bytes
	Status     int    `json:"status,omitempty"`     // HTTP
	Finish     string `json:"finish,omitempty"`     // finish_reason

	TIntended   int64 `json:"t_intended_us,omitempty"` // when the schedule wanted it sent; closed loops: = TSend
	TStart      int64 `json:"t_start_us,omitempty"`    // released by the pacer, before a connection is taken or made
	ConnectUs   int64 `json:"connect_us,omitempty"`    // duration of dialling (and TLS), 0 where the connection was reused
	TSend       int64 `json:"t_send_us,omitempty"`     // just before the write on a ready connection
	THeaders    int64 `json:"t_headers_us,omitempty"`
	TFirstEvent int64 `json:"t_first_event_us,omitempty"` // first event with choices, even if only a role
	TFirstToken int64 `json:"t_first_token_us,omitempty"`
	TLastToken  int64 `json:"t_last_token_us,omitempty"`
	TFirstText  int64 `json:"t_first_text_us,omitempty"` // first and last event with non-empty delta.content: what the
	TLastText   int64 `json:"t_last_text_us,omitempty"`  // Hugging Face tool sees
	TDone       int64 `json:"t_done_us,omitempty"`       // [DONE]
	TEnd        int64 `json:"t_end_us,omitempty"`        // the end of the answer, whichever way

	// PromptAsked is without the chat template, PromptTokens with its TemplateTokens (0 = none or not known).
	PromptAsked    int    `json:"prompt_asked_tokens,omitempty"`
	TemplateTokens int    `json:"template_tokens,omitempty"`
	PromptTokens   int    `json:"prompt_tokens,omitempty"` // the server's usage
	OutputAsked    int    `json:"output_asked_tokens,omitempty"`
	OutputTokens   int    `json:"output_tokens,omitempty"`
	FirstTokens    int    `json:"first_event_tokens,omitempty"` // tokens in the first token event (k1)
	TokensSource   string `json:"tokens_source,omitempty"`

	Events      int   `json:"events,omitempty"` // data events, [DONE] not counted
	TokenEvents int   `json:"token_events,omitempty"`
	TextEvents  int   `json:"text_events,omitempty"`
	BytesOut    int64 `json:"bytes_out,omitempty"`
	BytesIn     int64 `json:"bytes_in,omitempty"`

	ServerID string `json:"server_id,omitempty"` // the answer's id
	Reused   bool   `json:"reused,omitempty"`    // the connection had served before, or was opened before the window
	Clock    string `json:"clock,omitempty"`     // of the received events
	// Merged counts token events whose kernel stamp is shared with a neighbour: known only as an interval.
	Merged int `json:"merged,omitempty"`
	// FirstTokenEarliest is the lower end of that interval for the first token; 0 = the stamp is exact.
	FirstTokenEarliest int64 `json:"first_token_earliest_us,omitempty"`
	// Gaps are the times between successive token events (EncodeGaps); TokenCounts the tokens in each token event
	// (EncodeCounts), left out where every event has one.
	Gaps        string `json:"gaps,omitempty"`
	TokenCounts string `json:"token_counts,omitempty"`
}
