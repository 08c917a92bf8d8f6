package slurm

import (
	"fmt"
	"strconv"
	"strings"
)

// maxNodes bounds what a node list may stand for.
const maxNodes = 10_000

// ExpandNodeList writes out a node list such as nid[005000-005003,005010],acn01. It
// reads one pair of brackets in each name, which is all that Slurm
// writes for one-dimensional names.
func ExpandNodeList(s string) ([]string, error) {
	var out []string
	for s != "" {
		var item string
		item, s = cutNode(s)
		if item == "" {
			return nil, fmt.Errorf("node list: an empty name")
		}
		open := strings.IndexByte(item, '[')
		if open < 0 {
			if strings.IndexByte(item, ']') >= 0 {
				return nil, fmt.Errorf("node list %q: ] without [", item)
			}
			out = append(out, item)
			continue
		}
		length := strings.IndexByte(item[open:], ']')
		if length < 0 {
			return nil, fmt.Errorf("node list %q: [ without ]", item)
		}
		prefix, suffix := item[:open], item[open+length+1:]
		if strings.ContainsAny(suffix, "[]") {
			return nil, fmt.Errorf("node list %q: more than one pair of brackets", item)
		}
		for _, span := range strings.Split(item[open+1:open+length], ",") {
			names, err := expandSpan(prefix, span, suffix, maxNodes-len(out))
			if err != nil {
				return nil, err
			}
			out = append(out, names...)
		}
	}
	return out, nil
}

// cutNode takes the first name off a list; commas in brackets don't count.
func cutNode(s string) (first, rest string) {
	depth := 0
	for i, r := range s {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth <= 0 {
				return s[:i], s[i+1:]
			}
		}
	}
	return s, ""
}

func expandSpan(prefix, span, suffix string, room int) ([]string, error) {
	first, last, isRange := strings.Cut(span, "-")
	if !isRange {
		last = first
	}
	a, errA := parseDigits(first)
	b, errB := parseDigits(last)
	if errA != nil || errB != nil || b < a {
		return nil, fmt.Errorf("node list: %q is not a range of numbers", span)
	}
	if b-a >= uint64(max(room, 0)) {
		return nil, fmt.Errorf("node list: more than %d nodes", maxNodes)
	}
	var out []string
	for n := a; n <= b; n++ {
		digits := strconv.FormatUint(n, 10)
		if pad := len(first) - len(digits); pad > 0 {
			digits = strings.Repeat("0", pad) + digits
		}
		out = append(out, prefix+digits+suffix)
	}
	return out, nil
}
