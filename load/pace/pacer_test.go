package pace

import (
	"errors"
	"math"
	"slices"
	"testing"
	"testing/quick"
	"time"
)

func TestNext(t *testing.T) {
	tests := []struct {
		name string
		p    Pacer
		i    int
		want time.Duration
	}{
		{"first", Constant{10}, 0, 0},
		{"second", Constant{10}, 1, 100 * time.Millisecond},
		{"a million later", Constant{10}, 1_000_000, 100_000 * time.Second},
		{"no drift with a rate that isn't whole", Constant{3}, 3_000_000, 1_000_000 * time.Second},
		{"a rate of a published table", Constant{12.81}, 1281, 100 * time.Second},
		{"below one a second", Constant{0.5}, 3, 6 * time.Second},
		{"out of range", Constant{1e-12}, 1, never},
		{"poisson out of range", Poisson{PerS: 1e-15, Seed: 1}, 0, never},
		{"ticked: a whole gap first", Ticked{10}, 0, 100 * time.Millisecond},
		{"ticked: on ticks only", Ticked{3}, 0, 340 * time.Millisecond},
		{"ticked: bursts", Ticked{1000}, 9, 10 * time.Millisecond},
		{"ticked: next burst", Ticked{1000}, 10, 20 * time.Millisecond},
		{"ticked: the last of ten seconds", Ticked{20}, 199, 10 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.p.Next(tt.i, 0); got != tt.want {
				t.Errorf("arrival %d is at %v, want %v", tt.i, got, tt.want)
			}
		})
	}
	if got := (Poisson{PerS: 1, Seed: 1}).Next(5, never-1); got != never {
		t.Errorf("a sum out of range gives %v", got)
	}
}

func TestCheck(t *testing.T) {
	for _, rate := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		for _, p := range []Pacer{Constant{rate}, Poisson{PerS: rate}, Ticked{rate}} {
			if _, err := Draw(p, time.Second); err == nil {
				t.Errorf("%T takes a rate of %v", p, rate)
			}
		}
	}
}

