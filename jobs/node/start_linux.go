package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hpcbench/engine"
	"hpcbench/engine/openai"
	"hpcbench/engine/vllm"
	"hpcbench/results"
)

// running is a server that is ready and ours.
type running struct {
	process  *server
	endpoint engine.Endpoint
	served   string // with the nonce
	free     []results.GPU
	dir      string // of the socket, to be removed
}

// start brings the server up: at most 1 + StartRetries times, another time only
// where the cause may pass by itself (a port lost to somebody else).
func (r *runner) start(ctx context.Context, a *attempt) (*running, error) {
	a.progress("starting")
	if err := r.preflight(ctx, a); err != nil {
		return nil, err
	}
	node := a.file.Get().Node
	if held := awaitFree(ctx, r.spec.Site.GPUVendor, node.GPUs, 2*time.Minute); held != "" {
		return nil, &failure{&results.Failure{Class: "gpu_held", Words: "the GPUs aren't free: " + held,
			Remedy: "somebody else's process is on this node's GPUs, or an old one hasn't ended; " + elsewhere(r.spec.Name, node.Hostname), Passing: true}}
	}
	for try := 0; ; try++ {
		s, err := r.startOnce(ctx, a)
		if err == nil {
			return s, nil
		}
		var f *failure
		if ctx.Err() != nil || !errors.As(err, &f) || !f.facts.Passing || try >= r.spec.Server.StartRetries {
			return nil, err
		}
		r.say("start %d failed: %v; once more", try+1, err)
	}
}

func (r *runner) startOnce(ctx context.Context, a *attempt) (_ *running, err error) {
	id, err := newIdentity()
	if err != nil {
		return nil, err
	}
	started := time.Now()
	fact := results.StartFacts{At: started.UTC(), Port: id.port}
	defer func() {
		fact.TookS = time.Since(started).Seconds()
		var f *failure
		if errors.As(err, &f) {
			fact.Failure = f.facts
		}
		err = errors.Join(err, a.file.Update(func(f *results.Attempt) { f.Starts = append(slices.Clone(f.Starts), fact) }))
	}()
	s := &running{served: r.spec.Server.ServedName + "-" + id.nonce, free: a.file.Get().Node.GPUs}
	s.endpoint = engine.Loopback(id.port, engine.Secret(id.key))
	socket := ""
	if r.spec.Server.Socket {
		if s.dir, err = os.MkdirTemp("", "hpcbench-"); err != nil {
			return nil, fmt.Errorf("make the folder of the server's socket: %w", err)
		}
		socket = filepath.Join(s.dir, "s")
		if len(socket) > 107 {
			return nil, fmt.Errorf("socket %s is longer than the 107 bytes that the kernel takes; set TMPDIR to a shorter folder", socket)
		}
		s.endpoint = engine.OnSocket(socket, engine.Secret(id.key))
		fact.Port = 0
	}
	argv := id.fill(r.Argv, socket, strconv.Itoa(a.file.Get().Attempt))
	env := environment(map[string]string{marker: r.mark(), masterPort: strconv.Itoa(id.master)}, r.spec.Server.KeyEnv, id.key)
	mark := logMark(a.dir.ServerLog())
	if s.process, err = startServer(argv, env, a.dir.ServerLog()); err != nil {
		return nil, &failure{&results.Failure{Class: "not_started", Words: err.Error(), Remedy: "see the server's command line in " + r.Run.Script()}}
	}
	a.progress("waiting")
	r.say("server started (pid %d), waiting until it is ready; log: %s", s.process.cmd.Process.Pid, a.dir.ServerLog())
	who, err := r.awaitReady(ctx, s)
	if err != nil {
		return nil, r.notReady(ctx, a, s, mark, err)
	}
	fact.TookS = time.Since(started).Seconds()
	if err := errors.Join(r.know(a, s, who, fact), sameEngine(r.spec.Server, who)); err != nil {
		return nil, r.refuse(ctx, a, s, err)
	}
	r.say("server ready after %.1f s: %s %s", fact.TookS, r.spec.Server.Engine, who.Version)
	return s, nil
}

