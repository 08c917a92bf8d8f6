package results

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// published reads the tables as they were printed: name → rows of cells.
func published(t *testing.T) map[string][][]string {
	t.Helper()
	b, err := os.ReadFile("testdata/legacy-tables.txt")
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][][]string{}
	for _, block := range strings.Split(strings.TrimSpace(string(b)), "\n\n") {
		lines := strings.Split(block, "\n")
		for _, line := range lines[2:] { // after the name and the heading
			var cells []string
			for _, c := range strings.Split(strings.Trim(line, "|"), "|") {
				cells = append(cells, strings.TrimSpace(c))
			}
			tables[lines[0]] = append(tables[lines[0]], cells)
		}
	}
	return tables
}

// Every figure of the data files is the printed one, to the last digit.
func TestReferencesHoldEveryPrintedFigure(t *testing.T) {
	tables := published(t)
	refs, err := References()
	if err != nil {
		t.Fatal(err)
	}
	if len(refs) != 5 || len(tables) != 5 {
		t.Fatalf("%d references, %d tables", len(refs), len(tables))
	}
	for _, ref := range refs {
		b, err := referenceFiles.ReadFile("references/" + ref.Name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var text struct {
			Rows []map[string]yaml.Node `yaml:"rows"`
		}
		if err := yaml.Unmarshal(b, &text); err != nil {
			t.Fatal(err)
		}
		rows := tables[ref.Name]
		if len(rows) != len(ref.Rows) || len(rows) < 6 {
			t.Fatalf("%s: %d rows, %d printed", ref.Name, len(ref.Rows), len(rows))
		}
		for i, cells := range rows {
			row := text.Rows[i]
			is := func(key, printed string) {
				if got := row[key]; got.Value != printed {
					t.Errorf("%s, row %d: %s is %q, printed is %q", ref.Name, i, key, got.Value, printed)
				}
			}
			is("printed_as", cells[0])
			rate := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(cells[0], "@"), "req/s"), ",", ".")
			is("rate_per_s", rate)
			if ref.Conditions.Statistic == StatP90 {
				for k, key := range []string{"itl_ms", "ttft_ms", "e2e_ms", "tokens_per_s"} {
					is(key, cells[k+1])
				}
				if ref.Rows[i].QPS != nil {
					t.Errorf("%s has the asked rate as an achieved one", ref.Name)
				}
				continue
			}
			for k, key := range []string{"qps", "e2e_s", "ttft_ms", "itl_ms", "tokens_per_s"} {
				is(key, cells[k+1])
			}
			is("error_share", strings.TrimSuffix(cells[6], "%"))
			good, all, _ := strings.Cut(cells[7], "/")
			is("successful", good)
			is("total", all)
		}
	}
}

func TestReferencesStateTheirConditions(t *testing.T) {
	refs, err := References()
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		c := ref.Conditions
		if c.Site == "" || c.GPUKind == "" || c.GPUs < 1 || c.Model == "" || c.Image == "" || c.EngineVersion == "" || c.Path == "" || c.URL == "" ||
			c.WarmupS != 60 || c.DurationS != 120 || c.PromptTokens != 200 || c.OutputTokens != 200 || c.OutputSD != 10 || c.OutputMin != 180 ||
			c.OutputMax != 220 || c.Tool == "" || ref.Plan == "" || ref.Title == "" || ref.Source == "" || len(ref.Remarks) == 0 {
			t.Errorf("%s: a condition is missing: %+v", ref.Name, c)
		}
		if !strings.Contains(ref.CommandLine, c.Model) || !strings.Contains(ref.CommandLine, c.URL) {
			t.Errorf("%s: the command line is another's: %s", ref.Name, ref.CommandLine)
		}
		if stated := strings.Contains(ref.CommandLine, "--max-vus"); stated != c.MaxVUsStated || (!stated && c.MaxVUs != 128) || (stated && c.MaxVUs != 800) {
			t.Errorf("%s: max VUs are %d, stated %v", ref.Name, c.MaxVUs, c.MaxVUsStated)
		}
		for _, row := range ref.Rows {
			if !strings.Contains(ref.CommandLine, fmt.Sprintf("--rates %v", row.RatePerS)) {
				t.Errorf("%s: the command line doesn't ask for %v/s", ref.Name, row.RatePerS)
			}
		}
	}
}

func TestSuspectRows(t *testing.T) {
	want := map[string][]float64{
		"lumi-qwen25-coder-7b-bare": {12.81}, "lumi-qwen25-coder-7b-heappe": {8.54, 12.81}, "karolina-qwen3-coder-30b-heappe": {8.54, 19.22},
	}
	refs, err := References()
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		var got []float64
		for _, row := range ref.Rows {
			if row.Suspect != "" {
				got = append(got, row.RatePerS)
			}
		}
		if !slices.Equal(got, want[ref.Name]) {
			t.Errorf("%s: suspect are %v", ref.Name, got)
		}
	}
}

