package report

import (
	"fmt"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// FormatDocument stands first in the JSON of collect and report.
const FormatDocument = "hpcbench.collect/1"

// Document is one run averaged: the JSON of `collect`, and what every table and
// figure is made from.
type Document struct {
	Format     string         `json:"format"`
	Conditions Conditions     `json:"conditions"`
	Provenance []Provenance   `json:"provenance"`
	Spent      *Spent         `json:"spent,omitempty"`
	Problems   []read.Problem `json:"problems,omitempty"`
	aggregate.Table
	run *read.Run
}

// Conditions are what the numbers hold for.
type Conditions struct {
	Site           string       `json:"site"`
	Partition      string       `json:"partition,omitempty"`
	GPUKind        string       `json:"gpu_kind,omitempty"`
	GPUs           int          `json:"gpus"`
	Nodes          int          `json:"nodes"`
	Model          string       `json:"model"`
	Revision       string       `json:"revision,omitempty"`
	Engine         string       `json:"engine"`
	EngineVersions []string     `json:"engine_versions,omitempty"` // as the servers stated them
	Image          string       `json:"image,omitempty"`
	TensorParallel int          `json:"tensor_parallel,omitempty"`
	PipelineStages int          `json:"pipeline_parallel,omitempty"`
	URL            string       `json:"url,omitempty"`
	EngineArgs     []string     `json:"engine_args,omitempty"`
	Mode           string       `json:"repeat_mode"`
	Clocks         []string     `json:"clocks,omitempty"`
	Drivers        []string     `json:"drivers,omitempty"`
	Plan           results.Plan `json:"plan"`
	SpecDigest     string       `json:"spec_digest,omitempty"`
}

// Provenance is where one repeat comes from.
type Provenance struct {
	Repeat     int    `json:"repeat"`
	State      string `json:"state"`
	Why        string `json:"why,omitempty"`
	Attempt    int    `json:"attempt"`
	Others     []int  `json:"other_attempts,omitempty"`
	Node       string `json:"node,omitempty"`
	JobID      string `json:"job_id,omitempty"`
	StartedAt  string `json:"started_at,omitempty"` // UTC
	Version    string `json:"engine_version,omitempty"`
	Digest     string `json:"image_digest,omitempty"`
	Driver     string `json:"driver,omitempty"`
	Clock      string `json:"clock,omitempty"`
	Schedule   string `json:"schedule_digest,omitempty"`
	Recomputed string `json:"recomputed,omitempty"`
	SacctLine  string `json:"sacct_line,omitempty"`
}

// Spent is what the run cost by the scheduler's accounting.
type Spent struct {
	Unit            string   `json:"unit"`
	Hours           float64  `json:"hours"`
	ExpectedHours   float64  `json:"expected_hours,omitempty"`
	HoursPerMTokens *float64 `json:"hours_per_million_output_tokens,omitempty"` // of windows of the used steps
	Jobs            int      `json:"jobs"`
}

// New makes the document of a run.
func New(run *read.Run) *Document {
	d := &Document{Format: FormatDocument, Table: *aggregate.Of(run), Problems: run.AllProblems(), run: run}
	s := run.Spec
	d.Conditions = Conditions{
		Site: s.Site.Name, Partition: s.Job.Partition, GPUKind: s.Site.GPUKind, GPUs: s.Job.GPUs, Nodes: s.Job.Nodes, Model: s.Model.Name, Revision: s.Model.Revision,
		Engine: s.Server.Engine, Image: s.Server.Image, TensorParallel: s.Server.TensorParallel, PipelineStages: s.Server.PipelineStages, URL: s.Server.URL,
		EngineArgs: s.Server.Command, Mode: s.Grouping.Mode, Plan: s.Plan, SpecDigest: run.Digest,
		EngineVersions: aggregate.Distinct(run, func(a *results.Attempt) string { return a.Server.Version }),
		Clocks:         aggregate.Distinct(run, func(a *results.Attempt) string { return a.Clock.Kind }),
		Drivers:        aggregate.Distinct(run, func(a *results.Attempt) string { return a.Node.Driver }),
	}
	for i := range run.Repeats {
		d.Provenance = append(d.Provenance, provenance(&run.Repeats[i]))
	}
	d.Spent = spent(run, &d.Table)
	return d
}

func provenance(r *read.Repeat) Provenance {
	p := Provenance{Repeat: r.Index, State: r.State, Why: r.Why, Attempt: r.Chosen, Others: r.Others, Recomputed: r.Recomputed}
	if a := r.Attempt; a != nil {
		p.Node, p.Version, p.Digest, p.Driver = a.Node.Hostname, a.Server.Version, a.Server.ImageDigest, a.Node.Driver
		p.Clock, p.Schedule = a.Clock.Kind, a.ScheduleDigest
		if !a.StartedAt.IsZero() {
			p.StartedAt = a.StartedAt.UTC().Format("2006-01-02 15:04:05Z")
		}
		if a.Slurm != nil {
			p.JobID, p.SacctLine = a.Slurm.JobID, a.Slurm.SacctLine
		}
	}
	return p
}

// spent adds up the elapsed time of the run's jobs, each once, at the site's price.
func spent(run *read.Run, t *aggregate.Table) *Spent {
	cost := run.Spec.Site.Cost
	if cost.Unit == "" {
		return nil
	}
	seen := map[string]bool{}
	s := &Spent{Unit: cost.Unit, ExpectedHours: cost.ExpectedHours}
	for i := range run.Repeats {
		if j := run.Repeats[i].Job; j != nil && j.ElapsedS > 0 && !seen[j.ID] {
			seen[j.ID] = true
			s.Hours += j.ElapsedS / 3600 * cost.PerHour
		}
	}
	if s.Jobs = len(seen); s.Jobs == 0 {
		return nil
	}
	tokens := 0.0
	for i := range t.Steps {
		if e, ok := t.Steps[i].Estimate("corrected.output_tokens"); ok && e.Mean != nil {
			tokens += *e.Mean * float64(e.N)
		}
	}
	if tokens > 0 {
		per := s.Hours / tokens * 1e6
		s.HoursPerMTokens = &per
	}
	return s
}

// Title is the run in one line.
func (c Conditions) Title() string {
	if c.URL != "" {
		return fmt.Sprintf("%s at %s", c.Model, c.URL)
	}
	if c.Site == "" { // imported: only what the other tool's file says is known
		if c.GPUKind != "" {
			return c.Model + " on " + c.GPUKind
		}
		return c.Model
	}
	gpus := "no GPU"
	if c.GPUs > 0 {
		gpus = fmt.Sprintf("%d × %s", c.GPUs, c.GPUKind)
	}
	place := c.Site
	if c.Partition != "" {
		place += ", " + c.Partition
	}
	return fmt.Sprintf("%s on %s (%s)", c.Model, gpus, place)
}
