package slurm

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseMemory reads a size in bytes as Slurm's tools take or write it: 60G,
// 480000M, 1.5T, 123K. A number alone is mebibytes, as for --mem. The letters n
// and c, with which older sacct said "a node" and "a CPU", are dropped.
func ParseMemory(s string) (int64, error) {
	text := strings.ToUpper(strings.TrimSpace(s))
	bad := fmt.Errorf("memory %q: want a number and K, M, G, T or P", s)
	text = strings.TrimSuffix(text, "N")
	text = strings.TrimSuffix(text, "C")
	shift, digits := 20, text
	if text != "" {
		if i := strings.IndexByte("KMGTPE", text[len(text)-1]); i >= 0 {
			shift, digits = 10*(i+1), text[:len(text)-1]
		}
	}
	if digits == "" || strings.Trim(digits, "0123456789.") != "" {
		return 0, bad
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, bad
	}
	v = math.Round(v * math.Pow(2, float64(shift)))
	if v >= math.MaxInt64 {
		return 0, fmt.Errorf("memory %q: too large", s)
	}
	return int64(v), nil
}
