package main

import (
	"strings"
	"testing"

	"hpcbench/load/plans"
	"hpcbench/results"
)

// TestEstimateSaysAboutOnlyWhereItGuesses: a gateway's blocks are counted, a search for the knee isn't.
func TestEstimateSaysAboutOnlyWhereItGuesses(t *testing.T) {
	for name, about := range map[string]bool{"demo": false, "gateway": false, "matrix": false, "capacity": true, "sweep": true} {
		p, _, err := plans.Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		words := estimateWords(p.Kind, results.EstimatePlan(p))
		if strings.HasPrefix(words, "about ") != about {
			t.Errorf("%s: %s", name, words)
		}
	}
}
