package chunk

import "bytes"

// Facts are what one event says.
type Facts struct {
	// ID is the answer's id, inside the decoded bytes or a copy; keep no
	// reference to it.
	ID []byte
	// Choices says that choices isn't empty.
	Choices bool
	// Role says that a delta names a role.
	Role bool
	// Content says that content, or the text of a completion, isn't empty;
	// ContentBytes is its length in bytes, over all choices.
	Content      bool
	ContentBytes int
	// Reasoning and Tool say that there is reasoning text, and a tool's name
	// or arguments.
	Reasoning bool
	Tool      bool
	// Finish is the last finish_reason that isn't null.
	Finish string
	// Usage says that usage has a number of completion_tokens. PromptTokens is
	// 0 where it isn't stated.
	Usage            bool
	PromptTokens     int
	CompletionTokens int
	// Error says that the event is an error; ErrorText has the server's words,
	// ErrorStatus the code where it is a number, as an HTTP status is.
	Error       bool
	ErrorText   string
	ErrorStatus int
}

// Text says that the event shows the user something: content, reasoning, or a
// tool call.
func (f *Facts) Text() bool { return f.Content || f.Reasoning || f.Tool }

// Decoder reads the events of a stream. The zero value is ready, and one may be
// used for stream after stream.
type Decoder struct {
	form form
	s    scanner
}

// Decode reads the data of one event into f, which is overwritten. Data of
// white space only holds nothing. The error says that the data isn't JSON of
// the expected shape.
func (d *Decoder) Decode(data []byte, f *Facts) error {
	if d.form.match(data, f) {
		return nil
	}
	*f = Facts{}
	if !hasControl(data) {
		d.s = scanner{b: data}
		if d.s.event(f) {
			d.form.learn(&d.s, f)
			return nil
		}
	}
	*f = Facts{}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	return decodeSlowly(data, f)
}
