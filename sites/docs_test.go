package sites

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/sites/conf"
)

func readDocs(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../docs/sites.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The tables list every key that the types declare, in their order, and no other.
func TestDocsListEveryKey(t *testing.T) {
	var want, got []string
	for _, k := range append(conf.Keys[Profile](), conf.Keys[Catalogue]()...) {
		words, _, _ := strings.Cut(k.Type, " such as")
		want = append(want, strings.Join(k.Path, ".")+": "+words)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_.A-Z]+)` \\| ([a-z ]+) \\|.*\\|$").FindAllStringSubmatch(readDocs(t), -1) {
		got = append(got, m[1]+": "+m[2])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("types - docs/sites.md +\n%s", diff)
	}
}

func TestDocsListEveryVariable(t *testing.T) {
	var want, got []string
	for _, k := range conf.Keys[Config]() {
		if !k.User {
			want = append(want, conf.EnvName(EnvPrefix, k.Path...)+" "+conf.PathString(k.Path))
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(HPCBENCH_[A-Z_]+)` \\| `([a-z_]+)` \\|$").FindAllStringSubmatch(readDocs(t), -1) {
		got = append(got, m[1]+" "+m[2])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("types - docs/sites.md +\n%s", diff)
	}
}

// Every example is loaded as the file that its first line names, all together.
func TestDocsExamplesLoad(t *testing.T) {
	b := newBench(t)
	examples := regexp.MustCompile("(?s)```yaml\n# (\\S+)\n(.*?)```").FindAllStringSubmatch(readDocs(t), -1)
	if len(examples) != 4 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, m := range examples {
		b.write(m[1], m[2])
	}
	for _, name := range []string{"lumi", "karolina", "desk"} {
		b.Flags = nil
		if name == "desk" {
			b.Flags = []conf.Value{
				{Path: []string{"account"}, Text: "lab", Source: "--account"},
				{Path: []string{"image"}, Text: "/images/vllm.sif", Source: "--image"},
			}
		}
		p, origins, err := LoadSite(name, b.Options)
		if err != nil {
			t.Fatal(err)
		}
		if err := Require(p, origins); err != nil {
			t.Errorf("%s isn't ready with the examples: %v", name, err)
		}
		if _, err := p.Expand(b.Who()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p, _, err := LoadSite("", b.Options); err != nil || p.Name != "lumi" || p.Partition != "small-g" || p.ConfirmCostAbove != 20 {
		t.Errorf("%s %s, %v", p.Name, p.Partition, err)
	}
	c, _, err := LoadModels(b.Options)
	if err != nil {
		t.Fatal(err)
	}
	for alias, want := range map[string]string{"small": "Qwen/Qwen3-4B-Instruct-2507", "tuned": "my-lab/tuned-7B"} {
		if m, err := c.Find(alias); err != nil || m.ID != want {
			t.Errorf("%s is %s, %v", alias, m.ID, err)
		}
	}
}
