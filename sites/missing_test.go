package sites

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/sites/conf"
)

func TestMissingNamesAllAtOnce(t *testing.T) {
	p, origins, err := loadProfile("desk", []conf.Layer{conf.Bytes("desk.yaml", []byte(strings.Replace(ownSite, "partition: gpu\n", "", 1)))})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, m := range Missing(p) {
		keys = append(keys, m.Key)
	}
	if diff := cmp.Diff([]string{"account", "partition", "image", "runs_dir", "cache_dir", "caches.HF_HOME"}, keys); diff != "" {
		t.Error(diff)
	}
	err = Require(p, origins)
	for _, want := range []string{
		"site desk is not ready:",
		"account is not set (the project that pays): pass --account, set HPCBENCH_ACCOUNT, or write `account: …` in config.yaml",
		"partition is not set (one of gpu): pass --partition,",
		"runs_dir is not set (the folder for runs, which compute nodes see and may execute from): pass --runs-dir, set HPCBENCH_RUNS_DIR,",
		"caches.HF_HOME is not set (the folder of the model weights): write it into the site's file",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
}

func TestMissingOfOurSites(t *testing.T) {
	for site, want := range map[string][]string{"lumi": {"account"}, "karolina": {"account", "image"}, "local": nil} {
		var keys []string
		for _, m := range Missing(embeddedSite(t, site)) {
			keys = append(keys, m.Key)
		}
		if diff := cmp.Diff(want, keys); diff != "" {
			t.Errorf("%s: %s", site, diff)
		}
	}
}

func TestAccountForm(t *testing.T) {
	for _, c := range []struct {
		site, account string
		good          bool
	}{
		{"lumi", "project_465000001", true},
		{"lumi", "project_462000123", true},
		{"lumi", "project_46500000", false},
		{"lumi", "465000001", false},
		{"karolina", "fta-26-15", true},
		{"karolina", "EU-25-92", true},
		{"karolina", "open-30-1", true},
		{"karolina", "project_465000001", false},
		{"karolina", "fta-26-15; rm -rf /", false},
		{"local", "anything", true},
	} {
		p, origins, err := LoadSite(c.site, newBench(t, "HPCBENCH_ACCOUNT="+c.account, "HPCBENCH_IMAGE=/i.sif").Options)
		if err != nil {
			t.Fatal(err)
		}
		err = Require(p, origins)
		if (err == nil) != c.good {
			t.Errorf("%s on %s: %v", c.account, c.site, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "HPCBENCH_ACCOUNT") || !strings.Contains(err.Error(), p.AccountExample)) {
			t.Errorf("%v: neither origin nor example", err)
		}
	}
}
