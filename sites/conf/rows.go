package conf

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Row is one leaf as `show` prints it.
type Row struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Rows lists the leaves of v that some layer set, in the order of the type's
// fields and, in maps, of the names.
func Rows(v any, origins *Origins) []Row {
	return rowsOf(reflect.ValueOf(v), nil, origins)
}

// RowsBelow lists the leaves of v, which was loaded at path as a part of
// something larger. The keys begin below that path.
func RowsBelow(v any, origins *Origins, path ...string) []Row {
	rows := rowsOf(reflect.ValueOf(v), path, origins)
	for i := range rows {
		rows[i].Key = strings.TrimPrefix(strings.TrimPrefix(rows[i].Key, PathString(path)), ".")
	}
	return rows
}

func rowsOf(v reflect.Value, path []string, origins *Origins) []Row {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if origin := origins.Of(path...); origin.Source != "" {
		return []Row{{PathString(path), show(v), origin.String()}}
	}
	var rows []Row
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			inner, err := v.FieldByIndexErr(f.index)
			if err != nil {
				continue // inside an inlined pointer that is nil
			}
			rows = append(rows, rowsOf(inner, child(path, f.name), origins)...)
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			rows = append(rows, rowsOf(v.MapIndex(k), child(path, k.String()), origins)...)
		}
	}
	return rows
}

// show writes a leaf on one line.
func show(v reflect.Value) string {
	if d, ok := v.Interface().(time.Duration); ok {
		return shortDuration(d)
	}
	if v.Kind() == reflect.Slice {
		items := make([]string, v.Len())
		for i := range items {
			items[i] = fmt.Sprint(v.Index(i).Interface())
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

// shortDuration drops the zero minutes and seconds that Go prints: 48h, not 48h0m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
