package chunk

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// object is JSON read the plain way: keys as they are written, the last of
// equal ones wins.
type object map[string]json.RawMessage

// decodeSlowly is Decode by encoding/json. It defines what Decode answers.
func decodeSlowly(data []byte, f *Facts) error {
	var event object
	if err := unmarshal("event", data, &event); err != nil {
		return err
	}
	kind, err := text(event, "object")
	if err != nil {
		return err
	}
	if present(event["error"]) || kind == "error" {
		f.Error = true
		f.ErrorText, f.ErrorStatus = readError(event)
		return nil
	}
	id, err := text(event, "id")
	if err != nil {
		return err
	}
	if id != "" {
		f.ID = []byte(id)
	}
	var choices []object
	if err := unmarshal("choices", event["choices"], &choices); err != nil {
		return err
	}
	f.Choices = len(choices) > 0
	for _, c := range choices {
		if err := slowChoice(c, f); err != nil {
			return err
		}
	}
	var usage object
	if err := unmarshal("usage", event["usage"], &usage); err != nil {
		return err
	}
	if f.PromptTokens, _, err = number(usage, "prompt_tokens"); err != nil {
		return err
	}
	f.CompletionTokens, f.Usage, err = number(usage, "completion_tokens")
	return err
}

func slowChoice(c object, f *Facts) error {
	var delta object
	if err := unmarshal("delta", c["delta"], &delta); err != nil {
		return err
	}
	var failed error
	get := func(o object, key string) string {
		s, err := text(o, key)
		if err != nil {
			failed = err
		}
		return s
	}
	for _, s := range []string{get(c, "text"), get(delta, "content")} {
		f.ContentBytes += len(s)
		f.Content = f.Content || s != ""
	}
	f.Role = f.Role || get(delta, "role") != ""
	f.Reasoning = f.Reasoning || get(delta, "reasoning") != "" || get(delta, "reasoning_content") != ""
	if reason := get(c, "finish_reason"); reason != "" {
		f.Finish = reason
	}
	var calls []struct {
		Function object `json:"function"`
	}
	if err := unmarshal("tool_calls", delta["tool_calls"], &calls); err != nil {
		return err
	}
	for _, call := range calls {
		f.Tool = f.Tool || get(call.Function, "name") != "" || get(call.Function, "arguments") != ""
	}
	return failed
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// unmarshal reads a value that may be absent.
func unmarshal(what string, raw []byte, to any) error {
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("%s of an event isn't as expected: %w", what, err)
	}
	return nil
}

// text is a string that may be absent or null.
func text(o object, key string) (string, error) {
	var s string
	return s, unmarshal(key, o[key], &s)
}

// number is a whole number, 0 or more, that may be absent or null.
func number(o object, key string) (n int, ok bool, err error) {
	if !present(o[key]) {
		return 0, false, nil
	}
	var f float64
	if err := unmarshal(key, o[key], &f); err != nil {
		return 0, false, err
	}
	if f != math.Trunc(f) || f < 0 || f >= 1e15 {
		return 0, false, fmt.Errorf("%s of an event is %s, not a whole number", key, o[key])
	}
	return int(f), true, nil
}

// readError takes the words and the status of an error, in the shapes of
// today's and of older servers: an object with message and code, a bare string,
// or both at the top.
func readError(event object) (words string, status int) {
	from := event
	var inner object
	if json.Unmarshal(event["error"], &inner) == nil && len(inner) > 0 {
		from = inner
	}
	for _, raw := range []json.RawMessage{from["message"], event["error"], event["message"]} {
		if json.Unmarshal(raw, &words) == nil && words != "" {
			break
		}
	}
	if words == "" {
		words = string(event["error"])
	}
	var code any
	if json.Unmarshal(from["code"], &code) == nil {
		switch c := code.(type) {
		case float64:
			if c == math.Trunc(c) && math.Abs(c) < 1e9 {
				status = int(c)
			}
		case string:
			status, _ = strconv.Atoi(c)
		}
	}
	return words, status
}
