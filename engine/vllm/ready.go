package vllm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"hpcbench/engine"
)

// Ready waits until the server is up and ours: /health says 200, /v1/models
// shows the served name (which carries the nonce), and /version is known. dead
// is closed by whoever watches the process, so that a server that ended is
// reported at once. Errors are those of engine.WaitReady.
func Ready(ctx context.Context, e engine.Endpoint, servedName string, dead <-chan struct{}) (engine.Identity, error) {
	return engine.WaitReady(ctx, dead, func(ctx context.Context) (engine.Identity, error) {
		return Identify(ctx, e, servedName)
	})
}

// Identify asks once. A server that refuses our key or has another model is
// somebody else's (*engine.ForeignError).
func Identify(ctx context.Context, e engine.Endpoint, servedName string) (engine.Identity, error) {
	if _, err := e.Get(ctx, "/health"); err != nil {
		return engine.Identity{}, err
	}
	models, err := e.Models(ctx)
	if err != nil {
		var status *engine.StatusError
		if errors.As(err, &status) && status.Code == 401 {
			return engine.Identity{}, &engine.ForeignError{Want: servedName, RefusedKey: true}
		}
		return engine.Identity{}, err
	}
	id, err := engine.Ours(models, servedName)
	if err != nil {
		return engine.Identity{}, err
	}
	body, err := e.Get(ctx, "/version")
	if err != nil {
		return engine.Identity{}, err
	}
	var v struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return engine.Identity{}, fmt.Errorf("read the server's /version: %w", err)
	}
	if v.Version == "" {
		return engine.Identity{}, fmt.Errorf("the server's /version doesn't say one: %.100s", body)
	}
	id.Version = v.Version
	return id, nil
}
