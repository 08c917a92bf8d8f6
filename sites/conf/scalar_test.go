package conf

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// FuzzValues: no text of a flag makes the loader panic, and what it accepts is
// what was written.
func FuzzValues(f *testing.F) {
	for _, s := range []string{"8", "-0", "+4", "010", "1e3", "1e999", ".5", "true", "True", "90s", "1h1h", "a,b", " , ", "", "NaN", "0x10", "9223372036854775808"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, key := range Keys[machine]() {
			got, origins, err := Load[machine](Values(Value{key.Path, text, "--flag"}))
			if err != nil {
				if len(Problems(err)) != 1 {
					t.Errorf("%s=%q: %v", PathString(key.Path), text, err)
				}
				continue
			}
			if at := origins.Of(key.Path...); at.Source != "--flag" {
				t.Errorf("%s=%q: origin %v", PathString(key.Path), text, at)
			}
			switch PathString(key.Path) {
			case "name":
				if got.Name != text {
					t.Errorf("name %q became %q", text, got.Name)
				}
			case "nodes":
				if want := strings.TrimPrefix(text, "+"); fmt.Sprint(got.Nodes) != want && want != "-0" {
					t.Errorf("nodes %q became %d", text, got.Nodes)
				}
			case "wall":
				if want, err := time.ParseDuration(text); err != nil || got.Wall != want {
					t.Errorf("wall %q became %s", text, got.Wall)
				}
			case "whole":
				if fmt.Sprint(got.Whole) != text {
					t.Errorf("whole %q became %v", text, got.Whole)
				}
			case "lines":
				if want := strings.Count(text, ",") + 1; strings.TrimSpace(text) != "" && len(got.Lines) != want {
					t.Errorf("lines %q became %d items", text, len(got.Lines))
				}
			}
		}
	})
}

func TestParseScalarLimits(t *testing.T) {
	for text, want := range map[string]string{
		"128":  "is too large",
		"-129": "is too large",
		"1.0":  "is not a whole number",
		"1_0":  "is not a whole number",
	} {
		if _, err := parseScalar(reflect.TypeFor[int8](), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := parseScalar(reflect.TypeFor[float32](), "1e39"); err == nil {
		t.Error("1e39 is no float32")
	}
	if got, err := parseScalar(reflect.TypeFor[uint64](), "18446744073709551615"); err != nil || got != uint64(18446744073709551615) {
		t.Errorf("%v, %v", got, err)
	}
}
