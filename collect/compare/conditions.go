package compare

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// unknown stands where a side doesn't state a condition.
const unknown = "not stated"

// conditions lists what differs between two runs: what forbids a verdict, and
// what is often just what one wants to compare.
func conditions(base, new *read.Run) (matters, also []Difference) {
	must := func(what, b, n string) {
		if b != n && b != unknown && n != unknown {
			matters = append(matters, Difference{what, b, n})
		}
	}
	may := func(what, b, n string) {
		if b != n {
			also = append(also, Difference{what, first(b, unknown), first(n, unknown)})
		}
	}
	b, n := &base.Spec, &new.Spec
	must("simulated", yes(simulated(base)), yes(simulated(new)))
	must("model", stated(b.Model.Name), stated(n.Model.Name))
	must("model revision", stated(b.Model.Revision), stated(n.Model.Revision))
	if !sameGPU(b.Site.GPUKind, n.Site.GPUKind) {
		must("GPU kind", stated(b.Site.GPUKind), stated(n.Site.GPUKind))
	}
	must("GPUs", count(b.Job.GPUs), count(n.Job.GPUs))
	must("nodes of a run", count(b.Job.Nodes), count(n.Job.Nodes))
	must("tensor parallel", count(b.Server.TensorParallel), count(n.Server.TensorParallel))
	must("pipeline parallel", count(b.Server.PipelineStages), count(n.Server.PipelineStages))
	must("fresh server for each repeat", yes(b.Grouping.FreshServer), yes(n.Grouping.FreshServer))
	for _, d := range planDifferences(b.Plan, n.Plan) {
		if waysOnly[d.What] {
			may(d.What, d.Base, d.New)
			continue
		}
		must(d.What, d.Base, d.New)
	}
	must("clock", joined(base, clockOf), joined(new, clockOf))

	for _, side := range []struct {
		name string
		run  *read.Run
	}{{"base", base}, {"new", new}} {
		if v := aggregate.Distinct(side.run, versionOf); len(v) > 1 {
			matters = append(matters, Difference{"engine versions within the repeats of " + side.name, strings.Join(v, ", "), strings.Join(v, ", ")})
		}
	}

	may("engine", b.Server.Engine, n.Server.Engine)
	may("engine version", joined(base, versionOf), joined(new, versionOf))
	may("engine arguments", commandOf(b.Server.Command), commandOf(n.Server.Command))
	may("image", b.Server.Image, n.Server.Image)
	may("image digest", joined(base, func(a *results.Attempt) string { return a.Server.ImageDigest }), joined(new, func(a *results.Attempt) string { return a.Server.ImageDigest }))
	may("driver", joined(base, func(a *results.Attempt) string { return a.Node.Driver }), joined(new, func(a *results.Attempt) string { return a.Node.Driver }))
	may("nodes", joined(base, nodeOf), joined(new, nodeOf))
	may("site", b.Site.Name, n.Site.Name)
	may("partition", b.Job.Partition, n.Job.Partition)
	may("repeat mode", b.Grouping.Mode, n.Grouping.Mode)
	may("URL", b.Server.URL, n.Server.URL)
	may("hpcbench", b.ToolVersion, n.ToolVersion)
	return matters, also
}

// commandOf leaves out in which folder the program lies: the stub's is the run's own copy of hpcbench.
func commandOf(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	return strings.Join(append([]string{filepath.Base(argv[0])}, argv[1:]...), " ")
}

// oneMeasurement are the repeats that both sides have: a salt and an epoch belong to
// one attempt only, so equal ones mean that a run is compared with itself or a copy.
func oneMeasurement(base, new *read.Run) []int {
	key := func(a *results.Attempt) string { return a.Salt + " " + a.EpochAt.String() }
	known := map[string]bool{}
	for i := range base.Repeats {
		if a := base.Repeats[i].Attempt; a != nil && a.Salt != "" {
			known[key(a)] = true
		}
	}
	var out []int
	for i := range new.Repeats {
		if a := new.Repeats[i].Attempt; a != nil && known[key(a)] {
			out = append(out, new.Repeats[i].Index)
		}
	}
	return out
}

func simulated(r *read.Run) bool {
	s := r.Spec.Simulated
	for i := range r.Repeats {
		s = s || r.Repeats[i].Summary != nil && r.Repeats[i].Summary.Simulated
	}
	return s
}

