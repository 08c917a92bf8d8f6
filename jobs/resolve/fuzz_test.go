package resolve

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"hpcbench/results"
	"hpcbench/sites/conf"
)

// FuzzRequest puts anything into every field of a request that a user types. What isn't
// refused must give a script that is bash, whose directives are as many as it was made
// with, and the same one again from the spec as it stands in run.json.
func FuzzRequest(f *testing.F) {
	f.Add("night", "open-30-15", "qgpu", "/p/vllm.sif", "--x=$(id)", "a1b2", "float16", "", "/scratch/it's `x`\n#SBATCH --time=1")
	f.Add("a;b", "open-30-15\n#SBATCH -t 1", "qgpu_exp", "/p/$(id).sif", "it's", "main", "", "r\x00", "/r/žluť")
	f.Add("", "open-30-15", "qgpu", "image with blanks.sif", "{port}{nonce}\x01", "../..", "auto", "res", "relative")
	directive := regexp.MustCompile(`(?m)^#SBATCH `)
	f.Fuzz(func(t *testing.T, name, account, partition, image, arg, revision, dtype, reservation, dir string) {
		req := ask("karolina", "Qwen3-Coder-30B", 4)
		for key, text := range map[string]string{"account": account, "partition": partition, "image": image, "reservation": reservation} {
			if text != "" {
				req.Options.Flags = append(req.Options.Flags, conf.Value{Path: []string{key}, Text: text, Source: "--" + key})
			}
		}
		req.Name, req.Dir, req.ServerArgs, req.Revision, req.DType = name, dir, []string{arg}, revision, dtype
		spec, err := Spec(t.Context(), req)
		if err != nil {
			return // refused, with words
		}
		script, err := Script(spec)
		if err != nil {
			return
		}
		if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(string(script)), "script"); err != nil {
			t.Fatalf("not bash: %v\n%s", err, script)
		}
		// requeue, open-mode and signal are the script's own.
		if got, want := len(directive.FindAll(script, -1)), len(spec.Job.Directives)+3; got != want {
			t.Fatalf("%d directives, %d were meant\n%s", got, want, script)
		}
		path := filepath.Join(t.TempDir(), "run.json")
		if err := results.WriteJSON(path, spec, 0o600); err != nil {
			t.Fatal(err)
		}
		back, err := results.ReadJSON[results.Spec](path, results.FormatSpec)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Script(back)
		if err != nil || string(again) != string(script) {
			t.Fatalf("run.json gives another script: %v\n%s\n%s", err, again, script)
		}
	})
}
