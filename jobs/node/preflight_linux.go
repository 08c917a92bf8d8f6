package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hpcbench/apptainer"
	"hpcbench/engine"
	"hpcbench/results"
)

// Classes of what the preflight stops for.
const (
	classImageGone    = "image_gone"
	classImageMoved   = "image_moved"
	classImageChanged = "image_changed"
	classRuntime      = "runtime_missing"
	classGPUs         = "gpus_missing"
	classGPUShared    = "gpu_shared"
	classCores        = "cores_missing"
	classEngine       = "engine_changed"
)

// preflight looks at the node before the server starts, and at the image that was
// looked at when the run was made. What would spoil the measurement, or end the start
// after minutes of it, ends the repeat now and with the reason. Flags are no question
// here: those of a learnt image were checked at submit, and for others the server's own
// start is as quick a check as asking it.
func (r *runner) preflight(ctx context.Context, a *attempt) error {
	if f := image(r.spec.Server, r.Argv); f != nil {
		return &failure{f}
	}
	facts := a.file.Get().Node
	facts.Foreign = r.awaitAlone(ctx, facts)
	stop, notes := inspect(r.spec, facts, machineOf(os.Getenv))
	facts.Notes = notes
	err := a.file.Update(func(f *results.Attempt) { f.Node.Foreign, f.Node.Notes = facts.Foreign, facts.Notes })
	for _, n := range notes {
		r.say("note: %s", n)
	}
	if stop != nil {
		return errors.Join(&failure{stop}, err)
	}
	return err
}

// image says what became of the image since the run was made. A script that a person
// has edited to take another one is the person's business.
func image(s results.ServerSpec, argv []string) *results.Failure {
	if s.Image == "" || !slices.Contains(argv, s.Image) {
		return nil
	}
	again := "submit the run anew: with another image it is another run"
	if s.ImageAsked != "" && s.ImageAsked != s.Image {
		// A link that was broken or taken away still has its file: that one was asked for.
		if now, err := filepath.EvalSymlinks(s.ImageAsked); err == nil && now != s.Image {
			return &results.Failure{Class: classImageMoved, Words: fmt.Sprintf("%s was %s when the run was submitted and is %s now", s.ImageAsked, s.Image, now), Remedy: again}
		}
	}
	info, err := os.Stat(s.Image)
	if err != nil {
		return &results.Failure{Class: classImageGone, Words: fmt.Sprintf("the image can't be read on this node: %v", err),
			Remedy: "put it where compute nodes see it, or submit the run with another one"}
	}
	if s.ImageSize > 0 && info.Size() != s.ImageSize {
		return &results.Failure{Class: classImageChanged, Words: fmt.Sprintf("%s has %d bytes, and had %d when the run was submitted", s.Image, info.Size(), s.ImageSize), Remedy: again}
	}
	if s.ImageID == "" {
		return nil
	}
	sif, err := apptainer.Inspect(s.Image)
	if err != nil {
		return &results.Failure{Class: classImageGone, Words: err.Error(), Remedy: "copy or pull the image again"}
	}
	if sif.ID != s.ImageID {
		return &results.Failure{Class: classImageChanged, Words: fmt.Sprintf("%s is image %s, and was %s when the run was submitted", s.Image, sif.ID, s.ImageID), Remedy: again}
	}
	return nil
}

// alonePatience is how long processes on our GPUs may take to go: a job before ours
// may just be ending.
const alonePatience = time.Minute

// awaitAlone waits until no process of others is on our GPUs, and answers those that stay.
func (r *runner) awaitAlone(ctx context.Context, f results.NodeFacts) []string {
	left := f.Foreign
	for end := time.Now().Add(alonePatience); len(left) > 0 && time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return left
		case <-time.After(2 * time.Second):
		}
		_, _, all := gpuFacts(ctx, r.spec.Site.GPUVendor)
		left = onOurs(all, f.GPUs)
	}
	return left
}

// machine is what the job was given, as its environment and the kernel say.
type machine struct {
	online             int // processors of the node
	account, partition string
}

func machineOf(getenv func(string) string) machine {
	m := machine{account: getenv("SLURM_JOB_ACCOUNT"), partition: getenv("SLURM_JOB_PARTITION")}
	if b, err := os.ReadFile("/sys/devices/system/cpu/online"); err == nil {
		m.online = countList(strings.TrimSpace(string(b)))
	}
	return m
}

