package report

// Grid is one table before it is drawn.
type Grid struct {
	ID      string // of the table in the page and the CSV: "karolina-compat"
	Title   string
	Over    string // how many repeats, and what their intervals are over
	Columns []Column
	Rows    [][]Cell
	Notes   []string
}

// Column is a column's heading.
type Column struct {
	Head string // with its unit: "TTFT ms"
	Left bool   // text stands left, numbers right
}

// Cell is one figure or word.
type Cell struct {
	Text   string
	Spread string   // "±0.5", below or beside the figure
	Mark   string   // "*" where a repeat stands out
	Value  *float64 // the bare figure, nil for words
	// State colours the cell where colour is allowed; the words say the same without it.
	State string // "", "good", "bad", "dim"
}

func word(s string) Cell { return Cell{Text: s} }

func left(head string) Column  { return Column{Head: head, Left: true} }
func right(head string) Column { return Column{Head: head} }
