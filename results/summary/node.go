package summary

import (
	"slices"

	"hpcbench/results"
)

// nodeStats takes GPUs and host from the samples inside the window.
func nodeStats(out *results.ServerStats, samples []*results.Sample, w *window) {
	var host gauge
	var kills []float64
	gpus := map[string]*gpuSeries{}
	var order []string
	reasons := map[string]bool{}
	for _, s := range samples {
		if s.Host != nil {
			if s.At >= w.from && s.At <= w.to {
				host.add(s.Host.CPUShare)
			}
			if s.At >= w.begun() && s.At <= w.over() {
				kills = append(kills, float64(s.Host.OOMKills))
			}
		}
		if s.GPU == nil {
			continue
		}
		g := gpus[s.GPU.Index]
		if g == nil {
			g = &gpuSeries{}
			gpus[s.GPU.Index] = g
			order = append(order, s.GPU.Index)
		}
		g.take(s, w)
		if s.GPU.Throttle != "" && s.At >= w.from && s.At <= w.to {
			reasons[s.GPU.Throttle] = true
		}
	}
	out.HostCPU = host.result()
	if len(kills) > 1 {
		out.OOMKills = ptr(slices.Max(kills) - slices.Min(kills))
	}
	for r := range reasons {
		out.Throttle = append(out.Throttle, r)
	}
	slices.Sort(out.Throttle)
	slices.Sort(order)
	series := make([]*gpuSeries, len(order))
	for i, index := range order {
		series[i] = gpus[index]
	}
	gpuStats(out, series, w)
}

// gpuSeries is one GPU over the window.
type gpuSeries struct {
	util, clock, memory gauge
	power               []reading // all of the attempt: energy needs the ones around the window
	packages            bool      // its power is the whole package's
}

type reading struct {
	at int64
	w  float64
}

func (g *gpuSeries) take(s *results.Sample, w *window) {
	if s.GPU.PowerW != nil {
		g.power = append(g.power, reading{s.At, *s.GPU.PowerW})
		g.packages = g.packages || s.GPU.PackageOnly
	}
	if s.At < w.from || s.At > w.to {
		return
	}
	g.util.maybe(s.GPU.UtilShare)
	g.clock.maybe(s.GPU.ClockMHz)
	g.memory.maybe(s.GPU.MemUsedMiB)
}

// gpuStats joins the GPUs: use, memory and clock over all readings, power as
// the sum over GPUs.
func gpuStats(out *results.ServerStats, gpus []*gpuSeries, w *window) {
	var util, clock, memory gauge
	for _, g := range gpus {
		util.join(g.util)
		clock.join(g.clock)
		memory.join(g.memory)
	}
	out.GPUUtil, out.GPUClock, out.GPUMemMiB = util.result(), clock.result(), memory.result()
	out.GPUPowerW = totalPower(gpus, w)
	if !wholePackages(gpus) || w.to <= w.from {
		return
	}
	joules := 0.0
	for _, g := range gpus {
		if len(g.power) == 0 {
			continue // the second die of a package, whose first states both
		}
		e, ok := energy(g.power, w.from, w.to)
		if !ok {
			return
		}
		joules += e
	}
	out.EnergyJ = &joules
}

func (g *gauge) maybe(v *float64) {
	if v != nil {
		g.add(*v)
	}
}

func (g *gauge) join(other gauge) {
	if other.n == 0 {
		return
	}
	if g.n == 0 {
		*g = other
		return
	}
	g.lowest, g.highest = min(g.lowest, other.lowest), max(g.highest, other.highest)
	g.sum += other.sum
	g.n += other.n
}

// wholePackages says whether the power readings cover the GPUs in use and
// nothing else. An MI250X states the power of both its dies at the first and
// none at the second: with every second die in use the sum is right, with one
// die alone the neighbour's part is in it.
func wholePackages(gpus []*gpuSeries) bool {
	stating, silent, packages := 0, 0, 0
	for _, g := range gpus {
		switch {
		case len(g.power) == 0:
			silent++
		case g.packages:
			packages++
		default:
			stating++
		}
	}
	return stating+packages > 0 && silent == packages
}

// totalPower is the sum over GPUs, each at its latest reading, at every
// instant in the window at which all of them have one.
func totalPower(gpus []*gpuSeries, w *window) *results.MinMax {
	var stating []*gpuSeries
	var instants []int64
	for _, g := range gpus {
		if len(g.power) == 0 {
			continue
		}
		stating = append(stating, g)
		for _, r := range g.power {
			if r.at >= w.from && r.at <= w.to {
				instants = append(instants, r.at)
			}
		}
	}
	slices.Sort(instants)
	instants = slices.Compact(instants)
	next := make([]int, len(stating))
	var total gauge
	for _, t := range instants {
		sum, all := 0.0, true
		for i, g := range stating {
			for next[i] < len(g.power) && g.power[next[i]].at <= t {
				next[i]++
			}
			if next[i] == 0 {
				all = false
				break
			}
			sum += g.power[next[i]-1].w
		}
		if all {
			total.add(sum)
		}
	}
	return total.result()
}

// energy integrates power over [from, to) by trapezoids, with the edges on the
// line between the readings around them. Readings must reach within two
// seconds of both edges.
func energy(power []reading, from, to int64) (joules float64, ok bool) {
	const reach = 2_000_000
	if len(power) == 0 || power[0].at > from+reach || power[len(power)-1].at < to-reach {
		return 0, false
	}
	last := power[len(power)-1]
	points := append([]reading{{min(from, power[0].at), power[0].w}}, power...)
	points = append(points, reading{max(to, last.at), last.w})
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		left, right := max(a.at, from), min(b.at, to)
		if right <= left {
			continue
		}
		on := func(t int64) float64 { return a.w + (b.w-a.w)*float64(t-a.at)/float64(b.at-a.at) }
		joules += (on(left) + on(right)) / 2 * float64(right-left) / 1e6
	}
	return joules, true
}
