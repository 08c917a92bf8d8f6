package prompt

import (
	_ "embed"
	"strings"
)

//go:embed words.txt
var wordList string

// head begins every text: what follows it is always preceded by a space.
const head = "About"

// units are what texts are made of behind the head: words with the space in
// front of them, single letters for what is left over, and punctuation.
var units = func() []string {
	var all []string
	for word := range strings.FieldsSeq(wordList) {
		all = append(all, " "+word)
	}
	for letter := 'a'; letter <= 'z'; letter++ {
		if letter != 'a' { // is a word already
			all = append(all, " "+string(letter))
		}
	}
	return append(all, ",", ".")
}()
