package sites

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// hubConfig is the part of a model's config.json that matters here. Families
// spell the same thing differently; a multimodal model has the text part apart.
type hubConfig struct {
	Heads            int    `json:"num_attention_heads"`
	KVHeads          int    `json:"num_key_value_heads"`
	Hidden           int    `json:"hidden_size"`
	Layers           int    `json:"num_hidden_layers"`
	HeadDim          int    `json:"head_dim"`
	Intermediate     int    `json:"intermediate_size"`
	Vocab            int    `json:"vocab_size"`
	Tied             bool   `json:"tie_word_embeddings"`
	Context          int    `json:"max_position_embeddings"`
	TorchDType       string `json:"torch_dtype"`
	DType            string `json:"dtype"`
	Experts          int    `json:"num_experts"`
	LocalExperts     int    `json:"num_local_experts"`
	RoutedExperts    int    `json:"n_routed_experts"`
	ActiveExperts    int    `json:"num_experts_per_tok"`
	MoEIntermediate  int    `json:"moe_intermediate_size"`
	QuantizationConf *struct {
		Method string `json:"quant_method"`
	} `json:"quantization_config"`
	Text *hubConfig `json:"text_config"`
}

// ReadModelDir reads a model's folder: its shape from config.json, its size
// from the safetensors files themselves. A folder without them is still a model, of
// unknown size; one whose index names files that are not there is an error that
// lists them.
func ReadModelDir(dir string) (Model, error) {
	if strings.HasPrefix(dir, "~") {
		return Model{}, fmt.Errorf("model folder %s: ~ is for the shell to fill in; write the whole path", dir)
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return Model{}, fmt.Errorf("model folder %s: %w", dir, err)
	}
	data, err := os.ReadFile(filepath.Join(absolute, "config.json"))
	if errors.Is(err, fs.ErrNotExist) {
		if !isDir(absolute) {
			return Model{}, fmt.Errorf("model folder %s: there is no such folder", dir)
		}
		return Model{}, fmt.Errorf("model folder %s: it has no config.json, so it is not a model as the hub lays it out", dir)
	}
	if err != nil {
		return Model{}, fmt.Errorf("read the model's shape: %w", err)
	}
	m, err := parseHubConfig(data)
	if err != nil {
		return Model{}, fmt.Errorf("%s: %w", filepath.Join(absolute, "config.json"), err)
	}
	m.ID, m.Directory = absolute, absolute
	total, err := readWeights(absolute)
	if err != nil {
		return Model{}, fmt.Errorf("model folder %s: %w", dir, err)
	}
	m.WeightBytes = total.bytes
	if m.Quantization == "" {
		m.Parameters = total.numbers // packed numbers of a quantised model are not parameters
	}
	return m, nil
}

// parseHubConfig makes a Model of config.json. What a family leaves out has
// the meaning that transformers gives it: as many KV heads as heads, and heads that
// share the hidden size.
func parseHubConfig(data []byte) (Model, error) {
	var c hubConfig
	if err := json.Unmarshal(data, &c); err != nil {
		return Model{}, fmt.Errorf("not a model's configuration: %w", err)
	}
	quantization := c.QuantizationConf
	dtype := firstOf(c.DType, c.TorchDType)
	if c.Text != nil {
		tied := c.Tied
		c = *c.Text
		c.Tied = c.Tied || tied
	}
	m := Model{
		Layers: c.Layers, HiddenSize: c.Hidden, AttentionHeads: c.Heads, KVHeads: c.KVHeads, HeadDim: c.HeadDim,
		IntermediateSize: c.Intermediate, VocabSize: c.Vocab, TiedEmbeddings: c.Tied, ContextTokens: c.Context,
		Experts: max(c.Experts, c.LocalExperts, c.RoutedExperts), ActiveExperts: c.ActiveExperts, ExpertIntermediateSize: c.MoEIntermediate,
		DType: firstOf(dtype, c.DType, c.TorchDType),
	}
	for _, n := range []int{c.Heads, c.KVHeads, c.Hidden, c.Layers, c.HeadDim, c.Intermediate, c.Vocab, c.Context, m.Experts, c.ActiveExperts, c.MoEIntermediate} {
		if n < 0 {
			return Model{}, fmt.Errorf("not a model's configuration: it has the size %d", n)
		}
	}
	if quantization == nil {
		quantization = c.QuantizationConf
	}
	if quantization != nil {
		m.Quantization = firstOf(quantization.Method, "unknown")
	}
	if m.KVHeads == 0 {
		m.KVHeads = m.AttentionHeads
	}
	if m.HeadDim == 0 && m.AttentionHeads > 0 {
		m.HeadDim = m.HiddenSize / m.AttentionHeads
	}
	return m, nil
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}
