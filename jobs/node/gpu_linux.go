package node

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"time"

	"hpcbench/results"
)

// The questions put to nvidia-smi; the order of the fields is ours.
var (
	nvidiaGPUs = []string{"--query-gpu=index,uuid,name,memory.total,memory.free,power.limit,driver_version", "--format=csv,noheader,nounits"}
	nvidiaApps = []string{"--query-compute-apps=gpu_uuid,pid,process_name,used_memory", "--format=csv,noheader,nounits"}
	amdGPUs    = []string{"--showuniqueid", "--showproductname", "--showmeminfo", "vram", "--showdriverversion", "--json"}
)

// gpuFacts asks the vendor's tool; no tool, no facts.
func gpuFacts(ctx context.Context, vendor string) (gpus []results.GPU, driver string, foreign []string) {
	switch vendor {
	case "nvidia":
		gpus, driver, _ = parseNvidia(answer(ctx, "nvidia-smi", nvidiaGPUs...))
		for line := range strings.Lines(string(answer(ctx, "nvidia-smi", nvidiaApps...))) {
			if line = strings.TrimSpace(line); line != "" {
				foreign = append(foreign, line)
			}
		}
	case "amd":
		gpus, driver, _ = parseAMD(answer(ctx, "rocm-smi", amdGPUs...))
	}
	return gpus, driver, foreign
}

// parseNvidia reads the answer to nvidiaGPUs. MiB and W; "[N/A]" stays 0.
func parseNvidia(b []byte) (gpus []results.GPU, driver string, err error) {
	r := csv.NewReader(strings.NewReader(string(b)))
	r.TrimLeadingSpace, r.FieldsPerRecord = true, 7
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return gpus, driver, nil
		}
		if err != nil {
			return gpus, driver, fmt.Errorf("read nvidia-smi's answer: %w", err)
		}
		gpus = append(gpus, results.GPU{
			Index: row[0], ID: row[1], Name: row[2],
			MemoryGiB: number(row[3]) / 1024, FreeMemGiB: number(row[4]) / 1024, PowerLimitW: number(row[5]),
		})
		driver = row[6]
	}
}

// parseAMD reads rocm-smi --json: one object a card, whose keys differ in case
// between releases, and one named system.
func parseAMD(b []byte) (gpus []results.GPU, driver string, err error) {
	if len(b) == 0 {
		return nil, "", nil
	}
	var cards map[string]map[string]string
	if err := json.Unmarshal(b, &cards); err != nil {
		return nil, "", fmt.Errorf("read rocm-smi's answer: %w", err)
	}
	for card, fields := range cards {
		field := func(name string) string {
			for key, value := range fields {
				if strings.EqualFold(key, name) {
					return value
				}
			}
			return ""
		}
		if card == "system" {
			driver = field("Driver version")
			continue
		}
		total, used := number(field("VRAM Total Memory (B)")), number(field("VRAM Total Used Memory (B)"))
		name := field("Card Series")
		if name == "" {
			name = field("Card series")
		}
		gpus = append(gpus, results.GPU{
			Index: strings.TrimPrefix(card, "card"), ID: field("Unique ID"), Name: name,
			MemoryGiB: total / (1 << 30), FreeMemGiB: (total - used) / (1 << 30),
		})
	}
	sort.Slice(gpus, func(i, j int) bool { return number(gpus[i].Index) < number(gpus[j].Index) })
	return gpus, driver, nil
}

// number reads one figure of a tool, 0 where it says N/A.
func number(s string) float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || v != v || v < 0 || v > 1e18 {
		return 0
	}
	return v
}

// awaitMemory waits until the GPUs have as much free memory as before the
// start, less half a GiB: the next start dies of "Free memory on device … is less
// than desired" when it comes too early. It answers what is still held, or "".
func awaitMemory(ctx context.Context, vendor string, before []results.GPU, limit time.Duration) string {
	if len(before) == 0 {
		return ""
	}
	want := map[string]float64{}
	for _, g := range before {
		want[g.Index] = g.FreeMemGiB - 0.5
	}
	for end := time.Now().Add(limit); ; {
		now, _, _ := gpuFacts(ctx, vendor)
		var held []string
		for _, g := range now {
			if g.FreeMemGiB < want[g.Index] {
				held = append(held, fmt.Sprintf("GPU %s has %.1f GiB free, %.1f before the start", g.Index, g.FreeMemGiB, want[g.Index]+0.5))
			}
		}
		if len(held) == 0 {
			return ""
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return strings.Join(held, "; ")
		}
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
		}
	}
}
