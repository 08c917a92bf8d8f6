package compare

import (
	"fmt"
	"math"
	"strings"

	"hpcbench/collect/aggregate"
)

// level is the chance of a false alarm over all rows of a comparison.
const level = 0.05

// fillRelative tests a row on the logarithms of both sides' repeats. Pairs says
// that a[i] and b[i] had the same schedule.
func (r *Row) fillRelative(a, b []float64, pairs bool) {
	for _, side := range [][]float64{a, b} {
		for _, v := range side {
			if !(v > 0) || math.IsInf(v, 1) {
				r.Decides, r.Aside = false, fmt.Sprintf("%v has no logarithm", v)
				return
			}
		}
	}
	la, lb := logs(a), logs(b)
	var o outcome
	if pairs {
		o, r.Test = paired(la, lb), "paired t on logarithms"
	} else {
		o, r.Test = welch(la, lb), "Welch t on logarithms"
	}
	r.set(math.Expm1(o.diff), math.Expm1(o.low), math.Expm1(o.high), o.p, math.Expm1(o.detectable))
}

// fillAbsolute tests the difference of shares as they are.
func (r *Row) fillAbsolute(a, b []float64) {
	o := welch(a, b)
	r.Test = "Welch t on shares"
	r.set(o.diff, o.low, o.high, o.p, o.detectable)
}

// fillPublished tests a sample against a published figure of k runs.
func (r *Row) fillPublished(published float64, k int, x []float64) {
	o := against(published, k, x)
	r.Test = fmt.Sprintf("t with our own spread for a mean of %d", k)
	if k == 1 {
		r.Test = "prediction interval for one run"
	}
	r.set(o.diff/published, o.low/published, o.high/published, o.p, o.detectable/published)
}

func (r *Row) set(change, low, high, p, detectable float64) {
	r.Change, r.Low, r.High, r.P, r.Detectable = &change, &low, &high, &p, &detectable
}

func logs(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Log(v)
	}
	return out
}

// decide adjusts the p values of the rows that decide and gives every row its
// verdict. Rows without any spread, such as no error in any repeat, are no
// test and don't make the others' bar higher.
func decide(rows []Row) {
	var p []float64
	var at []int
	for i := range rows {
		if rows[i].Decides && rows[i].P != nil && *rows[i].Low < *rows[i].High {
			p, at = append(p, *rows[i].P), append(at, i)
		}
	}
	for k, adjusted := range Holm(p) {
		rows[at[k]].Adjusted = &adjusted
	}
	for i := range rows {
		rows[i].judge()
	}
}

// judge gives one row its verdict and reason.
func (r *Row) judge() {
	switch {
	case r.Verdict != "": // it was known before: not comparable, too few repeats
	case r.Change == nil:
		r.Verdict, r.Reason = Inconclusive, first(r.Aside, "no figures to compare")
	default:
		r.Verdict, r.Reason = r.word()
		if !r.Decides {
			r.Reason = first(r.Aside, "shown only")
		}
	}
}

func (r *Row) word() (Verdict, string) {
	p := *r.P
	if r.Adjusted != nil {
		p = *r.Adjusted
	}
	change, low, high := *r.Change, *r.Low, *r.High
	interval := fmt.Sprintf("%s (95 %% interval %s to %s)", r.signed(change), r.signed(low), r.signed(high))
	switch {
	case p < level && math.Abs(change) >= r.Tolerance:
		word, verdict := "better", Improved
		if change*float64(r.better) < 0 {
			word, verdict = "worse", Regressed
		}
		return verdict, fmt.Sprintf("%s %s, tolerance %s, p %s", interval, word, r.unsigned(r.Tolerance), pWords(p))
	case low > -r.Tolerance && high < r.Tolerance:
		return NoChange, fmt.Sprintf("%s lies within the tolerance of %s", interval, r.unsigned(r.Tolerance))
	}
	return Inconclusive, fmt.Sprintf("%s; with this noise a change from %s on would be found", interval, r.unsigned(*r.Detectable))
}

// overall is the comparison's verdict from its rows, and the row that gave it.
func overall(rows []Row) (Verdict, string) {
	counts := map[Verdict]int{}
	decided := 0
	worst := map[Verdict]*Row{}
	for i := range rows {
		r := &rows[i]
		if !r.Decides {
			continue
		}
		decided++
		counts[r.Verdict]++
		if w := worst[r.Verdict]; w == nil || r.Change != nil && w.Change != nil && math.Abs(*r.Change) > math.Abs(*w.Change) {
			worst[r.Verdict] = r
		}
	}
	if decided == 0 {
		return Inconclusive, "no row decides: " + asides(rows)
	}
	for _, v := range []Verdict{Regressed, Improved} {
		if n := counts[v]; n > 0 {
			w := worst[v]
			words := fmt.Sprintf("%s at %s: %s", w.Label, w.Step, w.Reason)
			if n > 1 {
				words += fmt.Sprintf("; %d of %d deciding rows %s", n, decided, v)
			}
			if v == Regressed && counts[Improved] > 0 {
				words += fmt.Sprintf("; %d improved", counts[Improved])
			}
			return v, words
		}
	}
	if counts[NoChange] == decided {
		return NoChange, fmt.Sprintf("all %d deciding rows lie within their tolerance", decided)
	}
	if counts[NotComparable] == decided {
		return NotComparable, worst[NotComparable].Reason
	}
	w := worst[Inconclusive]
	if w == nil {
		return Inconclusive, fmt.Sprintf("%d of %d deciding rows can't be compared", counts[NotComparable], decided)
	}
	return Inconclusive, fmt.Sprintf("%d of %d deciding rows are inconclusive, such as %s at %s: %s", counts[Inconclusive], decided, w.Label, w.Step, w.Reason)
}

func asides(rows []Row) string {
	seen := map[string]bool{}
	var words []string
	for _, r := range rows {
		if w := first(r.Suspect, r.Aside); w != "" && !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return "no step and metric in common"
	}
	return strings.Join(words, "; ")
}

func first(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// signed prints a relative change as "+5.2 %", a difference of shares as "+0.5
// points", and one of times in its unit.
func (r *Row) signed(x float64) string {
	switch {
	case !r.Absolute:
		return signedPercent(x)
	case r.Unit != "":
		return fmt.Sprintf("%+.3g %s", x, r.Unit)
	}
	return fmt.Sprintf("%+.*f points", places(x), x*100)
}

func (r *Row) unsigned(x float64) string { return strings.TrimPrefix(r.signed(math.Abs(x)), "+") }

func signedPercent(x float64) string { return fmt.Sprintf("%+.*f %%", places(x), x*100) }

// places keeps two digits of a percentage below ten, and no more than people read.
func places(x float64) int {
	if p := math.Abs(x * 100); p >= 9.95 || p == 0 {
		return 0
	}
	return 1
}

func pWords(p float64) string {
	if p < 0.0001 {
		return "< 0.0001"
	}
	return fmt.Sprintf("%.2g", p)
}

// figure is one side of a row from an estimate.
func figure(e aggregate.Estimate) Figure {
	return Figure{N: e.N, Mean: e.Mean, SD: e.SD}
}
