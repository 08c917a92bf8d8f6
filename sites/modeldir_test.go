package sites

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const tinyConfig = `{"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "vocab_size": 512,
 "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32,
 "intermediate_size": 128, "max_position_embeddings": 32768, "rope_scaling": null, "torch_dtype": "bfloat16"}`

// modelDir makes a model's folder; each file is name → text.
func modelDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	return dir
}

func TestReadModelDir(t *testing.T) {
	dir := modelDir(t, map[string]string{
		"config.json":                      tinyConfig,
		"model-00001-of-00002.safetensors": shard(map[string][]int64{"a": {4, 8}, "b": {16}}),
		"model-00002-of-00002.safetensors": shard(map[string][]int64{"c": {2, 3, 5}}),
		"model.safetensors.index.json": `{"metadata": {"total_size": 156}, "weight_map": {"a": "model-00001-of-00002.safetensors",
			"b": "model-00001-of-00002.safetensors", "c": "model-00002-of-00002.safetensors"}}`,
		"consolidated.safetensors": "another copy that nobody loads",
	})
	got, err := ReadModelDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := Model{
		ID: dir, Directory: dir, Layers: 2, HiddenSize: 64, AttentionHeads: 4, KVHeads: 2, HeadDim: 32,
		IntermediateSize: 128, VocabSize: 512, ContextTokens: 32768, DType: "bfloat16",
		Parameters: 32 + 16 + 30, WeightBytes: 156,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	if bytes, exact := got.Weights(); bytes != 156 || !exact {
		t.Errorf("%d %v", bytes, exact)
	}
}

func TestReadModelDirSaysWhatIsWrong(t *testing.T) {
	cut := shard(map[string][]int64{"a": {4, 8}})
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"readme": ""}, "it has no config.json"},
		{map[string]string{"config.json": "{"}, "not a model's configuration"},
		{map[string]string{"config.json": `{"num_attention_heads": -4}`}, "it has the size -4"},
		{map[string]string{"config.json": `{"num_attention_heads": "four"}`}, "not a model's configuration"},
		{map[string]string{"config.json": tinyConfig, "model.safetensors.index.json": `{"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}`}, "two.safetensors: no such file"},
		{map[string]string{"config.json": tinyConfig, "model.safetensors.index.json": `{"weight_map": {"a": "../../etc/passwd"}}`}, "is not the name of a safetensors file beside it"},
		{map[string]string{"config.json": tinyConfig, "model.safetensors.index.json": `[]`}, "not an index of weights"},
		{map[string]string{"config.json": tinyConfig, "model.safetensors": cut[:len(cut)-1]}, "was the download cut off?"},
		{map[string]string{"config.json": tinyConfig, "model.safetensors": cut[:20]}, "or cut off"},
		{map[string]string{"config.json": tinyConfig, "model.safetensors": "version https://git-lfs.github.com/spec/v1\n"}, "not a safetensors file"},
	} {
		_, err := ReadModelDir(modelDir(t, c.files))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.files, err, c.want)
		}
	}
}

func TestReadModelDirWithoutSafetensors(t *testing.T) {
	m, err := ReadModelDir(modelDir(t, map[string]string{"config.json": tinyConfig, "pytorch_model.bin": "x"}))
	if err != nil || m.AttentionHeads != 4 {
		t.Fatalf("%+v, %v", m, err)
	}
	if bytes, exact := m.Weights(); bytes != 0 || exact {
		t.Errorf("the size is not known, but %d %v", bytes, exact)
	}
}

func TestParseHubConfigFamilies(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Model
	}{
		"all heads have keys": {`{"num_attention_heads": 32, "hidden_size": 4096}`, Model{AttentionHeads: 32, KVHeads: 32, HeadDim: 128, HiddenSize: 4096}},
		"nothing":             {`{}`, Model{}},
		"experts":             {`{"num_local_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 768}`, Model{Experts: 8, ActiveExperts: 2, ExpertIntermediateSize: 768}},
		"routed experts":      {`{"n_routed_experts": 256}`, Model{Experts: 256}},
		"new dtype":           {`{"dtype": "float16"}`, Model{DType: "float16"}},
		"quantised":           {`{"quantization_config": {"quant_method": "fp8"}, "torch_dtype": "bfloat16"}`, Model{Quantization: "fp8", DType: "bfloat16"}},
		"quantised somehow":   {`{"quantization_config": {"bits": 4}}`, Model{Quantization: "unknown"}},
		"multimodal": {`{"text_config": {"num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 64}, "tie_word_embeddings": true, "torch_dtype": "bfloat16", "hidden_size": 9}`,
			Model{AttentionHeads: 16, KVHeads: 8, HeadDim: 64, TiedEmbeddings: true, DType: "bfloat16"}},
	} {
		got, err := parseHubConfig([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: want - got +\n%s", name, diff)
		}
	}
}

// FuzzParseHubConfig: no text makes it panic, and no size is negative.
func FuzzParseHubConfig(f *testing.F) {
	f.Add([]byte(tinyConfig))
	f.Add([]byte(`{"text_config": {"text_config": {}}, "quantization_config": null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseHubConfig(data)
		if err != nil {
			return
		}
		if m.AttentionHeads < 0 || m.KVHeads < 0 || m.HeadDim < 0 || m.Layers < 0 {
			t.Errorf("%+v", m)
		}
		if m.KVHeads > 0 && !json.Valid(data) {
			t.Error("read from what is no JSON")
		}
	})
}

func TestReadModelDirNeedsAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadModelDir(file); err == nil {
		t.Error("a file was taken for a folder")
	}
}
