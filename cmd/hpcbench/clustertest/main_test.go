//go:build cluster

package clustertest

import (
	"os"
	"testing"

	"hpcbench/cmd/hpcbench/world"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }
