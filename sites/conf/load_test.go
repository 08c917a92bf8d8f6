package conf

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// machine has one field of every shape that the loader knows.
type machine struct {
	common   `yaml:",inline"`
	Name     string             `yaml:"name"`
	Nodes    int                `yaml:"nodes"`
	Seed     uint64             `yaml:"seed"`
	Small    int8               `yaml:"small"`
	Share    float64            `yaml:"share"`
	Whole    bool               `yaml:"whole"`
	Wall     time.Duration      `yaml:"wall"`
	Lines    []string           `yaml:"lines"`
	Levels   []int              `yaml:"levels"`
	Gpus     *gpus              `yaml:"gpus"`
	Queues   map[string]queue   `yaml:"queues"`
	Weights  map[string]float64 `yaml:"weights"`
	Body     map[string]any     `yaml:"body"`
	Steps    []queue            `yaml:"steps"`
	OnlyJSON string             `json:"only_json,omitempty"`
}

type common struct {
	Account string `yaml:"account"`
	Poll    *int   `yaml:"poll"`
}

type gpus struct {
	PerNode int    `yaml:"per_node"`
	Vendor  string `yaml:"vendor"`
}

type queue struct {
	MaxJobs int           `yaml:"max_jobs"`
	MaxWall time.Duration `yaml:"max_wall"`
	Use     string        `yaml:"use"`
}

const low = `# the lowest layer
account: project_465000001
poll: 30
name: lumi
nodes: 4
seed: 18446744073709551615
share: 2
whole: true
wall: 90s
lines:
  - one
  - two
levels: [1, 2]
gpus: {per_node: 8, vendor: amd}
queues:
  dev-g:
    max_jobs: 2
    max_wall: 3h
  Small-G: {max_jobs: 210}
weights:
  Qwen/Qwen2.5-7B: 0.5
  HIP_VISIBLE_DEVICES: 1
body:
  chat_template_kwargs: {enable_Thinking: false, List: [{CaseKept: 1}]}
steps:
  - {max_jobs: 1, use: a}
only_json: x
`

func TestLoadKeepsTypesAndCase(t *testing.T) {
	got, origins, err := Load[machine](Bytes("low.yaml", []byte(low)))
	if err != nil {
		t.Fatal(err)
	}
	poll := 30
	want := machine{
		common: common{Account: "project_465000001", Poll: &poll},
		Name:   "lumi", Nodes: 4, Seed: 18446744073709551615, Share: 2, Whole: true, Wall: 90 * time.Second,
		Lines: []string{"one", "two"}, Levels: []int{1, 2},
		Gpus:     &gpus{PerNode: 8, Vendor: "amd"},
		Queues:   map[string]queue{"dev-g": {MaxJobs: 2, MaxWall: 3 * time.Hour}, "Small-G": {MaxJobs: 210}},
		Weights:  map[string]float64{"Qwen/Qwen2.5-7B": 0.5, "HIP_VISIBLE_DEVICES": 1},
		Body:     map[string]any{"chat_template_kwargs": map[string]any{"enable_Thinking": false, "List": []any{map[string]any{"CaseKept": 1}}}},
		Steps:    []queue{{MaxJobs: 1, Use: "a"}},
		OnlyJSON: "x",
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(machine{})); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	for _, c := range []struct {
		path []string
		line int
	}{
		{[]string{"account"}, 2},
		{[]string{"lines"}, 10}, // the key's line, not the first item's
		{[]string{"gpus", "vendor"}, 14},
		{[]string{"queues", "Small-G", "max_jobs"}, 19},
		{[]string{"weights", "Qwen/Qwen2.5-7B"}, 21},
		{[]string{"body", "chat_template_kwargs"}, 24},
	} {
		if got := origins.Of(c.path...); got != (Origin{"low.yaml", c.line}) {
			t.Errorf("origin of %s = %v, want line %d", PathString(c.path), got, c.line)
		}
	}
	if got := origins.Of("steps", "0"); got != (Origin{}) {
		t.Errorf("a list has one origin, its item has %v", got)
	}
}

