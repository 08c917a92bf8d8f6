package vllm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ParallelConfig is what a split of a model over GPUs is checked against; 0 =
// not known, and then not checked.
type ParallelConfig struct {
	Heads       int // attention heads
	KVHeads     int // key/value heads
	Layers      int
	TP, PP      int
	GPUsPerNode int
	Nodes       int // default 1
}

// CheckParallel says everything that is wrong with a split. Attention heads
// must divide by TP; KV heads divide by it, or TP by them: vLLM keeps copies of
// each KV head on TP/KVHeads GPUs, in whole multiples only.
func CheckParallel(c ParallelConfig) error {
	var bad []error
	tp, pp, nodes := max(c.TP, 1), max(c.PP, 1), max(c.Nodes, 1)
	if c.TP < 0 || c.PP < 0 {
		return fmt.Errorf("tensor parallel %d and pipeline parallel %d can't be negative", c.TP, c.PP)
	}
	if c.Heads > 0 && c.Heads%tp != 0 {
		bad = append(bad, fmt.Errorf("tensor parallel %d doesn't divide the model's %d attention heads; %s do", tp, c.Heads, divisors(c.Heads, c.KVHeads, c.GPUsPerNode)))
	} else if c.KVHeads > 0 && c.KVHeads%tp != 0 && tp%c.KVHeads != 0 {
		bad = append(bad, fmt.Errorf("tensor parallel %d and the model's %d KV heads: one must be a multiple of the other; %s fit", tp, c.KVHeads, divisors(c.Heads, c.KVHeads, c.GPUsPerNode)))
	}
	if c.GPUsPerNode > 0 && tp > c.GPUsPerNode {
		bad = append(bad, fmt.Errorf("tensor parallel %d is more than the %d GPUs of a node; split over nodes with pipeline parallel", tp, c.GPUsPerNode))
	}
	if c.GPUsPerNode > 0 && tp*pp > c.GPUsPerNode*nodes {
		bad = append(bad, fmt.Errorf("tensor parallel %d x pipeline parallel %d needs %d GPUs, %s %d", tp, pp, tp*pp, plural(nodes, "node has", "nodes have"), c.GPUsPerNode*nodes))
	}
	if c.Layers > 0 && pp > c.Layers {
		bad = append(bad, fmt.Errorf("pipeline parallel %d is more than the model's %d layers", pp, c.Layers))
	}
	if nodes > 1 && (tp*pp)%nodes != 0 {
		bad = append(bad, fmt.Errorf("tensor parallel %d x pipeline parallel %d can't be spread evenly over %d nodes", tp, pp, nodes))
	}
	return errors.Join(bad...)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// divisors are the tensor parallel sizes that fit the heads, up to a node's GPUs.
func divisors(heads, kv, most int) string {
	if most <= 0 {
		most = heads
	}
	var fit []string
	for n := 1; n <= most; n++ {
		if heads > 0 && heads%n != 0 {
			continue
		}
		if kv > 0 && kv%n != 0 && n%kv != 0 {
			continue
		}
		fit = append(fit, strconv.Itoa(n))
	}
	return strings.Join(fit, ", ")
}

// KVCopies is how often each KV head is kept: 1, or TP/KVHeads where TP is larger.
func KVCopies(kvHeads, tp int) int {
	if kvHeads <= 0 || tp <= kvHeads {
		return 1
	}
	return tp / kvHeads
}
