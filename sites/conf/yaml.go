package conf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// leaf is one value with where it stands.
type leaf struct {
	path   []string
	value  any
	origin Origin
}

// reader walks a YAML tree beside the Go type that declares its shape.
type reader struct {
	source   string
	leaves   []leaf
	problems []Problem
}

// readYAML checks a file against t and gives its leaves, or everything that is wrong with it.
func readYAML(source string, data []byte, t reflect.Type) ([]leaf, []Problem) {
	r := &reader{source: source}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, nil // an empty file sets nothing
	}
	if err != nil {
		return nil, []Problem{r.syntax(err)}
	}
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case err == nil:
		r.complain(&second, nil, "a second YAML document; one file is one document")
	case !errors.Is(err, io.EOF):
		return nil, []Problem{r.syntax(err)}
	}
	if len(document.Content) == 1 {
		root := document.Content[0]
		if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" && root.Value == "" {
			return nil, r.problems // nothing but comments
		}
		r.walk(root, t, nil, root.Line)
	}
	return r.leaves, r.problems
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func (r *reader) syntax(err error) Problem {
	text := err.Error()
	problem := Problem{Source: r.source}
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		problem.Line, _ = strconv.Atoi(m[1]) // no digits: no line
		text = text[len(m[0]):]
	}
	problem.Text = "not YAML: " + text
	return problem
}

func (r *reader) complain(n *yaml.Node, path []string, format string, args ...any) {
	r.problems = append(r.problems, Problem{Source: r.source, Line: n.Line, Key: PathString(path), Text: fmt.Sprintf(format, args...)})
}

// acceptable refuses what no value may be.
func (r *reader) acceptable(n *yaml.Node, path []string) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.complain(n, path, "anchors (&) and aliases (*) are not supported; write the value where it is used")
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
		r.complain(n, path, `has no value; null is not a value here, leave the key out to keep what a lower layer says, or write "" for an empty text`)
	default:
		return true
	}
	return false
}

// walk adds the leaves below n, or problems. A leaf's line is that of its key,
// since a list begins on the line below.
func (r *reader) walk(n *yaml.Node, t reflect.Type, path []string, line int) {
	if !r.acceptable(n, path) {
		return
	}
	t = deref(t)
	if !isBranch(t) {
		if value, ok := r.value(n, t, path); ok {
			r.leaves = append(r.leaves, leaf{path, value, Origin{r.source, line}})
		}
		return
	}
	r.pairs(n, t, path, func(key *yaml.Node, value *yaml.Node, inner reflect.Type) {
		r.walk(value, inner, child(path, key.Value), key.Line)
	})
}

// pairs calls visit for each good key of a map node.
func (r *reader) pairs(n *yaml.Node, t reflect.Type, path []string, visit func(key, value *yaml.Node, inner reflect.Type)) {
	if n.Kind != yaml.MappingNode {
		r.complain(n, path, "is %s, but must be %s", describeNode(n), describe(t))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if text := badKey(key); text != "" {
			r.complain(key, path, "%s", text)
			continue
		}
		if line, twice := seen[key.Value]; twice {
			r.complain(key, child(path, key.Value), "is here a second time, after line %d", line)
			continue
		}
		seen[key.Value] = key.Line
		inner, text := innerType(t, key.Value)
		if text != "" {
			r.complain(key, child(path, key.Value), "%s", text)
			continue
		}
		visit(key, value, inner)
	}
}

// innerType finds the type of a key, or says that there is no such key.
func innerType(t reflect.Type, key string) (reflect.Type, string) {
	if t.Kind() != reflect.Struct {
		return t.Elem(), ""
	}
	fields := fieldsOf(t)
	var names []string
	for _, f := range fields {
		if f.name == key {
			return f.typ, ""
		}
		names = append(names, f.name)
	}
	if i := slices.IndexFunc(names, func(s string) bool { return strings.EqualFold(s, key) }); i >= 0 {
		return nil, "unknown key; it is written " + names[i]
	}
	return nil, "unknown key" + DidYouMean(key, names)
}

