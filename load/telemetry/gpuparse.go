package telemetry

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"hpcbench/results"
)

// maxReport bounds one JSON report of an AMD tool, in bytes.
const maxReport = 4 << 20

// gpuParser reads what a sampler prints, line by line, and tells the tools
// apart by what they write: nvidia-smi's CSV, with or without a head line, or
// the JSON of rocm-smi and amd-smi, on one line or many.
type gpuParser struct {
	columns []string // of the CSV, from its head line
	report  []byte
	depth   int
	inText  bool
	escaped bool
}

// nvidiaColumns are those of a CSV without a head line.
var nvidiaColumns = []string{"index", "utilization.gpu", "memory.used", "power.draw", "clocks.sm", "temperature.gpu", "clocks_throttle_reasons.active"}

// line takes one line and gives the samples that it completes.
func (p *gpuParser) line(b []byte) []results.GPUSample {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return nil
	}
	if p.depth == 0 && b[0] != '{' && b[0] != '[' {
		return p.csv(string(b))
	}
	var out []results.GPUSample
	for len(b) > 0 {
		end := p.balance(b)
		if end < 0 {
			p.keep(b)
			break
		}
		p.keep(b[:end])
		out = append(out, parseReport(p.report)...)
		p.report = p.report[:0]
		b = bytes.TrimLeft(b[end:], " ,\t")
		if p.depth == 0 && len(b) > 0 && b[0] != '{' && b[0] != '[' {
			break
		}
	}
	return out
}

func (p *gpuParser) keep(b []byte) {
	if len(p.report)+len(b) > maxReport {
		*p = gpuParser{columns: p.columns}
		return
	}
	p.report = append(append(p.report, b...), '\n')
}

// balance walks over brackets and gives the index behind the one that closes
// the report, or -1.
func (p *gpuParser) balance(b []byte) int {
	for i, c := range b {
		switch {
		case p.escaped:
			p.escaped = false
		case p.inText && c == '\\':
			p.escaped = true
		case c == '"':
			p.inText = !p.inText
		case p.inText:
		case c == '{' || c == '[':
			p.depth++
		case c == '}' || c == ']':
			if p.depth--; p.depth <= 0 {
				p.depth = 0
				return i + 1
			}
		}
	}
	return -1
}

// csv reads a line of nvidia-smi.
func (p *gpuParser) csv(line string) []results.GPUSample {
	cells := strings.Split(line, ",")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	if cells[0] == "index" {
		p.columns = nil
		for _, c := range cells {
			name, _, _ := strings.Cut(c, " [") // "power.draw [W]"
			p.columns = append(p.columns, name)
		}
		return nil
	}
	columns := p.columns
	if columns == nil {
		columns = nvidiaColumns
	}
	if len(cells) != len(columns) {
		return nil // a message
	}
	var g results.GPUSample
	for i, name := range columns {
		v := number(cells[i])
		switch name {
		case "index":
			if v == nil {
				return nil
			}
			g.Index = cells[i]
		case "utilization.gpu":
			g.UtilShare = scaled(v, 0.01)
		case "memory.used":
			g.MemUsedMiB = v
		case "power.draw", "power.draw.average", "power.draw.instant":
			g.PowerW = v
		case "clocks.sm", "clocks.current.sm":
			g.ClockMHz = v
		case "temperature.gpu":
			g.TempC = v
		case "clocks_throttle_reasons.active", "clocks_event_reasons.active":
			g.Throttle = throttleReasons(cells[i])
		}
	}
	return []results.GPUSample{g}
}

// reasons are the bits of nvidia-smi's mask that mean a clock was held down;
// idle clocks and those set on purpose aren't among them.
var reasons = []struct {
	bit  uint64
	word string
}{
	{0x4, "sw_power_cap"}, {0x8, "hw_slowdown"}, {0x10, "sync_boost"}, {0x20, "sw_thermal_slowdown"},
	{0x40, "hw_thermal_slowdown"}, {0x80, "hw_power_brake_slowdown"},
}

func throttleReasons(mask string) string {
	bits, err := strconv.ParseUint(strings.TrimPrefix(mask, "0x"), 16, 64)
	if err != nil {
		return ""
	}
	var words []string
	for _, r := range reasons {
		if bits&r.bit != 0 {
			words = append(words, r.word)
		}
	}
	return strings.Join(words, "+")
}

