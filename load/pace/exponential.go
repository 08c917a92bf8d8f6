package pace

import "math"

// exponential is the i-th of a sequence of independent exponential variates
// with mean 1: −ln(1−u) of a uniform u. It uses no function of the mathematical
// library whose last bit may differ between processors, and rounds after every
// step so that none is fused, so that schedules agree everywhere.
func exponential(seed, i uint64) float64 {
	// 53 bits, moved by half a step: never 0, never 1.
	u := (float64(mix(seed, i)>>11) + 0.5) * (1.0 / (1 << 53))
	return -logarithm(u)
}

// mix is output i of SplitMix64 (Steele, Lea and Flood 2014) for a seed that was
// itself mixed, so that neighbouring seeds have unrelated sequences.
func mix(seed, i uint64) uint64 {
	const golden = 0x9e3779b97f4a7c15
	return finish(finish(seed+golden) + (i+1)*golden)
}

func finish(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// logarithm is ln(x) for 0 < x < 1, within a few units in the last place, by
// ln m = 2 artanh((m−1)/(m+1)) for a mantissa m in [√½, √2).
func logarithm(x float64) float64 {
	m, exp := math.Frexp(x) // exact
	if m < math.Sqrt2/2 {
		m, exp = m*2, exp-1
	}
	s := (m - 1) / (m + 1)
	square := float64(s * s)
	sum := 0.0
	for k := 23; k >= 1; k -= 2 {
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(float64(2*s)*sum) + float64(float64(exp)*math.Ln2)
}
