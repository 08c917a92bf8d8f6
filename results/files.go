package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/google/renameio/v2"
)

// WriteJSON replaces a file whole: readers see the old one or the new one,
// never a part, also after a crash. The text is indented and ends in a newline,
// and the same value always gives the same bytes.
func WriteJSON(path string, v any, mode os.FileMode) error {
	b, err := EncodeJSON(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	if err := renameio.WriteFile(path, b, mode, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// EncodeJSON is how every whole file of ours is written.
func EncodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// ReadJSON reads a whole file and checks its format word first, so that a
// foreign or newer file is named as such and not as a field that doesn't fit.
func ReadJSON[T any](path, format string) (T, error) {
	var v T
	b, err := os.ReadFile(path)
	if err != nil {
		return v, err
	}
	v, err = DecodeJSON[T](b, format)
	if err != nil {
		return v, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

// DecodeJSON is ReadJSON on bytes.
func DecodeJSON[T any](b []byte, format string) (T, error) {
	var v T
	var head struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return v, jsonError(b, err)
	}
	if err := CheckFormat(head.Format, format); err != nil {
		return v, err
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return v, jsonError(b, err)
	}
	return v, nil
}

// jsonError adds the line, since "offset 5123" helps nobody.
func jsonError(b []byte, err error) error {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &typ):
		offset = typ.Offset
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return errors.New("the file is empty")
	}
	if offset < 0 || offset > int64(len(b)) {
		return err
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(b[:offset], []byte("\n")), err)
}
