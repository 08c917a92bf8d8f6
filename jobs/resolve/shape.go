package resolve

import (
	"fmt"

	"hpcbench/engine/vllm"
	"hpcbench/results"
	"hpcbench/sites"
)

// shape decides nodes, GPUs and how the model is cut over them: TP inside a
// node, PP across nodes, unless stated.
func (d *draft) shape() {
	job, server := &d.spec.Job, &d.spec.Server
	perNode := d.site.GPU.PerNode
	job.GPUs, job.Nodes = d.req.GPUs, d.req.Nodes
	if perNode == 0 {
		if job.GPUs > 0 {
			d.fail(fmt.Errorf("--gpus %d: site %s has no GPUs", job.GPUs, d.site.Name))
		}
		job.Nodes = max(job.Nodes, 1)
		server.TensorParallel, server.PipelineStages = 1, 1
		return
	}
	if job.GPUs < 0 || job.Nodes < 0 {
		d.fail(fmt.Errorf("--gpus %d --nodes %d: negative", job.GPUs, job.Nodes))
		return
	}
	switch {
	case job.GPUs == 0 && job.Nodes == 0 && d.req.TP > 0:
		job.GPUs = d.req.TP * max(1, d.req.PP)
	case job.GPUs == 0:
		job.GPUs = max(1, job.Nodes*perNode)
	}
	if job.Nodes == 0 {
		job.Nodes = (job.GPUs + perNode - 1) / perNode
	}
	unit := d.site.GPU.Unit
	switch {
	case job.GPUs%job.Nodes != 0:
		d.fail(fmt.Errorf("--gpus %d can't be spread evenly over %d nodes of %d %ss each", job.GPUs, job.Nodes, perNode, unit))
		return
	case job.GPUs/job.Nodes > perNode:
		d.fail(fmt.Errorf("--gpus %d on %d node(s): a node of %s has %d %ss", job.GPUs, job.Nodes, d.site.Name, perNode, unit))
		return
	case d.part.MaxNodes > 0 && job.Nodes > d.part.MaxNodes:
		d.fail(fmt.Errorf("%d nodes: partition %s allows a job at most %d", job.Nodes, d.site.Partition, d.part.MaxNodes))
	}
	onNode := job.GPUs / job.Nodes
	server.TensorParallel, server.PipelineStages = d.req.TP, d.req.PP
	switch {
	case server.TensorParallel == 0 && server.PipelineStages > 0 && job.GPUs%server.PipelineStages == 0:
		server.TensorParallel = job.GPUs / server.PipelineStages
	case server.TensorParallel == 0:
		server.TensorParallel = onNode
	}
	if server.PipelineStages == 0 {
		server.PipelineStages = max(1, job.GPUs/server.TensorParallel)
	}
	if used := server.TensorParallel * server.PipelineStages; used != job.GPUs && !d.req.Force {
		d.fail(fmt.Errorf("tensor parallel %d x pipeline parallel %d uses %d %ss of %d: the others would be paid for and idle (--force if that's meant)",
			server.TensorParallel, server.PipelineStages, used, unit, job.GPUs))
	}
	if d.part.WholeNode && onNode < perNode {
		d.warn("partition %s gives and charges whole nodes: %d of %d %ss would stay idle", d.site.Partition, perNode-onNode, perNode, unit)
	}
	if d.site.Engine != sites.VLLM {
		return
	}
	d.fail(vllm.CheckParallel(vllm.ParallelConfig{
		Heads: d.spec.Model.Heads, KVHeads: d.spec.Model.KVHeads, Layers: d.spec.Model.Layers,
		TP: server.TensorParallel, PP: server.PipelineStages, GPUsPerNode: perNode, Nodes: job.Nodes,
	}))
}

// memory checks that weights and one request fit; it needs --max-model-len, so it comes after the server's command line.
func (d *draft) memory() {
	s := d.spec.Server
	if s.Engine != results.EngineVLLM {
		return
	}
	fit, err := vllm.CheckMemory(vllm.MemoryConfig{
		WeightsBytes: d.spec.Model.WeightsBytes, Exact: d.spec.Model.WeightsExact && d.model.Quantization == "",
		GPUMemoryGiB: d.site.GPU.MemoryGiB, TP: s.TensorParallel, PP: s.PipelineStages,
		KVBytesPerToken: d.model.KVBytesPerToken(), KVHeads: d.model.KVHeads, MaxModelLen: s.MaxModelLen,
		Utilization: vllm.Utilization(s.EngineVersion),
	})
	switch {
	case err != nil && d.req.Force:
		d.warn("%v (--force)", err)
	case err != nil:
		d.fail(err)
	case fit.Warning != "":
		d.warn("%s", fit.Warning)
	}
}

// contextFor is the --max-model-len that the plan needs, rounded up to a power
// of two: a model's whole context may want more KV cache than the GPUs have, and vLLM
// then refuses to start.
func contextFor(p results.Plan, most int) int {
	need := p.Prompt.Tokens + max(p.Output.Tokens, p.Output.Max)
	if m := p.Matrix; m != nil {
		for _, c := range append(append([]int{}, m.ContextsTokens...), m.PrefillTokens...) {
			need = max(need, c+max(p.Output.Tokens, p.Output.Max))
		}
	}
	need += 256 // the chat template, the salt and what tokenizers add
	length := 8192
	for length < need {
		length *= 2
	}
	if most > 0 {
		length = min(length, most)
	}
	return length
}
