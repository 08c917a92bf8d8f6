package results

import "bytes"

// unmarshalFast reads a record as our own encoder writes it: a flat object
// without blanks, escapes, fractions or unknown keys, ten times faster than
// encoding/json, so that a hundred thousand records take no noticeable time.
// It answers false for anything else, and then r is of no use: the caller asks
// encoding/json.
func (r *Record) unmarshalFast(line []byte) bool {
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		return false
	}
	rest := line[1:]
	for first := true; ; first = false {
		if first && len(rest) == 1 {
			return true // {}
		}
		if rest[0] != '"' {
			return false
		}
		end := bytes.IndexByte(rest[1:], '"')
		if end < 0 || len(rest) < end+4 || rest[end+2] != ':' {
			return false
		}
		key := rest[1 : end+1]
		rest = rest[end+3:]
		var n int
		switch rest[0] {
		case '"':
			text, ok := plainString(rest)
			into := r.stringField(key)
			if !ok || into == nil {
				return false
			}
			*into = known(text)
			n = len(text) + 2
		case 't', 'f':
			if string(key) != "reused" {
				return false
			}
			switch {
			case bytes.HasPrefix(rest, []byte("true")):
				r.Reused, n = true, 4
			case bytes.HasPrefix(rest, []byte("false")):
				r.Reused, n = false, 5
			default:
				return false
			}
		default:
			var v int64
			if v, n = plainInt(rest); n == 0 || !r.setInt(key, v) {
				return false
			}
		}
		rest = rest[n:]
		switch {
		case len(rest) == 1 && rest[0] == '}':
			return true
		case len(rest) < 2 || rest[0] != ',':
			return false
		}
		rest = rest[1:]
	}
}

// plainString is the text of a JSON string of printable ASCII without escapes.
func plainString(b []byte) ([]byte, bool) {
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return b[1:i], true
		case c == '\\' || c < 0x20 || c >= 0x7f:
			return nil, false
		}
	}
	return nil, false
}

// plainInt reads a whole number of at most 18 digits and says how long it is; 0 = it isn't one.
func plainInt(b []byte) (v int64, n int) {
	negative := b[0] == '-'
	if negative {
		n = 1
	}
	begin := n
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		v = v*10 + int64(b[n]-'0')
		n++
	}
	digits := n - begin
	if digits == 0 || digits > 18 || (digits > 1 && b[begin] == '0') || n == len(b) || (b[n] != ',' && b[n] != '}') {
		return 0, 0
	}
	if negative {
		v = -v
	}
	return v, n
}

// known makes a string, without a copy where it is one of our words.
func known(b []byte) string {
	switch string(b) {
	case OutcomeCompleted:
		return OutcomeCompleted
	case PhaseWindow:
		return PhaseWindow
	case PhaseStepWarmup:
		return PhaseStepWarmup
	case ClockKernel:
		return ClockKernel
	case ClockProcess:
		return ClockProcess
	case TokensContinuous:
		return TokensContinuous
	case TokensUsage:
		return TokensUsage
	case "length":
		return "length"
	case "stop":
		return "stop"
	}
	return string(b)
}

func (r *Record) stringField(key []byte) *string {
	switch string(key) {
	case "phase":
		return &r.Phase
	case "arm":
		return &r.Arm
	case "outcome":
		return &r.Outcome
	case "error_class":
		return &r.ErrorClass
	case "error_text":
		return &r.ErrorText
	case "finish":
		return &r.Finish
	case "tokens_source":
		return &r.TokensSource
	case "server_id":
		return &r.ServerID
	case "clock":
		return &r.Clock
	case "gaps":
		return &r.Gaps
	case "token_counts":
		return &r.TokenCounts
	}
	return nil
}

func (r *Record) setInt(key []byte, v int64) bool {
	if count := r.countField(key); count != nil {
		*count = int(v)
		return true
	}
	if instant := r.instantField(key); instant != nil {
		*instant = v
		return true
	}
	return false
}

func (r *Record) countField(key []byte) *int {
	switch string(key) {
	case "seq":
		return &r.Seq
	case "step":
		return &r.Step
	case "stream":
		return &r.Stream
	case "status":
		return &r.Status
	case "prompt_asked_tokens":
		return &r.PromptAsked
	case "template_tokens":
		return &r.TemplateTokens
	case "prompt_tokens":
		return &r.PromptTokens
	case "output_asked_tokens":
		return &r.OutputAsked
	case "output_tokens":
		return &r.OutputTokens
	case "first_event_tokens":
		return &r.FirstTokens
	case "events":
		return &r.Events
	case "token_events":
		return &r.TokenEvents
	case "text_events":
		return &r.TextEvents
	case "merged":
		return &r.Merged
	}
	return nil
}

func (r *Record) instantField(key []byte) *int64 {
	switch string(key) {
	case "t_intended_us":
		return &r.TIntended
	case "t_start_us":
		return &r.TStart
	case "connect_us":
		return &r.ConnectUs
	case "t_send_us":
		return &r.TSend
	case "t_headers_us":
		return &r.THeaders
	case "t_first_event_us":
		return &r.TFirstEvent
	case "t_first_token_us":
		return &r.TFirstToken
	case "t_last_token_us":
		return &r.TLastToken
	case "t_first_text_us":
		return &r.TFirstText
	case "t_last_text_us":
		return &r.TLastText
	case "t_done_us":
		return &r.TDone
	case "t_end_us":
		return &r.TEnd
	case "bytes_out":
		return &r.BytesOut
	case "bytes_in":
		return &r.BytesIn
	case "first_token_earliest_us":
		return &r.FirstTokenEarliest
	}
	return nil
}
