package stub

import "time"

// usage of a whole answer; the details are null in an engine without multi-modal input.
type usage struct {
	Prompt            int  `json:"prompt_tokens"`
	Total             int  `json:"total_tokens"`
	Completion        int  `json:"completion_tokens"`
	PromptDetails     *int `json:"prompt_tokens_details"`
	CompletionDetails *int `json:"completion_tokens_details"`
}

type completionChoice struct {
	Index          int     `json:"index"`
	Text           string  `json:"text"`
	Logprobs       *int    `json:"logprobs"`
	Finish         string  `json:"finish_reason"`
	Stop           *string `json:"stop_reason"`
	TokenIDs       []int   `json:"token_ids"`
	PromptLogprobs *int    `json:"prompt_logprobs"`
	PromptTokenIDs []int   `json:"prompt_token_ids"`
	RoutedExperts  *int    `json:"routed_experts"`
}

type completion struct {
	ID          string             `json:"id"`
	Object      string             `json:"object"`
	Created     int64              `json:"created"`
	Model       string             `json:"model"`
	Choices     []completionChoice `json:"choices"`
	ServiceTier *string            `json:"service_tier"`
	Fingerprint string             `json:"system_fingerprint"`
	Usage       usage              `json:"usage"`
	KVTransfer  *int               `json:"kv_transfer_params"`
	ECTransfer  *int               `json:"ec_transfer_params"`
	Metrics     *int               `json:"metrics"`
}

type chatMessage struct {
	Role         string  `json:"role"`
	Content      string  `json:"content"`
	Refusal      *string `json:"refusal"`
	Annotations  *string `json:"annotations"`
	Audio        *string `json:"audio"`
	FunctionCall *string `json:"function_call"`
	Reasoning    *string `json:"reasoning"`
}

type chatChoice struct {
	Index         int         `json:"index"`
	Message       chatMessage `json:"message"`
	Logprobs      *int        `json:"logprobs"`
	Finish        string      `json:"finish_reason"`
	Stop          *string     `json:"stop_reason"`
	TokenIDs      []int       `json:"token_ids"`
	RoutedExperts *int        `json:"routed_experts"`
}

type chatCompletion struct {
	ID             string       `json:"id"`
	Object         string       `json:"object"`
	Created        int64        `json:"created"`
	Model          string       `json:"model"`
	Choices        []chatChoice `json:"choices"`
	ServiceTier    *string      `json:"service_tier"`
	Fingerprint    string       `json:"system_fingerprint"`
	Usage          usage        `json:"usage"`
	PromptLogprobs *int         `json:"prompt_logprobs"`
	PromptTokenIDs []int        `json:"prompt_token_ids"`
	PromptText     *string      `json:"prompt_text"`
	KVTransfer     *int         `json:"kv_transfer_params"`
	ECTransfer     *int         `json:"ec_transfer_params"`
	Metrics        *int         `json:"metrics"`
}

// whole is the body of an answer that wasn't streamed.
func (s *stream) whole(c *Config, created time.Time) []byte {
	n := s.produced
	text := string(s.text(nil, 0, n, c.Faults.EmptyShare))
	u := usage{Prompt: len(s.ask.promptIDs), Total: len(s.ask.promptIDs) + n, Completion: n}
	var ids, promptIDs []int
	if s.ask.returnIDs {
		ids, promptIDs = s.tokenIDs(0, n, c.Faults.EmptyShare), s.ask.promptIDs
	}
	if s.ask.chat {
		return marshal(chatCompletion{ID: s.id, Object: "chat.completion", Created: created.Unix(), Model: c.Model, Fingerprint: fingerprint, Usage: u,
			PromptTokenIDs: promptIDs,
			Choices:        []chatChoice{{Message: chatMessage{Role: "assistant", Content: text}, Finish: s.finish, TokenIDs: ids}}})
	}
	return marshal(completion{ID: s.id, Object: "text_completion", Created: created.Unix(), Model: c.Model, Fingerprint: fingerprint, Usage: u,
		Choices: []completionChoice{{Text: text, Finish: s.finish, TokenIDs: ids, PromptTokenIDs: promptIDs}}})
}