func TestUnknownReference(t *testing.T) {
	if _, err := LoadReference("karolina-qwen3-4b-bar"); !errors.Is(err, ErrUnknownReference) || !strings.Contains(err.Error(), `did you mean "karolina-qwen3-4b-bare"?`) {
		t.Errorf("got %v", err)
	}
	if _, err := LoadReference("rtx3090-agents-a1-4b"); !errors.Is(err, ErrOtherReference) {
		t.Errorf("a matrix as a table: %v", err)
	}
	if _, err := LoadMatrixReference("karolina-qwen3-4b-bare"); !errors.Is(err, ErrOtherReference) {
		t.Errorf("a table as a matrix: %v", err)
	}
	if _, err := decodeReference[Reference]([]byte("format: hpcbench.reference/1\nname: x\nrow: []\n"), FormatReference); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("an unknown key: %v", err)
	}
	if _, err := decodeReference[Reference]([]byte("format: hpcbench.reference/2\n"), FormatReference); !errors.Is(err, ErrNewerFormat) {
		t.Errorf("a newer file: %v", err)
	}
}

// The printed page ran its columns together, so each line is built from the
// cell's figures and looked up in it.
func TestMatrixReferenceHoldsEveryPrintedFigure(t *testing.T) {
	b, err := os.ReadFile("testdata/speed-test-matrix.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	printed := func(line string) {
		if !slices.Contains(lines, line) {
			t.Errorf("not printed: %s", line)
		}
	}
	m, err := LoadMatrixReference("rtx3090-agents-a1-4b")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Prefill {
		printed(fmt.Sprintf("Prefill%s%dValid%s—%s ms——%d——", p.PrintedAs, 1, p.TokensPrinted, thousands(p.TTFTMs, 0), p.Samples))
		printed(fmt.Sprintf("%s context%s%s ms TTFT", p.PrintedAs, strings.TrimSuffix(p.TokensPrinted, ".0"), thousands(p.TTFTMs, 0)))
		if v := strings.ReplaceAll(strings.TrimSuffix(p.TokensPrinted, "K"), ",", ""); strings.HasSuffix(p.TokensPrinted, "K") != (p.TokensPerS >= 10_000) ||
			math.Abs(number(t, v)*map[bool]float64{true: 1000, false: 1}[p.TokensPerS >= 10_000]-p.TokensPerS) > 1e-6 {
			t.Errorf("%s tokens/s printed, %v stated", p.TokensPrinted, p.TokensPerS)
		}
	}
	if len(m.Prefill) != 5 || len(m.Cells) != len(m.ContextsTokens)*len(m.Levels) || len(m.Cells) != 48 {
		t.Fatalf("%d prefill rows, %d cells", len(m.Prefill), len(m.Cells))
	}
	valid := 0
	for _, ctx := range m.ContextsTokens {
		label := "0"
		if ctx > 0 {
			label = fmt.Sprintf("%dK", ctx/1024)
		}
		row := label
		for _, n := range m.Levels {
			c, ok := m.Cell(ctx, n)
			if !ok {
				t.Fatalf("no cell for %d at %d", ctx, n)
			}
			head := fmt.Sprintf("Sustained decode%s%d", label, n)
			if c.Status != CellValid {
				printed(head + "Over capacity————————")
				row += "Over capacity"
				continue
			}
			valid++
			total, ttft := thousands(*c.TotalPerS, 1), thousands(*c.TTFTMs, 0)
			printed(fmt.Sprintf("%sValid%s%.1f%s ms%.1f ms%.1f%d%s%.1f s", head, total, *c.PerRequestPS, ttft, *c.TPOTMs, *c.Active,
				*c.Completed, thousands(float64(*c.OutputTokens), 0), *c.MeasuredS))
			row += total + ttft + " ms TTFT"
			// Columns that were told apart wrongly would not fit each other.
			if math.Abs(float64(*c.OutputTokens)/30-*c.TotalPerS) > 0.5 || math.Abs(*c.PerRequestPS**c.TPOTMs/1000-1) > 0.01 {
				t.Errorf("%s: %+v doesn't fit itself", head, c)
			}
		}
		printed(row)
	}
	if valid != 21 {
		t.Errorf("%d cells were run", valid)
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// thousands writes a number as the page does.
func thousands(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'f', digits, 64)
	whole, rest, _ := strings.Cut(s, ".")
	if len(whole) > 3 {
		whole = whole[:len(whole)-3] + "," + whole[len(whole)-3:]
	}
	if rest != "" {
		return whole + "." + rest
	}
	return whole
}
