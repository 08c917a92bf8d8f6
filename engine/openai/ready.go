package openai

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hpcbench/engine"
)

// ErrSeveralModels says that a model has to be named.
var ErrSeveralModels = errors.New("the server has several models, one has to be named")

// Ready waits until /v1/models answers and has the model. An empty name takes
// the only model there is. A script that serves under a name with the nonce in
// it proves that the server is the one it started; one that doesn't can't.
// dead may be nil where nothing of ours runs. Errors are those of engine.WaitReady.
func Ready(ctx context.Context, e engine.Endpoint, model string, dead <-chan struct{}) (engine.Identity, error) {
	return engine.WaitReady(ctx, dead, func(ctx context.Context) (engine.Identity, error) {
		return Identify(ctx, e, model)
	})
}

// Identify asks once. The error wraps ErrSeveralModels where the name is empty and there is a choice.
func Identify(ctx context.Context, e engine.Endpoint, model string) (engine.Identity, error) {
	models, err := e.Models(ctx)
	if err != nil {
		return engine.Identity{}, err
	}
	if model != "" {
		return engine.Ours(models, model)
	}
	switch len(models) {
	case 0:
		return engine.Identity{}, errors.New("the server's /v1/models is empty")
	case 1:
		return models[0], nil
	}
	var names []string
	for _, m := range models {
		names = append(names, m.ServedModel)
	}
	return engine.Identity{}, fmt.Errorf("%w: %s", ErrSeveralModels, strings.Join(names, ", "))
}
