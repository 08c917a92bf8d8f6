package results

import "testing"

func TestContentDigestSeesEdits(t *testing.T) {
	mean := 31.4
	s := Summary{Format: FormatSummary, Repeat: 2, Steps: []StepSummary{{Corrected: Corrected{TTFTMs: Dist{N: 1, Mean: &mean}}}}}
	before, err := s.ContentDigest()
	if err != nil {
		t.Fatal(err)
	}
	s.Digest = before
	if again, err := s.ContentDigest(); err != nil || again != before {
		t.Errorf("the digest counts itself: %s, then %s (%v)", before, again, err)
	}
	mean = 28
	if after, err := s.ContentDigest(); err != nil || after == before {
		t.Errorf("an edited figure keeps the digest (%v)", err)
	}
}
