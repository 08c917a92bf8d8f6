package templates

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// q quotes one word for bash. It fails only on a NUL byte, which no argument can
// hold.
//
// Characters that don't print, such as a zero-width space, are written byte by byte:
// syntax.Quote would write \u200b, which bash turns into the character only under
// a UTF-8 locale, and the script can't be sure of one.
func q(s string) (string, error) {
	var b strings.Builder
	from := 0
	for i, r := range s {
		if r < utf8.RuneSelf || r == utf8.RuneError || unicode.IsPrint(r) {
			continue
		}
		if from < i {
			head, err := syntax.Quote(s[from:i], syntax.LangBash)
			if err != nil {
				return "", err
			}
			b.WriteString(head)
		}
		for k := i; k < i+utf8.RuneLen(r); k++ {
			one, err := syntax.Quote(s[k:k+1], syntax.LangBash)
			if err != nil {
				return "", err
			}
			b.WriteString(one)
		}
		from = i + utf8.RuneLen(r)
	}
	if from == len(s) && from > 0 {
		return b.String(), nil
	}
	tail, err := syntax.Quote(s[from:], syntax.LangBash)
	if err != nil {
		return "", err
	}
	b.WriteString(tail)
	return b.String(), nil
}

// qAround quotes s except for what the pattern matches, which becomes the given
// expansion in double quotes, so that the variable's own value stays one word.
func qAround(s string, pattern *regexp.Regexp, expansion func(match string) string) (string, error) {
	at := pattern.FindAllStringIndex(s, -1)
	if at == nil {
		return q(s)
	}
	var b strings.Builder
	from := 0
	for _, m := range append(at, []int{len(s), len(s)}) {
		if from < m[0] {
			word, err := q(s[from:m[0]])
			if err != nil {
				return "", err
			}
			b.WriteString(word)
		}
		if m[0] < m[1] {
			b.WriteString(`"` + expansion(s[m[0]:m[1]]) + `"`)
		}
		from = m[1]
	}
	return b.String(), nil
}
