package sites

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestFindModel(t *testing.T) {
	c, _, err := LoadModels(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Qwen3-Coder-30B":                 "Qwen/Qwen3-Coder-30B-A3B-Instruct",
		"qwen3-coder-30b":                 "Qwen/Qwen3-Coder-30B-A3B-Instruct",
		"Qwen3-Coder-30B-A3B-Instruct":    "Qwen/Qwen3-Coder-30B-A3B-Instruct",
		"qwen/qwen3-4b-instruct-2507":     "Qwen/Qwen3-4B-Instruct-2507",
		"Qwen/Qwen2.5-Coder-7B-Instruct":  "Qwen/Qwen2.5-Coder-7B-Instruct",
		"qwen2.5-coder-7b":                "Qwen/Qwen2.5-Coder-7B-Instruct",
		"mistralai/Mistral-Small-3.2-24B": "mistralai/Mistral-Small-3.2-24B",
		"stub":                            "hpcbench/stub",
	} {
		m, err := c.Find(name)
		if err != nil || m.ID != want {
			t.Errorf("Find(%q) = %q, %v, want %q", name, m.ID, err, want)
		}
	}
	if m, err := c.Find("org/name"); err != nil || m.Layers != 0 || m.Parameters != 0 {
		t.Errorf("nothing is known of org/name, but %+v, %v", m, err)
	}
	for name, want := range map[string]string{
		"Qwen3-Coder-3B":  "did you mean Qwen3-Coder-30B?",
		"llama-3.1-8":     "did you mean Llama-3.1-8B",
		"zzz":             "any org/name of the model hub or a folder",
		"":                "no model: pass --model",
		"a/b/c":           `there is no model "a/b/c"`,
		"org/na me":       "there is no model",
		"org/$(reboot)":   "there is no model",
		"/nowhere/at/all": "there is no such folder",
		"./nowhere":       "there is no such folder",
		"~/models/qwen":   "write the whole path",
	} {
		if _, err := c.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Find(%q): %v, want %q", name, err, want)
		}
	}
}

func TestOwnModels(t *testing.T) {
	b := newBench(t)
	path := b.write("models.yaml", `models:
  Qwen/Qwen3-4B-Instruct-2507: {aliases: [small]}
  me/Tuned-7.5B: {aliases: [tuned], layers: 2, attention_heads: 4, kv_heads: 2}
`)
	c, origins, err := LoadModels(b.Options)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := c.Find("SMALL"); err != nil || m.Layers != 36 {
		t.Errorf("an alias of the user's for a model of ours: %+v, %v", m, err)
	}
	if m, err := c.Find("tuned"); err != nil || m.ID != "me/Tuned-7.5B" || m.KVHeads != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	if at := origins.Of("models", "me/Tuned-7.5B", "layers").String(); at != path+":3" {
		t.Errorf("origin %s", at)
	}
}

func TestModelsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"models: {noslash: {layers: 1}}":                     "models.yaml:1: models.noslash: a model is called org/name",
		"models: {a/b: {layer: 1}}":                          "unknown key; did you mean layers?",
		"models: {a/b: {aliases: [x]}, a/c: {aliases: [X]}}": "its alias X also stands for a/b",
		"models: {a/b: {aliases: [Qwen/Qwen3-8B]}}":          "its alias Qwen/Qwen3-8B also stands for Qwen/Qwen3-8B",
		"models: {a/b: {attention_heads: 8, kv_heads: 3}}":   "8 attention heads are no multiple of 3 KV heads",
		"models: {a/b: {dtype: int4}}":                       `dtype "int4" must be`,
		"models: {a/b: {layers: -1}}":                        "-1 is negative",
	} {
		b := newBench(t)
		b.write("models.yaml", text)
		if _, _, err := LoadModels(b.Options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestFindAsksWhichOne(t *testing.T) {
	b := newBench(t)
	b.write("models.yaml", "models: {a/Twin: {layers: 1}, b/twin: {layers: 2}}")
	c, _, err := LoadModels(b.Options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Find("twin"); err == nil || !strings.Contains(err.Error(), "a/Twin or b/twin; write the whole name") {
		t.Errorf("%v", err)
	}
	if m, err := c.Find("b/twin"); err != nil || m.Layers != 2 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestFindReadsAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tiny")
	writeFile(t, filepath.Join(dir, "config.json"), `{"num_attention_heads": 4, "hidden_size": 64, "num_hidden_layers": 2}`)
	c := Catalogue{}
	if m, err := c.Find(dir); err != nil || m.ID != dir || m.AttentionHeads != 4 {
		t.Errorf("%+v, %v", m, err)
	}
	t.Chdir(filepath.Dir(dir))
	if m, err := c.Find("tiny"); err != nil || m.Directory != dir {
		t.Errorf("%+v, %v", m, err)
	}
}
