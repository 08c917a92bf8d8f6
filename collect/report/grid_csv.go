package report

import (
	"encoding/csv"
	"strings"
)

// csv is the grid as CSV text for copying: a column for the half width of the
// interval follows each that has one.
func (g Grid) csv() (string, error) {
	spread := make([]bool, len(g.Columns))
	for _, r := range g.Rows {
		for i, c := range r {
			spread[i] = spread[i] || c.Spread != ""
		}
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	var head []string
	for i, c := range g.Columns {
		head = append(head, c.Head)
		if spread[i] {
			head = append(head, c.Head+" half width 95 %")
		}
	}
	if err := w.Write(head); err != nil {
		return "", err
	}
	for _, r := range g.Rows {
		var row []string
		for i, c := range r {
			text := c.Text
			if c.Value != nil {
				text = exact(c.Value)
				if strings.HasPrefix(c.Text, "> ") {
					text = ">" + text
				}
			}
			row = append(row, text)
			if spread[i] {
				row = append(row, strings.TrimPrefix(c.Spread, "±"))
			}
		}
		if err := w.Write(row); err != nil {
			return "", err
		}
	}
	w.Flush()
	return b.String(), w.Error()
}
