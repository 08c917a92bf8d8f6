package conf

import (
	"reflect"
	"strings"
	"time"
)

var durationType = reflect.TypeFor[time.Duration]()

// field is one declared key of a struct.
type field struct {
	name  string
	typ   reflect.Type
	index []int
}

// fieldsOf lists the keys that a struct type declares, those of inlined structs among them, in order.
func fieldsOf(t reflect.Type) []field {
	var list []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, inline := keyName(f)
		switch {
		case inline:
			for _, inner := range fieldsOf(deref(f.Type)) {
				inner.index = append([]int{i}, inner.index...)
				list = append(list, inner)
			}
		case name != "-" && f.IsExported():
			list = append(list, field{name, f.Type, []int{i}})
		}
	}
	return list
}

// keyName reads the yaml tag, else the json tag, else takes the field's name in small letters as yaml does.
func keyName(f reflect.StructField) (name string, inline bool) {
	for _, tag := range []string{"yaml", "json"} {
		text, ok := f.Tag.Lookup(tag)
		if !ok {
			continue
		}
		first, options, _ := strings.Cut(text, ",")
		if strings.Contains(options, "inline") {
			return "", true
		}
		if first != "" {
			return first, false
		}
	}
	return strings.ToLower(f.Name), false
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// isBranch tells types whose keys are merged from leaves, which are replaced whole.
func isBranch(t reflect.Type) bool {
	t = deref(t)
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map
}

// describe names a type for a person.
func describe(t reflect.Type) string {
	t = deref(t)
	if t == durationType {
		return `a duration such as "90s" or "2h30m"`
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number, not negative"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a map of keys"
	}
	return "any value"
}

// Key is one declared leaf of a type.
type Key struct {
	Path []string // a map whose names the user makes has "NAME" in that place
	Type string   // in words
	User bool     // below a map whose names the user makes
}

// Keys lists the leaves that T declares, in the order of its fields.
func Keys[T any]() []Key {
	return keysOf(reflect.TypeFor[T](), nil, false)
}

func keysOf(t reflect.Type, path []string, user bool) []Key {
	t = deref(t)
	var list []Key
	switch {
	case t.Kind() == reflect.Struct:
		for _, f := range fieldsOf(t) {
			list = append(list, keysOf(f.typ, child(path, f.name), user)...)
		}
	case t.Kind() == reflect.Map:
		list = keysOf(t.Elem(), child(path, "NAME"), true)
	default:
		list = []Key{{Path: path, Type: describe(t), User: user}}
	}
	return list
}

// child is path with one more segment, never sharing memory with its siblings.
func child(path []string, segment string) []string {
	longer := make([]string, len(path)+1)
	copy(longer, path)
	longer[len(path)] = segment
	return longer
}
