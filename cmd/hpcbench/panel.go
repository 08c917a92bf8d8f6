package main

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	"hpcbench/engine"
	"hpcbench/load/endpoint"
	"hpcbench/results"
)

// stubOwner is how the stub names itself in /v1/models.
const stubOwner = engine.StubOwner

func engineEndpoint(e endpoint.Endpoint) engine.Endpoint {
	return engine.Endpoint{BaseURL: e.URL.String(), Socket: e.Socket, Key: engine.Secret(e.Key)}
}

// panel shows a load as it runs: on a terminal one panel that is painted again,
// elsewhere a line every ten seconds.
type panel struct {
	out      io.Writer
	terminal bool
	painted  int
	last     time.Time
	rates    []float64 // achieved, for the sparkline
}

func newPanel(out io.Writer, terminal bool) *panel { return &panel{out: out, terminal: terminal} }

func (p *panel) show(now results.Progress) {
	p.rates = append(p.rates, now.AchievedPerS)
	if len(p.rates) > 40 {
		p.rates = p.rates[1:]
	}
	if !p.terminal {
		if time.Since(p.last) < 10*time.Second {
			return
		}
		p.last = time.Now()
		fmt.Fprintf(p.out, "%s %s (%d/%d): %d in flight, %d sent, %d completed, TTFT p50 %.0f ms, TPOT p50 %.1f ms, %.0f tokens/s, %s left%s\n",
			now.Phase, now.Step, now.StepIndex+1, now.StepCount, now.InFlight, now.Sent, now.Completed, now.TTFTp50Ms, now.TPOTp50Ms, now.TokensPerS, left(now), errorWords(now.Errors))
		return
	}
	lines := []string{
		fmt.Sprintf("%s %s, step %d of %d, %s left", now.Phase, now.Step, now.StepIndex+1, now.StepCount, left(now)),
		fmt.Sprintf("rate   %6.2f/s achieved of %.2f/s asked  %s", now.AchievedPerS, now.AskedPerS, spark(p.rates)),
		fmt.Sprintf("load   %6d in flight, %d sent, %d completed, %.0f tokens/s", now.InFlight, now.Sent, now.Completed, now.TokensPerS),
		fmt.Sprintf("TTFT   p50 %7.1f ms   p95 %7.1f ms", now.TTFTp50Ms, now.TTFTp95Ms),
		fmt.Sprintf("TPOT   p50 %7.2f ms   p95 %7.2f ms%s", now.TPOTp50Ms, now.TPOTp95Ms, errorWords(now.Errors)),
	}
	var b strings.Builder
	if p.painted > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", p.painted)
	}
	for _, l := range lines {
		if r := []rune(l); len(r) > 78 {
			l = string(r[:78])
		}
		fmt.Fprintf(&b, "\x1b[2K%s\n", l)
	}
	p.painted = len(lines)
	_, _ = io.WriteString(p.out, b.String()) // a terminal that went away stops nothing
}

// close leaves the panel of one repeat standing; the next one begins below it.
func (p *panel) close() { p.painted, p.rates, p.last = 0, nil, time.Time{} }

func left(p results.Progress) string {
	return (time.Duration(p.LeftS) * time.Second).String()
}

func errorWords(errors map[string]int) string {
	var parts []string
	for class, n := range errors {
		parts = append(parts, fmt.Sprintf("%d %s", n, class))
	}
	if len(parts) == 0 {
		return ""
	}
	sort.Strings(parts)
	return ", errors: " + strings.Join(parts, ", ")
}

// spark draws values as a line of blocks, the highest a full one.
func spark(values []float64) string {
	const blocks = "▁▂▃▄▅▆▇█"
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	if top == 0 {
		return ""
	}
	runes := []rune(blocks)
	var b strings.Builder
	for _, v := range values {
		b.WriteRune(runes[min(len(runes)-1, int(v/top*float64(len(runes)-1)+0.5))])
	}
	return b.String()
}
