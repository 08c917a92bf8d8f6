package main

import (
	"fmt"
	"strings"

	"hpcbench/sites"
	"hpcbench/sites/conf"
)

type modelsCmd struct {
	List modelsListCmd `cmd:"" default:"1" help:"List the models of the catalogue."`
	Show modelsShowCmd `cmd:"" help:"Print what is known of a model and where it comes from."`
}

type modelsListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

type modelLine struct {
	ID             string   `json:"model"`
	Aliases        []string `json:"aliases,omitempty"`
	Parameters     int64    `json:"parameters,omitempty"`
	WeightBytes    int64    `json:"weight_bytes,omitempty"`
	AttentionHeads int      `json:"attention_heads,omitempty"`
	KVHeads        int      `json:"kv_heads,omitempty"`
	ContextTokens  int      `json:"context_tokens,omitempty"`
}

func (c modelsListCmd) Run(a *app) error {
	catalogue, _, err := sites.LoadModels(sites.System())
	if err != nil {
		return usage(err)
	}
	var all []modelLine
	var rows [][]string
	for _, id := range catalogue.IDs() {
		m := catalogue.Models[id]
		weights, _ := m.Weights()
		all = append(all, modelLine{ID: id, Aliases: m.Aliases, Parameters: m.Parameters, WeightBytes: weights,
			AttentionHeads: m.AttentionHeads, KVHeads: m.KVHeads, ContextTokens: m.ContextTokens})
		rows = append(rows, []string{id, gib(weights), number(m.AttentionHeads), number(m.KVHeads), number(m.ContextTokens), strings.Join(m.Aliases, ", ")})
	}
	if c.JSON {
		return printJSON(a.stdout, all)
	}
	return a.list([]string{"model", "GiB", "heads", "KV", "context", "also called"}, rows, 1, 2, 3, 4)
}

func gib(bytes int64) string {
	if bytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", float64(bytes)/(1<<30))
}

func number(n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprint(n)
}

type modelsShowCmd struct {
	Name string `arg:"" help:"A name of the catalogue, an org/name, or a model's folder." predictor:"model"`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c modelsShowCmd) Run(a *app) error {
	catalogue, origins, err := sites.LoadModels(sites.System())
	if err != nil {
		return usage(err)
	}
	m, err := catalogue.Find(c.Name)
	if err != nil {
		return usage(err)
	}
	rows := sites.ModelRows(m, origins)
	if c.JSON {
		return printJSON(a.stdout, struct {
			Model  string     `json:"model"`
			Values []conf.Row `json:"values"`
		}{m.ID, rows})
	}
	if _, err := fmt.Fprintln(a.stdout, m.ID); err != nil {
		return err
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(a.stdout, "Nothing is known of it: heads and sizes are not checked before a job starts.")
		return err
	}
	return a.values(rows)
}
