package sites

import (
	"fmt"
	"strconv"

	"hpcbench/sites/conf"
)

// ModelRows is what `models show` prints: each value that is known and its
// origin, and at the end what follows from them.
func ModelRows(m Model, origins *conf.Origins) []conf.Row {
	rows := conf.RowsBelow(m, origins, "models", m.ID)
	if m.Directory != "" {
		rows = dirRows(m)
	}
	follows := func(key, value string) { rows = append(rows, conf.Row{Key: key, Value: value, Origin: "follows"}) }
	if bytes, exact := m.Weights(); bytes > 0 {
		words := fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
		if !exact {
			words = "about " + words
		}
		follows("weights", words)
	}
	if bytes := m.KVBytesPerToken(); bytes > 0 {
		follows("kv_cache_per_token", strconv.FormatInt(bytes/1024, 10)+" KiB")
	}
	return rows
}

// dirRows lists what a model's folder said. Zero values were not said.
func dirRows(m Model) []conf.Row {
	var rows []conf.Row
	add := func(key, from string, value any) {
		if text := fmt.Sprint(value); text != "0" && text != "" && text != "false" {
			rows = append(rows, conf.Row{Key: key, Value: text, Origin: from})
		}
	}
	const shape, size = "config.json", "safetensors"
	add("layers", shape, m.Layers)
	add("hidden_size", shape, m.HiddenSize)
	add("attention_heads", shape, m.AttentionHeads)
	add("kv_heads", shape, m.KVHeads)
	add("head_dim", shape, m.HeadDim)
	add("intermediate_size", shape, m.IntermediateSize)
	add("vocab_size", shape, m.VocabSize)
	add("tied_embeddings", shape, m.TiedEmbeddings)
	add("experts", shape, m.Experts)
	add("active_experts", shape, m.ActiveExperts)
	add("expert_intermediate_size", shape, m.ExpertIntermediateSize)
	add("dtype", shape, m.DType)
	add("quantization", shape, m.Quantization)
	add("context_tokens", shape, m.ContextTokens)
	add("weight_bytes", size, m.WeightBytes)
	return rows
}
