package results

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// ContentDigest is the sha256 of a summary without its Digest: with the two
// equal, nobody has edited the file by hand since it was computed.
func (s Summary) ContentDigest() (string, error) {
	s.Digest = ""
	b, err := EncodeJSON(s)
	if err != nil {
		return "", fmt.Errorf("digest the summary: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
