package stub

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// seeded is a generator that depends on the words given and on nothing else.
func seeded(words ...string) *rand.Rand {
	h := fnv.New128a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	sum := h.Sum(nil)
	return rand.New(rand.NewChaCha8([32]byte(append(sum, sum...))))
}

// lognormal draws a factor of mean 1 with the coefficient of variation cv:
// exp(s Z - s^2/2) with s^2 = ln(1 + cv^2).
func lognormal(r *rand.Rand, cv float64) float64 {
	if cv == 0 {
		return 1
	}
	variance := math.Log1p(cv * cv)
	return math.Exp(math.Sqrt(variance)*r.NormFloat64() - variance/2)
}

// factors are what TTFT and ITL are multiplied with for this server's life.
func (n Noise) factors() (ttft, itl float64) {
	night, repeat := seeded("night", n.NightSeed), seeded("repeat", n.RepeatSeed)
	ttft = lognormal(night, n.NightCV) * lognormal(repeat, n.RepeatCV)
	itl = lognormal(night, n.NightCV) * lognormal(repeat, n.RepeatCV)
	return ttft, itl
}
