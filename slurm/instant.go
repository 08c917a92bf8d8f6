package slurm

import (
	"fmt"
	"strings"
	"time"
)

// timeFormat is what SLURM_TIME_FORMAT is set to, for strftime; the tools run
// with TZ=UTC.
const timeFormat = "%Y-%m-%dT%H:%M:%S"

// parseInstant reads an instant that a tool wrote in that format. What is not
// known yet (Unknown, None, N/A, empty) is the zero time.
func parseInstant(s string) (time.Time, error) {
	switch strings.ToUpper(s) {
	case "", "UNKNOWN", "NONE", "N/A", "NOT_SET", "INVALID":
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation("2006-01-02T15:04:05", s, time.UTC)
	if err != nil {
		return time.Time{}, fmt.Errorf("instant %q: want YYYY-MM-DDTHH:MM:SS in UTC", s)
	}
	return t, nil
}
