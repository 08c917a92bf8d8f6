package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"hpcbench/engine/stub"
	"hpcbench/engine/vllm"
)

// stubCmd is the server of known behaviour. Its flags are those of vllm serve where it has the same thing.
type stubCmd struct {
	Host            string `default:"127.0.0.1" help:"Address."`
	Port            int    `help:"Port; 0 = a free one, which is printed." placeholder:"PORT"`
	UDS             string `name:"uds" help:"Unix socket instead of host and port." placeholder:"PATH"`
	ServedModelName string `default:"stub" help:"Name in /v1/models."`
	Root            string `help:"What /v1/models states as the model's source." placeholder:"PATH"`
	MaxModelLen     int    `default:"32768" help:"Tokens of prompt and output together."`
	APIKeyFile      string `name:"api-key-file" help:"File with the key that is demanded, mode 0600; else VLLM_API_KEY." placeholder:"FILE" type:"path"`

	TTFT     float64 `name:"ttft-ms" default:"40" help:"Time to first token of an idle server (ms)."`
	TTFTTok  float64 `name:"ttft-ms-per-token" default:"0.05" help:"More of it for each prompt token (ms)."`
	ITL      float64 `name:"itl-ms" default:"8" help:"Time between tokens (ms)."`
	ITLLoad  float64 `name:"itl-per-running" default:"0.01" help:"Share that each running request adds to it."`
	Steps    bool    `help:"Emit the tokens of all requests at one instant, as an engine's step does."`
	Slots    int     `default:"256" help:"Requests that run at once; the others wait, first in first out."`
	InFlight int     `name:"max-in-flight" help:"Running and waiting; the next one gets 503. 0 = no limit."`
	KVTokens int64   `name:"kv-tokens" help:"Size of the KV cache (tokens); 0 = 1048576."`
	Block    int     `name:"block-size" help:"Tokens in a block of the KV cache; 0 = 16."`
	Batch    int     `default:"1" help:"Events that leave in one write."`
	NoPrefix bool    `name:"no-enable-prefix-caching" help:"No prefix cache."`
	Stop     int     `name:"stop-after" help:"End an answer after so many tokens unless ignore_eos is asked for."`
	Truth    string  `help:"Write the true times of every request to this file." placeholder:"FILE" type:"path"`

	NoiseCV    float64       `name:"noise-cv" help:"Coefficient of variation of TTFT and ITL between starts."`
	NoiseSeed  string        `help:"Seed of that noise."`
	NightCV    float64       `name:"night-cv" help:"Coefficient of variation that all starts with one night seed share."`
	NightSeed  string        `help:"Seed of the night, or @FILE that holds it: what all servers of a night have in common."`
	StartDelay time.Duration `help:"Don't listen before."`
	Shutdown   time.Duration `name:"shutdown-timeout" help:"After TERM open streams may go on for so long; 0 = they are aborted."`

	DieAfter   int           `help:"Fault: the engine dies after so many requests."`
	FreezeAt   time.Duration `help:"Fault: no tokens from this time on,"`
	FreezeFor  time.Duration `help:"for so long, while /health says 200."`
	ErrorShare float64       `help:"Fault: share of requests that get a 500."`
	DropShare  float64       `help:"Fault: share of streams that are cut."`
	Coalesce   int           `default:"1" help:"Tokens in one event."`
	EmptyShare float64       `help:"Share of tokens whose text is empty, as that of special tokens."`
	RefuseIn   bool          `name:"refuse-in-stream" help:"Fault: a refusal is an error event inside a 200."`
	RoleEarly  time.Duration `help:"A chat's role event leaves so long before the first token."`
	IgnoreTerm bool          `help:"Fault: TERM isn't heeded."`
	ShareSeed  string        `help:"Seed of the shares."`
}

// Run serves until TERM.
func (c stubCmd) Run(a *app) error {
	if c.IgnoreTerm {
		a.signals.hold()
	}
	key := os.Getenv(vllm.KeyEnv)
	if c.APIKeyFile != "" {
		var err error
		if key, err = apiKey(c.APIKeyFile); err != nil {
			return usage(err)
		}
	}
	if file, ok := strings.CutPrefix(c.NightSeed, "@"); ok {
		seed, err := os.ReadFile(file)
		if err != nil {
			return usage(fmt.Errorf("--night-seed: %w", err))
		}
		c.NightSeed = strings.TrimSpace(string(seed))
	}
	fmt.Fprintln(a.stderr, "hpcbench stub: this is a simulated engine; what is measured against it is SIMULATED")
	err := stub.Serve(a.ctx, stub.Config{
		Host: c.Host, Port: c.Port, Socket: c.UDS, Model: c.ServedModelName, Root: c.Root, MaxModelLen: c.MaxModelLen, APIKey: key,
		TTFTBaseMs: c.TTFT, TTFTPerTokenMs: c.TTFTTok, ITLMs: c.ITL, ITLPerRunning: c.ITLLoad, Steps: c.Steps,
		Slots: c.Slots, MaxInFlight: c.InFlight, KVTokens: c.KVTokens, BlockTokens: c.Block, Batch: c.Batch, ShutdownTimeout: c.Shutdown, NoPrefix: c.NoPrefix, StopAfterTokens: c.Stop, TruthFile: c.Truth,
		Noise: stub.Noise{RepeatCV: c.NoiseCV, RepeatSeed: c.NoiseSeed, NightCV: c.NightCV, NightSeed: c.NightSeed},
		Faults: stub.Faults{
			StartDelay: c.StartDelay, DieAfterRequests: c.DieAfter, FreezeAt: c.FreezeAt, FreezeFor: c.FreezeFor,
			ErrorShare: c.ErrorShare, DropShare: c.DropShare, EmptyShare: c.EmptyShare, Coalesce: c.Coalesce, RefuseInStream: c.RefuseIn,
			RoleEarly: c.RoleEarly, IgnoreTerm: c.IgnoreTerm, Seed: c.ShareSeed,
		},
	}, func(addr string) { fmt.Fprintln(a.stdout, "listening on", addr) })
	if err != nil && !errors.Is(err, a.ctx.Err()) {
		return failed(err)
	}
	return nil
}
