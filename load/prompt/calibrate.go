package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// How texts were brought to their length.
const (
	MethodTokenize = "tokenize" // counted by the server's tokenizer
	MethodProbe    = "probe"    // words found to be one token each by usage of one-token requests
	MethodEstimate = "estimate" // words of a mean length: only the mean is right
)

// Calibration is how many tokens the words have for this server.
type Calibration struct {
	Method string
	Note   string // what isn't exact, in words
	// TemplateTokens is what the chat template (or the tokenizer's own first token) adds to the text in usage;
	// FrontTokens of it stand in front of the text.
	TemplateTokens int
	FrontTokens    int
	vocabulary     *vocabulary
}

// sampleLengths are counted whole to check that the words' counts add up.
var sampleLengths = []int{20, 75, 200, 201, 1000}

// calibrate counts the words by /tokenize, from the cache where it knows this
// tokenizer, else by probes.
func calibrate(ctx context.Context, s *server, cache *Cache) (*Calibration, error) {
	c, err := byTokenizer(ctx, s, cache)
	if errors.Is(err, ErrNoTokenizer) {
		return byProbes(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

func byTokenizer(ctx context.Context, s *server, cache *Cache) (*Calibration, error) {
	whole, err := s.tokenize(ctx, head+strings.Join(units, ""))
	if err != nil {
		return nil, err
	}
	counts, ok := cache.get(whole.Tokens)
	if !ok {
		if counts, err = countUnits(ctx, s); err != nil {
			return nil, err
		}
		cache.put(whole.Tokens, counts)
	}
	all := make([]unit, len(units))
	for i, text := range units {
		all[i] = unit{text, counts[i+1]}
	}
	v, err := newVocabulary(counts[0], all)
	if err != nil {
		return nil, fmt.Errorf("count words with /tokenize: %w", err)
	}
	c := &Calibration{Method: MethodTokenize, vocabulary: v}
	worst, err := checkSamples(ctx, s, v)
	if err != nil {
		return nil, err
	}
	if worst > 0 {
		c.Note = fmt.Sprintf("this tokenizer merges across words: prompts may differ by %.1f %% from the length asked for", 100*worst)
	}
	return c, c.measureTemplate(ctx, s)
}

// countUnits counts the head and then each unit between two others, as it
// stands in a text.
func countUnits(ctx context.Context, s *server) ([]int, error) {
	base, err := s.tokenize(ctx, head)
	if err != nil {
		return nil, err
	}
	before, after := head+" one", " two"
	frame, err := s.tokenize(ctx, before+after)
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(units)+1)
	counts[0] = *base.Count
	err = each(ctx, len(units), func(ctx context.Context, i int) error {
		t, err := s.tokenize(ctx, before+units[i]+after)
		if err != nil {
			return err
		}
		counts[i+1] = *t.Count - *frame.Count
		return nil
	})
	return counts, err
}

// checkSamples counts whole texts and gives the largest share by which one
// differs from the sum of its words.
func checkSamples(ctx context.Context, s *server, v *vocabulary) (worst float64, err error) {
	off := make([]float64, len(sampleLengths))
	err = each(ctx, len(sampleLengths), func(ctx context.Context, i int) error {
		text, want := v.compose(source("sample", uint64(i)), sampleLengths[i])
		got, err := s.tokenize(ctx, text)
		if err != nil {
			return err
		}
		off[i] = float64(*got.Count)/float64(want) - 1
		return nil
	})
	for _, o := range off {
		worst = max(worst, o, -o)
	}
	return worst, err
}

// measureTemplate finds what the template adds, and how much of it stands in
// front: that is what two different texts have in common.
func (c *Calibration) measureTemplate(ctx context.Context, s *server) error {
	const other = "zebra"
	bare, err := s.tokenize(ctx, head)
	if err != nil {
		return err
	}
	asked, err := s.tokenizeAsked(ctx, head)
	if err != nil {
		return err
	}
	second, err := s.tokenizeAsked(ctx, other)
	if err != nil {
		return err
	}
	c.TemplateTokens = *asked.Count - *bare.Count
	for c.FrontTokens < min(len(asked.Tokens), len(second.Tokens)) && asked.Tokens[c.FrontTokens] == second.Tokens[c.FrontTokens] {
		c.FrontTokens++
	}
	return nil
}

// groupSize is how many words one probe adds.
const groupSize = 40

// byProbes finds words of one token each: a group of n words that adds n
// tokens to a prompt can't hold any other. Where there are too few such words,
// all are used with their mean.
func byProbes(ctx context.Context, s *server) (*Calibration, error) {
	base, err := s.probe(ctx, head)
	if err != nil {
		return nil, err
	}
	groups := slices.Collect(slices.Chunk(units[:len(units)-2], groupSize))
	added := make([]int, len(groups))
	err = each(ctx, len(groups), func(ctx context.Context, i int) error {
		n, err := s.probe(ctx, head+strings.Join(groups[i], ""))
		added[i] = n - base
		return err
	})
	if err != nil {
		return nil, err
	}
	c := &Calibration{Method: MethodProbe, TemplateTokens: base - 1,
		Note: "the server has no /tokenize: words of one token each were found by probes with max_tokens 1"}
	var ones []unit
	words, tokens := 0, 0
	for i, g := range groups {
		words, tokens = words+len(g), tokens+added[i]
		if added[i] == len(g) {
			for _, w := range g {
				ones = append(ones, unit{w, 1})
			}
		}
	}
	if c.vocabulary, err = newVocabulary(1, ones); err == nil {
		return c, nil
	}
	c.Method = MethodEstimate
	mean := float64(tokens) / float64(words)
	c.Note = fmt.Sprintf("the server has no /tokenize, and by probes its words have %.2f tokens on average: prompts have the length asked for only on average", mean)
	// Every word counts as one; lengths are divided by the mean when composed.
	var all []unit
	for _, w := range units[:len(units)-2] {
		all = append(all, unit{w, 1})
	}
	if c.vocabulary, err = newVocabulary(1, all); err != nil {
		return nil, fmt.Errorf("make words from probes: %w", err)
	}
	c.vocabulary.perWord = mean
	return c, nil
}
