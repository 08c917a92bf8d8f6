package check

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"hpcbench/sites"
	"hpcbench/slurm"
)

// here checks what a site without Slurm needs of this computer: the script's bash.
func here(s Subject) []Finding {
	r := &report{name: "here"}
	if s.Site.Scheduler != sites.Local {
		return nil
	}
	path, err := s.Look("bash")
	if err != nil {
		r.fail("install it", "there is no bash on PATH, and a job is a bash script")
		return r.found
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	res, err := s.Run(ctx, slurm.Command{Name: path, Args: []string{"--noprofile", "--norc", "-c", "echo $BASH_VERSION"}, Environ: os.Environ()})
	version := strings.TrimSpace(res.Stdout)
	switch {
	case err != nil || res.Code != 0 || version == "":
		r.fail("install bash 4.4 or newer", "%s doesn't work: %v %s", path, err, strings.TrimSpace(res.Stderr))
	case older(version, "4.4"):
		r.fail("install bash 4.4 or newer", "%s is of version %s, and a job's script needs 4.4", path, version)
	default:
		r.ok("bash %s, %d processors; jobs run here one after the other", version, runtime.NumCPU())
	}
	return r.found
}

// simulated reminds of what the stub is.
func simulated(s Subject) []Finding {
	r := &report{name: "engine"}
	if s.Site.Engine == sites.Stub {
		r.warn("set `engine: vllm` to measure", "%s", fmt.Sprintf("the engine of site %s is the stub: every number is simulated", s.Site.Name))
	}
	return r.found
}
