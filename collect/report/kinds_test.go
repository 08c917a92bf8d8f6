package report

import (
	"bytes"
	"testing"

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
		fits(t, name, buf.String())
	}
}
