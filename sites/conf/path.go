package conf

import (
	"strconv"
	"strings"
)

// separator stands between the segments of a path where a path must be one
// string. Control characters are refused in keys, so it can't occur in one.
const separator = "\x1f"

func pathKey(path []string) string { return strings.Join(path, separator) }

// PathString writes a path as people do: dots between the segments, and a
// segment that has other than letters, digits, _, - and / in quotes and brackets, as in
// models["Qwen/Qwen2.5-7B"].layers.
func PathString(path []string) string {
	var b strings.Builder
	for i, segment := range path {
		switch {
		case !plainSegment(segment):
			b.WriteString("[" + strconv.Quote(segment) + "]")
		case i > 0:
			b.WriteString("." + segment)
		default:
			b.WriteString(segment)
		}
	}
	return b.String()
}

func plainSegment(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' && c != '/' {
			return false
		}
	}
	return s != ""
}
