package report

import (
	"fmt"
	"io"
	"strings"

	"hpcbench/results"
)

// Markdown writes the document for a wiki or a merge request.
func (d *Document) Markdown(w io.Writer, sets ...string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s  \n%s\n", escapeMarkdown(d.Run), escapeMarkdown(d.Conditions.Title()), escapeMarkdown(d.subtitle()))
	if d.Simulated {
		fmt.Fprintf(&b, "\n> **%s**\n", simulatedWords)
	}
	for _, g := range d.Grids(sets...) {
		g.markdown(&b)
	}
	markdownNotes(&b, d.Notes(sets...))
	if d.Spent != nil {
		fmt.Fprintf(&b, "\n%s\n", d.Spent.words())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown draws the grid as a pipe table.
func (g Grid) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n", escapeMarkdown(g.Title))
	if g.Over != "" {
		fmt.Fprintf(b, "%s\n\n", escapeMarkdown(g.Over))
	}
	var heads, rules []string
	for _, c := range g.Columns {
		heads = append(heads, escapeMarkdown(c.Head))
		rule := "---:"
		if c.Left {
			rule = ":---"
		}
		rules = append(rules, rule)
	}
	fmt.Fprintf(b, "| %s |\n| %s |\n", strings.Join(heads, " | "), strings.Join(rules, " | "))
	for _, r := range g.Rows {
		var cells []string
		for _, c := range r {
			cells = append(cells, escapeMarkdown(strings.TrimSpace(c.Text+c.Mark+" "+strings.Replace(c.Spread, "±", "± ", 1))))
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	if l := g.legend(); l != "" {
		fmt.Fprintf(b, "\n%s\n", escapeMarkdown(l))
	}
	for _, n := range g.Notes {
		fmt.Fprintf(b, "\n%s\n", escapeMarkdown(n))
	}
}

func markdownNotes(b *strings.Builder, notes []Note) {
	if len(notes) == 0 {
		return
	}
	b.WriteString("\n## Findings\n\n")
	for _, n := range notes {
		level := n.Level
		if level == results.LevelInvalid {
			level = "INVALID"
		}
		fmt.Fprintf(b, "- **%s** %s\n", level, escapeMarkdown(n.Words))
	}
}

var markdownEscapes = strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "[", `\[`, "\n", " ", "\r", " ")

// escapeMarkdown keeps a name or the server's words from being markup.
func escapeMarkdown(s string) string { return markdownEscapes.Replace(s) }
