package resolve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hpcbench/apptainer"
	"hpcbench/engine/vllm"
	"hpcbench/results"
	"hpcbench/sites"
)

// server makes the command line: the container's part and the engine's.
func (d *draft) server(context.Context) {
	s := &d.spec.Server
	s.Engine = d.site.Engine
	s.ServedName = d.spec.Model.Name
	s.Socket = d.site.UnixSocket
	s.MaxNumSeqs = d.req.MaxNumSeqs
	s.StartRetries = 2
	s.MaxModelLen = d.req.MaxModelLen
	if d.req.ServerScript != "" {
		s.Engine = results.EngineOpenAI
	}
	switch s.Engine {
	case results.EngineVLLM:
		if s.MaxModelLen == 0 {
			s.MaxModelLen = contextFor(d.spec.Plan, d.spec.Model.ContextTokens)
		}
		if most := d.spec.Model.ContextTokens; most > 0 && s.MaxModelLen > most && !d.req.Force {
			d.fail(fmt.Errorf("--max-model-len %d: the model was made for at most %d tokens, and vLLM refuses more (--force if the image is told otherwise)", s.MaxModelLen, most))
		}
		args, err := vllm.ServeArgs(vllm.ServeConfig{
			Model: d.spec.Model.Source, ServedName: s.ServedName,
			TP: s.TensorParallel, PP: s.PipelineStages, Nodes: d.spec.Job.Nodes,
			MaxModelLen: s.MaxModelLen, MaxNumSeqs: s.MaxNumSeqs, DType: d.req.DType,
			Revision: revisionFlag(d.spec.Model), Socket: s.Socket, Extra: d.req.ServerArgs,
		})
		d.fail(err)
		s.Command = args
		s.RankArgs, s.WorkerArgs = vllm.RankArgs(d.spec.Job.Nodes)
		if d.spec.Job.Nodes == 1 {
			s.RankArgs, s.WorkerArgs = nil, nil
		}
	case results.EngineStub:
		s.Command = append([]string{results.RunDir(d.spec.Job.Dir).Binary(), "stub", "--port", vllm.PortWord,
			"--served-model-name", s.ServedName + "-" + vllm.NonceWord, "--root", d.spec.Model.Source}, d.req.ServerArgs...)
		if s.Socket {
			s.Command[2], s.Command[3] = "--uds", vllm.SocketWord
		}
	case results.EngineOpenAI:
		d.ownServer()
	default:
		d.fail(fmt.Errorf("site %s: engine %q has no command line here", d.site.Name, s.Engine))
	}
	s.KeyEnv = []string{vllm.KeyEnv}
	if runtime, contained := d.runtime(); contained {
		d.container(runtime)
		d.learnt()
		s.KeyEnv = []string{runtime.EnvName(vllm.KeyEnv)}
	}
	s.ExpectedStartS, s.DeadlineS, s.GraceS = d.startTimes()
}

// revisionFlag pins a model that the server itself will fetch; a snapshot's path is pinned already.
func revisionFlag(m results.ModelFacts) string {
	if m.Source != m.Name {
		return ""
	}
	return m.Revision
}

// ownServer takes a script of the user's as the server. It is told port, name
// and key in the environment, and must serve the name with the nonce.
func (d *draft) ownServer() {
	path, err := filepath.Abs(d.req.ServerScript)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		d.fail(fmt.Errorf("--server-script: %w", err))
		return
	}
	d.spec.Server.Command = append([]string{"bash", path, vllm.PortWord, d.spec.Server.ServedName + "-" + vllm.NonceWord}, d.req.ServerArgs...)
}

// startTimes is how long the server takes to start as far as one can know
// beforehand, when a start is given up, and the grace for its end. A start reads
// the weights (some 0.25 GB/s from a cold Lustre, through FUSE, on several GPUs) and
// compiles; neither site's figures are published.
func (d *draft) startTimes() (expected, deadline, grace float64) {
	switch d.spec.Server.Engine {
	case results.EngineStub:
		return 2, 60, 5
	case results.EngineVLLM:
		expected = 600 // unknown size
		if w := d.spec.Model.WeightsBytes; w > 0 {
			expected = 120 + 4*float64(w)/1e9
		}
		return expected, max(900, 3*expected), 20
	}
	return 300, 1200, 20
}

