package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/read"
)

func TestKindsGolden(t *testing.T) {
	for name, setup := range map[string]collecttest.Setup{"matrix.txt": collecttest.Matrix(), "capacity.txt": collecttest.Capacity(), "gateway.txt": collecttest.Gateway()} {
		var buf bytes.Buffer
		if err := document(t, setup, read.Options{}).Terminal(&buf, false); err != nil {
			t.Fatal(err)
		}
		golden(t, name, buf.Bytes())
		for i, l := range strings.Split(buf.String(), "\n") {
			if w := text.StringWidthWithoutEscSequences(l); w > width {
				t.Errorf("%s: line %d is %d wide: %s", name, i+1, w, l)
			}
		}
	}
}
