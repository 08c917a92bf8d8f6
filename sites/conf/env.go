package conf

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// EnvName is the variable for a leaf: the prefix and the path in capitals, with
// _ between the segments and for every -.
func EnvName(prefix string, path ...string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(strings.Join(path, "_"), "-", "_"))
}

// Environment is a layer of the variables whose names begin with prefix.
// environ is as os.Environ gives it. Every leaf of the loaded type has a variable, except
// those below maps whose names the user makes; a variable with the prefix that
// is not one of them is a problem, unless reserved names it. A reserved name that ends
// in * stands for all that begin so. A variable that is set but empty sets an
// empty text.
func Environment(prefix string, environ []string, reserved ...string) Layer {
	return Layer{func(t reflect.Type) ([]leaf, []Problem) {
		paths := map[string][]string{}
		var names []string
		for _, key := range keysOf(t, nil, false) {
			if key.User {
				continue
			}
			name := EnvName(prefix, key.Path...)
			if other, taken := paths[name]; taken {
				return nil, []Problem{{Source: name, Text: fmt.Sprintf("stands for %s and for %s; one of the keys needs another name", PathString(other), PathString(key.Path))}}
			}
			paths[name] = key.Path
			names = append(names, name)
		}
		var leaves []leaf
		var problems []Problem
		for _, assignment := range slices.Sorted(slices.Values(environ)) {
			name, text, _ := strings.Cut(assignment, "=")
			if !strings.HasPrefix(name, prefix) || isReserved(name, reserved) {
				continue
			}
			path, known := paths[name]
			if !known {
				problems = append(problems, Problem{Source: name, Text: "unknown variable" + DidYouMean(name, names)})
				continue
			}
			value, err := parseAt(t, path, text)
			if err != nil {
				problems = append(problems, Problem{Source: name, Text: err.Error()})
				continue
			}
			leaves = append(leaves, leaf{path, value, Origin{Source: name}})
		}
		return leaves, problems
	}}
}

func isReserved(name string, reserved []string) bool {
	return slices.ContainsFunc(reserved, func(r string) bool {
		if prefix, ok := strings.CutSuffix(r, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return r == name
	})
}
