package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
)

//go:embed assets/echarts.min.js
var echartsScript string

//go:embed assets/page.js
var pageScript string

//go:embed assets/page.css
var pageStyle string

//go:embed assets/page.html
var pageTemplate string

// echartsDigest is the sha256 of the embedded script, as assets/SOURCE.md states it.
const echartsDigest = "b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0"

// Page is a whole report before it is drawn as HTML.
type Page struct {
	Title     string
	Tone      string // "good", "bad", "warn" or "": the colour of the verdict; its word says the same
	Verdict   string // one or two words
	Reason    string // in a sentence
	Simulated bool
	Facts     []Fact // the run in short, beside the verdict
	Sections  []Section
	MadeBy    string // the program and its version
}

// Fact is one line of a list of facts.
type Fact struct{ Name, Value string }

// Section is one part of a page.
type Section struct {
	ID, Title string
	Words     []string // paragraphs
	Figures   []Figure
	Grids     []Grid
	Notes     []Note
	Facts     []Fact
	// Closed sections are folded until somebody opens them; they are open in print.
	Closed bool
}

// Figures are the page's figures in its order, for files of their own.
func (p Page) Figures() []Figure {
	var all []Figure
	for _, s := range p.Sections {
		all = append(all, s.Figures...)
	}
	return all
}

// HTML writes the page as one file that needs nothing else.
func (p Page) HTML(w io.Writer) error {
	tmpl, err := template.New("page").Funcs(template.FuncMap{
		"chart":  func(f Figure) (template.JS, error) { return chartJSON(f) },
		"csv":    Grid.csv,
		"height": func(f Figure) int { return figureHeight(f) },
		"legend": Grid.legend,
	}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("parse the page's template: %w", err)
	}
	data := struct {
		Page
		Style, Charts, Script any
	}{p, template.CSS(pageStyle), template.JS(echartsScript), template.JS(pageScript)}
	if err := tmpl.Execute(w, data); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// chartJSON is the figure for the page's script. encoding/json escapes <, > and
// &, so that no text in it can end the script element.
func chartJSON(f Figure) (template.JS, error) {
	b, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("figure %s: %w", f.ID, err)
	}
	return template.JS(b), nil
}

func figureHeight(f Figure) int {
	switch {
	case f.Height > 0:
		return f.Height
	case f.Kind == FigureHeat:
		return 120 + 44*len(f.Y.Categories)
	case f.Kind == FigureForest:
		return 110 + 26*len(f.Y.Categories)
	}
	return 340
}

func digestOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
