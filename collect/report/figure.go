package report

// Figure is one chart before it is drawn: the page gives it to ECharts, a file
// to gonum/plot, so that both show the same.
type Figure struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Alt says in words what is to be seen, for those who can't see it.
	Alt string `json:"alt"`
	// Key explains what is drawn how, below the chart; "" = it goes without saying.
	Key    string   `json:"key,omitempty"`
	Kind   string   `json:"kind"` // FigureXY, FigureHeat or FigureForest
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series,omitempty"`
	Cells  []Heat   `json:"cells,omitempty"`  // FigureHeat
	Marks  []Mark   `json:"marks,omitempty"`  // lines across the chart
	Height int      `json:"height,omitempty"` // of the chart in the page, px; 0 = usual
}

// Kinds of figure.
const (
	FigureXY     = "xy"
	FigureHeat   = "heat"
	FigureForest = "forest" // one row a category, with its interval
)

// Axis is one axis.
type Axis struct {
	Label string `json:"label"` // with its unit
	Log   bool   `json:"log,omitempty"`
	// Zero makes the axis begin at 0.
	Zero bool `json:"zero,omitempty"`
	// Ticks are where the axis is marked; empty = wherever it is round.
	Ticks []float64 `json:"ticks,omitempty"`
	// Categories make it an axis of words; values are positions in it.
	Categories []string `json:"categories,omitempty"`
	Max        *float64 `json:"max,omitempty"`
	rows       bool     // categories stand below each other: all of them fit
}

// Series is one line, band or set of dots. Those of one name belong together
// and are one entry of the legend.
type Series struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind"` // SeriesLine, SeriesDots or SeriesBand
	Colour int     `json:"colour"`
	Dashed bool    `json:"dashed,omitempty"`
	Step   bool    `json:"step,omitempty"`
	Points []Point `json:"points"`
	// Scale colours series by their order instead of by name: steps from slow to fast.
	Scale *float64 `json:"scale,omitempty"` // 0..1
}

// Kinds of series.
const (
	SeriesLine = "line"
	SeriesDots = "dots"
	SeriesBand = "band"
)

// Point is one value; Low and High where it has an interval.
type Point struct {
	X     float64  `json:"x"`
	Y     float64  `json:"y"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
	Label string   `json:"label,omitempty"`
	State string   `json:"state,omitempty"` // "good", "bad", "dim"
	// Bound is how far from 1 a row of a forest may lie without mattering.
	Bound *float64 `json:"bound,omitempty"`
}

// Heat is one cell of a heat map; X and Y are positions in the axes' categories.
type Heat struct {
	X     int      `json:"x"`
	Y     int      `json:"y"`
	Value *float64 `json:"value,omitempty"`
	Text  string   `json:"text"`
	State string   `json:"state,omitempty"` // "dim" for cells that weren't run
}

// Mark is a line across the chart, or a band where To is set.
type Mark struct {
	Label string   `json:"label"`
	X     *float64 `json:"x,omitempty"`
	Y     *float64 `json:"y,omitempty"`
	To    *float64 `json:"to,omitempty"`
}

// empty says that there is nothing to draw.
func (f Figure) empty() bool {
	for _, s := range f.Series {
		if len(s.Points) > 0 {
			return false
		}
	}
	return len(f.Cells) == 0
}
