package results

// Unusable says why nothing of a repeat can be used, "" where something can: one bad
// step leaves the others standing.
func (s Summary) Unusable() string {
	if words := firstInvalid(s.Findings); words != "" {
		return words
	}
	words := ""
	for _, step := range s.Steps {
		bad := firstInvalid(step.Findings)
		if bad == "" {
			return ""
		}
		if words == "" {
			words = step.Step.ID + ": " + bad
		}
	}
	return words
}

func firstInvalid(findings []Finding) string {
	for _, f := range findings {
		if f.Level == LevelInvalid {
			return f.Reason
		}
	}
	return ""
}
