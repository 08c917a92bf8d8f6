package prompt

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/sync/errgroup"

	"hpcbench/load/endpoint"
	"hpcbench/results"
)

// atOnce is how many questions to the server are open at a time.
const atOnce = 8

// ErrNoTokenizer says that the server has no /tokenize.
var ErrNoTokenizer = errors.New("the server has no /tokenize")

// server asks the server about tokens.
type server struct {
	endpoint.Endpoint
	client *http.Client
	api    string
	extra  map[string]any // of the plan's requests: a chat template's own arguments change its length
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type tokenized struct {
	Count  *int  `json:"count"`
	Tokens []int `json:"tokens"`
}

// tokenize counts a bare text, without the tokens that a tokenizer puts in
// front by itself.
func (s *server) tokenize(ctx context.Context, text string) (tokenized, error) {
	return s.post(ctx, map[string]any{"model": s.Model, "prompt": text, "add_special_tokens": false})
}

// tokenizeAsked counts a text as a request of the plan's API would have it,
// with the chat template or the tokens put in front.
func (s *server) tokenizeAsked(ctx context.Context, text string) (tokenized, error) {
	if s.api == "completions" {
		return s.post(ctx, map[string]any{"model": s.Model, "prompt": text, "add_special_tokens": true})
	}
	return s.post(ctx, map[string]any{"model": s.Model, "messages": []chatMessage{{"user", text}}, "add_generation_prompt": true})
}

func (s *server) tokenizeMessages(ctx context.Context, messages []Message) (tokenized, error) {
	turns := make([]chatMessage, len(messages))
	for i, m := range messages {
		turns[i] = chatMessage(m)
	}
	return s.post(ctx, map[string]any{"model": s.Model, "messages": turns, "add_generation_prompt": true})
}

func (s *server) post(ctx context.Context, question map[string]any) (tokenized, error) {
	var answer tokenized
	err := s.Post(ctx, s.client, "/tokenize", question, &answer)
	var status *endpoint.StatusError
	switch {
	case errors.As(err, &status) && (status.Status == 404 || status.Status == 405 || status.Status == 501 || status.Status == 403 || status.Status == 401):
		return answer, fmt.Errorf("%w: %w", ErrNoTokenizer, err)
	case err != nil && status == nil && ctx.Err() == nil && answer.Count == nil:
		// Not JSON: a gateway's own page.
		return answer, fmt.Errorf("%w: %w", ErrNoTokenizer, err)
	case err != nil:
		return answer, err
	case answer.Count == nil:
		return answer, fmt.Errorf("%w: its answer has no count", ErrNoTokenizer)
	}
	return answer, nil
}

// detokenize is the text of tokens.
func (s *server) detokenize(ctx context.Context, tokens []int) (string, error) {
	var answer struct {
		Prompt string `json:"prompt"`
	}
	if err := s.Post(ctx, s.client, "/detokenize", map[string]any{"model": s.Model, "tokens": tokens}, &answer); err != nil {
		return "", fmt.Errorf("turn tokens into text: %w", err)
	}
	return answer.Prompt, nil
}

// probe sends a request for one token and gives the usage's prompt tokens.
func (s *server) probe(ctx context.Context, text string) (int, error) {
	body := map[string]any{}
	for k, v := range s.extra {
		body[k] = v
	}
	body["model"], body["max_tokens"], body["temperature"] = s.Model, 1, 0
	route := "/v1/chat/completions"
	if s.api == "completions" {
		route = "/v1/completions"
		body["prompt"] = text
	} else {
		body["messages"] = []chatMessage{{"user", text}}
	}
	var answer struct {
		Usage struct {
			PromptTokens int `json:"prompt_tokens"`
		} `json:"usage"`
	}
	if err := s.Post(ctx, s.client, route, body, &answer); err != nil {
		return 0, fmt.Errorf("probe the length of a prompt: %w", err)
	}
	if answer.Usage.PromptTokens == 0 {
		return 0, errors.New("probe the length of a prompt: the answer has no usage.prompt_tokens")
	}
	return answer.Usage.PromptTokens, nil
}

// each runs f for 0..n−1, atOnce at a time, and gives the first error.
func each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i := range n {
		g.Go(func() error { return f(ctx, i) })
	}
	return g.Wait()
}

func apiOf(p results.Plan) string {
	if p.Request.API == "completions" {
		return "completions"
	}
	return "chat"
}
