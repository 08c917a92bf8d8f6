package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/results"
)

// BenchmarkVersion is what every command pays before it begins, beside /bin/true
// for what the machine takes to start any process. It should stay under 20 ms.
func BenchmarkVersion(b *testing.B) {
	program := filepath.Join(b.TempDir(), "hpcbench")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	start := func(argv ...string) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				if err := exec.Command(argv[0], argv[1:]...).Run(); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("hpcbench", start(program, "version"))
	b.Run("true", start("true"))
}

// legacyRun is 5 repeats of 9 rates with some 1,500 requests each.
func legacyRun(b *testing.B) results.RunDir {
	b.Helper()
	return collecttest.Write(b, collecttest.Setup{
		Name: "legacy", DurationS: 120, RatesPerS: []float64{12.1, 12.2, 12.3, 12.4, 12.5, 12.6, 12.7, 12.8, 12.9}, RepeatCV: 0.01, Records: true,
	})
}

// BenchmarkCollect is the verb as a user calls it. From the summaries it should
// take well under 1 s; "records" makes every summary again, as after a kill -9, and
// "json" reads the records for pooled percentiles.
func BenchmarkCollect(b *testing.B) {
	run := legacyRun(b)
	b.Run("summaries", collects(string(run)))
	b.Run("json", collects(string(run), "--json"))
	for k := 1; k <= 5; k++ {
		if err := os.Remove(run.Attempt(k, 0).Summary()); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("records", collects(string(run)))
}

func collects(args ...string) func(*testing.B) {
	return func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := run(context.Background(), nil, append([]string{"collect"}, args...), io.Discard, io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkCompare is two such runs against each other; under 2 s.
func BenchmarkCompare(b *testing.B) {
	one, two := legacyRun(b), legacyRun(b)
	for b.Loop() {
		if err := run(context.Background(), nil, []string{"compare", string(one), string(two)}, io.Discard, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompletion is one press of the key with 200 runs in the folder.
func BenchmarkCompletion(b *testing.B) {
	home := b.TempDir()
	b.Setenv("HOME", home)
	made := collecttest.Write(b, collecttest.Setup{Repeats: 1, DurationS: 1})
	spec, err := os.ReadFile(made.Spec())
	if err != nil {
		b.Fatal(err)
	}
	for i := range 200 {
		collecttest.WriteFile(b, results.RunDir(filepath.Join(home, "hpcbench", "runs", "run-"+string(rune('a'+i%26))+string(rune('a'+i/26)))).Spec(), spec)
	}
	for b.Loop() {
		if n := len(runNames()); n != 201 { // and "last"
			b.Fatal(n)
		}
	}
}
