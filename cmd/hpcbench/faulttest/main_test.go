//go:build fault

package faulttest

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"hpcbench/cmd/hpcbench/world"
)

var update = flag.Bool("update-faults", false, "write docs/faults.md anew")

func TestMain(m *testing.M) {
	flag.Parse()
	code := world.MainAlone(m)
	if code == 0 || *update {
		if err := seen.settle(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
