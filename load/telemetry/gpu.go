package telemetry

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"hpcbench/results"
)

// toolArgs are the arguments of a sampler that is named without any. rocm-smi
// has no loop of its own and is a slow program to start: a shell calls it
// seldom.
func toolArgs(argv []string) []string {
	if len(argv) != 1 {
		return argv
	}
	switch filepath.Base(argv[0]) {
	case "nvidia-smi":
		return append(argv, "--loop=1", "--format=csv,nounits",
			"--query-gpu=index,utilization.gpu,memory.used,power.draw,clocks.sm,temperature.gpu,clocks_throttle_reasons.active")
	case "amd-smi":
		return append(argv, "metric", "--usage", "--mem-usage", "--power", "--clock", "--temperature", "--json", "--watch", "1")
	case "rocm-smi":
		return []string{"/bin/sh", "-c", `while :; do "$0" --showuse --showmeminfo vram --showpower --showclocks --showtemp --json || exit; sleep 4; done`, argv[0]}
	}
	return argv
}

// gpu runs the sampler and reads what it prints until it ends or the context
// does. A sampler that ends is started again, seldom, and said once.
func (s *Sampler) gpu(ctx context.Context) {
	said := false
	for {
		err := s.runTool(ctx)
		if ctx.Err() != nil {
			return
		}
		if !said {
			s.options.Warn(fmt.Sprintf("GPU telemetry is missing: %v", err))
			said = true
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Second):
		}
	}
}

func (s *Sampler) runTool(ctx context.Context) error {
	argv := toolArgs(s.options.GPU)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	ownGroup(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run %s: %w", argv[0], err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run %s: %w", argv[0], err)
	}
	var parser gpuParser
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 0, 64<<10), 4<<20)
	for lines.Scan() {
		at := s.at()
		for _, g := range parser.line(lines.Bytes()) {
			if s.options.GPUs == nil || slices.Contains(s.options.GPUs, g.Index) {
				s.emit(results.Sample{At: at, Kind: results.SampleGPU, GPU: &g})
			}
		}
	}
	scanErr := lines.Err()
	_ = cmd.Cancel() // a line that is too long leaves it running
	err = cmd.Wait()
	if scanErr != nil {
		err = scanErr
	}
	if err == nil {
		err = fmt.Errorf("it ended")
	}
	return fmt.Errorf("%s: %w", argv[0], err)
}
