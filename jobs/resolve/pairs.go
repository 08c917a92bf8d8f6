package resolve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"hpcbench/apptainer"
	"hpcbench/results"
	"hpcbench/templates"
)

// Frozen is the software that a baseline was promoted with.
type Frozen struct {
	Run    results.RunDir // it was promoted from; the folder may be gone
	Server results.ServerSpec
	Model  results.ModelFacts
}

// Pairs resolves the two sides of a confirmation: one job in which the frozen
// software and the candidate take turns, with equal schedules. req asks for the
// candidate, its Repeats are the pairs and its Name is the candidate's run; baseName is
// the run of the frozen side. Place, plan and environment are the candidate's on both
// sides; image, flags and model revision are frozen on the one.
func Pairs(ctx context.Context, req Request, baseName string, frozen Frozen) (base, candidate results.Spec, err error) {
	pairs := req.Repeats
	req.Repeats, req.Mode = 2*pairs, results.ModeRestart // what the job has to hold
	if candidate, err = Spec(ctx, req); err != nil {
		return base, candidate, err
	}
	req.Name = baseName
	if base, err = Spec(ctx, req); err != nil {
		return base, candidate, err
	}
	share(&base, pairs, candidate.Job.Dir)
	share(&candidate, pairs, base.Job.Dir)
	if err := freeze(&base, frozen, req.Here); err != nil {
		return base, candidate, fmt.Errorf("the frozen side: %w", err)
	}
	return base, candidate, nil
}

// share makes a run of one side of a job that holds both.
func share(s *results.Spec, pairs int, beside string) {
	s.Repeats = pairs
	s.Grouping = results.Grouping{Mode: results.ModeRestart, FreshServer: true, Beside: beside, Why: "in pairs with " + beside + ", by turns in one job"}
	var all []int
	for i := range pairs {
		all = append(all, i+1)
	}
	s.Grouping.Jobs = [][]int{all}
	// The job is paid once: half of it is of each side.
	s.Site.Cost.ExpectedHours /= 2
	s.Site.Cost.WorstHours /= 2
}

// freeze puts the baseline's software into a spec.
func freeze(s *results.Spec, frozen Frozen, here bool) error {
	f, tonight := frozen.Server, s.Server
	switch {
	case f.Engine != tonight.Engine:
		return fmt.Errorf("the baseline's engine is %s, tonight's is %s", f.Engine, tonight.Engine)
	case frozen.Model.Name != s.Model.Name:
		return fmt.Errorf("the baseline's model is %s, tonight's is %s", frozen.Model.Name, s.Model.Name)
	case len(f.Command) == 0:
		return errors.New("the baseline has no server command: it was measured through a URL or imported")
	case (f.Image == "") != (tonight.Image == ""):
		return errors.New("one of the two sides has a container and the other has none")
	case f.TensorParallel != tonight.TensorParallel || f.PipelineStages != tonight.PipelineStages:
		return fmt.Errorf("the baseline has TP %d and PP %d, tonight has TP %d and PP %d", f.TensorParallel, f.PipelineStages, tonight.TensorParallel, tonight.PipelineStages)
	}
	if f.Image != "" && here {
		if err := sameImage(f); err != nil {
			return err
		}
	}
	s.Model.Source, s.Model.Revision = frozen.Model.Source, frozen.Model.Revision
	server := tonight // how it is started, found ready and ended is tonight's
	server.Image, server.ImageAsked, server.ImageSize, server.ImageID, server.ImageDigest = f.Image, f.ImageAsked, f.ImageSize, f.ImageID, f.ImageDigest
	server.EngineVersion, server.ServedName, server.MaxModelLen, server.MaxNumSeqs = f.EngineVersion, f.ServedName, f.MaxModelLen, f.MaxNumSeqs
	server.Command, server.RankArgs, server.WorkerArgs = slices.Clone(f.Command), f.RankArgs, f.WorkerArgs
	if server.Command[0] == frozen.Run.Binary() { // the stub is this very program
		server.Command[0] = results.RunDir(s.Job.Dir).Binary()
	}
	server.Container = slices.Clone(tonight.Container)
	for i, word := range server.Container {
		if word == tonight.Image {
			server.Container[i] = f.Image
		}
	}
	s.Server = server
	return nil
}

// sameImage says that the frozen image is still the one that was promoted.
func sameImage(f results.ServerSpec) error {
	info, err := os.Stat(f.Image)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("its image %s is gone: promote another baseline (`hpcbench baseline set`)", f.Image)
	}
	if err != nil {
		return fmt.Errorf("its image: %w", err)
	}
	sif, err := apptainer.Inspect(f.Image)
	if err != nil {
		return fmt.Errorf("its image: %w", err)
	}
	if f.ImageSize > 0 && info.Size() != f.ImageSize || f.ImageID != "" && sif.ID != f.ImageID {
		return fmt.Errorf("its image %s was replaced since (%d bytes, then %d): promote another baseline (`hpcbench baseline set`)", f.Image, info.Size(), f.ImageSize)
	}
	return nil
}

// PairsScript renders the script of the shared job from the two specs alone. It
// belongs into the candidate's folder.
func PairsScript(base, candidate results.Spec) ([]byte, error) {
	dir := results.RunDir(candidate.Job.Dir)
	data := templates.PairsData{
		RunName: candidate.Name, Version: candidate.ToolVersion, Notes: pairsNotes(base, candidate),
		Requeue: candidate.Job.Requeue, SignalBeforeS: candidate.Job.SignalS,
		Baseline: results.RunDir(base.Job.Dir).Script(), Candidate: dir.Script(), Self: dir.Pairs(),
		Pairs: candidate.Grouping.Jobs[0],
	}
	for _, d := range candidate.Job.Directives {
		data.Directives = append(data.Directives, templates.Directive{Flag: strings.TrimPrefix(d[0], "--"), Value: d[1]})
	}
	text, err := templates.Pairs(data)
	if err != nil {
		return nil, fmt.Errorf("render the script of the pairs of %s: %w", candidate.Name, err)
	}
	return text, nil
}

func pairsNotes(base, candidate results.Spec) []string {
	lines := []string{fmt.Sprintf("%d pairs: baseline %s, candidate %s", candidate.Repeats, base.Name, candidate.Name)}
	if candidate.Simulated {
		lines = append(lines, "The engine is the stub: everything measured here is simulated.")
	}
	for i, a := range candidate.Job.Arithmetic {
		if i == 0 {
			a = "Walltime of the job: " + a
		}
		lines = append(lines, a)
	}
	return lines
}
