package conf

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// decimal is the one way in which a whole number is written. YAML would also
// take 010 (as 8), 0x1f and 1_000, which people read differently.
var decimal = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)

// number is how a number with a fraction or an exponent is written.
var number = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

// parseScalar makes a value of a scalar type from its text.
func parseScalar(t reflect.Type, text string) (any, error) {
	if t == durationType {
		d, err := time.ParseDuration(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not %s", text, describe(t))
		}
		return d, nil
	}
	value := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.String:
		value.SetString(text)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("%q is not true or false", text)
		}
		value.SetBool(text == "true")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if !decimal.MatchString(text) {
			return nil, fmt.Errorf("%q is not a whole number in plain decimal digits", text)
		}
		if err != nil || value.OverflowInt(n) {
			return nil, fmt.Errorf("%s is too large", text)
		}
		value.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64)
		if !decimal.MatchString(text) || strings.HasPrefix(text, "-") {
			return nil, fmt.Errorf("%q is not a whole number, not negative, in plain decimal digits", text)
		}
		if err != nil || value.OverflowUint(n) {
			return nil, fmt.Errorf("%s is too large", text)
		}
		value.SetUint(n)
	case reflect.Float32, reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if !number.MatchString(text) {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		if err != nil || math.IsInf(x, 0) || value.OverflowFloat(x) {
			return nil, fmt.Errorf("%s is too large", text)
		}
		value.SetFloat(x)
	default:
		return nil, fmt.Errorf("%s can't be written as one word", describe(t))
	}
	return value.Interface(), nil
}

// parseText makes a leaf from the text of a variable or a flag; lists are
// separated by commas.
func parseText(t reflect.Type, text string) (any, error) {
	t = deref(t)
	if t.Kind() != reflect.Slice {
		return parseScalar(t, text)
	}
	items := []any{}
	if strings.TrimSpace(text) == "" {
		return items, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		item, err := parseScalar(deref(t.Elem()), strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}
