package conf

import (
	"fmt"
	"reflect"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"
)

// sealed hides a list or a value of undeclared shape from viper, which would
// lower-case the keys inside it.
type sealed struct{ value any }

// Load lays the layers on top of each other, lowest first, and gives the
// merged value with the origin of every leaf. The error holds everything that is wrong,
// in all layers; Problems takes it apart.
func Load[T any](layers ...Layer) (T, *Origins, error) {
	var result T
	if !isBranch(reflect.TypeFor[T]()) {
		return result, nil, fmt.Errorf("load settings: %s has no keys", reflect.TypeFor[T]())
	}
	origins := &Origins{byPath: map[string]Origin{}}
	merged := viper.NewWithOptions(viper.KeyDelimiter(separator))
	var problems []Problem
	for _, layer := range layers {
		leaves, found := layer.read(reflect.TypeFor[T]())
		problems = append(problems, found...)
		tree := map[string]any{}
		for _, l := range leaves {
			plant(tree, l.path, l.value)
			origins.byPath[pathKey(l.path)] = l.origin
		}
		if err := merged.MergeConfigMap(tree); err != nil {
			return result, nil, fmt.Errorf("merge a layer: %w", err)
		}
	}
	if len(problems) > 0 {
		return result, nil, joinProblems(problems)
	}
	decoder, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result:          &result,
		TagName:         "yaml,json",
		SquashTagOption: "inline",
		ErrorUnused:     true,
		MatchName:       func(key, field string) bool { return key == field },
	})
	if err != nil {
		return result, nil, fmt.Errorf("prepare to decode: %w", err)
	}
	if err := decoder.Decode(harvest(merged.AllSettings())); err != nil {
		return result, nil, fmt.Errorf("decode the merged layers: %w", err)
	}
	return result, origins, nil
}

// plant puts a value into a tree of maps, with its keys folded.
func plant(tree map[string]any, path []string, value any) {
	for _, segment := range path[:len(path)-1] {
		inner, ok := tree[fold(segment)].(map[string]any)
		if !ok {
			inner = map[string]any{}
			tree[fold(segment)] = inner
		}
		tree = inner
	}
	switch value.(type) {
	case []any, map[string]any:
		value = sealed{value}
	}
	tree[fold(path[len(path)-1])] = value
}

// harvest unfolds the keys and opens what was sealed.
func harvest(tree map[string]any) map[string]any {
	plain := make(map[string]any, len(tree))
	for key, value := range tree {
		switch v := value.(type) {
		case map[string]any:
			value = harvest(v)
		case sealed:
			value = v.value
		}
		plain[unfold(key)] = value
	}
	return plain
}
