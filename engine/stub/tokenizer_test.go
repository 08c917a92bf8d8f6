package stub

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTokenizerRoundTrip(t *testing.T) {
	for _, text := range []string{
		"", "a", "Hello, world!", "two  spaces\n\tand\r\nlines ", "<|im_start|>user\nHi<|im_end|>", "<|im", "naïve café 世界 🙂🙂 ß", "x\x00y", "12345 67,8", "<<<>>>",
	} {
		ids := encode(text, nil)
		if got := decode(ids); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
		for _, id := range ids {
			if id < 0 || id >= vocabulary {
				t.Errorf("%q: id %d is outside the vocabulary", text, id)
			}
		}
	}
}

// Cutting tokens off the end and going through text gives the same tokens, so a prompt can be cut to a length.
func TestAnyBeginningOfTheTokensIsStable(t *testing.T) {
	ids := encode("The quick  brown fox, 2026: naïve <|im_end|> 世界🙂 \n\n end", nil)
	for n := range ids {
		if again := encode(decode(ids[:n]), nil); !slices.Equal(again, ids[:n]) {
			t.Errorf("the first %d tokens come back as %v, not %v", n, again, ids[:n])
		}
	}
}

// An answer of n tokens is n tokens to whoever counts its text.
func TestAnswersTokenizeToTheirLength(t *testing.T) {
	s := &stream{seed: 7}
	text := string(s.text(nil, 0, 200, 0))
	if got := encode(text, nil); !slices.Equal(got, s.tokenIDs(0, 200, 0)) {
		t.Errorf("%d tokens, want 200: %q", len(got), text)
	}
	if strings.TrimSpace(text) == "" {
		t.Error("no text")
	}
}

func FuzzTokenizer(f *testing.F) {
	f.Add("Hello  <|im_start|> wörld 🙂", 3)
	f.Add(" <|endoftext|<|im_end|>", 1)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		ids := encode(text, nil)
		if got := decode(ids); got != text {
			t.Fatalf("%q comes back as %q", text, got)
		}
		if !utf8.ValidString(text) || cut < 0 || cut > len(ids) {
			return
		}
		first := decode(ids[:cut])
		if strings.Contains(first, "<|") {
			return // the rest of a special token may be what was cut off
		}
		if again := encode(first, nil); !slices.Equal(again, ids[:cut]) {
			t.Errorf("the first %d tokens of %q come back as %v, not %v", cut, text, again, ids[:cut])
		}
	})
}
