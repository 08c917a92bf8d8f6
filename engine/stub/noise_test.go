package stub

import (
	"fmt"
	"math"
	"testing"
)

// Factors have mean 1 and the coefficient of variation asked for, depend on
// their seeds alone, and a night's is shared by its repeats.
func TestNoise(t *testing.T) {
	const n = 4000
	var sum, squares float64
	for i := range n {
		_, itl := Noise{RepeatCV: 0.05, RepeatSeed: fmt.Sprint(i)}.factors()
		sum += itl
		squares += itl * itl
	}
	mean := sum / n
	cv := math.Sqrt(squares/n-mean*mean) / mean
	if math.Abs(mean-1) > 0.005 || math.Abs(cv-0.05) > 0.004 {
		t.Errorf("mean %.4f, CV %.4f", mean, cv)
	}
	night := func(repeat string) float64 {
		_, itl := Noise{NightCV: 0.1, NightSeed: "monday", RepeatSeed: repeat}.factors()
		return itl
	}
	if night("1") != night("2") {
		t.Error("two repeats of a night have different nights")
	}
	if ttft, itl := (Noise{}).factors(); ttft != 1 || itl != 1 {
		t.Errorf("no noise gives %v %v", ttft, itl)
	}
	a, b := Noise{RepeatCV: 0.1, RepeatSeed: "1"}, Noise{RepeatCV: 0.1, RepeatSeed: "2"}
	if at, _ := a.factors(); true {
		if bt, _ := b.factors(); at == bt {
			t.Error("two repeats are the same")
		}
		if again, _ := a.factors(); at != again {
			t.Error("a seed gives two factors")
		}
	}
}
