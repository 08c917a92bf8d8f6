package main

import (
	"errors"
	"fmt"

	"hpcbench/collect/report"
	"hpcbench/results"
)

type referencesCmd struct {
	Name string `arg:"" optional:"" help:"The reference to show; all are listed if not given." predictor:"reference"`
	JSON bool   `name:"json" help:"Print JSON."`
}

type referenceLine struct {
	Name      string `json:"reference"`
	Title     string `json:"title"`
	Model     string `json:"model"`
	GPUKind   string `json:"gpu_kind"`
	GPUs      int    `json:"gpus"`
	Path      string `json:"path,omitempty"`
	Statistic string `json:"statistic"`
	Plan      string `json:"plan"`
}

// Run lists the published tables, or shows one.
func (c referencesCmd) Run(a *app) error {
	if c.Name != "" {
		return c.show(a)
	}
	tables, err := results.References()
	if err != nil {
		return failed(err)
	}
	matrices, err := results.MatrixReferences()
	if err != nil {
		return failed(err)
	}
	var all []referenceLine
	for _, r := range tables {
		all = append(all, referenceLine{r.Name, r.Title, r.Conditions.Model, r.Conditions.GPUKind, r.Conditions.GPUs, r.Conditions.Path, r.Conditions.Statistic, r.Plan})
	}
	for _, r := range matrices {
		all = append(all, referenceLine{r.Name, r.Title, r.Conditions.Model, r.Conditions.GPUKind, r.Conditions.GPUs, "", r.Conditions.Statistic, r.Plan})
	}
	if c.JSON {
		return printJSON(a.stdout, all)
	}
	var rows [][]string
	for _, r := range all {
		rows = append(rows, []string{r.Name, r.Statistic, fmt.Sprintf("%s, %d × %s", r.Model, r.GPUs, r.GPUKind)})
	}
	return a.list([]string{"reference", "figures", "of"}, rows)
}

func (c referencesCmd) show(a *app) error {
	r, err := results.LoadReference(c.Name)
	if errors.Is(err, results.ErrOtherReference) {
		return c.showMatrix(a)
	}
	switch {
	case err != nil:
		return usage(err)
	case c.JSON:
		return printJSON(a.stdout, r)
	}
	return report.Reference(a.stdout, r, a.colour())
}

func (c referencesCmd) showMatrix(a *app) error {
	r, err := results.LoadMatrixReference(c.Name)
	switch {
	case err != nil:
		return usage(err)
	case c.JSON:
		return printJSON(a.stdout, r)
	}
	return report.MatrixReference(a.stdout, r, a.colour())
}
