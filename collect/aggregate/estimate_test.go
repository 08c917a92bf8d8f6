package aggregate

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

type scipyValues struct {
	Samples []struct {
		Values                                []float64
		Mean, SD, Low, High, Median, P90, P95 float64
	}
	Grubbs []struct {
		N     int
		Limit float64
	}
	Ranks []struct {
		N         int
		P         float64
		Low, High int
	}
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

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

func repeats(x ...float64) []RepeatValue {
	var out []RepeatValue
	for i, v := range x {
		out = append(out, RepeatValue{Repeat: i + 1, Value: v})
	}
	return out
}

func TestSummariseAgainstScipy(t *testing.T) {
	for _, s := range scipy(t).Samples {
		e := Summarise("m", repeats(s.Values...))
		for name, pair := range map[string][2]float64{
			"mean": {*e.Mean, s.Mean}, "sd": {*e.SD, s.SD}, "low": {*e.Low, s.Low}, "high": {*e.High, s.High}, "median": {*e.Median, s.Median},
		} {
			if !near(pair[0], pair[1]) {
				t.Errorf("n=%d %s: %.12g, scipy %.12g", len(s.Values), name, pair[0], pair[1])
			}
		}
	}
}

func TestGrubbsLimitAgainstScipy(t *testing.T) {
	for _, g := range scipy(t).Grubbs {
		if got := GrubbsLimit(g.N); !near(got, g.Limit) {
			t.Errorf("n=%d: %.12g, scipy %.12g", g.N, got, g.Limit)
		}
	}
}

func TestSummariseFewRepeats(t *testing.T) {
	if e := Summarise("m", nil); e.N != 0 || e.Mean != nil {
		t.Errorf("no repeats: %+v", e)
	}
	e := Summarise("m", repeats(31.4))
	if *e.Mean != 31.4 || e.SD != nil || e.Low != nil || e.Half() != nil {
		t.Errorf("one repeat has a mean and no spread: %+v", e)
	}
	e = Summarise("m", repeats(0.1, 0.1, 0.1))
	if *e.SD != 0 || *e.Low != 0.1 || *e.High != 0.1 || *e.CV != 0 {
		t.Errorf("identical values: sd %g, interval %g…%g", *e.SD, *e.Low, *e.High)
	}
	if e = Summarise("m", repeats(0, 0, 0)); e.CV != nil {
		t.Errorf("a mean of 0 has no CV, got %g", *e.CV)
	}
}

func TestSummariseUnbounded(t *testing.T) {
	raw := repeats(10, 12, 11, 40, 50)
	raw[3].Unbounded, raw[4].Unbounded = true, true
	e := Summarise("m", raw)
	if e.Mean != nil || e.Low != nil || e.Unbounded != 2 {
		t.Errorf("an unbounded repeat leaves no mean: %+v", e)
	}
	if *e.AtLeast != 24.6 || *e.Median != 12 || *e.Min != 10 || e.Max != nil {
		t.Errorf("at least %g, median %g, min %g, max %v", *e.AtLeast, *e.Median, *e.Min, e.Max)
	}
	raw[1].Unbounded, raw[2].Unbounded = true, true
	if e = Summarise("m", raw); e.Median != nil {
		t.Errorf("the median of four unbounded in five is unbounded, got %g", *e.Median)
	}
	if _, ok := e.Values(); ok {
		t.Error("unbounded values can't be tested")
	}
}

func TestOutliersAreFlaggedAndCounted(t *testing.T) {
	e := Summarise("m", repeats(30.1, 30.2, 30.15, 30.12, 45))
	if !strings.HasPrefix(e.Raw[4].Outlier, "modified z") || e.N != 5 || *e.Max != 45 {
		t.Errorf("outlier not flagged or not counted: %+v", e.Raw)
	}
	for _, r := range e.Raw[:4] {
		if r.Outlier != "" {
			t.Errorf("%g is flagged: %s", r.Value, r.Outlier)
		}
	}
	e = Summarise("m", repeats(30, 30, 30, 30, 31))
	if !strings.HasPrefix(e.Raw[4].Outlier, "Grubbs") {
		t.Errorf("where more than half are equal Grubbs decides: %+v", e.Raw)
	}
	e = Summarise("m", repeats(29, 30, 31, 30.5, 29.5))
	for _, r := range e.Raw {
		if r.Outlier != "" {
			t.Errorf("%g of an even set is flagged: %s", r.Value, r.Outlier)
		}
	}
}

func TestQuantileType7(t *testing.T) {
	for _, s := range scipy(t).Samples {
		x := append([]float64(nil), s.Values...)
		sortFloats(x)
		if got := Quantile(x, 0.9); !near(got, s.P90) {
			t.Errorf("p90 of %d: %g, numpy %g", len(x), got, s.P90)
		}
		if got := Quantile(x, 0.95); !near(got, s.P95) {
			t.Errorf("p95 of %d: %g, numpy %g", len(x), got, s.P95)
		}
	}
	if got := Quantile([]float64{1, 2, 3, 4}, 0.5); got != 2.5 {
		t.Errorf("median of 1..4: %g", got)
	}
}
