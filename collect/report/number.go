package report

import (
	"math"
	"strconv"
	"strings"

	"hpcbench/collect/aggregate"
)

// none stands where there is no figure.
const none = "–"

// Number prints a figure with so many significant digits, never with an
// exponent: 31.41, 454.7, 1533, 12340.
func Number(x float64, digits int) string {
	return strconv.FormatFloat(x, 'f', decimals(x, digits), 64)
}

func decimals(x float64, digits int) int {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return max(0, digits-1-int(math.Floor(math.Log10(math.Abs(x)))))
}

// Percent prints a share 0..1: "0 %", "0.25 %", "12 %".
func Percent(share float64) string {
	p := share * 100
	if p == 0 || math.Abs(p) >= 10 {
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	}
	return Number(p, 2) + " %"
}

// SignedPercent prints a relative difference: "+3.2 %", "-11 %".
func SignedPercent(share float64) string {
	s := Percent(share)
	if share > 0 {
		return "+" + s
	}
	return s
}

// cellOf prints an estimate's mean and the half width of its 95 % interval, both
// times scale, to the same decimals or fewer.
func cellOf(e aggregate.Estimate, scale float64) Cell {
	switch {
	case e.N == 0:
		return Cell{Text: none}
	case e.Unbounded > 0 && e.AtLeast != nil:
		return Cell{Text: "> " + Number(*e.AtLeast*scale, 4), Value: finite(*e.AtLeast * scale)}
	case e.Unbounded > 0:
		return Cell{Text: "unbounded"}
	}
	mean := *e.Mean * scale
	c := Cell{Text: Number(mean, 4), Value: finite(mean)}
	if half := e.Half(); half != nil {
		h := *half * scale
		places := min(decimals(h, 2), decimals(mean, 4))
		if h == 0 {
			places = 0
		}
		c.Spread = "±" + strconv.FormatFloat(h, 'f', places, 64)
		if h > 0 && strings.Trim(c.Spread, "±0.") == "" { // smaller than the last digit shown
			c.Spread = "±" + Number(h, 1)
		}
	}
	for _, r := range e.Raw {
		if r.Outlier != "" {
			c.Mark = "*"
		}
	}
	return c
}

func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
