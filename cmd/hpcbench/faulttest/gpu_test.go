//go:build fault

package faulttest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hpcbench/cmd/hpcbench/world"
)

func uintText(n uint64) string { return strconv.FormatUint(n, 10) }

// smi is a double of nvidia-smi. It answers only the questions that hpcbench puts, and
// its GPU holds 39 of 40 GB for ten seconds after each server's end.
const smi = `#!/bin/bash
held=%[1]s
free=40337
if [ -s "$held" ] && [ $(($(date +%%s) - $(cat "$held"))) -lt 10 ]; then free=1200; fi
case "$*" in
  "--query-gpu=index,uuid,name,memory.total,memory.free,power.limit,driver_version --format=csv,noheader,nounits")
    echo "0, GPU-6f0c1a2b, NVIDIA A100-SXM4-40GB, 40960, $free, 400.00, 550.54.15" ;;
  "--query-compute-apps=gpu_uuid,pid,process_name,used_memory --format=csv,noheader,nounits") ;;
  "--loop=1 --format=csv,nounits --query-gpu=index,utilization.gpu,memory.used,power.draw,clocks.sm,temperature.gpu,clocks_throttle_reasons.active")
    echo "index, utilization.gpu [%%], memory.used [MiB], power.draw [W], clocks.current.sm [MHz], temperature.gpu, clocks_throttle_reasons.active"
    while sleep 1; do echo "0, 97, 39000, 310.25, 1410, 55, 0x0000000000000000"; done ;;
  *) echo "asked: $*" >>%[2]s; echo "Field is not a valid field to query." >&2; exit 2 ;;
esac
`

func TestGPUMemoryFreedLate(t *testing.T) {
	t.Parallel()
	f := put(t, "The server", "GPU memory freed late", "a double of nvidia-smi shows 39 of 40 GB held for 10 s after the server's end, between two repeats of one job")
	f.File("bin/nvidia-smi", fmt.Sprintf(smi, filepath.Join(f.Dir, "held"), filepath.Join(f.Dir, "asked")))
	f.submit("--repeats", "2", "--repeat-mode", "restart", "--server-script", f.script(`trap 'date +%s >"${ONCE%/*}/held"; kill $!' TERM
"$STUB" stub --port "$1" --served-model-name "$2" --truth "$TRUTH" &
wait
wait`))
	s := f.over()
	f.shows(s, 1, "complete", "")
	f.shows(s, 2, "complete", "")
	one, two := f.attempt(1, 0), f.attempt(2, 0)
	if len(one.Node.GPUs) != 1 || one.Node.Driver != "550.54.15" {
		t.Errorf("the node's GPUs %+v, driver %q", one.Node.GPUs, one.Node.Driver)
	}
	// The short plan takes some 4 s, the wait at least 9.
	if apart := two.Starts[0].At.Sub(one.Starts[0].At).Seconds(); apart < 12 {
		t.Errorf("the second start came %.1f s after the first", apart)
	}
	if b, err := os.ReadFile(filepath.Join(f.Dir, "asked")); err == nil {
		t.Errorf("nvidia-smi was also %s", b)
	}
	if strings.Contains(f.JobOutput(), "still held") {
		t.Errorf("the job says\n%s", f.JobOutput())
	}
	f.saw("the next start waits until the memory is free")
	f.keeps()
	f.clean()
	f.end = "both repeats are complete"
}

func TestGPUsHeldBySomebodyElse(t *testing.T) {
	t.Parallel()
	f := put(t, "Other users", "GPUs held by somebody else", "a double of nvidia-smi shows a foreign process and 39 of 40 GB held when the job starts")
	f.File("bin/nvidia-smi", `#!/bin/bash
case "$1" in
  --query-gpu=*) free=1200; if [ -e `+filepath.Join(f.Dir, "free")+` ]; then free=40337; fi
    echo "0, GPU-6f0c1a2b, NVIDIA A100-SXM4-40GB, 40960, $free, 400.00, 550.54.15" ;;
  --query-compute-apps=*) [ -e `+filepath.Join(f.Dir, "free")+` ] || echo "GPU-6f0c1a2b, 4711, python3, 39000" ;;
esac
`)
	f.submit("--repeats", "1")
	job := f.job(1, 0)
	f.Until("the attempt waits for the GPUs", func() bool { return f.attempt(1, 0).State == "starting" && len(f.attempt(1, 0).Node.GPUs) == 1 })
	if left := world.Cluster.JobProcesses(job); len(left) == 0 {
		t.Error("the job doesn't run")
	}
	if n := f.attempt(1, 0).Node.Foreign; len(n) != 1 || !strings.Contains(n[0], "4711") {
		t.Errorf("foreign processes %q", n)
	}
	f.File("free", "")
	s := f.over()
	f.shows(s, 1, "complete", "")
	f.saw("the foreign process is written down, the start waits, for two minutes at most, and goes on when the memory is free")
	f.keeps()
	f.clean()
	f.end = "the repeat is complete"
}

func TestGPUsThatStayHeld(t *testing.T) {
	t.Parallel()
	f := put(t, "Other users", "GPUs that stay held by somebody else", "a double of nvidia-smi shows a foreign process on the first node that it is asked on, for good")
	f.File("bin/nvidia-smi", `#!/bin/bash
bad=`+filepath.Join(f.Dir, "bad")+`
[ -e "$bad" ] || echo "$SLURMD_NODENAME" >"$bad"
held=0; if [ "$(cat "$bad")" = "$SLURMD_NODENAME" ]; then held=1; fi
case "$1" in
  --query-gpu=*) echo "0, GPU-6f0c1a2b, NVIDIA A100-SXM4-40GB, 40960, $((40337 - 39000 * held)), 400.00, 550.54.15" ;;
  --query-compute-apps=*) if [ $held = 1 ]; then echo "GPU-6f0c1a2b, 4711, python3, 39000"; fi ;;
esac
`)
	f.submit("--repeats", "1")
	s := f.over()
	node := strings.TrimSpace(string(f.read("bad")))
	f.shows(s, 1, "failed", "hpcbench resume "+f.run+" --exclude "+node)
	f.clean()
	f.saw("no server is started, the repeat is shown as failed after a minute, and its words name the command that takes other nodes")
	f.Measure("resume", f.run, "--exclude", node, "--wait")
	f.completed()
	if got := f.attempt(1, 1).Slurm.NodeList; got == node {
		t.Errorf("it ran on %s again", got)
	}
	f.keeps()
	f.end = "resume --exclude completed the run"
}
