package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"hpcbench/apptainer"
	"hpcbench/jobs/resolve"
	"hpcbench/sites"
)

// Preparation brings a site's image and a model's weights into the caches, with the
// site's own container runtime and the image's own client of the model hub, and
// learns about the image. Everything that is there already is left as it is, and what
// was begun is gone on with, so that it may be called again at any time.
type Preparation struct {
	Subject
	// ImageFrom is the address that a missing image is pulled from, such as docker://vllm/vllm-openai:v0.14.0.
	ImageFrom string
	Out       io.Writer // what the tools print
	Progress  bool      // the tools may draw their bars
	Getenv    func(string) string
	Say       func(format string, args ...any)
}

// Run prepares all that is missing. An image that can't be had ends it, since the
// rest needs it.
func (p Preparation) Run(ctx context.Context) error {
	if !p.contained() {
		return p.weightsAlone()
	}
	path, err := p.pull(ctx)
	if err != nil {
		return err
	}
	return errors.Join(p.learn(ctx, path), p.weights(ctx, path))
}

// Downloads says whether anything has to come from the internet.
func (p Preparation) Downloads() bool {
	if p.contained() {
		if _, err := apptainer.Inspect(p.target()); err != nil {
			return true
		}
	}
	return p.Named && p.Model.Directory == "" && p.Site.Engine != sites.Stub && !p.complete()
}

// weightsAlone is what can be said without a container: there is no client to fetch with.
func (p Preparation) weightsAlone() error {
	if p.Site.Engine == sites.Stub {
		p.Say("nothing to prepare: the engine of site %s is the stub, which needs neither image nor weights", p.Site.Name)
		return nil
	}
	return fmt.Errorf("site %s has no container, so there is no client of the model hub to fetch weights with: put them into a folder and name it as --model", p.Site.Name)
}

// target is where the image is, or will be.
func (p Preparation) target() string {
	if p.Site.Image != "" || p.ImageFrom == "" {
		return p.Site.Image
	}
	name := p.ImageFrom[strings.LastIndexByte(p.ImageFrom, '/')+1:]
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_", r) {
			return r
		}
		return '_'
	}, name)
	return filepath.Join(p.Site.CacheDir, "images", strings.TrimLeft(name, ".-")+".sif")
}

// container is a command in the image, run gently: a login node is shared. The model
// hub's cache is visible in it, and the environment is what env says beside the host's.
func (p Preparation) container(image string, env []apptainer.Var, binds []string, argv ...string) (line, environ []string, err error) {
	runtime, err := apptainer.ParseRuntime(p.Site.Runtime.Command)
	if err != nil {
		return nil, nil, err
	}
	c := apptainer.Command{Runtime: runtime, Image: image, Env: env}
	for _, b := range binds {
		c.Binds = append(c.Binds, apptainer.Bind{Source: b})
	}
	head, err := c.Head()
	if err != nil {
		return nil, nil, err
	}
	vars, err := c.Environ()
	if err != nil {
		return nil, nil, err
	}
	for _, v := range vars {
		environ = append(environ, v.Name+"="+v.Value)
	}
	return append(append(p.gently(), head...), argv...), environ, nil
}

// gently puts a tool behind everybody else's work.
func (p Preparation) gently() []string {
	if _, err := p.Look("nice"); err == nil {
		return []string{"nice", "-n", "19"}
	}
	return nil
}

// tail keeps the end of what a tool said.
type tail struct{ bytes.Buffer }

func (t *tail) Write(b []byte) (int, error) {
	t.Buffer.Write(b)
	if over := t.Len() - 64<<10; over > 0 {
		t.Next(over)
	}
	return len(b), nil
}

// run calls a tool and shows what it says as it says it. It answers its standard output
// and the end of the other. Interrupted, the tool is told to end and has time for it.
func (p Preparation) run(ctx context.Context, line, environ []string) (stdout, stderr string, err error) {
	var out bytes.Buffer
	var end tail
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env = append(os.Environ(), environ...)
	cmd.Stdout, cmd.Stderr = &out, io.MultiWriter(&end, p.Out)
	// A group of its own, so that an interruption reaches what the tool has started as well.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.String(), end.String(), err
}

// complete says whether the model's files are all in the cache.
func (p Preparation) complete() bool {
	path, _, err := resolve.Snapshot(p.Site.Caches["HF_HOME"].Path, p.Model.ID, p.Revision)
	if err != nil {
		return false
	}
	problems, _ := Incomplete(path)
	return len(problems) == 0
}