// badKey says why a key can't be one. Names are printable ASCII so that no two
// of them look alike.
func badKey(key *yaml.Node) string {
	switch {
	case key.Kind != yaml.ScalarNode:
		return "a key must be a plain name"
	case key.ShortTag() == "!!merge":
		return "merge keys (<<) are not supported; write the keys where they are used"
	case key.Anchor != "":
		return "anchors (&) and aliases (*) are not supported; write the value where it is used"
	case key.Value == "":
		return "an empty key"
	case key.ShortTag() != "!!str":
		return fmt.Sprintf("the key %s is not text; put it in quotes", key.Value)
	}
	for _, c := range key.Value {
		if c < 0x20 || c > 0x7e {
			return fmt.Sprintf("the key %q has a character that is not printable ASCII", key.Value)
		}
	}
	return ""
}

// value makes the Go value of a leaf, a list or a thing of undeclared shape.
func (r *reader) value(n *yaml.Node, t reflect.Type, path []string) (any, bool) {
	if !r.acceptable(n, path) {
		return nil, false
	}
	t = deref(t)
	switch t.Kind() {
	case reflect.Interface:
		return r.free(n, path)
	case reflect.Slice, reflect.Array:
		return r.list(n, t, path)
	case reflect.Struct, reflect.Map:
		return r.record(n, t, path)
	}
	return r.scalar(n, t, path)
}

func (r *reader) list(n *yaml.Node, t reflect.Type, path []string) (any, bool) {
	if n.Kind != yaml.SequenceNode {
		r.complain(n, path, "is %s, but must be a list", describeNode(n))
		return nil, false
	}
	items, good := make([]any, 0, len(n.Content)), true
	for i, item := range n.Content {
		value, ok := r.value(item, t.Elem(), child(path, strconv.Itoa(i)))
		items, good = append(items, value), good && ok
	}
	return items, good
}

// record is a map inside a list.
func (r *reader) record(n *yaml.Node, t reflect.Type, path []string) (any, bool) {
	before := len(r.problems)
	values := map[string]any{}
	r.pairs(n, t, path, func(key, value *yaml.Node, inner reflect.Type) {
		if v, ok := r.value(value, inner, child(path, key.Value)); ok {
			values[key.Value] = v
		}
	})
	return values, len(r.problems) == before
}

// free reads a value whose shape nobody declares, such as extra fields of a request body.
func (r *reader) free(n *yaml.Node, path []string) (any, bool) {
	switch n.Kind {
	case yaml.MappingNode:
		return r.record(n, reflect.TypeFor[map[string]any](), path)
	case yaml.SequenceNode:
		return r.list(n, reflect.TypeFor[[]any](), path)
	}
	switch n.ShortTag() {
	case "!!bool":
		return r.scalar(n, reflect.TypeFor[bool](), path)
	case "!!int":
		return r.scalar(n, reflect.TypeFor[int](), path)
	case "!!float":
		return r.scalar(n, reflect.TypeFor[float64](), path)
	}
	return r.scalar(n, reflect.TypeFor[string](), path)
}

// scalar demands the very type: quotes make a text, and only a text.
func (r *reader) scalar(n *yaml.Node, t reflect.Type, path []string) (any, bool) {
	wanted := []string{"!!int"}
	switch t.Kind() {
	case reflect.String:
		wanted = []string{"!!str", "!!timestamp"}
	case reflect.Bool:
		wanted = []string{"!!bool"}
	case reflect.Float32, reflect.Float64:
		wanted = []string{"!!float", "!!int"}
	}
	if t == durationType {
		wanted = []string{"!!str"}
	}
	if n.Kind != yaml.ScalarNode || !slices.Contains(wanted, n.ShortTag()) {
		hint := ""
		if t.Kind() == reflect.String && n.Kind == yaml.ScalarNode {
			hint = "; put it in quotes"
		}
		r.complain(n, path, "is %s, but must be %s%s", describeNode(n), describe(t), hint)
		return nil, false
	}
	text := n.Value
	if t.Kind() == reflect.Bool {
		text = strings.ToLower(text) // YAML also writes True and TRUE
	}
	value, err := parseScalar(t, text)
	if err != nil {
		r.complain(n, path, "%s", err)
		return nil, false
	}
	return value, true
}

// describeNode says what stands in the file.
func describeNode(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map of keys"
	case yaml.SequenceNode:
		return "a list"
	}
	shown := n.Value
	if len(shown) > 40 {
		shown = shown[:40] + "…"
	}
	switch n.ShortTag() {
	case "!!str":
		return fmt.Sprintf("the text %q", shown)
	case "!!int", "!!float":
		return "the number " + shown
	case "!!bool":
		return "the truth value " + shown
	}
	return fmt.Sprintf("%q (%s)", shown, n.ShortTag())
}
