package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"hpcbench/engine"
	"hpcbench/load/endpoint"
	"hpcbench/results"
)

// questionLimit bounds the questions about what is served.
const questionLimit = 15 * time.Second

// askServer asks what is served before the load. A server without /v1/models
// is taken as it is; one that doesn't serve the model is an error.
func (r *runner) askServer(ctx context.Context) (set func(*results.ServerFacts), simulated bool, err error) {
	m, found, err := r.served(ctx)
	if err != nil || !found {
		return func(*results.ServerFacts) {}, false, err
	}
	id := engine.Identity{ServedModel: m.ID, Root: m.Root, OwnedBy: m.OwnedBy, MaxModelLen: m.MaxModelLen}
	return func(s *results.ServerFacts) {
		if s.Root == "" {
			s.Root = m.Root
		}
		if s.ServedName == "" {
			s.ServedName = m.ID
		}
		if s.MaxModelLen == 0 {
			s.MaxModelLen = m.MaxModelLen
		}
	}, id.Simulated(), nil
}

// served is the model under our name, and whether the server says what it serves.
func (r *runner) served(ctx context.Context) (endpoint.Model, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, questionLimit)
	defer cancel()
	e := r.cfg.Endpoint
	client := e.Client()
	defer client.CloseIdleConnections()
	models, err := e.Models(ctx, client)
	var status *endpoint.StatusError
	if errors.As(err, &status) && (status.Status == http.StatusNotFound || status.Status == http.StatusMethodNotAllowed) {
		return endpoint.Model{}, false, nil
	}
	if err != nil {
		return endpoint.Model{}, false, err
	}
	m, err := endpoint.PickModel(models, e.Model)
	return m, true, err
}

// askAgain asks what is served after the load. changed says that another
// server answers now, so that part of what was measured may be another's; words
// are also there where it couldn't be asked.
func (r *runner) askAgain() (changed bool, words string) {
	m, found, err := r.served(context.Background())
	var other *endpoint.OtherModelError
	switch root := r.cfg.Attempt.Get().Server.Root; {
	case errors.As(err, &other):
		return true, "after the load " + err.Error()
	case err != nil:
		return false, "after the load the server couldn't be asked what it serves: " + err.Error()
	case found && root != "" && m.Root != root:
		return true, fmt.Sprintf("after the load the server says that it loaded %q, before it was %q", m.Root, root)
	}
	return false, ""
}
