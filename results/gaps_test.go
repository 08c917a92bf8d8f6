package results

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGapsRoundTrip(t *testing.T) {
	want := []Gap{{Us: 0}, {Us: 10_003}, {Us: 63, Merged: true}, {Us: 600_000_000}}
	got, err := DecodeGaps(nil, EncodeGaps(want))
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestCountsOfOneAreLeftOut(t *testing.T) {
	if s := EncodeCounts([]int{1, 1, 1}); s != "" {
		t.Errorf("got %q", s)
	}
	for _, want := range [][]int{{1, 1}, {4, 1, 300}} {
		got, err := DecodeCounts(EncodeCounts(want), len(want))
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("got %v, %v", got, err)
		}
	}
	if _, err := DecodeCounts(EncodeCounts([]int{2, 2}), 3); err == nil {
		t.Error("a count for each event is wanted")
	}
	for _, events := range []int{-1, 1 << 60} {
		if _, err := DecodeCounts(EncodeCounts([]int{2, 2}), events); err == nil {
			t.Errorf("two counts can't be those of %d events", events)
		}
	}
}

func FuzzDecodeGaps(f *testing.F) {
	f.Add(EncodeGaps([]Gap{{Us: 20_000}, {Us: 5, Merged: true}}))
	f.Add("gICAgICAgICAgA")
	f.Fuzz(func(t *testing.T, s string) {
		gaps, err := DecodeGaps(nil, s)
		if err != nil {
			return
		}
		again, err := DecodeGaps(nil, EncodeGaps(gaps))
		if err != nil || !cmp.Equal(again, gaps) {
			t.Errorf("%v became %v, %v", gaps, again, err)
		}
	})
}
