package compare

// Verdict is the word for what a comparison says.
type Verdict string

// Verdicts.
const (
	Improved       Verdict = "improved"
	Regressed      Verdict = "regressed"
	NoChange       Verdict = "no change"
	Inconclusive   Verdict = "inconclusive"
	MachineChanged Verdict = "machine changed" // only a gate can tell it: slower than history, but flat side by side
	NotComparable  Verdict = "not comparable"
	Invalid        Verdict = "invalid" // one side has no valid numbers
)

// FormatComparison stands first in the JSON of compare.
const FormatComparison = "hpcbench.compare/1"

// Comparison is one run (New) against another or a published table (Base).
type Comparison struct {
	Format    string  `json:"format"`
	Base      string  `json:"base"`
	New       string  `json:"new"`
	Reference bool    `json:"reference"` // Base is a published table
	Simulated bool    `json:"simulated"`
	Verdict   Verdict `json:"verdict"`
	Reason    string  `json:"reason"`
	// Kind is "gateway" where the rows are about what a gateway adds, in ms, over ABBA blocks; "" for steps over repeats.
	Kind string `json:"kind,omitempty"`
	// Assumptions that the figures rest on, in words.
	Assumptions []string `json:"assumptions,omitempty"`
	// Matters are the differences in conditions that forbid a verdict, Also those that don't.
	Matters []Difference `json:"conditions_that_differ,omitempty"`
	Also    []Difference `json:"also_changed,omitempty"`
	Rows    []Row        `json:"rows"`
	// Warnings are what to mind: fewer repeats, suspect rows, steps of one side only.
	Warnings []string `json:"warnings,omitempty"`
	// Remarks are what is known of a published table.
	Remarks []string `json:"remarks,omitempty"`
}

// Difference is one condition that isn't the same.
type Difference struct {
	What string `json:"what"`
	Base string `json:"base"`
	New  string `json:"new"`
}

// Row is one metric of one step.
type Row struct {
	Step      string  `json:"step"` // id
	RatePerS  float64 `json:"rate_per_s,omitempty"`
	Metric    string  `json:"metric"`
	Label     string  `json:"label"`
	Unit      string  `json:"unit,omitempty"`
	Base      Figure  `json:"base"`
	New       Figure  `json:"new"`
	Absolute  bool    `json:"absolute,omitempty"` // Change is a difference, in Unit (of shares where there is none), not relative
	Tolerance float64 `json:"tolerance"`

	// Change is new/base − 1 (0.05 = 5 % more), with its 95 % interval.
	Change *float64 `json:"change,omitempty"`
	Low    *float64 `json:"change_low_95,omitempty"`
	High   *float64 `json:"change_high_95,omitempty"`
	P      *float64 `json:"p,omitempty"`
	// Adjusted is Holm's p over the rows that decide.
	Adjusted *float64 `json:"p_adjusted,omitempty"`
	// Detectable is the smallest change that would have been found four times in five.
	Detectable *float64 `json:"detectable_change,omitempty"`
	Test       string   `json:"test,omitempty"`
	// Decides is false for rows that are only shown; Aside says why.
	Decides bool    `json:"decides"`
	Aside   string  `json:"aside,omitempty"`
	Suspect string  `json:"suspect,omitempty"` // why a published row can't be trusted
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`
	better  int     // −1 lower, +1 higher
}

// Figure is one side of a row.
type Figure struct {
	N    int      `json:"n"`
	Mean *float64 `json:"mean,omitempty"`
	SD   *float64 `json:"sd,omitempty"`
	Text string   `json:"text,omitempty"` // as published
}

// Ratio is new/base, nil where there is none.
func (r Row) Ratio() *float64 { return plusOne(r.Change, r.Absolute) }

// RatioInterval is the 95 % interval of Ratio.
func (r Row) RatioInterval() (low, high *float64) {
	return plusOne(r.Low, r.Absolute), plusOne(r.High, r.Absolute)
}

func plusOne(x *float64, absolute bool) *float64 {
	if x == nil || absolute {
		return nil
	}
	v := *x + 1
	return &v
}
