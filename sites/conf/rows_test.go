package conf

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRows(t *testing.T) {
	v, origins, err := Load[machine](
		Bytes("embedded:lumi.yaml", []byte("account: a\nwall: 48h\nlines: [x, y]\nqueues: {b.c: {max_wall: 1h30m}, a: {max_jobs: 1}}\n")),
		Values(Value{[]string{"nodes"}, "0", "--nodes"}),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := []Row{
		{"account", "a", "embedded:lumi.yaml:1"},
		{"nodes", "0", "--nodes"}, // a zero that somebody set is shown
		{"wall", "48h", "embedded:lumi.yaml:2"},
		{"lines", "[x, y]", "embedded:lumi.yaml:3"},
		{"queues.a.max_jobs", "1", "embedded:lumi.yaml:4"},
		{`queues["b.c"].max_wall`, "1h30m", "embedded:lumi.yaml:4"},
	}
	if diff := cmp.Diff(want, Rows(v, origins)); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
}

func TestKeys(t *testing.T) {
	var got []string
	for _, k := range Keys[machine]() {
		user := ""
		if k.User {
			user = " (user)"
		}
		got = append(got, PathString(k.Path)+": "+k.Type+user)
	}
	want := []string{
		"account: text", "poll: a whole number", "name: text", "nodes: a whole number", "seed: a whole number, not negative",
		"small: a whole number", "share: a number", "whole: true or false", `wall: a duration such as "90s" or "2h30m"`,
		"lines: a list", "levels: a list", "gpus.per_node: a whole number", "gpus.vendor: text",
		"queues.NAME.max_jobs: a whole number (user)", `queues.NAME.max_wall: a duration such as "90s" or "2h30m" (user)`, "queues.NAME.use: text (user)",
		"weights.NAME: a number (user)", "body.NAME: any value (user)", "steps: a list", "only_json: text",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
}

func TestPathString(t *testing.T) {
	for want, path := range map[string][]string{
		"a.b_c.d-e":                 {"a", "b_c", "d-e"},
		`models["Qwen/Qwen2.5-7B"]`: {"models", "Qwen/Qwen2.5-7B"},
		"binds./mnt/proj1.skip":     {"binds", "/mnt/proj1", "skip"},
		`[""]`:                      {""},
		"":                          nil,
	} {
		if got := PathString(path); got != want {
			t.Errorf("PathString(%q) = %s, want %s", path, got, want)
		}
	}
}

func TestRowsBelow(t *testing.T) {
	v, origins, err := Load[machine](Bytes("x.yaml", []byte("queues:\n  b.c:\n    max_wall: 1h30m\n    max_jobs: 2\n")))
	if err != nil {
		t.Fatal(err)
	}
	want := []Row{{"max_jobs", "2", "x.yaml:4"}, {"max_wall", "1h30m", "x.yaml:3"}}
	if diff := cmp.Diff(want, RowsBelow(v.Queues["b.c"], origins, "queues", "b.c")); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
}
