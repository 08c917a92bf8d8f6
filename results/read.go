package results

import (
	"fmt"
	"slices"
)

// AttemptFiles is what one attempt left behind, as read from its folder.
type AttemptFiles struct {
	Attempt                  Attempt
	Records                  []Record
	Samples                  []Sample
	RecordLines, SampleLines Lines
}

// ReadAttempt reads attempt.json, the records and the telemetry of one attempt.
// Missing or torn records and telemetry are no error: an attempt that was
// killed early has few of them. A missing attempt.json wraps os.ErrNotExist,
// since without it nobody knows whose records these are.
func ReadAttempt(dir AttemptDir) (AttemptFiles, error) {
	var f AttemptFiles
	var err error
	if f.Attempt, err = ReadJSON[Attempt](dir.Attempt(), FormatAttempt); err != nil {
		return f, err
	}
	for _, c := range []struct{ file, found, want string }{
		{dir.Records(), f.Attempt.RecordsFormat, FormatRecords},
		{dir.Telemetry(), f.Attempt.TelemetryFormat, FormatTelemetry},
	} {
		if c.found == "" {
			continue // it was killed before it could write any
		}
		if err := CheckFormat(c.found, c.want); err != nil {
			return f, fmt.Errorf("%s: %w", c.file, err)
		}
	}
	records, lines, err := readParts[Record](dir.Records())
	if err != nil {
		return f, err
	}
	f.Records, f.RecordLines = slices.Concat(records...), lines
	samples, lines, err := readParts[Sample](dir.Telemetry())
	if err != nil {
		return f, err
	}
	f.Samples, f.SampleLines = slices.Concat(samples...), lines
	return f, nil
}
