package results

// Levels of a finding.
const (
	LevelInvalid = "invalid" // the numbers must not be used
	LevelWarning = "warning" // they may, with this in mind
	LevelNote    = "note"    // worth knowing: saturated
)

// Finding is one judged fact about a step or a repeat, always with its figure.
type Finding struct {
	Level  string `json:"level"`
	Code   string `json:"code"`   // stable word, such as client_limited
	Reason string `json:"reason"` // in words, with the figure and its limit
	// Figure and Limit are the numbers that decided, where there are any.
	Figure *float64 `json:"figure,omitempty"`
	Limit  *float64 `json:"limit,omitempty"`
}

// Invalid says whether any of the findings is INVALID.
func Invalid(findings []Finding) bool {
	for _, f := range findings {
		if f.Level == LevelInvalid {
			return true
		}
	}
	return false
}
