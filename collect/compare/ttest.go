package compare

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// outcome is what a t test of a difference gives.
type outcome struct {
	diff       float64 // mean of b − mean of a, or of the differences
	se         float64
	df         float64
	p          float64 // two-sided
	low, high  float64 // 95 % interval of diff
	detectable float64 // what is found with 80 % power at 5 %
}

// welch tests whether two independent samples have the same mean (at least two
// values each), after Welch and Satterthwaite. Without any spread p is 1 where
// the means are equal and 0 where they aren't.
func welch(a, b []float64) outcome {
	ma, va := meanVar(a)
	mb, vb := meanVar(b)
	na, nb := float64(len(a)), float64(len(b))
	sa, sb := va/na, vb/nb
	o := outcome{diff: mb - ma, se: math.Sqrt(sa + sb)}
	if o.se > 0 {
		o.df = (sa + sb) * (sa + sb) / (sa*sa/(na-1) + sb*sb/(nb-1))
	}
	return o.finish()
}

// paired tests whether the differences of pairs (at least two) have the mean 0.
func paired(a, b []float64) outcome {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = b[i] - a[i]
	}
	m, v := meanVar(d)
	return outcome{diff: m, se: math.Sqrt(v / float64(len(d))), df: float64(len(d) - 1)}.finish()
}

// against tests a sample (at least two values) against a published mean of k
// runs without spread: the published runs are taken to have had the sample's
// own, so SE = s·√(1/n + 1/k) with n−1 degrees. With k = 1 it asks whether the
// value lies in the prediction interval for one more run.
func against(published float64, k int, x []float64) outcome {
	m, v := meanVar(x)
	n := float64(len(x))
	return outcome{diff: m - published, se: math.Sqrt(v * (1/n + 1/float64(k))), df: n - 1}.finish()
}

func (o outcome) finish() outcome {
	if o.se == 0 {
		o.low, o.high = o.diff, o.diff
		if o.diff == 0 {
			o.p = 1
		}
		return o
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: o.df}
	o.p = math.Min(1, 2*t.Survival(math.Abs(o.diff)/o.se))
	half := t.Quantile(0.975) * o.se
	o.low, o.high = o.diff-half, o.diff+half
	o.detectable = (t.Quantile(0.975) + t.Quantile(0.8)) * o.se
	return o
}

func meanVar(x []float64) (mean, variance float64) {
	same := true
	for _, v := range x {
		mean += v
		same = same && v == x[0]
	}
	if same { // rounding must not look like spread
		return x[0], 0
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	return mean, variance / float64(len(x)-1)
}
