package aggregate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// RepeatValue is one repeat's figure.
type RepeatValue struct {
	Repeat    int     `json:"repeat"`
	Value     float64 `json:"value"`               // the largest finished value where Unbounded
	Unbounded bool    `json:"unbounded,omitempty"` // the figure is "> value"
	Outlier   string  `json:"outlier,omitempty"`   // why it stands out; it is counted all the same
}

// Estimate is one metric of one step over the repeats. Pointers are nil where
// the figure doesn't exist: no spread from one repeat, no mean where a repeat
// is unbounded.
type Estimate struct {
	Metric string   `json:"metric"`
	N      int      `json:"n"`
	Mean   *float64 `json:"mean,omitempty"`
	SD     *float64 `json:"sd,omitempty"`     // n−1
	CV     *float64 `json:"cv,omitempty"`     // sd / mean
	Low    *float64 `json:"low_95,omitempty"` // 95 % t interval of the mean
	High   *float64 `json:"high_95,omitempty"`
	Median *float64 `json:"median,omitempty"`
	Min    *float64 `json:"min,omitempty"`
	Max    *float64 `json:"max,omitempty"`
	// Unbounded is how many repeats are; AtLeast is then a lower bound of the mean, printed as "> x", where one is known.
	Unbounded int           `json:"unbounded,omitempty"`
	AtLeast   *float64      `json:"at_least,omitempty"`
	Raw       []RepeatValue `json:"raw"`
}

// Half is half the width of the 95 % interval, nil where there is none.
func (e Estimate) Half() *float64 {
	if e.Low == nil {
		return nil
	}
	h := *e.High - *e.Mean
	return &h
}

// Values are the raw figures without the repeats, for tests and comparisons;
// false where one of them is unbounded.
func (e Estimate) Values() ([]float64, bool) {
	out := make([]float64, 0, len(e.Raw))
	for _, r := range e.Raw {
		if r.Unbounded {
			return nil, false
		}
		out = append(out, r.Value)
	}
	return out, true
}

// Summarise makes the estimate of a metric from the repeats' figures. The
// interval is mean ± t(n−1)·sd/√n.
func Summarise(metric string, raw []RepeatValue) Estimate {
	e := Estimate{Metric: metric, N: len(raw), Raw: slices.Clone(raw)}
	if e.N == 0 {
		return e
	}
	x := make([]float64, e.N)
	for i, r := range raw {
		x[i] = r.Value
		if r.Unbounded {
			e.Unbounded++
		}
	}
	mean, sd := meanSD(x)
	if e.Unbounded > 0 {
		if !slices.ContainsFunc(raw, func(r RepeatValue) bool { return r.Unbounded && r.Value == 0 }) {
			e.AtLeast = &mean
		}
		e.order(raw)
		return e
	}
	e.Mean = &mean
	sorted := slices.Sorted(slices.Values(x))
	median := Quantile(sorted, 0.5)
	e.Median, e.Min, e.Max = &median, &sorted[0], &sorted[e.N-1]
	if e.N > 1 {
		half := TQuantile(0.975, float64(e.N-1)) * sd / math.Sqrt(float64(e.N))
		low, high := mean-half, mean+half
		e.SD, e.Low, e.High = &sd, &low, &high
		if mean != 0 {
			cv := sd / math.Abs(mean)
			e.CV = &cv
		}
	}
	markOutliers(e.Raw, sorted, mean, sd)
	return e
}

// order fills in median, min and max where unbounded figures stand above all
// finished ones: what falls among the finished ones is still known.
func (e *Estimate) order(raw []RepeatValue) {
	var finished []float64
	for _, r := range raw {
		if !r.Unbounded {
			finished = append(finished, r.Value)
		}
	}
	slices.Sort(finished)
	if len(finished) == 0 {
		return
	}
	e.Min = &finished[0]
	if mid := (e.N - 1) / 2; e.N%2 == 1 && mid < len(finished) {
		e.Median = &finished[mid]
	} else if e.N%2 == 0 && mid+1 < len(finished) {
		m := (finished[mid] + finished[mid+1]) / 2
		e.Median = &m
	}
}

// markOutliers says which figures stand out: a modified z score above 10
// (0.6745·|x − median|/MAD), or Grubbs' test at 5 % two-sided. Lower limits
// flag a fifth of clean sets of five.
func markOutliers(raw []RepeatValue, sorted []float64, mean, sd float64) {
	n := len(sorted)
	if n < 3 || sd == 0 {
		return
	}
	median := Quantile(sorted, 0.5)
	deviations := make([]float64, n)
	for i, v := range sorted {
		deviations[i] = math.Abs(v - median)
	}
	slices.Sort(deviations)
	mad := Quantile(deviations, 0.5)
	limit := GrubbsLimit(n)
	for i := range raw {
		d := raw[i].Value
		if z := 0.6745 * math.Abs(d-median) / mad; mad > 0 && z > 10 {
			raw[i].Outlier = fmt.Sprintf("modified z %.0f > 10", z)
		} else if g := math.Abs(d-mean) / sd; g > limit {
			raw[i].Outlier = fmt.Sprintf("Grubbs %.3f > %.3f", g, limit)
		}
	}
}

// GrubbsLimit is the critical value of Grubbs' two-sided test at 5 % for n ≥ 3
// values: (n−1)/√n · √(t²/(n−2+t²)) with t at 1 − 0.05/(2n), n−2 degrees.
func GrubbsLimit(n int) float64 {
	f := float64(n)
	t := TQuantile(1-0.05/(2*f), f-2)
	return (f - 1) / math.Sqrt(f) * math.Sqrt(t*t/(f-2+t*t))
}

// TQuantile is the quantile of Student's t with df degrees of freedom.
func TQuantile(p, df float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p)
}

// Quantile is Hyndman and Fan's type 7 of sorted values, as numpy's default.
// It panics on no values.
func Quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	lo := int(math.Floor(h))
	if lo+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[lo] + (h-float64(lo))*(sorted[lo+1]-sorted[lo])
}

func meanSD(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	if len(x) < 2 {
		return mean, 0
	}
	ss := 0.0
	same := true
	for _, v := range x {
		ss += (v - mean) * (v - mean)
		same = same && v == x[0]
	}
	if same { // rounding in the mean must not look like spread
		return x[0], 0
	}
	return mean, math.Sqrt(ss / float64(len(x)-1))
}