func (r *runner) awaitReady(ctx context.Context, s *running) (engine.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(r.spec.Server.DeadlineS*float64(time.Second)))
	defer cancel()
	if r.spec.Server.Engine == results.EngineOpenAI {
		return openai.Ready(ctx, s.endpoint, s.served, s.process.done)
	}
	return vllm.Ready(ctx, s.endpoint, s.served, s.process.done)
}

// notReady ends a server that didn't come up and says why.
func (r *runner) notReady(ctx context.Context, a *attempt, s *running, mark int64, why error) error {
	ended := !s.process.alive()
	how, stopErr := s.process.stop(r.grace())
	exitErr := a.file.Update(func(f *results.Attempt) { f.Server.ExitWords = how })
	stopErr = errors.Join(stopErr, exitErr, r.endSteps(ctx))
	s.removeSocket()
	if ctx.Err() != nil {
		return errors.Join(fmt.Errorf("%w%s while the server started (%s)", ErrInterrupted, r.beforeTheEnd(), how), stopErr)
	}
	cause := vllm.Classify(tail(a.dir.ServerLog(), mark))
	facts := cause.Failure()
	if facts.Class == engine.ClassUnknown {
		facts.Words = why.Error()
		if ended {
			facts.Words = "the server ended before it was ready: " + how
		}
		facts.Line = lastLine(tail(a.dir.ServerLog(), mark))
		facts.Remedy = "see " + a.dir.ServerLog()
	}
	var foreign *engine.ForeignError
	if errors.As(why, &foreign) {
		facts = &results.Failure{Class: "foreign_server", Words: why.Error(), Remedy: "another port is taken", Passing: true}
	}
	return errors.Join(&failure{facts}, stopErr)
}

// know writes down what the server states about itself.
func (r *runner) know(a *attempt, s *running, who engine.Identity, start results.StartFacts) error {
	facts := a.file.Get().Server
	facts.Argv = r.Argv
	facts.Version, facts.Root, facts.MaxModelLen = who.Version, who.Root, who.MaxModelLen
	facts.ServedName, facts.StartS, facts.StartedAt = r.spec.Server.ServedName, start.TookS, start.At
	if log, err := os.Open(a.dir.ServerLog()); err == nil {
		if kv, found, err := vllm.KVFromLog(log); err == nil && found {
			facts.KVTokens, facts.KVSource = kv.Tokens, kv.Source
		}
		_ = log.Close()
	}
	if image := r.spec.Server.Image; image != "" {
		facts.ImagePath, facts.ImageID, facts.ImageDigest = image, r.spec.Server.ImageID, r.spec.Server.ImageDigest
		if info, err := os.Stat(image); err == nil {
			facts.ImageSize, facts.ImageModified = info.Size(), info.ModTime().UTC()
		}
	}
	return a.file.Update(func(f *results.Attempt) {
		f.Server = facts
		f.Simulated = f.Simulated || who.Simulated()
	})
}

func (r *runner) grace() time.Duration {
	return time.Duration(r.spec.Server.GraceS * float64(time.Second))
}

func (s *running) removeSocket() {
	if s.dir != "" {
		_ = os.RemoveAll(s.dir) // in the node's own /tmp
	}
}

// awaitFree waits until nearly all memory of the GPUs is free; nodes without GPUs that can be asked are free.
func awaitFree(ctx context.Context, vendor string, gpus []results.GPU, limit time.Duration) string {
	want := make([]results.GPU, len(gpus))
	for i, g := range gpus {
		want[i] = g
		want[i].FreeMemGiB = g.MemoryGiB * 0.9
	}
	return awaitMemory(ctx, vendor, want, limit)
}

// logMark is how long the log is before a start: only what comes after it is about that start.
func logMark(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// tail reads at most the last 256 KB of a log after mark.
func tail(path string, mark int64) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	if _, err := f.Seek(max(mark, info.Size()-256<<10), io.SeekStart); err != nil {
		return nil
	}
	b, _ := io.ReadAll(f)
	return b
}

func lastLine(b []byte) string {
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	line := strings.TrimSpace(string(lines[len(lines)-1]))
	if len(line) > 300 {
		line = line[:300]
	}
	return line
}
