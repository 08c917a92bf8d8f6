package results

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fullRecord has another value in every field.
func fullRecord(t testing.TB) Record {
	var r Record
	v := reflect.ValueOf(&r).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Int, reflect.Int64:
			f.SetInt(int64(1000 + i))
		case reflect.String:
			f.SetString(fmt.Sprintf("text-%d", i))
		case reflect.Bool:
			f.SetBool(true)
		default:
			t.Fatalf("field %s has a kind that unmarshalFast doesn't know", v.Type().Field(i).Name)
		}
	}
	return r
}

// A field that is added to Record but not here would send every line the slow way.
func TestUnmarshalFastKnowsEveryField(t *testing.T) {
	want := fullRecord(t)
	line, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Record
	if !got.unmarshalFast(line) || !cmp.Equal(got, want) {
		t.Errorf("%s is not read: %s", line, cmp.Diff(want, got))
	}
}

func TestUnmarshalFastLeavesTheRest(t *testing.T) {
	for _, line := range []string{
		"", "{", "}", "[]", "null", `{"seq":1`, `{"seq":1}}`, `{"seq":1,}`, `{"seq" :1}`, `{"seq":01}`, `{"seq":1.0}`, `{"seq":1e3}`, `{"seq":-}`,
		`{"seq":null}`, `{"seq":"1"}`, `{"phase":1}`, `{"phase":"a\n"}`, `{"phase":"é"}`, `{"phase":"a`, `{"reused":tru}`, `{"reused":1}`,
		`{"unknown":1}`, `{"unknown":"x"}`, `{"seq":99999999999999999999}`, `{"phase":true}`, `{"seq":1 }`, `{"Seq":1}`, `{,}`, `{"seq"`,
	} {
		var r Record
		if r.unmarshalFast([]byte(line)) {
			t.Errorf("%q is taken as %+v", line, r)
		}
	}
}

func FuzzUnmarshalFast(f *testing.F) {
	line, err := json.Marshal(fullRecord(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte(`{"seq":-5,"reused":false,"gaps":"AAA","seq":7}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var fast, slow Record
		if !fast.unmarshalFast(line) {
			return
		}
		if err := json.Unmarshal(line, &slow); err != nil || fast != slow {
			t.Errorf("%q: %+v, encoding/json says %+v, %v", line, fast, slow, err)
		}
	})
}
