//go:build fault

package faulttest

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"hpcbench/cmd/hpcbench/world"
)

// row is one fault of docs/faults.md.
type row struct {
	group string // heading
	fault string
	done  string
	seen  string
	after string
	full  bool // the test takes minutes
}

// table gathers the rows of the tests that passed.
type table struct {
	mu   sync.Mutex
	rows []row
}

var seen table

func (t *table) add(r row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, r)
}

// groups are the headings in their order.
var groups = []string{"The command line", "Slurm", "The job", "The server", "Inside the job", "Files", "Other users", "Several nodes"}

const head = `# Faults that are put in on purpose

Written by the tests: ` + "`make test-fault`" + ` puts these faults into runs on the project's own Slurm, and ` + "`make test-full`" + ` those marked
*full* too. The runs are the product's own, from submit to the job's end, with the stub engine inside the container double; a row stands here
because its test passed. After each fault the same four things are asked: is what was measured still readable, does ` + "`hpcbench status`" + ` say
what happened, is any process left on the node, and does ` + "`hpcbench resume`" + ` complete the run.

Not here, because it can't be put in on a test machine: a quota that is reached (EDQUOT) and a clock that is set are injected one level lower,
in the tests of ` + "`load/record`" + ` and ` + "`load/telemetry`" + `; a machine's clock and quotas belong to everybody on it.
`

// measured are figures that differ from run to run.
var measured = regexp.MustCompile(`\b\d+(\.\d+)? (ms|s|MB)\b`)

func same(a, b string) bool {
	return measured.ReplaceAllString(a, "N $2") == measured.ReplaceAllString(b, "N $2")
}

func (r row) line() string {
	fault := r.fault
	if r.full {
		fault += " (*full*)"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", fault, r.done, r.seen, r.after)
}

// parse reads the rows of the file back.
func parse(text string) (rows []row, err error) {
	group := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			group = name
			continue
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| fault |") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		if len(cells) != 4 {
			return nil, fmt.Errorf("docs/faults.md: a row of %d cells: %s", len(cells), line)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		fault, full := strings.CutSuffix(cells[0], " (*full*)")
		rows = append(rows, row{group, fault, cells[1], cells[2], cells[3], full})
	}
	return rows, nil
}

func render(rows []row) string {
	var b strings.Builder
	b.WriteString(head)
	for _, group := range groups {
		first := true
		for _, r := range rows {
			if r.group != group {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n## %s\n\n| fault | what was done | what was seen | afterwards |\n|---|---|---|---|\n", group)
				first = false
			}
			b.WriteString(r.line() + "\n")
		}
	}
	return b.String()
}

// settle compares the rows of this run with the file, or writes them into it. Rows of
// tests that this run didn't have are left as they are; when all tests ran, a row that no
// test made is an error.
func (t *table) settle() error {
	root, err := world.Root()
	if err != nil {
		return err
	}
	path := filepath.Join(root, "docs", "faults.md")
	text, err := os.ReadFile(path)
	if err != nil && !(*update && errors.Is(err, fs.ErrNotExist)) {
		return fmt.Errorf("the table of faults: %w; run the tests with -update-faults", err)
	}
	old, err := parse(string(text))
	if err != nil && !*update {
		return err
	}
	slices.SortFunc(t.rows, func(a, b row) int { return strings.Compare(a.fault, b.fault) })
	if *update {
		rows := t.rows
		for _, r := range old {
			if !slices.ContainsFunc(t.rows, func(n row) bool { return n.fault == r.fault }) && !all() {
				rows = append(rows, r)
			}
			if r.full && !withFull && all() {
				rows = append(rows, r)
			}
		}
		slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.fault, b.fault) })
		return os.WriteFile(path, []byte(render(rows)), 0o644)
	}
	var stale []string
	for _, r := range t.rows {
		if !slices.Contains(groups, r.group) {
			return fmt.Errorf("fault %q is under %q, which is no heading", r.fault, r.group)
		}
		if !slices.ContainsFunc(old, func(o row) bool { return o.group == r.group && same(o.line(), r.line()) }) {
			stale = append(stale, "  now: "+r.line())
		}
	}
	for _, o := range old {
		if all() && (withFull || !o.full) && !slices.ContainsFunc(t.rows, func(r row) bool { return r.fault == o.fault }) {
			stale = append(stale, "  no test makes: "+o.line())
		}
	}
	if len(stale) > 0 {
		return fmt.Errorf("docs/faults.md isn't what the tests saw; run them with -update-faults and read the difference:\n%s", strings.Join(stale, "\n"))
	}
	return nil
}

// all says whether no test was left out on the command line.
func all() bool {
	f := flag.Lookup("test.run")
	return f == nil || f.Value.String() == ""
}
