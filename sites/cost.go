package sites

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Cost is a site's price. An hour costs PerNodeHour for a whole node, and for
// a part of one the largest of its shares: GPUs, cores (rounded up to
// CoresPerGPU) and memory (rounded up to MemoryGiBPerGPU), counted in GPUs.
type Cost struct {
	Unit            string  `yaml:"unit"`               // "GPU-hours"; empty = nothing is charged
	PerNodeHour     float64 `yaml:"per_node_hour"`      // units
	CoresPerGPU     int     `yaml:"cores_per_gpu"`      // 0 = cores are not charged
	MemoryGiBPerGPU float64 `yaml:"memory_gib_per_gpu"` // 0 = memory is not charged
}

// Resources are what one job holds, over all its nodes.
type Resources struct {
	Nodes     int
	GPUs      int
	Cores     int
	MemoryGiB float64
	WholeNode bool // the partition gives and charges whole nodes, or --exclusive was asked for
}

// CostOf is the price of holding r for so many hours, in Cost.Unit.
func (p Profile) CostOf(r Resources, hours float64) float64 {
	if r.WholeNode {
		return p.Cost.PerNodeHour * float64(r.Nodes) * hours
	}
	if p.GPU.PerNode == 0 {
		return 0
	}
	share := float64(r.GPUs)
	if n := p.Cost.CoresPerGPU; n > 0 {
		share = max(share, math.Ceil(float64(r.Cores)/float64(n)))
	}
	if n := p.Cost.MemoryGiBPerGPU; n > 0 {
		share = max(share, math.Ceil(r.MemoryGiB/n))
	}
	return p.Cost.PerNodeHour / float64(p.GPU.PerNode) * share * hours
}

// CostFormula is CostOf in words; empty when nothing is charged.
func (p Profile) CostFormula() string {
	if p.Cost.Unit == "" || p.GPU.PerNode == 0 {
		return ""
	}
	unit := p.GPU.Unit + "s"
	terms := []string{unit}
	if n := p.Cost.CoresPerGPU; n > 0 {
		terms = append(terms, fmt.Sprintf("ceil(cores/%d)", n))
	}
	if n := p.Cost.MemoryGiBPerGPU; n > 0 {
		terms = append(terms, fmt.Sprintf("ceil(GiB/%g)", n))
	}
	share := terms[0]
	if len(terms) > 1 {
		share = "max(" + strings.Join(terms, ", ") + ")"
	}
	price := strconv.FormatFloat(p.Cost.PerNodeHour/float64(p.GPU.PerNode), 'g', -1, 64)
	return fmt.Sprintf("%s x %s x hours, in %s; a whole node is %g an hour", price, share, p.Cost.Unit, p.Cost.PerNodeHour)
}
