package clock

import (
	"testing"
	"time"
)

func TestConvert(t *testing.T) {
	const ms = int64(time.Millisecond)
	base := int64(1_000_000 * ms)
	tests := []struct {
		name       string
		offsets    []int64 // answered by one sample after the other
		calls      [][3]int64
		want       []int64 // -1: not usable
		wantStamps int64
	}{
		{"inside", []int64{base}, [][3]int64{{base + 5*ms, 4 * ms, 6 * ms}}, []int64{5 * ms}, 0},
		{"never before the bound", []int64{base}, [][3]int64{{base + 5*ms, 5*ms + 200, 6 * ms}}, []int64{5*ms + 200}, 0},
		{"offset is sampled again after a while", []int64{base, base + ms/2},
			[][3]int64{{base + 5*ms, 0, 5 * ms}, {base + 300*ms + ms/2, 0, 300 * ms}}, []int64{5 * ms, 300 * ms}, 0},
		{"a step forward is noticed at once", []int64{base, base + 3600_000*ms},
			[][3]int64{{base + 5*ms, 0, 5 * ms}, {base + 3600_000*ms + 9*ms, 6 * ms, 10 * ms}}, []int64{5 * ms, 9 * ms}, 1},
		{"a step backward is noticed at once", []int64{base, base - 3600_000*ms},
			[][3]int64{{base + 5*ms, 0, 5 * ms}, {base - 3600_000*ms + 9*ms, 6 * ms, 10 * ms}}, []int64{5 * ms, 9 * ms}, 1},
		{"stamped before the step, read after it", []int64{base, base + 3600_000*ms},
			[][3]int64{{base + 5*ms, 0, 5 * ms}, {base + 8*ms, 7 * ms, 200 * ms}}, []int64{5 * ms, -1}, 1},
		{"nonsense", []int64{base}, [][3]int64{{42, 4 * ms, 6 * ms}}, []int64{-1}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := New(time.Now().Add(-2 * time.Hour))
			k := &Converter{clock: c}
			at := 0
			k.sample = func() int64 {
				offset := tt.offsets[min(at, len(tt.offsets)-1)]
				at++
				return offset
			}
			for i, call := range tt.calls {
				got, ok := k.Convert(call[0], call[1], call[2])
				if !ok {
					got = -1
				}
				if got != tt.want[i] {
					t.Errorf("call %d: got %d, want %d", i, got, tt.want[i])
				}
			}
			if c.Steps() != tt.wantStamps {
				t.Errorf("%d steps noticed, want %d", c.Steps(), tt.wantStamps)
			}
		})
	}
}

func TestWallOffsetMovesNowOntoTheClock(t *testing.T) {
	c := New(time.Now().Add(-time.Hour))
	k := NewConverter(c)
	before := c.Now()
	wall := time.Now().UnixNano()
	after := c.Now()
	got, ok := k.Convert(wall, 0, after)
	if !ok || got < before-100_000 || got > after+100_000 {
		t.Errorf("wall clock read between %d and %d is put at %d (ok %v)", before, after, got, ok)
	}
}

func TestMonotonicEpoch(t *testing.T) {
	c := New(time.Now())
	a := c.MonotonicEpoch()
	time.Sleep(5 * time.Millisecond)
	if d := c.MonotonicEpoch() - a; d > 500_000 || d < -500_000 {
		t.Errorf("the epoch moved by %d ns", d)
	}
}
