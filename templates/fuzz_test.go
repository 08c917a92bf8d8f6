package templates

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/syntax"
)

// hostile are values that break quoting done by hand.
var hostile = []string{
	"", " ", "a b", "'", `"`, "it's", `"q"`, "$(id)", "`id`", "${HOME}", "$HOME", "\\", "a\\", "\n", "a\nb", "\t", "\r", "#x", "~", "~root",
	"*", "?", "[a]", "{a,b}", "{port}", "a=b", "!", "!!", "-", "--", "-n", ";id", "|id", "&", ">x", "<x", "(", ")", "$'x'", "é", "日本", "\u200b", "\u202e",
	"\u200babc", "a\u2028", "\xff", "a\xffb", "\x01", "\x7f", "if", "done", "EOF", "%s", "'\\''", "$'\\x41'", "\U000e0001z",
}

func FuzzScript(f *testing.F) {
	for i, h := range hostile {
		f.Add(h, hostile[(i+7)%len(hostile)], hostile[(i+13)%len(hostile)])
	}
	f.Fuzz(func(t *testing.T, a, b, c string) {
		d := runnable(t, local())
		d.Mode, d.Repeats = Restart, []int{1}
		d.RunName, d.Model = "r"+a, b
		d.Notes = []string{c}
		d.Exports = []Export{{Name: "X", Value: a, Reason: b}, {Name: "Y", Value: b + "${USER}" + c, Expand: true}}
		d.RepeatFlags = []string{"--x", c}
		d.Container = []string{"apptainer", "exec", a, b}
		d.Server = []string{"vllm", a, b, c, "--port", "{port}"}
		text, err := Script(d)
		if err != nil {
			checkRefusal(t, err, a, b, c)
			return
		}
		parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
		if _, err := parser.Parse(strings.NewReader(string(text)), "script"); err != nil {
			t.Fatalf("not bash: %v\n%s", err, text)
		}
		if exit, out := run(t, d, "USER=u v"); exit != 0 {
			t.Fatalf("exit %d: %s\n%s", exit, out, text)
		}
		want := append([]string{"repeat", "1", "--run", d.RunDir, "--x", c, "--", "apptainer", "exec", a, b}, d.Server...)
		if diff := cmp.Diff(want, words(t, d, "argv-1")); diff != "" {
			t.Fatalf("argv (-want +got):\n%s\n%s", diff, text)
		}
		env := environ(t, d, 1)
		expanded := strings.ReplaceAll(b+"${USER}"+c, "${USER}", "u v")
		if env["X"] != a || (env["Y"] != expanded && !reference.MatchString(b+c)) {
			t.Fatalf("X=%q Y=%q\n%s", env["X"], env["Y"], text)
		}
	})
}

// checkRefusal sees to it that nothing is refused without a reason.
func checkRefusal(t *testing.T, err error, values ...string) {
	t.Helper()
	for _, v := range values {
		if strings.ContainsRune(v, 0) || checkComment("", v) != nil || strings.HasPrefix(v, "--api-key") {
			return
		}
	}
	t.Fatalf("refused: %v", err)
}

func TestHostileArguments(t *testing.T) {
	d := runnable(t, local())
	d.Mode, d.Repeats = Restart, []int{1}
	d.Server = append([]string{"vllm"}, hostile...)
	for i, h := range hostile {
		d.Exports = append(d.Exports, Export{Name: "H" + string(rune('A'+i/26)) + string(rune('A'+i%26)), Value: h})
	}
	// Not every node has C.UTF-8: bash then stays in the C locale.
	for _, locale := range []string{"LC_ALL=C", "LC_ALL=C.UTF-8"} {
		if exit, out := run(t, d, locale); exit != 0 || out != "" {
			t.Fatalf("exit %d: %s", exit, out)
		}
		got := words(t, d, "argv-1")
		if diff := cmp.Diff(d.Server, got[len(got)-len(d.Server):]); diff != "" {
			t.Errorf("%s: argv (-want +got):\n%s", locale, diff)
		}
		env := environ(t, d, 1)
		for _, e := range d.Exports {
			if env[e.Name] != e.Value {
				t.Errorf("%s: %s=%q, want %q", locale, e.Name, env[e.Name], e.Value)
			}
		}
	}
}

// Every value that q quotes is one word to bash under either locale, and the same
// bytes. This runs without the script, whose exports set the locale.
func TestQuoteInBothLocales(t *testing.T) {
	for _, locale := range []string{"C", "C.UTF-8"} {
		var b strings.Builder
		for _, h := range hostile {
			word, err := q(h)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString("printf '%s\\0' " + word + "\n")
		}
		file := t.TempDir() + "/words"
		write(t, file, b.String())
		if got := bashOutput(t, file, "LC_ALL="+locale); got != strings.Join(hostile, "\x00")+"\x00" {
			t.Errorf("%s: got %q", locale, got)
		}
	}
	if _, err := q("a\x00b"); err == nil {
		t.Error("a NUL byte was quoted")
	}
}

func bashOutput(t *testing.T, file string, env ...string) string {
	t.Helper()
	cmd, out := startFile(t, file, append(env, "PATH="+os.Getenv("PATH"))...)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return out.String()
}
