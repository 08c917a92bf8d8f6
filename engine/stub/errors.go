package stub

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// apiError is a refusal in the API's own form.
type apiError struct {
	status  int
	message string
	kind    string
	param   string // "" = null
}

type errorBody struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    int     `json:"code"`
}

func (e *apiError) body() []byte {
	inner := errorBody{Message: e.message, Type: e.kind, Code: e.status}
	if e.param != "" {
		inner.Param = &e.param
	}
	return marshal(map[string]errorBody{"error": inner})
}

// event is the error as a stream carries it inside a 200: the same keys, with
// Python's spaces between them.
func (e *apiError) event() string {
	param := "null"
	if e.param != "" {
		param = string(marshal(e.param))
	}
	return fmt.Sprintf(`data: {"error": {"message": %s, "type": %s, "param": %s, "code": %d}}`+"\n\n",
		marshal(e.message), marshal(e.kind), param, e.status)
}

// marshal is encoding/json without its escapes for HTML, which no server in Python makes.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		// Only types of this package come here: strings, numbers and structs of them can't fail.
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func badRequest(param, message string) *apiError {
	return &apiError{status: 400, message: message, kind: "BadRequestError", param: param}
}

func badField(loc, kind, message, input string) *apiError {
	return &apiError{status: 400, kind: "Bad Request", param: loc,
		message: fmt.Sprintf("1 validation error:\n  {'type': '%s', 'loc': '%s', 'msg': '%s', 'input': '%s'}", kind, loc, message, input)}
}

func noModel(asked, served string) *apiError {
	return &apiError{status: 404, kind: "NotFoundError", param: "model",
		message: fmt.Sprintf("The model `%s` does not exist. Valid aliases: %s.", asked, served)}
}

func tooFew(tokens int) *apiError {
	return badRequest("max_tokens", fmt.Sprintf("max_tokens must be at least 1, got %d. (parameter=max_tokens, value=%d)", tokens, tokens))
}

func tooLong(limit, found int, exact bool) *apiError {
	contains := fmt.Sprint(found)
	if !exact {
		// A text is cut one token after the limit before it is counted.
		found = limit + 1
		contains = fmt.Sprintf("at least %d", found)
	}
	return badRequest("input_tokens", fmt.Sprintf("This model's maximum context length is %d tokens. However, your prompt contains %s input tokens, "+
		"which exceeds this limit even without any output tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=%d)",
		limit, contains, found))
}

var (
	errBusy = &apiError{status: 503, kind: "Service Unavailable",
		message: "The engine is currently busy and cannot accept new requests. Please try again later or on a different instance."}
	errDead = &apiError{status: 500, kind: "InternalServerError",
		message: "EngineCore encountered an issue. See stack trace (above) for the root cause."}
	errInjected = &apiError{status: 500, kind: "InternalServerError", message: "Internal server error put in by the stub's error share."}
)