// elsewhere is the remedy where this node alone is at fault, which Slurm may know by another name.
func elsewhere(run, hostname string) string {
	if name := os.Getenv("SLURMD_NODENAME"); name != "" {
		hostname = name
	}
	return fmt.Sprintf("try other nodes: `hpcbench resume %s --exclude %s`", run, hostname)
}

// inspect compares the node with what was asked for.
func inspect(spec results.Spec, f results.NodeFacts, m machine) (stop *results.Failure, notes []string) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	elsewhere := elsewhere(spec.Name, f.Hostname)
	job := spec.Job
	if spec.Server.Runtime != "" && f.Runtime == "" {
		return &results.Failure{Class: classRuntime, Words: fmt.Sprintf("%s --version gave no answer on this node", spec.Server.Runtime), Remedy: "check the site's setup lines, or " + elsewhere, Passing: true}, notes
	}
	if spec.Site.GPUVendor != "" && !spec.Simulated {
		onNode := job.GPUs / max(job.Nodes, 1)
		switch {
		case len(f.GPUs) == 0:
			note("the GPUs' tool didn't answer: driver, free memory and other processes on them aren't known")
		case len(f.GPUs) < onNode:
			return &results.Failure{Class: classGPUs, Words: fmt.Sprintf("the job asked for %d GPUs of this node and sees %d", onNode, len(f.GPUs)), Remedy: elsewhere, Passing: true}, notes
		}
	}
	if len(f.Foreign) > 0 {
		return &results.Failure{Class: classGPUShared, Words: fmt.Sprintf("%d processes that aren't ours are on our GPUs: %s", len(f.Foreign), strings.Join(f.Foreign, "; ")), Remedy: elsewhere, Passing: true}, notes
	}
	if allowed := countList(f.CPUsAllowed); allowed > 0 && job.CPUsPerTask > 0 {
		switch want := min(job.CPUsPerTask, max(m.online, 1)); {
		case allowed < want:
			return &results.Failure{Class: classCores, Words: fmt.Sprintf("the job asked for %d processors, and the server may use %d (%s)", job.CPUsPerTask, allowed, f.CPUsAllowed),
				Remedy: "look for a binding in the site's setup lines or the script: the server takes all the cores of the job"}, notes
		case m.online >= job.CPUsPerTask && allowed > 2*job.CPUsPerTask: // twice: Slurm may count cores, and the kernel hyper-threads
			note("the job asked for %d processors and isn't held to them: it may use %d (%s)", job.CPUsPerTask, allowed, f.CPUsAllowed)
		}
	}
	if m.partition != "" && job.Partition != "" && m.partition != job.Partition {
		note("the job runs in partition %s, and run.json has %s: its price is another", m.partition, job.Partition)
	}
	if m.account != "" && job.Account != "" && !strings.EqualFold(m.account, job.Account) {
		note("the job is charged to %s, and run.json has %s", m.account, job.Account)
	}
	return nil, notes
}

// countList counts the numbers of a list such as 0-3,8. 0 = it can't be read.
func countList(list string) int {
	n := 0
	for _, part := range strings.Split(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(from)
		if err != nil || a < 0 {
			return 0
		}
		b := a
		if isRange {
			if b, err = strconv.Atoi(to); err != nil || b < a {
				return 0
			}
		}
		n += b - a + 1
	}
	return n
}

// sameEngine compares the version that a server states with the one that was learnt of
// its image: what was measured must be what run.json says.
func sameEngine(s results.ServerSpec, who engine.Identity) error {
	stated, _, _ := strings.Cut(who.Version, "+") // behind the + stands a build, not a release
	if s.EngineVersion == "" || stated == "" || s.Engine != results.EngineVLLM || who.Simulated() || stated == s.EngineVersion {
		return nil
	}
	return &failure{&results.Failure{Class: classEngine, Words: fmt.Sprintf("the image's vLLM was %s when it was asked, and the server says %s", s.EngineVersion, who.Version),
		Remedy: "run `hpcbench prepare` again, and submit the run anew"}}
}

// refuse ends a server that is ready and not to be measured.
func (r *runner) refuse(ctx context.Context, a *attempt, s *running, why error) error {
	how, err := s.process.stop(r.grace())
	err = errors.Join(err, r.endSteps(ctx), a.file.Update(func(f *results.Attempt) { f.Server.ExitWords = how }))
	s.removeSocket()
	return errors.Join(why, err)
}

// Facts writes down this node as an attempt would, for `doctor --probe`.
func Facts(ctx context.Context, site results.SiteFacts, runtime string, gpus int) results.NodeFacts {
	return nodeFacts(ctx, site, runtime, gpus)
}
