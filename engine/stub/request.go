package stub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ask is a completion or a chat that passed every check.
type ask struct {
	chat         bool
	stream       bool
	includeUsage bool
	continuous   bool
	returnIDs    bool
	ignoreEOS    bool
	promptIDs    []int
	maxTokens    int // already cut to what the context allows
	minTokens    int
}

// body is what the two endpoints read; any other field is ignored, as vLLM does.
type body struct {
	Model               *string         `json:"model"`
	Prompt              json.RawMessage `json:"prompt"`
	Messages            []rawMessage    `json:"messages"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	MinTokens           int             `json:"min_tokens"`
	IgnoreEOS           bool            `json:"ignore_eos"`
	Temperature         *float64        `json:"temperature"`
	Stream              bool            `json:"stream"`
	StreamOptions       *struct {
		IncludeUsage bool `json:"include_usage"`
		Continuous   bool `json:"continuous_usage_stats"`
	} `json:"stream_options"`
	ReturnTokenIDs bool `json:"return_token_ids"`

	items int // keys that the body has
}

type rawMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// completionDefault is the max_tokens of a completion that doesn't say; a chat goes on to the context's end.
const completionDefault = 16

// decodeBody reads JSON and words its errors as the engine's validator does.
func decodeBody(raw []byte, into any) *apiError {
	err := json.Unmarshal(raw, into)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		loc := "body." + wrong.Field
		kind, want := "dict_type", "a valid dictionary"
		switch wrong.Type.Kind().String() {
		case "int":
			kind, want = "int_parsing", "a valid integer, unable to parse string as an integer"
		case "bool":
			kind, want = "bool_parsing", "a valid boolean, unable to interpret input"
		case "float64":
			kind, want = "float_parsing", "a valid number, unable to parse string as a number"
		case "string":
			kind, want = "string_type", "a valid string"
		case "slice":
			kind, want = "list_type", "a valid list"
		}
		return badField(loc, kind, "Input should be "+want, valueAt(raw, wrong))
	case errors.As(err, &syntax):
		at := syntax.Offset - 1
		if strings.Contains(syntax.Error(), "unexpected end") {
			at = int64(len(raw))
		}
		loc := "body." + strconv.FormatInt(max(at, 0), 10)
		return &apiError{status: 400, kind: "Bad Request", param: loc, message: "1 validation error:\n  {'type': 'json_invalid', 'loc': '" + loc +
			"', 'msg': 'JSON decode error', 'input': '<dict of 0 items>', 'ctx': {'error': 'Expecting value'}}"}
	}
	return &apiError{status: 400, kind: "Bad Request", message: err.Error()}
}

// valueAt is the offending value as it stands in the body.
func valueAt(raw []byte, wrong *json.UnmarshalTypeError) string {
	end := min(int(wrong.Offset), len(raw))
	start := bytes.LastIndexAny(raw[:end], ":[,")
	v := strings.TrimSpace(string(raw[start+1 : end]))
	return strings.Trim(v, `"`)
}

