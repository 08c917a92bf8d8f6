package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"hpcbench/load/endpoint"
	"hpcbench/load/prompt"
	"hpcbench/load/wire"
	"hpcbench/results"
)

// streamType is what a good answer's content type is.
const streamType = "text/event-stream"

// builder makes the bytes of requests to one endpoint. All that doesn't change
// between requests is encoded once.
type builder struct {
	endpoint wire.Endpoint
	target   string
	header   http.Header
	chat     bool
	tail     []byte // the body behind prompt and max_tokens
	plan     results.Plan
}

func newBuilder(e endpoint.Endpoint, to wire.Endpoint, p results.Plan) (*builder, error) {
	b := &builder{endpoint: to, chat: p.Request.API != "completions", plan: p, header: http.Header{}}
	route := "/v1/chat/completions"
	if !b.chat {
		route = "/v1/completions"
	}
	b.target = e.URL.Path(route)
	b.header.Set("Content-Type", "application/json")
	b.header.Set("Accept", streamType)
	if e.Key != "" {
		b.header.Set("Authorization", "Bearer "+e.Key)
	}
	for name, value := range e.Headers {
		b.header.Set(name, value)
	}
	rest := map[string]any{"model": e.Model, "stream": true, "temperature": p.Request.Temperature}
	switch p.Request.Usage {
	case results.UsageContinuous:
		rest["stream_options"] = map[string]bool{"include_usage": true, "continuous_usage_stats": true}
	case results.UsageNone:
	default:
		rest["stream_options"] = map[string]bool{"include_usage": true}
	}
	if p.Request.IgnoreEOS {
		rest["ignore_eos"] = true
	}
	for k, v := range p.Request.ExtraBody {
		if k == "stream" || k == "messages" || k == "prompt" || k == "max_tokens" || k == "min_tokens" {
			return nil, fmt.Errorf("extra_body can't set %q: the load generator does", k)
		}
		rest[k] = v
	}
	var err error
	if b.tail, err = encode(rest); err != nil {
		return nil, fmt.Errorf("encode the request's options: %w", err)
	}
	return b, nil
}

// encode is JSON without the escapes that HTML wants: they would change the
// length of a body.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

type turnBody struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// build makes the request for a prompt.
func (b *builder) build(p prompt.Prompt) (*wire.Request, error) {
	var said []byte
	var err error
	if b.chat {
		turns := make([]turnBody, len(p.Messages))
		for i, m := range p.Messages {
			turns[i] = turnBody(m)
		}
		said, err = encode(turns)
	} else {
		said, err = encode(p.Text())
	}
	if err != nil {
		return nil, fmt.Errorf("encode the prompt: %w", err)
	}
	body := make([]byte, 0, len(said)+len(b.tail)+80)
	if b.chat {
		body = append(body, `{"messages":`...)
	} else {
		body = append(body, `{"prompt":`...)
	}
	body = append(body, said...)
	if p.OutputTokens > 0 {
		body = fmt.Appendf(body, `,"max_tokens":%d`, p.OutputTokens)
		if b.plan.Request.MinTokens {
			body = fmt.Appendf(body, `,"min_tokens":%d`, p.OutputTokens)
		}
	}
	body = append(body, ',')
	body = append(body, b.tail[1:]...) // without its opening brace
	r, err := wire.NewRequest(b.endpoint, http.MethodPost, b.target, b.header, body)
	if err != nil {
		return nil, err
	}
	r.Want = streamType
	return r, nil
}