func TestLoadHigherLayerWins(t *testing.T) {
	high := `
queues:
  dev-g: {max_wall: 1h}
  own: {use: mine}
lines: [three]
body: {chat_template_kwargs: 5, Other: true}
weights: {HIP_VISIBLE_DEVICES: 2}
`
	got, origins, err := Load[machine](
		Bytes("low.yaml", []byte(low)),
		Bytes("high.yaml", []byte(high)),
		Environment("X_", []string{"X_NODES=6", "X_ACCOUNT=", "HOME=/root", "X_GPUS_PER_NODE=2", "X_JOB_ID=7"}, "X_JOB_*"),
		Values(Value{[]string{"levels"}, "4, 8", "--levels"}, Value{[]string{"queues", "dev-g", "use"}, "tries", "--use"}),
	)
	if err != nil {
		t.Fatal(err)
	}
	if got.Queues["dev-g"] != (queue{MaxJobs: 2, MaxWall: time.Hour, Use: "tries"}) {
		t.Errorf("dev-g = %+v: its three keys come from three layers", got.Queues["dev-g"])
	}
	if got.Queues["own"].Use != "mine" || got.Queues["Small-G"].MaxJobs != 210 {
		t.Errorf("queues = %+v", got.Queues)
	}
	if diff := cmp.Diff([]string{"three"}, got.Lines); diff != "" {
		t.Errorf("lists replace: %s", diff)
	}
	if diff := cmp.Diff(map[string]any{"chat_template_kwargs": 5, "Other": true}, got.Body); diff != "" {
		t.Errorf("a free value is replaced whole: %s", diff)
	}
	if got.Nodes != 6 || got.Account != "" || got.Gpus.PerNode != 2 || got.Gpus.Vendor != "amd" {
		t.Errorf("environment: nodes %d, account %q, gpus %+v", got.Nodes, got.Account, got.Gpus)
	}
	for path, want := range map[string]Origin{
		"nodes":   {Source: "X_NODES"},
		"account": {Source: "X_ACCOUNT"},
		"levels":  {Source: "--levels"},
		"lines":   {"high.yaml", 5},
		"name":    {"low.yaml", 4},
	} {
		if got := origins.Of(path); got != want {
			t.Errorf("origin of %s = %v, want %v", path, got, want)
		}
	}
	if diff := cmp.Diff([]int{4, 8}, got.Levels); diff != "" {
		t.Error(diff)
	}
}

func TestLoadNeedsKeys(t *testing.T) {
	if _, _, err := Load[[]string](Bytes("x", []byte("[a]"))); err == nil {
		t.Error("a list at the top was loaded")
	}
}

func TestLoadEmptyFileSetsNothing(t *testing.T) {
	for _, text := range []string{"", "# only words\n", "---\n", "{}\n"} {
		got, origins, err := Load[machine](Bytes("empty.yaml", []byte(text)))
		if err != nil || origins.Len() != 0 || got.Name != "" {
			t.Errorf("%q: %+v, %d origins, %v", text, got, origins.Len(), err)
		}
	}
}

func TestPartHandsOnLeavesWithTheirOrigins(t *testing.T) {
	file := Bytes("all.yaml", []byte("account: general\nname: n\nqueues:\n  a: {max_jobs: 3, use: u}\n"))
	got, origins, err := Load[struct {
		Account string `yaml:"account"`
		MaxJobs int    `yaml:"max_jobs"`
		Use     string `yaml:"use"`
	}](Part[machine](file, Move{[]string{"account"}, []string{"account"}}, Move{[]string{"queues", "a"}, nil}))
	if err != nil {
		t.Fatal(err)
	}
	if got.Account != "general" || got.MaxJobs != 3 || got.Use != "u" {
		t.Errorf("%+v", got)
	}
	if o := origins.Of("max_jobs"); o != (Origin{"all.yaml", 4}) {
		t.Errorf("origin %v", o)
	}
}

func TestOriginsFirst(t *testing.T) {
	_, origins, err := Load[machine](
		Bytes("b.yaml", []byte("queues:\n  dev-g:\n    use: u\n    max_jobs: 1\n  dev-gx: {use: v}\n")),
	)
	if err != nil {
		t.Fatal(err)
	}
	for want, path := range map[Origin][]string{
		{"b.yaml", 3}: {"queues", "dev-g"},
		{"b.yaml", 4}: {"queues", "dev-g", "max_jobs"},
		{"b.yaml", 5}: {"queues", "dev-gx"},
		{}:            {"queues", "dev"},
	} {
		if got := origins.First(path...); got != want {
			t.Errorf("First(%q) = %v, want %v", path, got, want)
		}
	}
	var none *Origins
	if none.First("x") != (Origin{}) || none.Len() != 0 || none.Of("x").String() != "unset" {
		t.Error("no origins are origins, too")
	}
}
