package prompt

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"hpcbench/results"
)

// mostPrepared is how many entries of a data set are used: enough that none
// comes twice in most steps, few enough to be counted in seconds.
const mostPrepared = 2048

// saltWords are put in front of a data set's text.
const saltWords = 6

// prepared is an entry with a known length. The first message begins with the
// salt's place.
type prepared struct {
	messages     []Message
	tokens       int // with the salt, without the template
	answerTokens int
}

// salted puts a fresh salt in front of the first message, behind the chat
// template. All salts have the same number of tokens.
func (e prepared) salted(v *vocabulary, r *rand.Rand) []Message {
	messages := slices.Clone(e.messages)
	salt, _ := v.phrase(r, saltWords)
	messages[0].Content = head + salt + " " + messages[0].Content
	return messages
}

// entry is the data set's entry for request index of a step.
func (m *Maker) entry(step results.Step, index int) prepared {
	r := source("entry", m.plan.Seed, uint64(m.repeat), uint64(step.Index), uint64(index/len(m.entries)))
	start := r.IntN(len(m.entries))
	return m.entries[(start+index)%len(m.entries)]
}

// prepareDataset reads the data set, draws the entries of this seed, cuts them
// where the plan has a length, and counts them.
func (m *Maker) prepareDataset(ctx context.Context, s *server) error {
	entries, err := readDataset(m.plan.Prompt)
	if err != nil {
		return err
	}
	order := source("order", m.plan.Seed, 0).Perm(len(entries))
	order = order[:min(len(order), mostPrepared)]
	ready := make([]*prepared, len(order))
	err = each(ctx, len(order), func(ctx context.Context, i int) error {
		e, err := m.prepare(ctx, s, entries[order[i]])
		if err != nil {
			return fmt.Errorf("prompt %d of %s: %w", order[i]+1, m.plan.Prompt.File, err)
		}
		ready[i] = e
		return nil
	})
	if err != nil {
		return err
	}
	for _, e := range ready {
		if e != nil {
			m.entries = append(m.entries, *e)
		}
	}
	if len(m.entries) == 0 {
		return fmt.Errorf("%s has no prompt of at least %d tokens; ask for fewer", m.plan.Prompt.File, m.plan.Prompt.Tokens)
	}
	return nil
}

// prepare counts an entry, nil where it is too short for the plan's length.
func (m *Maker) prepare(ctx context.Context, s *server, e entry) (*prepared, error) {
	p := &prepared{messages: slices.Clone(e.Messages)}
	p.messages[0].Content = strings.TrimLeft(p.messages[0].Content, " \t\r\n")
	if want := m.plan.Prompt.Tokens; want > 0 {
		// Cut to one length, what was said before it only takes room.
		last := p.messages[len(p.messages)-1]
		p.messages = []Message{{"user", strings.TrimLeft(last.Content, " \t\r\n")}}
		ok, err := m.cut(ctx, s, p, want)
		if err != nil || !ok {
			return nil, err
		}
	} else if err := m.count(ctx, s, p); err != nil {
		return nil, err
	}
	if m.plan.Output.Distribution == results.DistDataset {
		return p, m.countAnswer(ctx, s, p, e.Answer)
	}
	return p, nil
}

// sample is the entry as it will be sent, with some salt.
func (m *Maker) sample(p *prepared) []Message {
	return p.salted(m.calibration.vocabulary, source("sample salt", 0))
}

func (m *Maker) count(ctx context.Context, s *server, p *prepared) error {
	if m.calibration.Method != MethodTokenize {
		return nil // not known beforehand
	}
	messages := m.sample(p)
	if len(messages) == 1 {
		t, err := s.tokenize(ctx, messages[0].Content)
		if err == nil {
			p.tokens = *t.Count
		}
		return err
	}
	t, err := s.tokenizeMessages(ctx, messages)
	if err == nil {
		p.tokens = *t.Count - m.calibration.TemplateTokens
	}
	return err
}

// cutTries bounds how often a cut is corrected: a text cut inside a token of
// several bytes may count one more or less.
const cutTries = 6

// cut shortens the text so that it has want tokens with its salt, and says
// whether it was long enough.
func (m *Maker) cut(ctx context.Context, s *server, p *prepared, want int) (bool, error) {
	if m.calibration.Method != MethodTokenize {
		return m.cutByWords(p, want), nil
	}
	text := p.messages[0].Content
	whole, err := s.tokenize(ctx, text)
	if err != nil {
		return false, err
	}
	_, salt := m.calibration.vocabulary.phrase(source("sample salt", 0), saltWords)
	keep := want - salt - m.calibration.vocabulary.head
	if keep < 1 || len(whole.Tokens) < keep {
		return false, nil
	}
	for range cutTries {
		short, err := s.detokenize(ctx, whole.Tokens[:keep])
		if err != nil {
			return false, err
		}
		p.messages[0].Content = strings.TrimRight(strings.ToValidUTF8(short, ""), "\uFFFD")
		if err := m.count(ctx, s, p); err != nil {
			return false, err
		}
		if p.tokens == want {
			return true, nil
		}
		keep += want - p.tokens
		if keep < 1 || keep > len(whole.Tokens) {
			return false, nil
		}
	}
	return true, nil // off by one or two: p.tokens says the truth
}

// cutByWords is the estimate where nothing can count: one token a word and a
// third, as English text has with today's tokenizers.
func (m *Maker) cutByWords(p *prepared, want int) bool {
	const tokensPerWord = 4. / 3
	words := strings.Fields(p.messages[0].Content)
	keep := int(float64(want-saltWords-1) / tokensPerWord)
	if keep < 1 || len(words) < keep {
		return false
	}
	p.messages[0].Content = strings.Join(words[:keep], " ")
	p.tokens = want
	return true
}

func (m *Maker) countAnswer(ctx context.Context, s *server, p *prepared, answer string) error {
	if answer == "" {
		p.answerTokens = m.plan.Output.Tokens
		return nil
	}
	if m.calibration.Method != MethodTokenize {
		p.answerTokens = max(1, utf8.RuneCountInString(answer)/4)
		return nil
	}
	t, err := s.tokenize(ctx, answer)
	if err == nil {
		p.answerTokens = *t.Count
	}
	return err
}
