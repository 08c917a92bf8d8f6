package main

import (
	"context"
	"fmt"
	"time"

	"hpcbench/engine"
	"hpcbench/engine/openai"
	"hpcbench/engine/vllm"
	"hpcbench/load/endpoint"
)

type readyCmd struct {
	URL        string        `name:"url" required:"" help:"Server, such as http://127.0.0.1:8000." placeholder:"URL"`
	Model      string        `required:"" help:"Name that the server must serve." placeholder:"NAME"`
	Timeout    time.Duration `default:"20m" help:"How long to wait."`
	APIKeyFile string        `name:"api-key-file" help:"File with the key, mode 0600; else HPCBENCH_API_KEY." placeholder:"FILE" type:"path"`
	OpenAI     bool          `name:"openai" help:"Ask /v1/models only, as any server with an OpenAI API has it."`
}

// Run waits until the server answers with the model, and says who it is.
func (c readyCmd) Run(a *app) error {
	base, err := endpoint.ParseURL(c.URL)
	if err != nil {
		return usage(err)
	}
	key, err := apiKey(c.APIKeyFile)
	if err != nil {
		return usage(err)
	}
	ctx, cancel := context.WithTimeout(a.ctx, c.Timeout)
	defer cancel()
	wait := vllm.Ready
	if c.OpenAI {
		wait = openai.Ready
	}
	who, err := wait(ctx, engine.Endpoint{BaseURL: base.String(), Key: engine.Secret(key)}, c.Model, nil)
	if err != nil {
		if a.ctx.Err() != nil {
			return a.ctx.Err()
		}
		return failed(err)
	}
	fmt.Fprintf(a.stdout, "ready: %s (version %s, max_model_len %d)\n", who.ServedModel, who.Version, who.MaxModelLen)
	return nil
}
