package report

import (
	"io"

	"hpcbench/results"
)

// JSON writes the document (format FormatDocument), units in the names.
func (d *Document) JSON(w io.Writer) error {
	b, err := results.EncodeJSON(d)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}
