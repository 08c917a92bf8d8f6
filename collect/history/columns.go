package history

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"
)

// Figures is a column of figures. It reads itself, since encoding/json takes
// three times as long over ten thousand runs.
type Figures []float64

// UnmarshalJSON reads [1,2.5]; null is an empty column.
func (f *Figures) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if len(b) < 2 || b[0] != '[' {
		return json.Unmarshal(b, (*[]float64)(f)) // null, or the usual error
	}
	out := make(Figures, 0, 1+bytes.Count(b, []byte{','}))
	for rest := b[1 : len(b)-1]; len(rest) > 0; {
		end := bytes.IndexByte(rest, ',')
		if end < 0 {
			end = len(rest)
		}
		x, err := strconv.ParseFloat(string(bytes.TrimSpace(rest[:end])), 64)
		if err != nil {
			return json.Unmarshal(b, (*[]float64)(f))
		}
		out = append(out, x)
		rest = rest[min(end+1, len(rest)):]
	}
	*f = out
	return nil
}

// StepIDs are the steps of an entry. Runs of one plan have the same ones, so
// they are kept once and must not be changed.
type StepIDs []string

var knownSteps sync.Map // the JSON text → StepIDs

// UnmarshalJSON reads the ids, or finds them among those read before.
func (s *StepIDs) UnmarshalJSON(b []byte) error {
	if known, ok := knownSteps.Load(string(b)); ok {
		*s = known.(StepIDs)
		return nil
	}
	var ids []string
	if err := json.Unmarshal(b, &ids); err != nil {
		return err
	}
	*s = ids
	if len(b) < 1<<16 {
		knownSteps.Store(string(b), *s)
	}
	return nil
}
