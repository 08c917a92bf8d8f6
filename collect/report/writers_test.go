package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/collecttest"
	"hpcbench/collect/read"
)

func TestMarkdownGolden(t *testing.T) {
	var buf bytes.Buffer
	if err := document(t, troubled(), read.Options{}).Markdown(&buf); err != nil {
		t.Fatal(err)
	}
	golden(t, "troubled.md", buf.Bytes())
}

func TestMarkdownEscapesWhatOthersWrote(t *testing.T) {
	s := troubled()
	s.Name = "a|b*c_<img>"
	d := document(t, collecttest.Setup{Name: "plain", Repeats: 1, DurationS: 10}, read.Options{})
	d.Run = s.Name
	var buf bytes.Buffer
	if err := d.Markdown(&buf); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(buf.String(), `# a\|b\*c\_&lt;img>`) {
		t.Errorf("title: %s", strings.SplitN(buf.String(), "\n", 2)[0])
	}
}

func TestCSVReadsBackExactly(t *testing.T) {
	d := document(t, troubled(), read.Options{})
	var buf bytes.Buffer
	if err := d.CSV(&buf); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&buf).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	col := map[string]int{}
	for i, h := range rows[0] {
		col[h] = i
	}
	found := false
	for _, r := range rows[1:] {
		if r[col["step"]] != "constant@2.53req/s" || r[col["metric"]] != "compat.ttft_ms.avg" {
			continue
		}
		found = true
		e, _ := d.StepByID("constant@2.53req/s").Estimate("compat.ttft_ms.avg")
		if mean, err := strconv.ParseFloat(r[col["mean"]], 64); err != nil || mean != *e.Mean {
			t.Errorf("mean %s, want %v", r[col["mean"]], *e.Mean)
		}
		if r[col["unit"]] != "ms" || r[col["outliers"]] != "4" || len(strings.Fields(r[col["raw"]])) != 5 {
			t.Errorf("row %v", r)
		}
	}
	if !found {
		t.Error("the row isn't there")
	}
}

func TestJSONHasFormatAndReadsBack(t *testing.T) {
	var buf bytes.Buffer
	if err := document(t, troubled(), read.Options{}).JSON(&buf); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Format string           `json:"format"`
		Good   int              `json:"repeats_good"`
		Steps  []aggregate.Step `json:"steps"`
	}
	if err := json.Unmarshal(buf.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Format != FormatDocument || back.Good != 4 || len(back.Steps) != 3 || back.Steps[1].LeftOut[0].Repeat != 1 {
		t.Errorf("read back: %+v", back)
	}
}

func TestNumber(t *testing.T) {
	for _, tc := range []struct {
		x    float64
		want string
	}{{31.4159, "31.42"}, {454.656, "454.7"}, {1532.756, "1533"}, {123456, "123456"}, {0.5, "0.5000"}, {0, "0"}, {0.001234, "0.001234"}, {-31.4159, "-31.42"}} {
		if got := Number(tc.x, 4); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.x, got, tc.want)
		}
	}
	for _, tc := range []struct {
		x    float64
		want string
	}{{0, "0 %"}, {0.0025, "0.25 %"}, {0.98, "98 %"}, {0.0314, "3.1 %"}} {
		if got := Percent(tc.x); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.x, got, tc.want)
		}
	}
}

func TestCellNeverHidesSpread(t *testing.T) {
	c := cellOf(aggregate.Summarise("m", []aggregate.RepeatValue{{Repeat: 1, Value: 1000}, {Repeat: 2, Value: 1000.001}, {Repeat: 3, Value: 1000.002}}), 1)
	if c.Text != "1000" || c.Spread != "±0.002" {
		t.Errorf("cell %+v", c)
	}
	c = cellOf(aggregate.Summarise("m", []aggregate.RepeatValue{{Repeat: 1, Value: 10}, {Repeat: 2, Value: 40, Unbounded: true}}), 1)
	if c.Text != "> 25.00" || c.Spread != "" {
		t.Errorf("unbounded cell %+v", c)
	}
	c = cellOf(aggregate.Summarise("m", []aggregate.RepeatValue{{Repeat: 1, Value: 10}, {Repeat: 2, Unbounded: true}}), 1)
	if c.Text != "unbounded" {
		t.Errorf("cell %+v", c)
	}
}
