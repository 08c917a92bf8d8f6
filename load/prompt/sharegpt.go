package prompt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// turn is one of a conversation. ShareGPT itself says from and value, the
// Hugging Face tool's files say role and content.
type turn struct {
	From    string          `json:"from"`
	Value   json.RawMessage `json:"value"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// parseShareGPT reads a JSON array of {"conversations": [turns]}. The prompt of
// a conversation is what the user says first, with a system turn before it; the
// answer is the turn that follows. Conversations without a user's turn are left
// out. The array is read element by element: files of a gigabyte are usual.
func parseShareGPT(b []byte) ([]entry, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	open, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("not a JSON array of conversations: %w", err)
	}
	if open != json.Delim('[') {
		return nil, errors.New("not a JSON array of conversations; for one object a line the source is jsonl")
	}
	var entries []entry
	for n := 1; dec.More(); n++ {
		var c struct {
			Conversations []turn `json:"conversations"`
			Conversation  []turn `json:"conversation"`
		}
		if err := dec.Decode(&c); err != nil {
			return nil, fmt.Errorf("conversation %d: %w", n, err)
		}
		if len(c.Conversations) == 0 {
			c.Conversations = c.Conversation
		}
		if e, ok := firstExchange(c.Conversations); ok {
			entries = append(entries, e)
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("the array has no end: %w", err)
	}
	return entries, nil
}

func firstExchange(turns []turn) (entry, bool) {
	var e entry
	for _, t := range turns {
		role, text := t.read()
		switch role {
		case "system":
			if text != "" && len(e.Messages) == 0 {
				e.Messages = append(e.Messages, Message{"system", text})
			}
		case "user", "human":
			if text == "" {
				return entry{}, false
			}
			if n := len(e.Messages); n > 0 && e.Messages[n-1].Role == "user" {
				return e, true // the user speaks again: there is no answer
			}
			e.Messages = append(e.Messages, Message{"user", text})
		default:
			if n := len(e.Messages); n > 0 && e.Messages[n-1].Role == "user" {
				e.Answer = text
				return e, true
			}
		}
	}
	n := len(e.Messages)
	return e, n > 0 && e.Messages[n-1].Role == "user"
}

// read gives a turn's role and text; content that isn't text (a list of parts
// with pictures, null) counts as none.
func (t turn) read() (role, text string) {
	role, raw := t.Role, t.Content
	if role == "" {
		role, raw = t.From, t.Value
	}
	if json.Unmarshal(raw, &text) != nil {
		return role, ""
	}
	return role, text
}
