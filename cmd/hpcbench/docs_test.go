package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"hpcbench/collect/collecttest"
)

// What the documentation shows is run. In README.md and docs/*.md:
//
//   - in a fence of kind "console" lines that begin with "$ " are commands, run
//     in order by bash in one working folder and a fresh HOME a file, with hpcbench
//     on PATH. A line that ends in \ goes on in the next one. The lines below a
//     command are its output: … stands for anything, alone on a line for any
//     lines. No lines: any output.
//   - a command must succeed, unless the next one is `echo $?`.
//   - a fence of kind "yaml file=PATH" is written to that file before what follows.
//   - <!-- docs-test: run NAME KEY=VALUE… --> makes a run (see setupOf), and
//     <!-- docs-test: may exit 3 --> excuses that exit code in the next fence.
type docStep struct {
	line    int
	command string   // "" for the other kinds
	output  []string // expected lines
	file    string   // path of a file to write; its text is output
	run     []string // NAME KEY=VALUE… of a run to make
	excused int      // an exit code besides 0 that is fine
}

var docDirective = regexp.MustCompile(`^<!-- docs-test: (.*) -->$`)

// parseDoc reads the steps of a document.
func parseDoc(text string) ([]docStep, error) {
	var steps []docStep
	lines := strings.Split(text, "\n")
	excused := 0
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if m := docDirective.FindStringSubmatch(line); m != nil {
			words := strings.Fields(m[1])
			switch {
			case words[0] == "run" && len(words) > 1:
				steps = append(steps, docStep{line: i + 1, run: words[1:]})
			case len(words) == 3 && words[0] == "may" && words[1] == "exit":
				n, err := strconv.Atoi(words[2])
				if err != nil {
					return nil, fmt.Errorf("line %d: %w", i+1, err)
				}
				excused = n
			default:
				return nil, fmt.Errorf("line %d: unknown directive %q", i+1, m[1])
			}
			continue
		}
		kind, isFence := strings.CutPrefix(line, "```")
		if !isFence {
			continue
		}
		start := i + 1
		end := start
		for end < len(lines) && strings.TrimSpace(lines[end]) != "```" {
			end++
		}
		if end == len(lines) {
			return nil, fmt.Errorf("line %d: the fence isn't closed", start)
		}
		body := lines[start:end]
		i = end
		switch word, rest, _ := strings.Cut(kind, " "); {
		case word == "console":
			more, err := parseConsole(body, start+1, excused)
			if err != nil {
				return nil, err
			}
			steps = append(steps, more...)
			excused = 0
		case strings.HasPrefix(rest, "file="):
			steps = append(steps, docStep{line: start, file: strings.TrimPrefix(rest, "file="), output: body})
		}
	}
	return steps, nil
}

