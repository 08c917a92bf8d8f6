package prompt

import (
	"context"
	"fmt"
	"strings"

	"hpcbench/load/endpoint"
	"hpcbench/results"
)

// Options are what a Maker is made from.
type Options struct {
	Plan     results.Plan
	Repeat   int    // 1-based: another repeat has other lengths
	Salt     string // makes the texts of this attempt its own
	Endpoint endpoint.Endpoint
	CacheDir string // for counted words; "" = count them each time
}

// Maker makes prompts. After New it only reads, so that any goroutine may use it.
type Maker struct {
	plan        results.Plan
	repeat      int
	salt        uint64
	calibration *Calibration
	entries     []prepared // of a data set, in the order of this repeat
}

// Prompt is what one request sends.
type Prompt struct {
	Messages []Message // one of the user where the API takes a bare text
	// Tokens is the text's length by the server's tokenizer, without the chat template; 0 = not known.
	Tokens int
	// OutputTokens is the length to ask for; 0 = none.
	OutputTokens int
}

// Text is the prompt as one text, for the completions API.
func (p Prompt) Text() string {
	if len(p.Messages) == 1 {
		return p.Messages[0].Content
	}
	var b strings.Builder
	for _, m := range p.Messages {
		b.WriteString(m.Content)
		b.WriteByte('\n')
	}
	return b.String()
}

// New counts words, or reads and counts the data set. It asks the server and
// takes from a fraction of a second up to some seconds, before anything is
// measured.
func New(ctx context.Context, o Options) (*Maker, error) {
	client := o.Endpoint.Client()
	defer client.CloseIdleConnections()
	s := &server{Endpoint: o.Endpoint, client: client, api: apiOf(o.Plan), extra: o.Plan.Request.ExtraBody}
	c, err := calibrate(ctx, s, &Cache{Dir: o.CacheDir})
	if err != nil {
		return nil, fmt.Errorf("find the length of prompts: %w", err)
	}
	m := &Maker{plan: o.Plan, repeat: o.Repeat, salt: saltOf(o.Salt), calibration: c}
	if o.Plan.Prompt.Source != results.SourceSynthetic && o.Plan.Prompt.Source != "" {
		if err := m.prepareDataset(ctx, s); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Calibration is how lengths were found.
func (m *Maker) Calibration() Calibration { return *m.calibration }

// Lengths are the tokens that request index of a step asks for. They follow
// from plan, seed and repeat alone.
func (m *Maker) Lengths(step results.Step, index int) (promptTokens, outputTokens int) {
	promptTokens, outputTokens = m.plan.Prompt.Tokens, OutputTokens(m.plan, m.repeat, step.Index, index)
	if len(m.entries) > 0 {
		e := m.entry(step, index)
		promptTokens = e.tokens
		if m.plan.Output.Distribution == results.DistDataset {
			outputTokens = clip(e.answerTokens, m.plan.Output.Min, m.plan.Output.Max)
		}
	}
	if step.PromptTokens > 0 {
		promptTokens = step.PromptTokens
	}
	if step.OutputTokens > 0 {
		outputTokens = step.OutputTokens
	}
	return promptTokens, outputTokens
}

// Make makes the prompt of request index of a step. seq is the request's number
// in the attempt, which makes its text its own; a plan with a shared prompt has
// one text for each length.
func (m *Maker) Make(step results.Step, index, seq int) Prompt {
	tokens, out := m.Lengths(step, index)
	if m.plan.Prompt.Shared {
		seq = -1
	}
	r := source("text", m.salt, uint64(seq))
	p := Prompt{OutputTokens: out}
	if len(m.entries) > 0 && step.PromptTokens == 0 {
		e := m.entry(step, index)
		p.Messages, p.Tokens = e.salted(m.calibration.vocabulary, r), e.tokens
		return p
	}
	text, made := m.calibration.vocabulary.compose(r, tokens)
	p.Messages, p.Tokens = []Message{{"user", text}}, made
	return p
}