func clockOf(a *results.Attempt) string   { return a.Clock.Kind }
func versionOf(a *results.Attempt) string { return a.Server.Version }
func nodeOf(a *results.Attempt) string    { return a.Node.Hostname }

func joined(r *read.Run, of func(*results.Attempt) string) string {
	return stated(strings.Join(aggregate.Distinct(r, of), ", "))
}

func stated(s string) string { return first(s, unknown) }

func count(n int) string {
	if n == 0 {
		return unknown
	}
	return fmt.Sprint(n)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// shownOnly are the fields of a plan that don't change what is measured.
var shownOnly = map[string]bool{"name": true, "description": true, "slo": true, "seed": true, "cool_down_s": true, "drain_s": true, "limits": true}

// waysOnly are the fields of a gateway plan that say which way was measured and how
// often: another gateway is what one wants to compare.
var waysOnly = map[string]bool{"plan gateway.direct_url": true, "plan gateway.gateway_url": true, "plan gateway.blocks": true, "plan gateway.aa": true}

// planDifferences compares two plans field by field under their names in files.
func planDifferences(a, b results.Plan) []Difference {
	fa, fb := flat(a), flat(b)
	names := map[string]bool{}
	for k := range fa {
		names[k] = true
	}
	for k := range fb {
		names[k] = true
	}
	var out []Difference
	for k := range names {
		if top, _, _ := strings.Cut(k, "."); !shownOnly[top] && fa[k] != fb[k] {
			out = append(out, Difference{"plan " + k, first(fa[k], "none"), first(fb[k], "none")})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if kind := out[i].What == "plan kind"; kind != (out[j].What == "plan kind") {
			return kind // the rest follows from it
		}
		return out[i].What < out[j].What
	})
	return out
}

// flat lists the fields of a plan as dotted names with their JSON text.
func flat(p results.Plan) map[string]string {
	b, err := json.Marshal(p)
	if err != nil {
		return map[string]string{"plan": err.Error()}
	}
	var tree map[string]any
	if err := json.Unmarshal(b, &tree); err != nil {
		return map[string]string{"plan": err.Error()}
	}
	out := map[string]string{}
	flatten("", tree, out)
	return out
}

func flatten(prefix string, v any, out map[string]string) {
	if m, ok := v.(map[string]any); ok {
		for k, child := range m {
			flatten(strings.TrimPrefix(prefix+"."+k, "."), child, out)
		}
		return
	}
	b, err := json.Marshal(v)
	if err != nil {
		b = []byte(err.Error())
	}
	out[prefix] = string(b)
}

// sameGPU compares names that people write differently: "NVIDIA A100 40GB" and
// "NVIDIA A100-SXM4-40GB" are the same where all words of the shorter are in
// the longer.
func sameGPU(a, b string) bool {
	wa, wb := gpuWords(a), gpuWords(b)
	if len(wa) > len(wb) {
		wa, wb = wb, wa
	}
	for w := range wa {
		if !wb[w] {
			return false
		}
	}
	return true
}

func gpuWords(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }) {
		out[w] = true
	}
	return out
}

// lengthsDiffer says by how much the mean answers of two steps differ, where it
// is more than 2 %: then E2E and tokens/s are of different work. "" = they don't.
func lengthsDiffer(a, b *aggregate.Step) string {
	ea, eb, ok := tokensPerRequest(a, b)
	if !ok || ea <= 0 {
		return ""
	}
	return lengthWords(ea, eb)
}

func lengthWords(base, new float64) string {
	if d := new/base - 1; d > 0.02 || d < -0.02 {
		return fmt.Sprintf("answers have %.4g tokens on average against %.4g (%s, limit 2 %%): other work", new, base, signedPercent(d))
	}
	return ""
}

func tokensPerRequest(a, b *aggregate.Step) (base, new float64, ok bool) {
	for _, name := range []string{"corrected.output_tokens_per_request", "compat.output_tokens_per_request"} {
		ea, okA := a.Estimate(name)
		eb, okB := b.Estimate(name)
		if okA && okB && ea.Mean != nil && eb.Mean != nil {
			return *ea.Mean, *eb.Mean, true
		}
	}
	return 0, 0, false
}