func parseConsole(lines []string, first, excused int) ([]docStep, error) {
	var steps []docStep
	for i := 0; i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			if len(steps) == 0 {
				return nil, fmt.Errorf("line %d: a console begins with a command", first+i)
			}
			s := &steps[len(steps)-1]
			s.output = append(s.output, lines[i])
			continue
		}
		at := first + i
		for strings.HasSuffix(command, `\`) && i+1 < len(lines) {
			i++
			command += "\n" + lines[i]
		}
		steps = append(steps, docStep{line: at, command: command, excused: excused})
	}
	return steps, nil
}

// matchDoc compares output with what the document shows. It says what differs, "" for nothing.
func matchDoc(want []string, got string) string {
	for len(want) > 0 && strings.TrimSpace(want[len(want)-1]) == "" {
		want = want[:len(want)-1]
	}
	if len(want) == 0 {
		return ""
	}
	var pattern strings.Builder
	pattern.WriteString(`\A`)
	for _, line := range want {
		if strings.TrimSpace(line) == "…" {
			pattern.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		for i, part := range strings.Split(strings.TrimRight(line, " "), "…") {
			if i > 0 {
				pattern.WriteString(`[^\n]*?`)
			}
			pattern.WriteString(regexp.QuoteMeta(part))
		}
		pattern.WriteString(`\n`)
	}
	pattern.WriteString(`\n*\z`)
	var lines []string
	for _, l := range strings.Split(strings.TrimRight(got, "\n"), "\n") {
		lines = append(lines, strings.TrimRight(l, " "))
	}
	text := strings.Join(lines, "\n") + "\n"
	if regexp.MustCompile(pattern.String()).MatchString(text) {
		return ""
	}
	return fmt.Sprintf("the document shows\n%s\nbut it was\n%s", strings.Join(want, "\n"), text)
}

func TestDocumentedCommands(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("../../README.md"); err == nil {
		files = append(files, "../../README.md")
	}
	bin := t.TempDir()
	program(t, filepath.Join(bin, "hpcbench"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := parseDoc(string(text))
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if !slices.ContainsFunc(steps, func(s docStep) bool { return s.command != "" }) {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) { runDoc(t, filepath.Base(file), bin, steps) })
	}
}

// program puts this very program below a name: the test binary is hpcbench when it is called so.
func program(t *testing.T, path string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(self, path); err == nil {
		return
	}
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o700); err != nil {
		t.Fatal(err)
	}
}

func runDoc(t *testing.T, name, bin string, steps []docStep) {
	home := t.TempDir()
	work := filepath.Join(home, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	sh := newShell(t, work, []string{"HOME=" + home, "USER=tester", "PATH=" + bin + ":" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TMPDIR=" + t.TempDir()})
	for i, s := range steps {
		at := fmt.Sprintf("%s:%d", name, s.line)
		switch {
		case s.file != "":
			collecttest.WriteFile(t, filepath.Join(work, s.file), []byte(strings.Join(s.output, "\n")+"\n"))
			continue
		case s.run != nil:
			setup, err := setupOf(s.run)
			if err != nil {
				t.Fatalf("%s: %v", at, err)
			}
			collecttest.Write(folderTB{TB: t, dir: filepath.Join(home, "hpcbench", "runs")}, setup)
			continue
		}
		begun := time.Now()
		out, code := sh.run(t, s.command)
		told := i+1 < len(steps) && steps[i+1].command == "echo $?"
		if code != 0 && code != s.excused && !told {
			t.Errorf("%s: $ %s\nexit code %d\n%s", at, s.command, code, out)
			continue
		}
		if diff := matchDoc(s.output, out); diff != "" {
			t.Errorf("%s: $ %s\n%s", at, s.command, diff)
		}
		t.Logf("%s: $ %s (%.1f s)", at, s.command, time.Since(begun).Seconds())
	}
}

// shell is one bash for all commands of a document, as a reader has it: variables
// and jobs in the background stay from one command to the next.
type shell struct {
	in   io.Writer
	out  *bufio.Reader
	mark string
}

func newShell(t *testing.T, dir string, env []string) *shell {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "--noprofile", "--norc")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, w, w
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	end := func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	watchdog := time.AfterFunc(3*time.Minute, end) // a command that hangs ends the shell, and reading fails
	t.Cleanup(func() {
		watchdog.Stop()
		end()
		cmd.Wait()
		r.Close()
	})
	return &shell{in: in, out: bufio.NewReader(r), mark: fmt.Sprintf("=%x=", rand.Uint64())}
}

// run gives a command's output and exit code.
func (s *shell) run(t *testing.T, command string) (string, int) {
	t.Helper()
	fmt.Fprintf(s.in, "{ %s\n} < /dev/null; docs_code=$?; printf '%%s%%d\\n' %s $docs_code; (exit $docs_code)\n", command, s.mark)
	var out strings.Builder
	for {
		line, err := s.out.ReadString('\n')
		if err != nil {
			t.Fatalf("$ %s\nthe shell ended: %v\n%s", command, err, out.String())
		}
		if before, code, found := strings.Cut(strings.TrimSuffix(line, "\n"), s.mark); found {
			out.WriteString(before)
			n, err := strconv.Atoi(code)
			if err != nil {
				t.Fatal(err)
			}
			return out.String(), n
		}
		out.WriteString(line)
	}
}

// folderTB lets a run be written where it is wanted.
type folderTB struct {
	testing.TB
	dir string
}

func (f folderTB) TempDir() string { return f.dir }

// TestEveryVerbIsDocumented looks for an example of each in docs/commands.md.
func TestEveryVerbIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := parseDoc(string(text))
	if err != nil {
		t.Fatal(err)
	}
	parser, err := kong.New(&cli{}, kong.Name("hpcbench"), kong.ExplicitGroups(groups), kong.Vars{"version": "x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range parser.Model.Leaves(true) {
		path := strings.ReplaceAll(leaf.Path(), "hpcbench hpcbench", "hpcbench")
		if !slices.ContainsFunc(steps, func(s docStep) bool { return strings.Contains(s.command+" ", path+" ") }) {
			t.Errorf("docs/commands.md has no example of `%s`", path)
		}
	}
}

func TestMatchDoc(t *testing.T) {
	for _, c := range []struct {
		want, got string
		fits      bool
	}{
		{"", "anything", true},
		{"a\nb", "a\nb\n", true},
		{"a\nb", "a\nc\n", false},
		{"a\nb", "a\n", false},
		{"a", "a\nb\n", false},
		{"a\n…", "a\nb\nc\n", true},
		{"…\nc", "a\nb\nc\n", true},
		{"…\nc", "a\nb\n", false},
		{"a\n…\nc", "a\nc\n", true},
		{"took … s", "took 1.5 s\n", true},
		{"took … s", "took 1.5\n s\n", false},
		{"a.c", "abc\n", false},
		{"a", "a   \n\n", true},
	} {
		if diff := matchDoc(strings.Split(c.want, "\n"), c.got); (diff == "") != c.fits {
			t.Errorf("%q against %q: %q", c.want, c.got, diff)
		}
	}
}

func TestParseDoc(t *testing.T) {
	text := strings.Join([]string{
		"# A", "<!-- docs-test: run one seed=2 -->", "```yaml file=plans/x.yaml", "kind: rate", "```",
		"<!-- docs-test: may exit 3 -->", "```console", "$ first \\", "    --more", "out", "$ echo $?", "0", "```",
		"```text", "$ not run", "```", "```console", "$ second", "```",
	}, "\n")
	steps, err := parseDoc(text)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%+v", steps)
	want := fmt.Sprintf("%+v", []docStep{
		{line: 2, run: []string{"one", "seed=2"}}, {line: 3, file: "plans/x.yaml", output: []string{"kind: rate"}},
		{line: 8, command: "first \\\n    --more", output: []string{"out"}, excused: 3}, {line: 11, command: "echo $?", output: []string{"0"}, excused: 3},
		{line: 18, command: "second"},
	})
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, bad := range []string{"```console\n$ a", "```console\nout\n```", "<!-- docs-test: walk -->", "<!-- docs-test: may exit x -->"} {
		if _, err := parseDoc(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
