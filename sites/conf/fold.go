package conf

import "strings"

// viper lower-cases every key. fold writes a key so that lower-casing can't
// harm it: a capital becomes ^ and its small letter, ^ becomes ^^. Keys are
// ASCII when they come here, so that lower-casing is what it seems.
func fold(key string) string {
	var b strings.Builder
	for i := 0; i < len(key); i++ {
		c := key[i]
		switch {
		case c >= 'A' && c <= 'Z':
			b.WriteByte('^')
			b.WriteByte(c - 'A' + 'a')
		case c == '^':
			b.WriteString("^^")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unfold is the inverse of fold.
func unfold(folded string) string {
	var b strings.Builder
	for i := 0; i < len(folded); i++ {
		c := folded[i]
		if c == '^' && i+1 < len(folded) {
			i++
			c = folded[i]
			if c >= 'a' && c <= 'z' {
				c = c - 'a' + 'A'
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}
