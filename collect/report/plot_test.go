package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryFigurePlots draws every figure of the sample pages in both formats.
// HPCBENCH_TEST_SCREENSHOTS keeps the pictures.
func TestEveryFigurePlots(t *testing.T) {
	drawn := map[string]bool{}
	for name, p := range samplePages(t) {
		for _, s := range p.Sections {
			for _, f := range s.Figures {
				drawn[f.Kind] = true
				var svg, pic bytes.Buffer
				if err := f.Plot(&svg, PlotSVG, p.Simulated); err != nil {
					t.Errorf("%s/%s: %v", name, f.ID, err)
					continue
				}
				if n := elements(t, svg.Bytes()); n < 10 {
					t.Errorf("%s/%s: the SVG has %d elements", name, f.ID, n)
				}
				if p.Simulated != strings.Contains(svg.String(), "SIMULATED") {
					t.Errorf("%s/%s: simulated %v isn't what the title says", name, f.ID, p.Simulated)
				}
				if f.ID != "ttft" && f.Kind == FigureXY && name != "night" {
					continue // one picture of each kind is enough: they take a quarter of a second
				}
				if err := f.Plot(&pic, PlotPNG, p.Simulated); err != nil {
					t.Errorf("%s/%s: %v", name, f.ID, err)
					continue
				}
				if dir := os.Getenv("HPCBENCH_TEST_SCREENSHOTS"); dir != "" {
					if err := os.WriteFile(filepath.Join(dir, "plot-"+name+"-"+f.ID+".png"), pic.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				img, err := png.Decode(&pic)
				if err != nil || img.Bounds().Dx() != 1200 {
					t.Errorf("%s/%s: PNG %v, %v", name, f.ID, img.Bounds(), err)
				}
			}
		}
	}
	if len(drawn) != 3 {
		t.Errorf("kinds drawn: %v", drawn)
	}
	if err := (Figure{}).Plot(io.Discard, "gif", false); err == nil {
		t.Error("gif is no format")
	}
}

func elements(t *testing.T, b []byte) int {
	t.Helper()
	n := 0
	dec := xml.NewDecoder(bytes.NewReader(b))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Errorf("the SVG isn't XML: %v", err)
			return n
		}
		if _, ok := tok.(xml.StartElement); ok {
			n++
		}
	}
}
