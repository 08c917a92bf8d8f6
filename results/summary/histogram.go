package summary

import (
	"math"
	"slices"

	"hpcbench/results"
)

// gapBound is below which a gap (µs) is counted in the table; a second is far
// above any healthy gap, and the few longer ones are kept one by one.
const gapBound = 1 << 20

// gapCounts is an exact histogram of gaps in whole microseconds. A step has
// half a million of them: counting is twenty times cheaper than sorting.
type gapCounts struct {
	table []uint32
	top   int // the table holds nothing above this index
	long  []int64
	n     int
}

func newGapCounts() *gapCounts { return &gapCounts{table: make([]uint32, gapBound)} }

func (g *gapCounts) reset() {
	clear(g.table[:g.top+1])
	g.top, g.n, g.long = 0, 0, g.long[:0]
}

func (g *gapCounts) add(us int64) {
	g.n++
	if uint64(us) >= gapBound {
		g.long = append(g.long, us)
		return
	}
	g.table[us]++
	g.top = max(g.top, int(us))
}

// each calls do with every value in rising order and how often it occurred.
func (g *gapCounts) each(do func(us int64, count int)) {
	for us, count := range g.table[:g.top+1] {
		if count > 0 {
			do(int64(us), int(count))
		}
	}
	slices.Sort(g.long)
	for _, us := range g.long {
		do(us, 1)
	}
}

// dist is the distribution of the gaps in milliseconds; none is unbounded.
func (g *gapCounts) dist() results.Dist {
	d := results.Dist{N: g.n}
	if g.n == 0 {
		return d
	}
	// The ranks of all percentiles rise, so one walk finds them.
	ranks := make([]int, 0, 2*len(percents))
	shares := make([]float64, len(percents))
	for i, q := range percents {
		low, share := rank(g.n, q)
		shares[i] = share
		ranks = append(ranks, low, min(low+1, g.n-1))
	}
	found := make([]float64, len(ranks))
	order := make([]int, len(ranks))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return ranks[a] - ranks[b] })

	var sum, first, last int64
	seen, next := 0, 0
	first = -1
	g.each(func(us int64, count int) {
		if first < 0 {
			first = us
		}
		last = us
		sum += us * int64(count)
		seen += count
		for next < len(order) && ranks[order[next]] < seen {
			found[order[next]] = float64(us)
			next++
		}
	})
	for i := range percents {
		v := found[2*i]
		if shares[i] > 0 {
			v = between(v, found[2*i+1], shares[i])
		}
		*percentile(&d, i) = ms(v)
	}
	d.Min, d.Max = ms(float64(first)), ms(float64(last))
	mean := float64(sum) / float64(g.n)
	d.Mean = ms(mean)
	if g.n > 1 {
		var squares float64
		g.each(func(us int64, count int) {
			squares += float64(count) * (float64(us) - mean) * (float64(us) - mean)
		})
		d.SD = ms(math.Sqrt(squares / float64(g.n-1)))
	}
	return d
}
