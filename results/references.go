package results

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed references/*.yaml
var referenceFiles embed.FS

// ErrUnknownReference says that no reference has the name.
var ErrUnknownReference = errors.New("unknown reference")

// ErrOtherReference says that the reference is a table where a matrix was
// wanted, or the other way round.
var ErrOtherReference = errors.New("a reference of another kind")

// ReferenceNames lists the published references, tables and matrices, by name.
func ReferenceNames() []string {
	entries, err := referenceFiles.ReadDir("references")
	if err != nil {
		panic("the references weren't embedded: " + err.Error()) // the build did it: no input can cause this
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// References gives all published tables, by name.
func References() ([]Reference, error) {
	return ofKind(LoadReference)
}

// MatrixReferences gives all published matrices, by name.
func MatrixReferences() ([]MatrixReference, error) {
	return ofKind(LoadMatrixReference)
}

func ofKind[T any](load func(string) (T, error)) ([]T, error) {
	var all []T
	for _, name := range ReferenceNames() {
		r, err := load(name)
		if errors.Is(err, ErrOtherReference) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// LoadReference gives a published table by name. The error wraps
// ErrUnknownReference and names the nearest one, or ErrOtherReference where
// the name is a matrix's.
func LoadReference(name string) (Reference, error) {
	return loadReference[Reference](name, FormatReference)
}

// LoadMatrixReference is LoadReference for a published matrix.
func LoadMatrixReference(name string) (MatrixReference, error) {
	return loadReference[MatrixReference](name, FormatMatrixReference)
}

func loadReference[T any](name, format string) (T, error) {
	var r T
	if !slices.Contains(ReferenceNames(), name) {
		return r, fmt.Errorf("%w %q%s", ErrUnknownReference, name, didYouMean(name, ReferenceNames()))
	}
	b, err := referenceFiles.ReadFile("references/" + name + ".yaml")
	if err != nil {
		return r, fmt.Errorf("read the reference %s: %w", name, err)
	}
	r, err = decodeReference[T](b, format)
	if err != nil {
		return r, fmt.Errorf("reference %s: %w", name, err)
	}
	return r, nil
}

// decodeReference reads one YAML document strictly: an unknown key is an error
// with its line.
func decodeReference[T any](b []byte, format string) (T, error) {
	var r T
	var head struct {
		Format string `yaml:"format"`
	}
	if err := yaml.Unmarshal(b, &head); err != nil {
		return r, err
	}
	if head.Format != format && slices.Contains([]string{FormatReference, FormatMatrixReference}, head.Format) {
		return r, fmt.Errorf("%w: its format is %s, %s was wanted", ErrOtherReference, head.Format, format)
	}
	if err := CheckFormat(head.Format, format); err != nil {
		return r, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(&r); err != nil {
		return r, err
	}
	return r, nil
}
