package sites

import (
	"testing"
)

// parametersOf counts the numbers of a decoder by its shape: embedding, output
// (unless tied), and in each layer the four projections of the attention, biases or norms
// of queries and keys, the gated MLP or the experts with their router, and two norms;
// one norm at the end.
func parametersOf(m Model) int64 {
	hidden, layers := int64(m.HiddenSize), int64(m.Layers)
	queries, keys := int64(m.AttentionHeads*m.HeadDim), int64(m.KVHeads*m.HeadDim)
	layer := 2*hidden*queries + 2*hidden*keys + 2*hidden
	if m.QKVBias {
		layer += queries + 2*keys
	}
	if m.QKNorm {
		layer += 2 * int64(m.HeadDim)
	}
	if m.Experts > 0 {
		layer += int64(m.Experts) * (hidden + 3*hidden*int64(m.ExpertIntermediateSize))
	} else {
		layer += 3 * hidden * int64(m.IntermediateSize)
	}
	embedding := int64(m.VocabSize) * hidden
	if !m.TiedEmbeddings {
		embedding *= 2
	}
	return embedding + layers*layer + hidden
}

// The shapes, the parameter counts and the published sizes were written down
// one by one; here they must agree.
func TestCatalogueAgreesWithItself(t *testing.T) {
	c, _, err := LoadModels(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range c.IDs() {
		m := c.Models[id]
		if id == "hpcbench/stub" {
			continue // has no weights
		}
		if got := parametersOf(m); got != m.Parameters {
			t.Errorf("%s: its shape has %d parameters, the catalogue says %d", id, got, m.Parameters)
		}
		if m.WeightBytes > 0 && m.WeightBytes != m.Parameters*bytesOf(m.DType) {
			t.Errorf("%s: %d bytes for %d parameters of %s", id, m.WeightBytes, m.Parameters, m.DType)
		}
		if m.ContextTokens == 0 || m.AttentionHeads == 0 || m.KVHeads == 0 {
			t.Errorf("%s: nothing can be checked with %+v", id, m)
		}
	}
}

func TestWeights(t *testing.T) {
	for _, c := range []struct {
		m     Model
		bytes int64
		exact bool
	}{
		{Model{WeightBytes: 7, Parameters: 100, DType: "bfloat16"}, 7, true},
		{Model{Parameters: 100, DType: "bfloat16"}, 200, false},
		{Model{Parameters: 100, DType: "float32"}, 400, false},
		{Model{Parameters: 100, DType: "bfloat16", Quantization: "awq"}, 0, false},
		{Model{Parameters: 100, DType: "float8_e4m3fn"}, 0, false},
		{Model{}, 0, false},
	} {
		if bytes, exact := c.m.Weights(); bytes != c.bytes || exact != c.exact {
			t.Errorf("%+v: %d %v, want %d %v", c.m, bytes, exact, c.bytes, c.exact)
		}
	}
}

func TestKVBytesPerToken(t *testing.T) {
	m := Model{Layers: 48, KVHeads: 4, HeadDim: 128, DType: "bfloat16"}
	if got := m.KVBytesPerToken(); got != 98304 { // 96 KiB
		t.Errorf("%d", got)
	}
	if got := (Model{}).KVBytesPerToken(); got != 0 {
		t.Errorf("nothing is known, but %d", got)
	}
}
