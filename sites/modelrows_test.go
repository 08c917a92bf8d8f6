package sites

import (
	"strings"
	"testing"

	"hpcbench/sites/conf"
)

func TestModelRows(t *testing.T) {
	catalogue, origins, err := LoadModels(Options{})
	if err != nil {
		t.Fatal(err)
	}
	known, err := catalogue.Find("Qwen3-Coder-30B")
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := catalogue.Find("some/other-model")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := ReadModelDir(modelDir(t, map[string]string{"config.json": tinyConfig}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m    Model
		want []string // key=value from origin
	}{
		{known, []string{"kv_heads=4 from embedded:models.yaml", "weights=56.9 GiB from follows", "kv_cache_per_token=96 KiB from follows"}},
		{unknown, nil},
		{folder, []string{"kv_heads=2 from config.json", "context_tokens=32768 from config.json"}},
	} {
		rows := ModelRows(c.m, origins)
		if len(c.want) == 0 && len(rows) > 0 {
			t.Errorf("%s: %v", c.m.ID, rows)
		}
		for _, want := range c.want {
			if !hasRow(rows, want) {
				t.Errorf("%s: no %q in %v", c.m.ID, want, rows)
			}
		}
	}
}

func hasRow(rows []conf.Row, want string) bool {
	for _, r := range rows {
		if strings.HasPrefix(r.Key+"="+r.Value+" from "+r.Origin, want) {
			return true
		}
	}
	return false
}