// Whatever the rate: arrivals never fall, and arrival i of a constant pacer is
// within half a nanosecond of i/rate.
func TestArrivalsNeverFall(t *testing.T) {
	property := func(rate16 uint16, seed uint64, from uint32) bool {
		rate := float64(rate16)/64 + 0.01
		for _, p := range []Pacer{Constant{rate}, Poisson{PerS: rate, Seed: seed}, Ticked{rate}} {
			i := int(from % 1_000_000)
			prev := p.Next(i, 0)
			for k := i + 1; k < i+50; k++ {
				at := p.Next(k, prev)
				if at < prev {
					return false
				}
				prev = at
			}
		}
		i := int(from % 1_000_000)
		exact := float64(i) / rate * 1e9
		return math.Abs(float64(Constant{rate}.Next(i, 0))-exact) <= 0.5+exact*1e-15
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

// The gaps of a Poisson process are exponential: mean and standard deviation
// are 1/rate, and the largest deviation of the distribution function (Kolmogorov
// and Smirnov) stays below its 0.1 % quantile, 1.95/√n.
func TestPoissonIsExponential(t *testing.T) {
	const n, rate = 100_000, 50.0
	for seed := range uint64(3) {
		p := Poisson{PerS: rate, Seed: seed}
		gaps := make([]float64, n)
		sum, squares, prev := 0.0, 0.0, time.Duration(0)
		for i := range gaps {
			at := p.Next(i, prev)
			gaps[i] = (at - prev).Seconds() * rate
			sum += gaps[i]
			squares += gaps[i] * gaps[i]
			prev = at
		}
		mean := sum / n
		sd := math.Sqrt(squares/n - mean*mean)
		if math.Abs(mean-1) > 0.015 || math.Abs(sd-1) > 0.03 {
			t.Errorf("seed %d: mean %.4f and sd %.4f of 1/rate", seed, mean, sd)
		}
		slices.Sort(gaps)
		worst := 0.0
		for i, x := range gaps {
			f := -math.Expm1(-x)
			worst = max(worst, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
		}
		if worst > 1.95/math.Sqrt(n) {
			t.Errorf("seed %d: the distribution is off by %.5f", seed, worst)
		}
	}
}

// Successive gaps and the gaps of neighbouring seeds have nothing to do with
// each other.
func TestPoissonGapsAreIndependent(t *testing.T) {
	const n = 50_000
	correlation := func(a, b func(i uint64) float64) float64 {
		sum := 0.0
		for i := range uint64(n) {
			sum += (a(i) - 1) * (b(i) - 1)
		}
		return sum / n
	}
	gap := func(seed, shift uint64) func(uint64) float64 {
		return func(i uint64) float64 { return exponential(seed, i+shift) }
	}
	for name, c := range map[string]float64{
		"successive":       correlation(gap(7, 0), gap(7, 1)),
		"neighbouring":     correlation(gap(7, 0), gap(8, 0)),
		"shifted and next": correlation(gap(0, 1), gap(1, 0)),
	} {
		if math.Abs(c) > 4/math.Sqrt(n) {
			t.Errorf("%s: correlation %.4f", name, c)
		}
	}
}

func TestLogarithm(t *testing.T) {
	property := func(bits uint64) bool {
		x := (float64(bits>>11) + 0.5) / (1 << 53)
		want := math.Log(x)
		return math.Abs(logarithm(x)-want) <= 4e-16*math.Abs(want)+1e-18
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 20_000}); err != nil {
		t.Error(err)
	}
}

func TestDraw(t *testing.T) {
	got, err := Draw(Constant{4}, time.Second)
	want := []time.Duration{0, 250e6, 500e6, 750e6}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := Draw(Constant{1e6}, time.Hour); !errors.Is(err, ErrTooMany) {
		t.Errorf("3.6 billion arrivals: %v", err)
	}
	ticked, err := Draw(Ticked{20}, 10*time.Second+1)
	if err != nil || len(ticked) != 200 {
		t.Errorf("the Hugging Face tool sends 200 in 10 s at 20 a second, not %d (%v)", len(ticked), err)
	}
	drawn, err := Draw(Poisson{PerS: 100, Seed: 3}, 100*time.Second)
	if err != nil || math.Abs(float64(len(drawn))-10_000) > 400 {
		t.Errorf("%d arrivals where 10,000 ± 100 are likely (%v)", len(drawn), err)
	}
}

func TestDigest(t *testing.T) {
	draw := func(p Pacer) []time.Duration {
		a, err := Draw(p, 30*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	lengths := []Lengths{{100, 200}, {300, 400}}
	poisson := draw(Poisson{PerS: 12.81, Seed: 42})
	// Written once and never to change: an older run must find itself again.
	const golden = "2ba3e16d412f77c37b5759e80f760dc1133cac1de493020882ccb23abeb3d295"
	if got := Digest(poisson, lengths); got != golden {
		t.Errorf("the digest is %s", got)
	}
	same := Digest(draw(Poisson{PerS: 12.81, Seed: 42}), slices.Clone(lengths))
	if same != golden {
		t.Error("equal schedules have different digests")
	}
	others := map[string]string{
		"seed":     Digest(draw(Poisson{PerS: 12.81, Seed: 43}), lengths),
		"rate":     Digest(draw(Poisson{PerS: 12.8, Seed: 42}), lengths),
		"pacer":    Digest(draw(Constant{12.81}), lengths),
		"length":   Digest(poisson, []Lengths{{100, 200}, {300, 401}}),
		"swapped":  Digest(poisson, []Lengths{{200, 100}, {300, 400}}),
		"moved":    Digest(nil, []Lengths{{0, 1}}),
		"to":       Digest([]time.Duration{0, 1}, nil),
		"shortest": Digest(nil, nil),
	}
	seen := map[string]string{golden: "the first"}
	for name, d := range others {
		if before, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, before)
		}
		seen[d] = name
	}
}
