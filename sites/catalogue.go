package sites

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"hpcbench/sites/conf"
)

// Catalogue is the models by org/name.
type Catalogue struct {
	Models map[string]Model `yaml:"models"`
}

// LoadModels reads the embedded catalogue and the user's models.yaml over it.
func LoadModels(o Options) (Catalogue, *conf.Origins, error) {
	data, err := embedded.ReadFile("models.yaml")
	if err != nil {
		return Catalogue{}, nil, fmt.Errorf("read the catalogue: %w", err)
	}
	layers := []conf.Layer{conf.Bytes(embeddedPrefix+"models.yaml", data)}
	own, ok, err := o.userFile("models.yaml")
	if err != nil {
		return Catalogue{}, nil, err
	}
	if ok {
		layers = append(layers, own)
	}
	c, origins, err := conf.Load[Catalogue](layers...)
	if err != nil {
		return Catalogue{}, nil, fmt.Errorf("models: %w", err)
	}
	for id, m := range c.Models {
		m.ID = id
		c.Models[id] = m
	}
	if err := c.validate(origins); err != nil {
		return Catalogue{}, nil, fmt.Errorf("models: %w", err)
	}
	return c, origins, nil
}

// repository is org/name as the model hub writes it.
var repository = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*$`)

func (c Catalogue) validate(origins *conf.Origins) error {
	var errs []error
	complain := func(id, format string, args ...any) {
		at := origins.First("models", id)
		errs = append(errs, conf.Problem{Source: at.Source, Line: at.Line, Key: conf.PathString([]string{"models", id}), Text: fmt.Sprintf(format, args...)})
	}
	owner := map[string]string{} // small letters → id
	for _, id := range c.IDs() {
		owner[strings.ToLower(id)] = id
	}
	for _, id := range c.IDs() {
		m := c.Models[id]
		if !repository.MatchString(id) {
			complain(id, "a model is called org/name")
		}
		for _, alias := range m.Aliases {
			key := strings.ToLower(alias)
			if other, taken := owner[key]; taken && other != id {
				complain(id, "its alias %s also stands for %s", alias, other)
			}
			owner[key] = id
		}
		if m.AttentionHeads > 0 && m.KVHeads > 0 && m.AttentionHeads%m.KVHeads != 0 {
			complain(id, "%d attention heads are no multiple of %d KV heads", m.AttentionHeads, m.KVHeads)
		}
		if m.DType != "" && bytesOf(m.DType) == 0 {
			complain(id, "dtype %q must be bfloat16, float16 or float32; a quantised model says so in quantization", m.DType)
		}
		for _, n := range []int64{int64(m.Layers), int64(m.AttentionHeads), int64(m.KVHeads), int64(m.HeadDim), int64(m.ContextTokens), m.Parameters, m.WeightBytes} {
			if n < 0 {
				complain(id, "%d is negative", n)
			}
		}
	}
	return conf.Join(errs...)
}

// IDs lists the models, sorted.
func (c Catalogue) IDs() []string { return slices.Sorted(maps.Keys(c.Models)) }

// Find gives a model by its org/name, the name alone, an alias (in any case)
// or the path of a folder, which is read. An org/name that the catalogue does not have is
// accepted with nothing known of it. Anything else is an error with the nearest names.
func (c Catalogue) Find(name string) (Model, error) {
	if name == "" {
		return Model{}, fmt.Errorf("no model: pass --model NAME; `models list` shows the known ones")
	}
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~") || isDir(name) {
		return ReadModelDir(name)
	}
	short := map[string][]string{} // what may be typed, in small letters → ids
	var typed []string
	for _, id := range c.IDs() {
		_, alone, _ := strings.Cut(id, "/")
		for _, word := range append([]string{id, alone}, c.Models[id].Aliases...) {
			key := strings.ToLower(word)
			if !slices.Contains(short[key], id) {
				short[key] = append(short[key], id)
			}
			typed = append(typed, word)
		}
	}
	switch ids := short[strings.ToLower(name)]; {
	case len(ids) == 1:
		return c.Models[ids[0]], nil
	case len(ids) > 1:
		return Model{}, fmt.Errorf("model %q may be %s; write the whole name", name, strings.Join(ids, " or "))
	}
	if repository.MatchString(name) {
		return Model{ID: name}, nil
	}
	return Model{}, fmt.Errorf("there is no model %q%s; any org/name of the model hub or a folder is taken, too", name, conf.DidYouMean(name, typed))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
