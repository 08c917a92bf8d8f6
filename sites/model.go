package sites

// Model is what is known of a model; 0 = not known.
type Model struct {
	ID        string `yaml:"-"` // org/name, or the folder's path
	Directory string `yaml:"-"` // where its files were read; empty for an entry of the catalogue

	Aliases     []string `yaml:"aliases"`
	Description string   `yaml:"description"`
	Gated       bool     `yaml:"gated"` // its files are given out only to those who accepted a licence

	Layers           int  `yaml:"layers"`
	HiddenSize       int  `yaml:"hidden_size"`
	AttentionHeads   int  `yaml:"attention_heads"`
	KVHeads          int  `yaml:"kv_heads"`
	HeadDim          int  `yaml:"head_dim"`
	IntermediateSize int  `yaml:"intermediate_size"` // of a dense layer
	VocabSize        int  `yaml:"vocab_size"`
	TiedEmbeddings   bool `yaml:"tied_embeddings"`
	QKVBias          bool `yaml:"qkv_bias"`
	QKNorm           bool `yaml:"qk_norm"`

	Experts                int `yaml:"experts"`
	ActiveExperts          int `yaml:"active_experts"`
	ExpertIntermediateSize int `yaml:"expert_intermediate_size"`

	Parameters  int64  `yaml:"parameters"`
	WeightBytes int64  `yaml:"weight_bytes"` // of the tensors in safetensors files
	DType       string `yaml:"dtype"`        // of the weights: bfloat16, float16, float32
	// Quantization is the method of a quantised model, such as fp8 or awq; empty = none.
	Quantization  string `yaml:"quantization"`
	ContextTokens int    `yaml:"context_tokens"` // the most that the model was made for
	// TemplatePrefixTokens are put before the user's first word by the chat
	// template, without a system message; every request shares them.
	TemplatePrefixTokens int `yaml:"template_prefix_tokens"`
}

// bytesOf is the size of one number of a dtype; 0 = not known.
func bytesOf(dtype string) int64 {
	switch dtype {
	case "bfloat16", "float16":
		return 2
	case "float32":
		return 4
	}
	return 0
}

// Weights gives the size of the weights. It is exact where the safetensors
// files were read or their total is published, an estimate where it is parameters
// times the dtype's size, and 0 where neither is known. A quantised model has no estimate.
func (m Model) Weights() (bytes int64, exact bool) {
	if m.WeightBytes > 0 {
		return m.WeightBytes, true
	}
	if m.Quantization != "" {
		return 0, false
	}
	return m.Parameters * bytesOf(m.DType), false
}

// KVBytesPerToken is what one token takes in the KV cache, over all layers and
// all GPUs, when the cache has the weights' dtype: 2 x layers x KV heads x head_dim x bytes.
// 0 = not known.
func (m Model) KVBytesPerToken() int64 {
	return 2 * int64(m.Layers) * int64(m.KVHeads) * int64(m.HeadDim) * bytesOf(m.DType)
}
