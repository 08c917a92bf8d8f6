package slurm

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Unlimited stands for a time limit that isn't one.
const Unlimited = time.Duration(math.MaxInt64)

// maxDays keeps every limit representable: about 270 years.
const maxDays = 100_000

// FormatTimeLimit writes d as D-HH:MM:SS, or HH:MM:SS below a day, rounded up to a
// second. sbatch itself rounds up to a minute.
func FormatTimeLimit(d time.Duration) string {
	if d == Unlimited {
		return "UNLIMITED"
	}
	s := int64(max(d, 0) / time.Second)
	if d > 0 && d%time.Second != 0 {
		s++
	}
	hms := fmt.Sprintf("%02d:%02d:%02d", s/3600%24, s/60%60, s%60)
	if days := s / 86400; days > 0 {
		return fmt.Sprintf("%d-%s", days, hms)
	}
	return hms
}

// ParseTimeLimit reads every form in which Slurm's tools take or write a limit or an elapsed
// time: MM, MM:SS, HH:MM:SS, D-HH, D-HH:MM, D-HH:MM:SS, and UNLIMITED or
// INFINITE. What says that there is none known (NOT_SET, INVALID, N/A,
// Partition_Limit, NONE, empty) is 0. Fractions of a second, as in sacct's
// TotalCPU, are dropped.
func ParseTimeLimit(s string) (time.Duration, error) {
	switch strings.ToUpper(strings.TrimSpace(s)) {
	case "UNLIMITED", "INFINITE", "-1":
		return Unlimited, nil
	case "", "NOT_SET", "INVALID", "N/A", "NONE", "PARTITION_LIMIT", "UNKNOWN":
		return 0, nil
	}
	bad := fmt.Errorf("time limit %q: want minutes, MM:SS, HH:MM:SS or D-HH[:MM[:SS]]", s)
	text := strings.TrimSpace(s)
	days, clock, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, clock = "0", text
	}
	d, err := parseDigits(days)
	if err != nil || d > maxDays {
		return 0, bad
	}
	parts := strings.Split(clock, ":")
	if whole, frac, ok := strings.Cut(parts[len(parts)-1], "."); ok && len(parts) > 1 {
		if _, err := parseDigits(frac); err != nil {
			return 0, bad
		}
		parts[len(parts)-1] = whole
	}
	n := make([]uint64, len(parts))
	for i, p := range parts {
		if n[i], err = parseDigits(p); err != nil || n[i] > maxDays*24*60 {
			return 0, bad
		}
	}
	var h, m, sec uint64
	switch {
	case hasDays && len(n) == 1:
		h = n[0]
	case hasDays && len(n) == 2:
		h, m = n[0], n[1]
	case len(n) == 1:
		m = n[0]
	case len(n) == 2:
		m, sec = n[0], n[1]
	case len(n) == 3:
		h, m, sec = n[0], n[1], n[2]
	default:
		return 0, bad
	}
	total := ((d*24+h)*60+m)*60 + sec
	if total > maxDays*86400 {
		return 0, bad
	}
	return time.Duration(total) * time.Second, nil
}
