package gate

import (
	"math"
	"strings"
	"testing"

	"hpcbench/collect/compare"
)

const tpot = "corrected.tpot_ms.p50"

var tpotGate = compare.Gate{Metric: tpot, Tolerance: 0.05}

func around(level float64) []float64 {
	return []float64{level * 0.99, level * 1.01, level, level * 0.995, level * 1.005}
}

func pastNights(n int, level float64) Past {
	var p Past
	for i := range n {
		p.Nights = append(p.Nights, around(level*(1+0.005*float64(i%3-1))))
	}
	p.Pinned = around(level)
	return p
}

func TestScreen(t *testing.T) {
	for _, tc := range []struct {
		name    string
		tonight []float64
		past    Past
		metric  string
		want    State
		reason  string
	}{
		{"as before", around(10), pastNights(8, 10), tpot, Green, "no worse"},
		{"faster is not suspect", around(8), pastNights(8, 10), tpot, Green, "no worse"},
		{"10 % slower", around(11), pastNights(8, 10), tpot, NeedsPairs, "10.1 % worse than the last 8 nights"},
		{"2.5 % slower and sure", around(10.25), pastNights(8, 10), tpot, NeedsPairs, "(p 0.00"},
		{"1.5 % slower", around(10.15), pastNights(8, 10), tpot, Green, "no worse"},
		{"learning", around(15), pastNights(7, 10), tpot, Learning, "7 of 8 good nights"},
		{"no history at all", around(15), Past{}, tpot, Learning, "0 of 8"},
		{"two repeats", []float64{10, 10}, pastNights(8, 10), tpot, Invalid, "2 of 5 repeats have a valid figure"},
		{"a zero", []float64{10, 0, 10}, pastNights(8, 10), tpot, Invalid, "3 of 5"},
		{"unknown metric", around(10), pastNights(8, 10), "speed", Invalid, `no metric "speed"`},
		{"less throughput is worse", around(9), pastNights(8, 10), "corrected.output_tokens_per_s", NeedsPairs, "11.1 % worse"},
		{"more throughput isn't", around(12), pastNights(8, 10), "corrected.output_tokens_per_s", Green, "no worse"},
	} {
		row := DefaultRule.Screen(Figures{Key: Key{"s", tc.metric}, Values: tc.tonight, Asked: 5}, tc.past, compare.Gate{Metric: tc.metric, Tolerance: 0.05})
		if row.State != tc.want || !strings.Contains(row.Reason, tc.reason) {
			t.Errorf("%s: %s, %q; want %s, %q", tc.name, row.State, row.Reason, tc.want, tc.reason)
		}
	}
}

func TestCreepIsSeenAgainstThePinnedBaseline(t *testing.T) {
	past := Past{Pinned: around(10)}
	for i := range 12 {
		past.Nights = append(past.Nights, around(10*math.Pow(1.005, float64(i)))) // half a percent a night
	}
	row := DefaultRule.Screen(Figures{Key: Key{"s", tpot}, Values: around(10 * math.Pow(1.005, 12)), Asked: 5}, past, tpotGate)
	if row.State != NeedsPairs || !strings.Contains(row.Reason, "pinned baseline") {
		t.Errorf("%s: %s", row.State, row.Reason)
	}
}

func TestToleranceScalesTheRule(t *testing.T) {
	wide := compare.Gate{Metric: tpot, Tolerance: 0.15}
	if row := DefaultRule.Screen(Figures{Key: Key{"s", tpot}, Values: around(10.5), Asked: 5}, pastNights(8, 10), wide); row.State != Green {
		t.Errorf("5 %% slower with a tolerance of 15 %%: %s: %s", row.State, row.Reason)
	}
}

// pairsOf are n pairs whose candidate is slower by a share, with a noise of
// about 1 % that is the same each time.
func pairsOf(n int, slower, noise float64) Pairs {
	p := Pairs{Key: Key{"s", tpot}}
	for i := range n {
		wave := noise * math.Sin(float64(i)*2.4)
		p.Base = append(p.Base, 10*(1+0.3*wave))
		p.New = append(p.New, 10*(1+slower)*(1+wave))
	}
	return p
}

func asked(n int, p Pairs) Pairs {
	p.Asked = n
	return p
}

func confirmOne(p Pairs, history float64) ConfirmRow {
	screen := DefaultRule.Screen(Figures{Key: p.Key, Values: around(11), Asked: 5}, pastNights(8, history), tpotGate)
	return DefaultRule.Confirm([]Pairs{p}, 6, map[Key]ScreenRow{p.Key: screen}, map[string]compare.Gate{tpot: tpotGate})[0]
}

func TestConfirm(t *testing.T) {
	for _, tc := range []struct {
		name    string
		pairs   Pairs
		history float64
		want    State
	}{
		{"slow, first look", pairsOf(5, 0.10, 0.02), 10, NeedsPairs},
		{"slow, second look", pairsOf(10, 0.10, 0.02), 10, Red},
		{"flat", pairsOf(5, 0, 0.02), 10, Green},
		{"3 % slower", pairsOf(15, 0.03, 0.02), 10, Green},
		{"4.5 % slower and noisy, all looks", pairsOf(15, 0.045, 0.15), 10, Inconclusive},
		{"too noisy", pairsOf(5, 0.02, 0.12), 10, NeedsPairs},
		{"flat on a slower machine", pairsOf(5, 0, 0.02), 9, MachineChanged},
		{"two pairs, first look", pairsOf(2, 0, 0.02), 10, NeedsPairs},
		{"two pairs of all that can be had", asked(15, pairsOf(2, 0, 0.02)), 10, Invalid},
		{"nine of ten pairs are the second look", asked(10, pairsOf(9, 0.10, 0.02)), 10, Red},
	} {
		row := confirmOne(tc.pairs, tc.history)
		if row.State != tc.want {
			t.Errorf("%s: %s: %s", tc.name, row.State, row.Reason)
		}
		if row.State != Invalid && (row.Low > row.Worse || row.Upper < row.Worse) {
			t.Errorf("%s: %g outside %g…%g", tc.name, row.Worse, row.Low, row.Upper)
		}
	}
}

