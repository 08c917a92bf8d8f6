package prompt

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// vocabulary is units whose tokens are known.
type vocabulary struct {
	words  []unit // with a space in front
	stops  []unit // punctuation
	head   int    // tokens of the head
	common []unit // the words of the count that most have
	reach  []bool // whether so many tokens can be made of words
	// perWord is how many tokens a word that counts as one really has on average; 0 = exactly the counts.
	perWord float64
}

type unit struct {
	text   string
	tokens int
}

// reachOf is up to where the remainders that words can make are tabled; above,
// all can, or the vocabulary isn't taken.
const reachOf = 256

func newVocabulary(headTokens int, all []unit) (*vocabulary, error) {
	v := &vocabulary{head: headTokens, reach: make([]bool, reachOf+1)}
	for _, u := range all {
		switch {
		case u.tokens < 1 || u.tokens > reachOf/4:
		case strings.HasPrefix(u.text, " "):
			v.words = append(v.words, u)
		default:
			v.stops = append(v.stops, u)
		}
	}
	if len(v.words) < 32 {
		return nil, fmt.Errorf("only %d words can be counted: not enough for varied text", len(v.words))
	}
	v.reach[0] = true
	for n := 1; n <= reachOf; n++ {
		for _, w := range v.words {
			if w.tokens <= n && v.reach[n-w.tokens] {
				v.reach[n] = true
				break
			}
		}
	}
	for n := reachOf / 2; n <= reachOf; n++ {
		if !v.reach[n] {
			return nil, fmt.Errorf("%d tokens can't be made of the words counted", n)
		}
	}
	by := map[int][]unit{}
	for _, w := range v.words {
		by[w.tokens] = append(by[w.tokens], w)
	}
	for n := 1; n <= reachOf; n++ {
		if len(by[n]) > len(v.common) {
			v.common = by[n]
		}
	}
	return v, nil
}

func (v *vocabulary) canMake(n int) bool { return n > reachOf || (n >= 0 && v.reach[n]) }

// compose makes a text of exactly n tokens, or of the nearest number above that
// words can make where n is too small; tokens says which.
func (v *vocabulary) compose(r *rand.Rand, n int) (text string, tokens int) {
	left := n - v.head
	if v.perWord > 0 {
		left = int(float64(left)/v.perWord + 0.5)
	}
	left = max(left, 0)
	for !v.canMake(left) {
		left++
	}
	tokens = v.head + left
	if v.perWord > 0 {
		tokens = n
	}
	var b strings.Builder
	b.Grow(6 * n)
	b.WriteString(head)
	for since := 0; left > 0; {
		if since >= 6 && len(v.stops) > 0 && r.IntN(8) == 0 {
			if stop := v.stops[r.IntN(len(v.stops))]; v.canMake(left - stop.tokens) {
				b.WriteString(stop.text)
				left -= stop.tokens
				since = 0
				continue
			}
		}
		w := v.pick(r, left)
		b.WriteString(w.text)
		left -= w.tokens
		since++
	}
	return b.String(), tokens
}

// pick draws a word that leaves a number that can still be made. The table says
// that there is one.
func (v *vocabulary) pick(r *rand.Rand, left int) unit {
	for range 32 {
		if w := v.words[r.IntN(len(v.words))]; v.canMake(left - w.tokens) {
			return w
		}
	}
	start := r.IntN(len(v.words))
	for i := range v.words {
		if w := v.words[(start+i)%len(v.words)]; v.canMake(left - w.tokens) {
			return w
		}
	}
	return v.words[start]
}

// phrase is n words, for salts: all of one count, so that every salt has the
// same number of tokens.
func (v *vocabulary) phrase(r *rand.Rand, n int) (text string, tokens int) {
	var b strings.Builder
	for range n {
		w := v.common[r.IntN(len(v.common))]
		b.WriteString(w.text)
		tokens += w.tokens
	}
	return b.String(), tokens
}
