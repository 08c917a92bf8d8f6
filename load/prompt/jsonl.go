package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// parseJSONL reads one object a line, with "prompt" (a text) or "messages" (a
// list of role and content), and perhaps an "output" or "completion" that says
// how long the answer was. Empty lines are skipped; anything else is an error
// with its line.
func parseJSONL(b []byte) ([]entry, error) {
	var entries []entry
	n := 0
	for line := range bytes.Lines(b) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		e, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func parseLine(line []byte) (entry, error) {
	var object struct {
		Prompt     *string `json:"prompt"`
		Messages   []turn  `json:"messages"`
		Output     string  `json:"output"`
		Completion string  `json:"completion"`
	}
	if err := json.Unmarshal(line, &object); err != nil {
		return entry{}, err
	}
	e := entry{Answer: object.Output}
	if e.Answer == "" {
		e.Answer = object.Completion
	}
	switch {
	case object.Prompt != nil && len(object.Messages) > 0:
		return entry{}, fmt.Errorf("it has both prompt and messages")
	case object.Prompt != nil:
		e.Messages = []Message{{"user", *object.Prompt}}
	}
	for i, m := range object.Messages {
		role, text := m.read()
		if role == "" || text == "" {
			return entry{}, fmt.Errorf("message %d has no role or no text", i+1)
		}
		e.Messages = append(e.Messages, Message{role, text})
	}
	if len(e.Messages) == 0 || strings.TrimSpace(e.Messages[len(e.Messages)-1].Content) == "" {
		return entry{}, fmt.Errorf("it has neither prompt nor messages with a text")
	}
	if last := len(e.Messages) - 1; e.Messages[last].Role == "assistant" && last > 0 {
		// The answer stands in the conversation itself.
		e.Answer, e.Messages = e.Messages[last].Content, e.Messages[:last]
	}
	return e, nil
}
