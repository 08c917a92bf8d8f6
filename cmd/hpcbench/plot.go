package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"hpcbench/collect/report"
)

// plot writes one figure of a page as SVG or PNG, as the file's ending says. id ""
// is the page's first figure, which is the one its kind of plan is about.
func plot(a *app, page report.Page, id, out string) error {
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(out), "."))
	if format != report.PlotSVG && format != report.PlotPNG {
		return usage(fmt.Errorf("--plot %s: the file's ending says the format, .svg or .png", out))
	}
	figures := page.Figures()
	if len(figures) == 0 {
		return failed(errors.New("plot: there is no figure to draw: no step has numbers"))
	}
	var ids []string
	chosen := -1
	for i, f := range figures {
		ids = append(ids, f.ID)
		if f.ID == id || (id == "" && i == 0) {
			chosen = i
		}
	}
	if chosen < 0 {
		return usage(fmt.Errorf("--figure %s: the page has %s", id, strings.Join(ids, ", ")))
	}
	var b bytes.Buffer
	if err := figures[chosen].Plot(&b, format, page.Simulated); err != nil {
		return failed(err)
	}
	if err := renameio.WriteFile(out, b.Bytes(), 0o644); err != nil {
		return failed(fmt.Errorf("write the plot: %w", err))
	}
	_, err := fmt.Fprintf(a.stdout, "Figure %s: %s\nThere are: %s\n", ids[chosen], out, strings.Join(ids, ", "))
	return err
}
