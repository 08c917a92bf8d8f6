package conf

import (
	"strconv"
	"strings"
)

// Origin says where a value came from.
type Origin struct {
	Source string // a file, embedded:NAME, the name of a variable or of a flag
	Line   int    // 0 where there are no lines
}

// String is "file:line", or the name of the variable or flag alone; "unset" for the zero Origin.
func (o Origin) String() string {
	switch {
	case o.Source == "":
		return "unset"
	case o.Line > 0:
		return o.Source + ":" + strconv.Itoa(o.Line)
	}
	return o.Source
}

// Origins knows the origin of every leaf that any layer has set.
type Origins struct {
	byPath map[string]Origin
}

// Of gives the origin of the leaf at a path; the zero Origin when no layer set it.
func (o *Origins) Of(path ...string) Origin {
	if o == nil {
		return Origin{}
	}
	return o.byPath[pathKey(path)]
}

// Len is the number of leaves that were set.
func (o *Origins) Len() int {
	if o == nil {
		return 0
	}
	return len(o.byPath)
}

// First gives the origin of the leaf at a path or, where that is no leaf, the
// one below it that stands first in the lowest line.
func (o *Origins) First(path ...string) Origin {
	if at := o.Of(path...); at.Source != "" || o == nil {
		return at
	}
	var first Origin
	for key, origin := range o.byPath {
		if !strings.HasPrefix(key, pathKey(path)+separator) {
			continue
		}
		if first.Source == "" || origin.Source < first.Source || origin.Source == first.Source && origin.Line < first.Line {
			first = origin
		}
	}
	return first
}
