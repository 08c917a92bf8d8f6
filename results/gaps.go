package results

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
)

// Gap is the time between two successive token events of one request.
type Gap struct {
	Us     int64 // microseconds, not negative
	Merged bool  // the kernel merged the two segments: only a bound, left out of pooled gaps
}

// EncodeGaps packs gaps as base64 of unsigned varints, us<<1 | merged: two or
// three bytes a gap where JSON numbers need seven. Negative gaps are stored as 0.
func EncodeGaps(gaps []Gap) string {
	if len(gaps) == 0 {
		return ""
	}
	buf := make([]byte, 0, 3*len(gaps))
	for _, g := range gaps {
		buf = AppendGap(buf, g)
	}
	return EncodePacked(buf)
}

// AppendGap packs one gap behind others, for those who meet gaps one by one;
// EncodePacked of the whole is what EncodeGaps gives.
func AppendGap(buf []byte, g Gap) []byte {
	v := uint64(max(g.Us, 0)) << 1
	if g.Merged {
		v |= 1
	}
	return binary.AppendUvarint(buf, v)
}

// EncodePacked turns packed gaps, or packed token counts (unsigned varints),
// into a record's text.
func EncodePacked(buf []byte) string { return base64.RawStdEncoding.EncodeToString(buf) }

// DecodeGaps undoes EncodeGaps, appending to dst. The error says at which byte
// the text is broken.
func DecodeGaps(dst []Gap, s string) ([]Gap, error) {
	err := decodeVarints(s, func(v uint64) { dst = append(dst, Gap{Us: int64(v >> 1), Merged: v&1 == 1}) })
	if err != nil {
		return nil, fmt.Errorf("decode gaps: %w", err)
	}
	return dst, nil
}

// EncodeCounts packs the tokens of each token event; it answers "" where every
// event has exactly one, the common case.
func EncodeCounts(counts []int) string {
	ones := true
	buf := make([]byte, 0, len(counts))
	for _, c := range counts {
		ones = ones && c == 1
		buf = binary.AppendUvarint(buf, uint64(max(c, 0)))
	}
	if ones {
		return ""
	}
	return base64.RawStdEncoding.EncodeToString(buf)
}

// DecodeCounts undoes EncodeCounts for a request with so many token events.
func DecodeCounts(s string, events int) ([]int, error) {
	if s == "" {
		counts := make([]int, max(events, 0))
		for i := range counts {
			counts[i] = 1
		}
		return counts, nil
	}
	// A file may state any number of events: what there is room for is said by the text.
	counts := make([]int, 0, min(max(events, 0), len(s)))
	if err := decodeVarints(s, func(v uint64) { counts = append(counts, int(v)) }); err != nil {
		return nil, fmt.Errorf("decode token counts: %w", err)
	}
	if len(counts) != events {
		return nil, fmt.Errorf("decode token counts: %d of them for %d events", len(counts), events)
	}
	return counts, nil
}

func decodeVarints(s string, add func(uint64)) error {
	raw, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return err
	}
	for at := 0; at < len(raw); {
		v, n := binary.Uvarint(raw[at:])
		if n <= 0 {
			return fmt.Errorf("broken number at byte %d of %d", at, len(raw))
		}
		add(v)
		at += n
	}
	return nil
}
