package conf

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoadReportsEverythingAtOnce(t *testing.T) {
	first := `nodes: "4"
Name: x
nodse: 3
queues:
  dev-g: 7
  b: {max_jobs: 1, max_jobs: 2}
  c: {max_wal: 3h}
lines: one
wall: 90
whole: yes
`
	second := `seed: -1
small: 300
share: .inf
steps:
  - {max_jobs: many}
account: 12
poll: ~
gpus: &g {per_node: 010}
body: {x: null}
levels: [1, 2, x]
weights: {"": 1, "ключ": 2}
`
	_, _, err := Load[machine](
		Bytes("first.yaml", []byte(first)),
		Bytes("second.yaml", []byte(second)),
		File("/nowhere/at/all.yaml"),
		Environment("X_", []string{"X_NODSE=1", "X_WALL=soon"}),
		Values(Value{[]string{"gpus"}, "8", "--gpus"}, Value{[]string{"name", "x"}, "8", "--x"}, Value{[]string{"nam"}, "8", "--nam"}),
	)
	var got []string
	for _, p := range Problems(err) {
		got = append(got, p.Error())
	}
	want := []string{
		`first.yaml:1: nodes: is the text "4", but must be a whole number`,
		`first.yaml:2: Name: unknown key; it is written name`,
		`first.yaml:3: nodse: unknown key; did you mean nodes?`,
		`first.yaml:5: queues.dev-g: is the number 7, but must be a map of keys`,
		`first.yaml:6: queues.b.max_jobs: is here a second time, after line 6`,
		`first.yaml:7: queues.c.max_wal: unknown key; did you mean max_wall?`,
		`first.yaml:8: lines: is the text "one", but must be a list`,
		`first.yaml:9: wall: is the number 90, but must be a duration such as "90s" or "2h30m"`,
		`first.yaml:10: whole: is the text "yes", but must be true or false`,
		`second.yaml:1: seed: "-1" is not a whole number, not negative, in plain decimal digits`,
		`second.yaml:2: small: 300 is too large`,
		`second.yaml:3: share: ".inf" is not a number`,
		`second.yaml:5: steps.0.max_jobs: is the text "many", but must be a whole number`,
		`second.yaml:6: account: is the number 12, but must be text; put it in quotes`,
		`second.yaml:7: poll: has no value; null is not a value here, leave the key out to keep what a lower layer says, or write "" for an empty text`,
		`second.yaml:8: gpus: anchors (&) and aliases (*) are not supported; write the value where it is used`,
		`second.yaml:9: body.x: has no value; null is not a value here, leave the key out to keep what a lower layer says, or write "" for an empty text`,
		`second.yaml:10: levels.2: is the text "x", but must be a whole number`,
		`second.yaml:11: weights: an empty key`,
		`second.yaml:11: weights: the key "ключ" has a character that is not printable ASCII`,
		`/nowhere/at/all.yaml: can't be read: open /nowhere/at/all.yaml: no such file or directory`,
		`X_NODSE: unknown variable; did you mean X_NODES?`,
		`X_WALL: "soon" is not a duration such as "90s" or "2h30m"`,
		`--gpus: gpus: can't be given as one word: it is a map of keys`,
		`--x: name.x: unknown key: there is nothing below text`,
		`--nam: nam: unknown key; did you mean name?`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	if err != nil && strings.Count(err.Error(), "\n") != len(want)-1 {
		t.Errorf("not one line a problem:\n%v", err)
	}
}

func TestLoadRefusesWhatIsNotOneMap(t *testing.T) {
	for text, want := range map[string]string{
		"[a]\n":                         "x.yaml:1: is a list, but must be a map of keys",
		"name: a\n---\nname: b\n":       "x.yaml:2: a second YAML document; one file is one document",
		"name: [\n":                     "x.yaml:1: not YAML: did not find expected node content",
		"name: a\nname: b\nNAME: c\n":   "x.yaml:2: name: is here a second time, after line 1",
		"a: 1\n<<: {name: x}\n":         "x.yaml:2: merge keys (<<) are not supported; write the keys where they are used",
		"weights: {12: 1}\n":            "x.yaml:1: weights: the key 12 is not text; put it in quotes",
		"{[1, 2]: 3}\n":                 "x.yaml:1: a key must be a plain name",
		"nodes: 010\n":                  `x.yaml:1: nodes: "010" is not a whole number in plain decimal digits`,
		"nodes: 0x1f\n":                 `x.yaml:1: nodes: "0x1f" is not a whole number in plain decimal digits`,
		"name: *gone\n":                 "x.yaml: not YAML: unknown anchor 'gone' referenced",
		"name: !!binary aGk=\n":         "put it in quotes",
		"nodes: 99999999999999999999\n": "must be a whole number",
	} {
		_, _, err := Load[machine](Bytes("x.yaml", []byte(text)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestJoin(t *testing.T) {
	if err := Join(nil, nil); err != nil {
		t.Errorf("nothing wrong, but %v", err)
	}
	cause := errors.New("cause")
	err := Join(errors.New("first"), nil, cause)
	if err.Error() != "first\ncause" || !errors.Is(err, cause) {
		t.Errorf("%q", err)
	}
	if Problems(cause) != nil {
		t.Error("an error of somebody else's has no problems")
	}
}

func TestEnvironmentNamesMustDiffer(t *testing.T) {
	_, _, err := Load[struct {
		A struct {
			B string `yaml:"b"`
		} `yaml:"a"`
		AB string `yaml:"a_b"`
	}](Environment("X_", nil))
	if err == nil || !strings.Contains(err.Error(), "X_A_B: stands for a.b and for a_b") {
		t.Errorf("%v", err)
	}
}
