package conf

import (
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	for key, want := range map[string]string{
		"HIP_V":          "^h^i^p_^v",
		"qwen2.5-7b":     "qwen2.5-7b",
		"Qwen3-Coder":    "^qwen3-^coder",
		"a^b":            "a^^b",
		"^A":             "^^^a",
		"plain_key":      "plain_key",
		"/mnt/Proj1.sif": "/mnt/^proj1.sif",
	} {
		if got := fold(key); got != want {
			t.Errorf("fold(%q) = %q, want %q", key, got, want)
		}
	}
}

// FuzzFold: folding survives what viper does to keys, and keeps keys apart.
func FuzzFold(f *testing.F) {
	for _, s := range []string{"HIP_VISIBLE_DEVICES", "Qwen3-Coder-30B", "qwen2.5-7b", "^", "^^A", "a^B^^", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key := strings.Map(func(r rune) rune { // only printable ASCII comes so far
			if r < 0x20 || r > 0x7e {
				return -1
			}
			return r
		}, s)
		folded := fold(key)
		if folded != strings.ToLower(folded) {
			t.Errorf("fold(%q) = %q has capitals", key, folded)
		}
		if back := unfold(folded); back != key {
			t.Errorf("unfold(fold(%q)) = %q", key, back)
		}
	})
}