func TestPairsWanted(t *testing.T) {
	for _, tc := range []struct{ pairs, want int }{{5, 10}, {10, 15}, {15, 0}, {3, 5}} {
		rows := []ConfirmRow{{Pairs: tc.pairs, State: NeedsPairs}, {Pairs: tc.pairs, State: Green}}
		if got := DefaultRule.PairsWanted(rows); got != tc.want {
			t.Errorf("after %d pairs: %d wanted, want %d", tc.pairs, got, tc.want)
		}
	}
}

func TestPrior(t *testing.T) {
	p := PriorFromRepeats([][]float64{{1, math.Exp(0.02)}, {1, math.Exp(0.04)}, {5}}, -1+2, 20)
	if want := 2 * (0.0002 + 0.0008) / 2; math.Abs(p.Variance-want) > 1e-12 || p.DF != 2 {
		t.Errorf("prior %+v, want variance %g of 2", p, want)
	}
	if v, df := (Prior{}).moderated(4, 3); v != 4 || df != 3 {
		t.Errorf("without history: %g %g", v, df)
	}
	if v, df := (Prior{Variance: 1, DF: 6}).moderated(4, 3); v != 2 || df != 9 {
		t.Errorf("moderated: %g %g, want 2 and 9", v, df)
	}
	many := make([][]float64, 30)
	for i := range many {
		many[i] = around(10)
	}
	if p := PriorFromRepeats(many, 1, 20); p.DF != 20 {
		t.Errorf("history counts for %g, at most 20", p.DF)
	}
}

func TestJudge(t *testing.T) {
	row := func(state State) ScreenRow { return ScreenRow{Key: Key{"s", tpot}, State: state, Reason: "why"} }
	done := func(state State, pairs int) ConfirmRow {
		return ConfirmRow{Key: Key{"s", tpot}, State: state, Pairs: pairs, Reason: "because"}
	}
	for _, tc := range []struct {
		name    string
		screen  []ScreenRow
		confirm []ConfirmRow
		before  int
		want    State
		pairs   int
		failed  bool
	}{
		{"nothing", nil, nil, 0, Invalid, 0, false},
		{"green", []ScreenRow{row(Green)}, nil, 0, Green, 0, false},
		{"learning", []ScreenRow{row(Learning)}, nil, 0, Learning, 0, false},
		{"suspect", []ScreenRow{row(NeedsPairs)}, nil, 0, NeedsPairs, 5, false},
		{"more pairs", []ScreenRow{row(NeedsPairs)}, []ConfirmRow{done(NeedsPairs, 5)}, 0, NeedsPairs, 10, false},
		{"confirmed", []ScreenRow{row(NeedsPairs)}, []ConfirmRow{done(Red, 10)}, 0, Red, 0, false},
		{"cleared", []ScreenRow{row(NeedsPairs)}, []ConfirmRow{done(Green, 5)}, 0, Green, 0, false},
		{"machine", []ScreenRow{row(NeedsPairs)}, []ConfirmRow{done(MachineChanged, 5)}, 0, MachineChanged, 0, false},
		{"inconclusive", []ScreenRow{row(NeedsPairs)}, []ConfirmRow{done(Inconclusive, 15)}, 1, Inconclusive, 0, false},
		{"third inconclusive night", []ScreenRow{row(NeedsPairs)}, []ConfirmRow{done(Inconclusive, 15)}, 2, Inconclusive, 0, true},
		{"an invalid row doesn't hide a red one", []ScreenRow{{Key: Key{"t", tpot}, State: Invalid}, row(NeedsPairs)}, []ConfirmRow{done(Red, 10)}, 0, Red, 0, false},
		{"invalid", []ScreenRow{{Key: Key{"t", tpot}, State: Invalid}, row(Green)}, nil, 0, Invalid, 0, false},
	} {
		n := DefaultRule.Judge(tc.screen, tc.confirm, tc.before)
		if n.State != tc.want || n.Pairs != tc.pairs || n.Failed != tc.failed || n.Reason == "" {
			t.Errorf("%s: %s, %d pairs, failed %v: %s", tc.name, n.State, n.Pairs, n.Failed, n.Reason)
		}
	}
}

func TestEveryStateHasAVerdict(t *testing.T) {
	for state, want := range map[State]compare.Verdict{Green: compare.NoChange, Learning: compare.NoChange, Red: compare.Regressed, MachineChanged: compare.MachineChanged,
		Invalid: compare.Invalid, Inconclusive: compare.Inconclusive, NeedsPairs: compare.Inconclusive} {
		if got := state.Verdict(); got != want {
			t.Errorf("%s: %s, want %s", state, got, want)
		}
	}
}
