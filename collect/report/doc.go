// Package report shows a run to people and programs: tables for the terminal,
// JSON, CSV, Markdown, one self-contained HTML page, and figures as SVG or PNG.
//
// Everything is made from a Document, which is also the JSON. Tables are Grids
// first and drawn by each writer, so that a figure can't differ between them;
// figures are Figures first, for the page and for files alike.
package report
