package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"hpcbench/results"
)

func TestConfirm(t *testing.T) {
	for answer, taken := range map[string]bool{"y\n": true, "YES\n": true, " yes \n": true, "n\n": false, "\n": false, "": false, "yesterday\n": false} {
		var out strings.Builder
		err := confirm(t.Context(), "this may cost 5 node-hours", strings.NewReader(answer), &out)
		if (err == nil) != taken {
			t.Errorf("%q: %v", answer, err)
		}
		if !strings.Contains(out.String(), "5 node-hours.\nSubmit it? [y/N] ") {
			t.Errorf("asked %q", out.String())
		}
	}
	// Ctrl-C at the question.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never, _ := io.Pipe()
	if err := confirm(ctx, "x", never, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCostOf(t *testing.T) {
	a := results.Spec{Site: results.SiteFacts{Cost: results.CostSpec{PerHour: 0.5, ExpectedHours: 2, WorstHours: 4}}}
	b := results.Spec{Site: results.SiteFacts{Cost: results.CostSpec{PerHour: 1, ExpectedHours: 1, WorstHours: 3}}}
	if expected, worst := costOf([]results.Spec{a, b}); expected != 2 || worst != 5 {
		t.Errorf("%g, %g", expected, worst)
	}
}

func TestStartWords(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for left, want := range map[time.Duration]string{
		0: "at once", -time.Hour: "at once", 20 * time.Second: "at once",
		90 * time.Minute: "in 1h30m, at 2026-12-01 13:30 UTC", 10 * time.Minute: "in 10m, at 2026-12-01 12:10 UTC",
	} {
		if got := startWords(now.Add(left), now); !strings.Contains(got, want) {
			t.Errorf("%s: %q", left, got)
		}
	}
}

func TestVariants(t *testing.T) {
	for _, c := range []struct {
		models []string
		sizes  []int
		want   string
	}{
		{nil, nil, "/0"}, {[]string{"a"}, nil, "a/0"}, {[]string{"a", "b"}, nil, "a/0 b/0"},
		{[]string{"a", "b"}, []int{2, 4}, "a/2 a/4 b/2 b/4"}, {nil, []int{1, 2}, "/1 /2"},
	} {
		f := runFlags{Models: c.models, TPs: c.sizes}
		if len(c.models) == 1 {
			f.Model = c.models[0]
		}
		var got []string
		for _, v := range f.variants() {
			got = append(got, v.Model+"/"+string(rune('0'+v.TP)))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v %v: %v, want %s", c.models, c.sizes, got, c.want)
		}
	}
}
