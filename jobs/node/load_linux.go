package node

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"hpcbench/engine/vllm"
	"hpcbench/load"
	"hpcbench/load/endpoint"
	"hpcbench/load/plans"
	"hpcbench/load/telemetry"
	"hpcbench/results"
)

// scrapeLimit is how long one question to /metrics may take.
const scrapeLimit = 10 * time.Second

// loadConfig is what the generator is told about this attempt and its server.
func (r *runner) loadConfig(a *attempt, s *running) (load.Config, error) {
	base, err := endpoint.ParseURL(s.endpoint.BaseURL)
	if err != nil {
		return load.Config{}, fmt.Errorf("the server's own address: %w", err)
	}
	known := a.file.Get()
	c := load.Config{
		Endpoint: endpoint.Endpoint{URL: base, Socket: s.endpoint.Socket, Key: s.endpoint.Key.Reveal(), Model: s.served},
		Plan:     r.spec.Plan,
		Facts: plans.Facts{
			KVTokens: known.Server.KVTokens, KVSource: known.Server.KVSource,
			MaxModelLen: known.Server.MaxModelLen, MaxNumSeqs: r.spec.Server.MaxNumSeqs,
		},
		Dir: a.dir, StepsFile: r.Run.Steps(), Attempt: a.file, Mode: fileMode,
		// Counted words are kept beside the runs, one folder for all of them.
		CacheDir: filepath.Join(filepath.Dir(string(r.Run)), ".cache"),
		Warn:     func(words string) { r.say("%s", words) },
		Progress: r.sayProgress(),
		Abort:    r.Abort,
		Telemetry: telemetry.Options{
			GPU: r.spec.Site.GPUSampler, GPUs: indices(known.Node.GPUs), Warn: func(words string) { r.say("%s", words) },
		},
	}
	if r.spec.Server.Engine != results.EngineOpenAI {
		c.Telemetry.Scrape = func(ctx context.Context) (results.ServerSample, error) { return vllm.Scrape(ctx, s.endpoint) }
		c.Facts = r.kvFacts(c.Facts, a, s)
	}
	return c, nil
}

// kvFacts asks the metrics where the log didn't say how large the KV cache is.
func (r *runner) kvFacts(f plans.Facts, a *attempt, s *running) plans.Facts {
	if f.KVTokens > 0 {
		return f
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeLimit)
	defer cancel()
	sample, err := vllm.Scrape(ctx, s.endpoint)
	if err != nil || sample.KVTokens == nil {
		return f // cells can then not be planned by the cache, and the summary says so
	}
	f.KVTokens, f.KVSource = int64(*sample.KVTokens), "metrics"
	if err := a.file.Update(func(file *results.Attempt) { file.Server.KVTokens, file.Server.KVSource = f.KVTokens, f.KVSource }); err != nil {
		r.say("%v", err)
	}
	return f
}

// sayProgress writes a line into the job's output at each new step.
func (r *runner) sayProgress() func(results.Progress) {
	last := ""
	return func(p results.Progress) {
		at := fmt.Sprintf("%s %s", p.Phase, p.Step)
		if at == last {
			return
		}
		last = at
		switch {
		case p.Phase != load.PhaseStep:
			r.say("%s", p.Phase)
		case p.StepCount == 0: // a search: nobody knows how many there will be
			r.say("%s: number %d, %s (sent %d, completed %d)", p.Phase, p.StepIndex+1, p.Step, p.Sent, p.Completed)
		default:
			r.say("%s: step %d of %d, %s (sent %d, completed %d)", p.Phase, p.StepIndex+1, p.StepCount, p.Step, p.Sent, p.Completed)
		}
	}
}
