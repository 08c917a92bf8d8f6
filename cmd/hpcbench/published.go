package main

import (
	"errors"

	"hpcbench/collect/compare"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// published compares a run with a published table or a published matrix: which of
// the two a name means, the reference's own file says.
func published(name string, options compare.Options, open func() (*read.Run, error)) (*compare.Comparison, error) {
	table, err := results.LoadReference(name)
	var matrix results.MatrixReference
	isMatrix := errors.Is(err, results.ErrOtherReference)
	if isMatrix {
		matrix, err = results.LoadMatrixReference(name)
	}
	if err != nil {
		return nil, usage(err)
	}
	run, err := open()
	switch {
	case err != nil:
		return nil, err
	case isMatrix:
		return compare.Matrix(matrix, run, options), nil
	}
	return compare.Reference(table, run, options), nil
}
