package history

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestColumnsReadAsEncodingJSONDoes(t *testing.T) {
	for _, text := range []string{`[]`, `[1]`, `[1, 2.5 ,-1]`, `null`, `[1e3,0.25]`, `[1,"x"]`, `{"a":1}`, `[[1,2]]`, `3`, `[null]`} {
		var want []float64
		wantErr := json.Unmarshal([]byte(text), &want)
		var got Figures
		err := json.Unmarshal([]byte(text), &got)
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%s: %v, encoding/json %v", text, err, wantErr)
		}
		if err == nil && len(got)+len(want) > 0 && !reflect.DeepEqual([]float64(got), want) {
			t.Errorf("%s: %v, encoding/json %v", text, got, want)
		}
	}
}

func TestStepIDsAreKeptOnce(t *testing.T) {
	var a, b, c StepIDs
	for text, to := range map[string]*StepIDs{`["x","y"]`: &a, `["x"]`: &c} {
		if err := json.Unmarshal([]byte(text), to); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal([]byte(`["x","y"]`), &b); err != nil {
		t.Fatal(err)
	}
	if &a[0] != &b[0] || len(c) != 1 || b[1] != "y" {
		t.Errorf("%v %v %v", a, b, c)
	}
	if err := json.Unmarshal([]byte(`[1]`), &c); err == nil {
		t.Error("numbers are no ids")
	}
}
