package conf

import (
	"fmt"
	"os"
	"reflect"
)

// Layer is one source of settings. Its constructors are Bytes, File, Values,
// Environment and Part.
type Layer struct {
	read func(t reflect.Type) ([]leaf, []Problem)
}

// Bytes is a YAML text; source is what origins and errors call it.
func Bytes(source string, data []byte) Layer {
	return Layer{func(t reflect.Type) ([]leaf, []Problem) { return readYAML(source, data, t) }}
}

// File is a YAML file that must be there. Load reads it.
func File(path string) Layer {
	return Layer{func(t reflect.Type) ([]leaf, []Problem) {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, []Problem{{Source: path, Text: fmt.Sprintf("can't be read: %v", err)}}
		}
		return readYAML(path, data, t)
	}}
}

// Value is one leaf given as text, by a flag or a variable. The text is read
// as the leaf's type demands; a list is separated by commas.
type Value struct {
	Path   []string
	Text   string
	Source string // "--account", "HPCBENCH_ACCOUNT"
}

// Values is a layer of single values.
func Values(values ...Value) Layer {
	return Layer{func(t reflect.Type) ([]leaf, []Problem) {
		var leaves []leaf
		var problems []Problem
		for _, v := range values {
			value, err := parseAt(t, v.Path, v.Text)
			if err != nil {
				problems = append(problems, Problem{Source: v.Source, Key: PathString(v.Path), Text: err.Error()})
				continue
			}
			leaves = append(leaves, leaf{v.Path, value, Origin{Source: v.Source}})
		}
		return leaves, problems
	}}
}

func parseAt(t reflect.Type, path []string, text string) (any, error) {
	for _, segment := range path {
		t = deref(t)
		if !isBranch(t) {
			return nil, fmt.Errorf("unknown key: there is nothing below %s", describe(t))
		}
		inner, problem := innerType(t, segment)
		if problem != "" {
			return nil, fmt.Errorf("%s", problem)
		}
		t = inner
	}
	if isBranch(t) {
		return nil, fmt.Errorf("can't be given as one word: it is %s", describe(t))
	}
	return parseText(t, text)
}

// Move hands the leaves at or below From on as leaves at or below To.
type Move struct {
	From, To []string
}

// Part is a layer made of parts of another: l is read as a T, strictly, and
// the leaves named by the moves are handed on with their origins. Where two moves
// give the same leaf, the later one wins.
func Part[T any](l Layer, moves ...Move) Layer {
	return Layer{func(reflect.Type) ([]leaf, []Problem) {
		whole, problems := l.read(reflect.TypeFor[T]())
		var leaves []leaf
		for _, m := range moves {
			for _, v := range whole {
				if len(v.path) < len(m.From) || pathKey(v.path[:len(m.From)]) != pathKey(m.From) {
					continue
				}
				to := append(append([]string{}, m.To...), v.path[len(m.From):]...)
				leaves = append(leaves, leaf{to, v.value, v.origin})
			}
		}
		return leaves, problems
	}}
}
