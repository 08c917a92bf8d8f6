package compare

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

type scipyValues struct {
	Welch, Paired []struct {
		A, B                   []float64
		Diff, DF, P, Low, High float64
	}
	Published []struct {
		X                             []float64
		K                             int
		Published, Diff, P, Low, High float64
	}
	Holm []struct{ P, Adjusted []float64 }
}

func scipy(t *testing.T) scipyValues {
	t.Helper()
	b, err := os.ReadFile("testdata/scipy_values.json")
	if err != nil {
		t.Fatal(err)
	}
	var v scipyValues
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-8*math.Max(1, math.Abs(b)) }

func same(t *testing.T, name string, o outcome, diff, p, low, high float64) {
	t.Helper()
	if !near(o.diff, diff) || !near(o.p, p) || !near(o.low, low) || !near(o.high, high) {
		t.Errorf("%s: diff %.10g p %.10g %.10g…%.10g, scipy %.10g %.10g %.10g…%.10g", name, o.diff, o.p, o.low, o.high, diff, p, low, high)
	}
}

func TestAgainstScipy(t *testing.T) {
	v := scipy(t)
	for _, c := range v.Welch {
		o := welch(logs(c.A), logs(c.B))
		same(t, "welch", o, c.Diff, c.P, c.Low, c.High)
		if !near(o.df, c.DF) {
			t.Errorf("welch df %g, scipy %g", o.df, c.DF)
		}
	}
	for _, c := range v.Paired {
		same(t, "paired", paired(logs(c.A), logs(c.B)), c.Diff, c.P, c.Low, c.High)
	}
	for _, c := range v.Published {
		same(t, "published", against(c.Published, c.K, c.X), c.Diff, c.P, c.Low, c.High)
	}
	for _, c := range v.Holm {
		got := Holm(c.P)
		for i := range got {
			if !near(got[i], c.Adjusted[i]) {
				t.Errorf("Holm of %v: %v, statsmodels %v", c.P, got, c.Adjusted)
				break
			}
		}
	}
}

func TestNoSpread(t *testing.T) {
	if o := welch([]float64{2, 2, 2}, []float64{2, 2, 2}); o.p != 1 || o.diff != 0 {
		t.Errorf("identical: %+v", o)
	}
	if o := welch([]float64{2, 2, 2}, []float64{3, 3, 3}); o.p != 0 || o.low != 1 || o.high != 1 {
		t.Errorf("apart without spread: %+v", o)
	}
	if o := welch([]float64{2, 2, 2}, []float64{3, 3.1, 2.9}); !(o.p > 0 && o.p < 0.01) || o.df != 2 {
		t.Errorf("one side without spread: %+v", o)
	}
	if o := paired([]float64{1, 2, 3}, []float64{1, 2, 3}); o.p != 1 {
		t.Errorf("identical pairs: %+v", o)
	}
	// 0.1 three times has a mean that isn't 0.1 in floating point
	if o := against(0.1, 5, []float64{0.1, 0.1, 0.1}); o.p != 1 {
		t.Errorf("the published value three times: %+v", o)
	}
}

func TestDetectableIsTwoStandardDeviationsForFiveAgainstFive(t *testing.T) {
	a := []float64{-1, -0.5, 0, 0.5, 1}
	b := []float64{-1, -0.5, 0, 0.5, 1}
	_, v := meanVar(a)
	if got := welch(a, b).detectable / math.Sqrt(v); math.Abs(got-2.02) > 0.01 {
		t.Errorf("detectable shift %.3f sd, want 2.02", got)
	}
}