// parseReport reads one JSON report of rocm-smi or amd-smi.
func parseReport(b []byte) []results.GPUSample {
	var list []json.RawMessage
	if json.Unmarshal(b, &list) == nil {
		return amdList(list)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(b, &object) != nil {
		return nil
	}
	if raw, ok := object["gpu_data"]; ok && json.Unmarshal(raw, &list) == nil {
		return amdList(list)
	}
	if _, ok := object["gpu"]; ok {
		return amdList([]json.RawMessage{b})
	}
	return rocmCards(object)
}

// rocmCards reads rocm-smi's {"card0": {"GPU use (%)": "5", …}}.
func rocmCards(object map[string]json.RawMessage) []results.GPUSample {
	var out []results.GPUSample
	for name, raw := range object {
		index, ok := strings.CutPrefix(name, "card")
		if _, err := strconv.Atoi(index); !ok || err != nil {
			continue
		}
		var values map[string]any
		if json.Unmarshal(raw, &values) != nil {
			continue
		}
		g := results.GPUSample{Index: index}
		var junction *float64
		for key, value := range values {
			text, ok := value.(string)
			if !ok {
				continue
			}
			v := number(text)
			switch key = strings.ToLower(key); {
			case key == "gpu use (%)":
				g.UtilShare = scaled(v, 0.01)
			case key == "vram total used memory (b)":
				g.MemUsedMiB = scaled(v, 1./(1<<20))
			case strings.Contains(key, "package power (w)"):
				g.PowerW = v
			case strings.HasPrefix(key, "sclk clock speed"):
				g.ClockMHz = v
			case key == "temperature (sensor edge) (c)":
				g.TempC = v
			case key == "temperature (sensor junction) (c)":
				junction = v
			}
		}
		if g.TempC == nil {
			g.TempC = junction
		}
		out = append(out, g)
	}
	return packages(out)
}

// amdList reads amd-smi's list of {"gpu": 0, "usage": {…}, …}.
func amdList(list []json.RawMessage) []results.GPUSample {
	var out []results.GPUSample
	for _, raw := range list {
		var v map[string]any
		if json.Unmarshal(raw, &v) != nil {
			continue
		}
		index, ok := v["gpu"].(float64)
		if !ok || index != math.Trunc(index) || math.Abs(index) > 1e6 {
			continue
		}
		g := results.GPUSample{Index: strconv.Itoa(int(index))}
		g.UtilShare = scaled(measured(v, "usage", "gfx_activity"), 0.01)
		g.MemUsedMiB = measured(v, "mem_usage", "used_vram")
		g.PowerW = measured(v, "power", "socket_power")
		if g.PowerW == nil {
			g.PowerW = measured(v, "power", "current_socket_power")
		}
		g.ClockMHz = measured(v, "clock", "gfx_0", "clk")
		if g.TempC = measured(v, "temperature", "edge"); g.TempC == nil {
			g.TempC = measured(v, "temperature", "hotspot")
		}
		out = append(out, g)
	}
	return packages(out)
}

// packages puts the GPUs in order and marks power that is of a package of two
// dies: those of an MI250X report it by the first die only.
func packages(all []results.GPUSample) []results.GPUSample {
	slices.SortFunc(all, func(a, b results.GPUSample) int {
		x, _ := strconv.Atoi(a.Index)
		y, _ := strconv.Atoi(b.Index)
		return x - y
	})
	for i := range all {
		if all[i].PowerW != nil && *all[i].PowerW == 0 {
			all[i].PowerW = nil // a die that draws nothing is one that doesn't say
		}
	}
	for i := 0; i+1 < len(all); i++ {
		if all[i].PowerW != nil && all[i+1].PowerW == nil {
			all[i].PackageOnly = true
		}
	}
	return all
}

// measured walks to {"value": 5, "unit": "W"}, or to a bare number.
func measured(v map[string]any, path ...string) *float64 {
	var at any = v
	for _, name := range path {
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = m[name]
	}
	if m, ok := at.(map[string]any); ok {
		at = m["value"]
	}
	switch n := at.(type) {
	case float64:
		return finite(n)
	case string:
		return number(n)
	}
	return nil
}

// number reads a figure with perhaps a unit or brackets around it; nil where
// the tool says N/A in any of its ways.
func number(s string) *float64 {
	s = strings.Trim(s, " ()")
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' || s[end] == '-' && end == 0) {
		end++
	}
	v, err := strconv.ParseFloat(s[:end], 64)
	if err != nil {
		return nil
	}
	return finite(v)
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return nil
	}
	return &v
}

func scaled(v *float64, by float64) *float64 {
	if v == nil {
		return nil
	}
	out := *v * by
	return &out
}
