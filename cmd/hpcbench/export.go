package main

import (
	"fmt"

	"hpcbench/collect/convert"
	"hpcbench/collect/read"
)

type exportCmd struct {
	Ref    string `arg:"" name:"run" help:"Run: its name, a unique beginning of it, last, or its folder." predictor:"run"`
	Format string `required:"" enum:"inference-benchmarker,benchfmt" help:"inference-benchmarker (JSON for the Hugging Face dashboard, one repeat) or benchfmt (lines for benchstat, all repeats)." placeholder:"FORMAT"`
	Repeat int    `help:"Repeat to write as inference-benchmarker; the first good one if not given." placeholder:"N"`
}

// Run writes a run in another tool's format to standard output.
func (c exportCmd) Run(a *app) error {
	run, err := a.open(c.Ref, read.Options{})
	if err != nil {
		return err
	}
	if c.Format == "benchfmt" {
		if c.Repeat != 0 {
			return usage(fmt.Errorf("--repeat is for inference-benchmarker: benchfmt has a line for every repeat"))
		}
		if run.Good() == 0 {
			return failed(fmt.Errorf("run %s: no repeat has numbers yet", run.Spec.Name))
		}
		return convert.Benchfmt(a.stdout, run)
	}
	r, err := run.Pick(c.Repeat)
	if err != nil {
		return usage(err)
	}
	file, leftOut, err := convert.HuggingFace(run, r)
	if err != nil {
		return failed(err)
	}
	for _, id := range leftOut {
		fmt.Fprintf(a.stderr, "hpcbench: note: %s has no success, and such a file has no place for it\n", id)
	}
	_, err = a.stdout.Write(file)
	return err
}
