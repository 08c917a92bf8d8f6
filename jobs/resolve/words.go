package resolve

import (
	"fmt"
	"slices"
	"strings"

	"hpcbench/jobs/fit"
	"hpcbench/results"
)

// modes are the repeat modes that may be asked for.
var modes = []string{results.ModeArray, results.ModeRestart, results.ModeChain, results.ModeReuse}

// dtypes are what vLLM's --dtype takes (vllm serve --help=dtype).
var dtypes = []string{"auto", "bfloat16", "float16", "float32", "float", "half"}

// words checks what is only a word and needs nothing else to be known, so that it is
// reported beside everything else.
func (d *draft) words() {
	oneOf := func(flag, word string, known []string) {
		if word != "" && !slices.Contains(known, word) {
			d.fail(fmt.Errorf("--%s %s: there are %s", flag, word, strings.Join(known, ", ")))
		}
	}
	oneOf("repeat-mode", d.req.Mode, modes)
	oneOf("dtype", d.req.DType, dtypes)
	if limit := d.part.MaxWalltime; limit > 0 && d.req.Walltime > limit {
		d.fail(fmt.Errorf("--time %s: partition %s allows at most %s", fit.Clock(int(d.req.Walltime.Seconds())), d.site.Partition, fit.Clock(int(limit.Seconds()))))
	}
}
