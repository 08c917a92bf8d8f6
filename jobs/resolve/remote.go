package resolve

import (
	"fmt"
	"strings"
	"time"

	"hpcbench/results"
)

// RemoteRequest asks for a run against a URL: no job, no server of ours.
type RemoteRequest struct {
	URL   string // the base, as it will be called
	Model string // as the server names it
	Plan  results.Plan
	// Simulated says that the server called itself a stub.
	Simulated bool
	// Service is what the service is, in the words of whoever measures it; "" = not said.
	Service     string
	Repeats     int
	Name        string
	Dir         string // the run folder
	ToolVersion string
	Now         time.Time
}

// Remote makes the spec of a run that is measured from here through a URL, so
// that it lies in the same kind of folder and is read by the same verbs.
func Remote(r RemoteRequest) (results.Spec, error) {
	if err := r.Plan.Check(); err != nil {
		return results.Spec{}, err
	}
	if r.Repeats < 1 || r.Repeats > 1000 {
		return results.Spec{}, fmt.Errorf("--repeats %d: 1 to 1000", r.Repeats)
	}
	g := results.Grouping{Mode: results.ModeRemote, Why: "measured through a URL, within one session"}
	for i := range r.Repeats {
		g.Jobs = append(g.Jobs, []int{i + 1})
	}
	return results.Spec{
		Format: results.FormatSpec, Name: r.Name, CreatedAt: r.Now.UTC().Truncate(time.Millisecond), ToolVersion: r.ToolVersion,
		Simulated: r.Simulated, Service: r.Service,
		Site:   results.SiteFacts{Name: host(r.URL)},
		Model:  results.ModelFacts{Name: r.Model, Source: r.Model},
		Server: results.ServerSpec{Engine: results.EngineRemote, URL: r.URL, ServedName: r.Model},
		Plan:   r.Plan, Repeats: r.Repeats, Grouping: g,
		Job: results.JobSpec{Dir: r.Dir, Nodes: 1},
	}, nil
}

// RemoteName is a run's name from what it measures.
func RemoteName(url, model string) string {
	short := model
	if i := strings.LastIndexByte(strings.TrimRight(short, "/"), '/'); i >= 0 {
		short = short[i+1:]
	}
	return plain(host(url)) + "-" + plain(short)
}

// host is the part of a URL that a person knows a service by.
func host(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		rest = url
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}