// container puts the runtime's part in front. The image's link is resolved now
// and checked again on the node: a "latest" may move while the job waits.
func (d *draft) container(runtime apptainer.Runtime) {
	s := &d.spec.Server
	s.Runtime = string(runtime)
	s.ImageAsked = d.site.Image
	s.Image = s.ImageAsked
	if target, err := filepath.EvalSymlinks(s.ImageAsked); err == nil {
		s.Image = target
	}
	d.missing(d.image(s))
	command := apptainer.Command{
		Runtime: runtime, Image: s.Image, GPU: apptainer.GPU(d.site.Runtime.GPUOption),
		Binds: d.binds(), Options: d.site.Runtime.Options, Argv: s.Command,
	}
	if d.site.Runtime.GPUOption == sites.None {
		command.GPU = apptainer.NoGPU
	}
	head, err := command.Head()
	d.fail(err)
	s.Container = head
}

// image writes down what the image says about itself.
func (d *draft) image(s *results.ServerSpec) error {
	info, err := os.Stat(s.Image)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("image %s: there is no such file; set `image` to the path of a .sif, or run `hpcbench prepare --site %s`", s.ImageAsked, d.site.Name)
	}
	if err != nil {
		return fmt.Errorf("image %s: %w", s.ImageAsked, err)
	}
	sif, err := apptainer.Inspect(s.Image)
	if err != nil {
		return fmt.Errorf("image: %w", err)
	}
	s.ImageSize, s.ImageID = info.Size(), sif.ID
	if sif.Arch != "" && sif.Arch != "amd64" && !d.req.Force {
		return fmt.Errorf("image %s is for %s, the nodes of %s are amd64", s.Image, sif.Arch, d.site.Name)
	}
	return nil
}

// binds are the site's, with the optional ones that exist, and whatever else the
// server must see that lies elsewhere: model, caches, and for the stub our own
// program. Where modules bind the file systems (they set the runtime's own variable, which the
// profile then keeps) nothing is added.
func (d *draft) binds() []apptainer.Bind {
	var list []apptainer.Bind
	for _, path := range slices.Sorted(maps.Keys(d.site.Binds)) {
		b := d.site.Binds[path]
		list = append(list, apptainer.Bind{Source: path, Target: b.Target, ReadOnly: b.ReadOnly, Optional: b.Optional})
	}
	list, _ = apptainer.Existing(list, exists)
	if slices.ContainsFunc(d.site.KeepEnv, func(name string) bool { return strings.Contains(name, "_BIND") }) {
		return list
	}
	seen := func(path string) bool {
		home := d.req.Options.Who().Home
		for _, top := range []string{home, "/tmp"} {
			if top != "" && within(path, top) {
				return true
			}
		}
		return slices.ContainsFunc(list, func(b apptainer.Bind) bool { return b.Target == "" && within(path, b.Source) })
	}
	add := func(path string, readOnly bool) {
		if filepath.IsAbs(path) && !seen(path) {
			list = append(list, apptainer.Bind{Source: path, ReadOnly: readOnly})
		}
	}
	if d.spec.Model.Source != d.spec.Model.Name || d.model.Directory != "" {
		add(modelRoot(d.spec.Model.Source), true)
	}
	for _, name := range slices.Sorted(maps.Keys(d.site.Caches)) {
		c := d.site.Caches[name]
		switch {
		case c.ReadOnly:
			if exists(c.Path) {
				add(c.Path, true)
			}
		case strings.Contains(c.Path, "{"):
			add(d.site.CacheDir, false)
		default:
			add(c.Path, false)
		}
	}
	if d.spec.Server.Engine == results.EngineStub {
		add(d.spec.Job.Dir, true)
	}
	if d.spec.Server.Engine == results.EngineOpenAI && len(d.spec.Server.Command) > 1 {
		add(d.spec.Server.Command[1], true) // the user's own script
	}
	return list
}

// modelRoot is what must be seen of a model: a snapshot is made of links into
// the blobs beside it.
func modelRoot(path string) string {
	if dir := filepath.Dir(path); filepath.Base(dir) == "snapshots" {
		return filepath.Dir(dir)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func within(path, top string) bool {
	return path == top || strings.HasPrefix(path, strings.TrimRight(top, "/")+"/")
}