// parseAsk checks a body against the server's limits. chat says which endpoint it came to.
func (c *Config) parseAsk(raw []byte, chat bool) (*ask, *apiError) {
	var b body
	if err := decodeBody(raw, &b); err != nil {
		return nil, err
	}
	if b.Model != nil && *b.Model != c.Model {
		return nil, noModel(*b.Model, c.Model)
	}
	if chat && b.Messages == nil {
		var keys map[string]json.RawMessage
		if json.Unmarshal(raw, &keys) == nil {
			b.items = len(keys)
		}
	}
	a := &ask{chat: chat, stream: b.Stream, returnIDs: b.ReturnTokenIDs, ignoreEOS: b.IgnoreEOS, minTokens: b.MinTokens}
	if b.StreamOptions != nil {
		a.includeUsage = b.StreamOptions.IncludeUsage
		a.continuous = a.includeUsage && b.StreamOptions.Continuous
	}
	if t := b.Temperature; t != nil && *t < 0 {
		v := pyFloat(*t)
		return nil, badRequest("temperature", fmt.Sprintf("temperature must be non-negative, got %s. (parameter=temperature, value=%s)", v, v))
	}
	asked := b.MaxTokens
	if chat && b.MaxCompletionTokens != nil {
		asked = b.MaxCompletionTokens
	}
	if asked != nil && *asked < 1 {
		return nil, tooFew(*asked)
	}
	if asked != nil && *asked > c.MaxModelLen {
		return nil, badRequest("max_tokens", fmt.Sprintf("max_tokens=%d cannot be greater than max_model_len=%d. Please request fewer output tokens. (parameter=max_tokens, value=%d)",
			*asked, c.MaxModelLen, *asked))
	}
	ids, exact, err := c.prompt(&b, chat)
	if err != nil {
		return nil, err
	}
	switch {
	case len(ids) > c.MaxModelLen:
		return nil, tooLong(c.MaxModelLen, len(ids), exact)
	case len(ids) == c.MaxModelLen:
		return nil, tooFew(0)
	}
	a.promptIDs = ids
	a.maxTokens = c.MaxModelLen - len(ids)
	switch {
	case asked != nil:
		a.maxTokens = min(a.maxTokens, *asked)
	case !chat:
		a.maxTokens = min(a.maxTokens, completionDefault)
	}
	if a.minTokens > a.maxTokens {
		return nil, badRequest("", fmt.Sprintf("min_tokens must be less than or equal to max_tokens=%d, got %d.", a.maxTokens, a.minTokens))
	}
	return a, nil
}

// prompt is the tokens of the prompt; exact says that the client sent ids.
func (c *Config) prompt(b *body, chat bool) (ids []int, exact bool, _ *apiError) {
	if chat {
		if b.Messages == nil {
			return nil, false, badField("body.messages", "missing", "Field required", fmt.Sprintf("<dict of %d items>", b.items))
		}
		if len(b.Messages) == 0 {
			return nil, false, badRequest("", "Cannot apply chat template to an empty conversation. Provide at least one message.")
		}
		messages, err := plainMessages(b.Messages)
		if err != nil {
			return nil, false, err
		}
		return encodeChat(messages, true), false, nil
	}
	switch string(b.Prompt) {
	case "", "null", `""`, "[]":
		return nil, false, badRequest("prompt", "Either prompt or prompt_embeds must be provided and non-empty. (parameter=prompt)")
	}
	var text string
	if json.Unmarshal(b.Prompt, &text) == nil {
		return encode(text, nil), false, nil
	}
	var texts []string
	if json.Unmarshal(b.Prompt, &texts) == nil && len(texts) == 1 {
		return encode(texts[0], nil), false, nil
	}
	if json.Unmarshal(b.Prompt, &ids) != nil || len(ids) == 0 {
		return nil, false, badField("body.prompt", "list_type", "Input should be one text or one list of token ids", "<prompt>")
	}
	for _, id := range ids {
		if id < 0 || id >= vocabulary {
			return nil, true, badRequest("", fmt.Sprintf("Token id %d is out of vocabulary", id))
		}
	}
	return ids, true, nil
}

// plainMessages flattens contents given as parts to text.
func plainMessages(raw []rawMessage) ([]message, *apiError) {
	out := make([]message, len(raw))
	for i, m := range raw {
		out[i].Role = m.Role
		if len(m.Content) == 0 || bytes.Equal(m.Content, []byte("null")) {
			continue
		}
		if json.Unmarshal(m.Content, &out[i].Content) == nil {
			continue
		}
		var parts []struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(m.Content, &parts) != nil {
			return nil, badField(fmt.Sprintf("body.messages.%d.content", i), "string_type", "Input should be a valid string", "<content>")
		}
		for _, p := range parts {
			out[i].Content += p.Text
		}
	}
	return out, nil
}

// pyFloat prints a number as Python does: 1 is 1.0.
func pyFloat(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".en") {
		s += ".0"
	}
	return s
}
