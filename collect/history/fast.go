package history

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// UnmarshalJSON reads a line as our own encoder writes it, without reflection;
// anything else goes to encoding/json.
func (e *Entry) UnmarshalJSON(b []byte) error {
	if e.fast(b) {
		return nil
	}
	type plain Entry // without this method
	*e = Entry{}
	return json.Unmarshal(b, (*plain)(e))
}

// fast answers false for what it doesn't know, and then e is of no use.
func (e *Entry) fast(b []byte) bool {
	if len(b) < 2 || b[0] != '{' {
		return false
	}
	rest := b[1:]
	for len(rest) > 0 {
		if rest[0] == '}' {
			return len(rest) == 1
		}
		key, n := plainText(rest)
		if n == 0 || len(rest) <= n || rest[n] != ':' {
			return false
		}
		rest = rest[n+1:]
		end := valueEnd(rest)
		if end == 0 || end >= len(rest) || !e.set(key, rest[:end]) {
			return false
		}
		rest = rest[end:]
		if rest[0] == ',' {
			rest = rest[1:]
		}
	}
	return false
}

// plainText is a JSON string of printable ASCII without escapes, and its length with the quotes; 0 = it isn't one.
func plainText(b []byte) ([]byte, int) {
	if len(b) == 0 || b[0] != '"' {
		return nil, 0
	}
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return b[1:i], i + 1
		case c == '\\' || c < 0x20 || c >= 0x7f:
			return nil, 0
		}
	}
	return nil, 0
}

// valueEnd is where a value ends: a string, an array without strings that hold brackets, a number or a word.
func valueEnd(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case '"':
		_, n := plainText(b)
		return n
	case '[':
		return bytes.IndexByte(b, ']') + 1
	case '{':
		return 0
	}
	return bytes.IndexAny(b, ",}")
}

func (e *Entry) set(key, value []byte) bool {
	if into := e.textField(key); into != nil {
		text, n := plainText(value)
		*into = string(text)
		return n == len(value)
	}
	if into := e.numberField(key); into != nil {
		n, err := strconv.Atoi(string(value))
		*into = n
		return err == nil
	}
	if into := e.columnField(key); into != nil {
		return into.UnmarshalJSON(value) == nil
	}
	switch string(key) {
	case "at":
		text, n := plainText(value)
		at, err := time.Parse(time.RFC3339Nano, string(text))
		e.At = at
		return n > 0 && err == nil
	case "simulated":
		e.Simulated = string(value) == "true"
		return e.Simulated || string(value) == "false"
	case "steps":
		// an id with a bracket or an escape ends the array early: then it isn't valid by itself
		return value[0] == '[' && e.Steps.UnmarshalJSON(value) == nil
	case "n":
		return json.Unmarshal(value, &e.N) == nil
	case "saturated":
		return json.Unmarshal(value, &e.Saturated) == nil
	}
	return false
}

func (e *Entry) textField(key []byte) *string {
	switch string(key) {
	case "format":
		return &e.Format
	case "run":
		return &e.Run
	case "dir":
		return &e.Dir
	case "spec_digest":
		return &e.Digest
	case "site":
		return &e.Site
	case "gpu_kind":
		return &e.GPUKind
	case "model":
		return &e.Model
	case "plan":
		return &e.Plan
	case "engine":
		return &e.Engine
	case "engine_version":
		return &e.Version
	case "image":
		return &e.Image
	case "over":
		return &e.Over
	case "verdict":
		return &e.Verdict
	}
	return nil
}

func (e *Entry) numberField(key []byte) *int {
	switch string(key) {
	case "gpus":
		return &e.GPUs
	case "repeats_asked":
		return &e.Asked
	case "repeats_good":
		return &e.Good
	case "invalid_steps":
		return &e.Invalid
	}
	return nil
}

func (e *Entry) columnField(key []byte) *Figures {
	switch string(key) {
	case "ttft_p50_ms":
		return &e.TTFTMs
	case "tpot_p50_ms":
		return &e.TPOTMs
	case "e2e_p95_ms":
		return &e.E2EMs
	case "output_tokens_per_s":
		return &e.TokensPerS
	case "error_share":
		return &e.ErrorShare
	}
	return nil
}
