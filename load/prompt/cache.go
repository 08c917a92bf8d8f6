package prompt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"

	"hpcbench/results"
)

const formatCounts = "hpcbench.wordtokens/1"

// Cache keeps counted words by tokenizer. A tokenizer is known by the tokens
// that it makes of all the words in a row, so that two models with the same one
// share it, and a changed one isn't mistaken. Nil, or an empty folder, keeps
// nothing.
type Cache struct{ Dir string }

type countsFile struct {
	Format string `json:"format"`
	Counts []int  `json:"counts"`
}

func (c *Cache) path(tokens []int) string {
	h := sha256.New()
	var b [8]byte
	for _, t := range tokens {
		binary.LittleEndian.PutUint64(b[:], uint64(t))
		h.Write(b[:])
	}
	return filepath.Join(c.Dir, "wordtokens-"+hex.EncodeToString(h.Sum(nil)[:12])+".json")
}

func (c *Cache) get(tokens []int) ([]int, bool) {
	if c == nil || c.Dir == "" || len(tokens) == 0 {
		return nil, false
	}
	f, err := results.ReadJSON[countsFile](c.path(tokens), formatCounts)
	return f.Counts, err == nil && len(f.Counts) == len(units)+1
}

// put keeps the counts. A cache that can't be written is no error: counting
// again takes a second.
func (c *Cache) put(tokens, counts []int) {
	if c == nil || c.Dir == "" || len(tokens) == 0 {
		return
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return
	}
	_ = results.WriteJSON(c.path(tokens), countsFile{formatCounts, counts}, 0o600)
}
