// Package schematest makes the JSON Schemas of our files from their Go types
// and checks files against them. It is for tests alone.
//
//	n := schematest.Tree(t, runDir)  // every file of a run
//	schematest.File(t, path)         // one file, by its kind
//
// A room that writes a kind of file of its own keeps its schema beside its code
// with Current, and checks what it writes with Against.
package schematest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
)

var update = flag.Bool("update-schemas", false, "write the schemas anew")

// Kind is one kind of file.
type Kind struct {
	File   string // of the schema, relative to the test
	Value  any    // of the type that is written
	Format string // the word in the field "format"; "" = it has none
	Enums  []Enum
}

// Enum limits a property of a type to words.
type Enum struct {
	Type, Property string // "Record", "outcome"
	Words          []string
}

// Sources are where comments come from, which become descriptions.
type Sources struct {
	Import string   // the import path of the calling test's folder
	Dirs   []string // folders to read, relative to it
}

// Current checks that each schema is that of its type, and writes them with -update-schemas.
func Current(t *testing.T, from Sources, kinds ...Kind) {
	t.Helper()
	r := &jsonschema.Reflector{Anonymous: true}
	for _, dir := range from.Dirs {
		if err := r.AddGoComments(from.Import, dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range kinds {
		want, err := generate(r, k)
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			continue
		}
		if *update {
			if err := os.WriteFile(k.File, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(k.File)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s isn't that of its type any more; run go test -update-schemas in this folder", k.File)
		}
	}
}

// namer keeps types of one name in several packages apart: the first of them
// keeps it, the others get their package's name before it.
func namer() func(reflect.Type) string {
	owner := map[string]string{}
	return func(t reflect.Type) string {
		name := t.Name()
		if first, taken := owner[name]; taken && first != t.PkgPath() {
			pkg := path.Base(t.PkgPath())
			return strings.ToUpper(pkg[:1]) + pkg[1:] + name
		}
		owner[name] = t.PkgPath()
		return name
	}
}

// generate makes the text of one schema.
func generate(r *jsonschema.Reflector, k Kind) ([]byte, error) {
	r.Namer = namer()
	s := r.Reflect(k.Value)
	if k.Format != "" {
		s.ID = jsonschema.ID("urn:" + k.Format)
		root := s.Definitions[refName(s.Ref)]
		if root == nil {
			return nil, fmt.Errorf("no definition of the type itself")
		}
		format, ok := root.Properties.Get("format")
		if !ok {
			return nil, fmt.Errorf("the type has no field format")
		}
		format.Const = k.Format
	}
	for _, e := range k.Enums {
		def := s.Definitions[e.Type]
		if def == nil {
			return nil, fmt.Errorf("no type %s", e.Type)
		}
		property, ok := def.Properties.Get(e.Property)
		if !ok {
			return nil, fmt.Errorf("%s has no property %s", e.Type, e.Property)
		}
		for _, w := range e.Words {
			property.Enum = append(property.Enum, w)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// refName is the definition that a reference points to.
func refName(ref string) string {
	const prefix = "#/$defs/"
	if len(ref) < len(prefix) {
		return ""
	}
	return ref[len(prefix):]
}
