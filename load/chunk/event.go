package chunk

// The keys that matter, as bits: one that comes twice is left to encoding/json.
const (
	keyID = 1 << iota
	keyObject
	keyChoices
	keyUsage
	keyError
	keyDelta
	keyText
	keyFinish
	keyRole
	keyContent
	keyReasoning
	keyReasoningContent
	keyTools
	keyPrompt
	keyCompletion
)

// once notes that a key was seen and says whether it is for the first time.
func once(seen *int, key int) bool {
	first := *seen&key == 0
	*seen |= key
	return first
}

// event takes a whole event.
func (s *scanner) event(f *Facts) bool {
	seen := 0
	ok := s.object(func(key []byte) bool {
		switch string(key) {
		case "id":
			if !once(&seen, keyID) {
				return false
			}
			if s.null() {
				return true
			}
			id, plain, ok := s.str()
			f.ID = id
			return ok && plain
		case "object":
			if !once(&seen, keyObject) {
				return false
			}
			if s.null() {
				return true
			}
			object, plain, ok := s.str()
			return ok && plain && string(object) != "error"
		case "choices":
			if !once(&seen, keyChoices) {
				return false
			}
			if s.null() {
				return true
			}
			n, ok := s.array(func() bool { return s.choice(f) })
			f.Choices = n > 0
			return ok
		case "usage":
			return once(&seen, keyUsage) && (s.null() || s.usage(f))
		case "error":
			return once(&seen, keyError) && s.null()
		}
		return s.skip()
	})
	s.space()
	return ok && s.i == len(s.b)
}

func (s *scanner) choice(f *Facts) bool {
	seen := 0
	return s.object(func(key []byte) bool {
		switch string(key) {
		case "delta":
			return once(&seen, keyDelta) && (s.null() || s.delta(f))
		case "text":
			return once(&seen, keyText) && s.content(f)
		case "finish_reason":
			if !once(&seen, keyFinish) {
				return false
			}
			if s.null() {
				return true
			}
			reason, plain, ok := s.str()
			if len(reason) > 0 {
				f.Finish = finishReason(reason)
			}
			return ok && plain
		}
		return s.skip()
	})
}

func (s *scanner) delta(f *Facts) bool {
	seen := 0
	return s.object(func(key []byte) bool {
		switch string(key) {
		case "role":
			if !once(&seen, keyRole) {
				return false
			}
			if s.null() {
				return true
			}
			role, _, ok := s.str()
			f.Role = f.Role || len(role) > 0
			return ok
		case "content":
			return once(&seen, keyContent) && s.content(f)
		case "reasoning":
			return once(&seen, keyReasoning) && s.reasoning(f)
		case "reasoning_content":
			return once(&seen, keyReasoningContent) && s.reasoning(f)
		case "tool_calls":
			if !once(&seen, keyTools) {
				return false
			}
			if s.null() {
				return true
			}
			_, ok := s.array(func() bool { return false }) // none, or not ours
			return ok
		}
		return s.skip()
	})
}

// content takes null or a string of content.
func (s *scanner) content(f *Facts) bool {
	if s.null() {
		return true
	}
	raw, plain, ok := s.str()
	n := len(raw)
	s.note(holeContent, s.i-1-n, s.i-1)
	if ok && !plain {
		n = decodedLen(raw)
	}
	f.ContentBytes += n
	f.Content = f.Content || n > 0
	return ok
}

// reasoning takes null or a string of reasoning.
func (s *scanner) reasoning(f *Facts) bool {
	if s.null() {
		return true
	}
	raw, _, ok := s.str()
	s.note(holeReasoning, s.i-1-len(raw), s.i-1)
	f.Reasoning = f.Reasoning || len(raw) > 0
	return ok
}

func (s *scanner) usage(f *Facts) bool {
	seen := 0
	return s.object(func(key []byte) (ok bool) {
		switch string(key) {
		case "prompt_tokens":
			if !once(&seen, keyPrompt) {
				return false
			}
			if s.null() {
				return true
			}
			f.PromptTokens, ok = s.countHole(holePrompt)
			return ok
		case "completion_tokens":
			if !once(&seen, keyCompletion) {
				return false
			}
			if s.null() {
				return true
			}
			f.CompletionTokens, ok = s.countHole(holeCompletion)
			f.Usage = ok
			return ok
		case "total_tokens":
			if s.null() {
				return true
			}
			_, ok = s.countHole(holeNumber)
			return ok
		}
		return s.skip()
	})
}

// finishReason makes a string without an allocation for the usual ones.
func finishReason(b []byte) string {
	switch string(b) {
	case "stop":
		return "stop"
	case "length":
		return "length"
	case "abort":
		return "abort"
	case "error":
		return "error"
	case "tool_calls":
		return "tool_calls"
	case "content_filter":
		return "content_filter"
	}
	return string(b)
}
