package main

import (
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"time"

	"hpcbench/engine"
	"hpcbench/load"
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
		fmt.Fprintf(p.out, "%s: %d in flight, %d sent, %d completed, TTFT p50 %s ms, TPOT p50 %s ms, %.0f tokens/s%s%s\n",
			where(now), now.InFlight, now.Sent, now.Completed, figure(now.TTFTp50Ms, 0), figure(now.TPOTp50Ms, 1), now.TokensPerS, left(now), errorWords(now.Errors))
		return
	}
	lines := []string{
		where(now) + left(now),
		fmt.Sprintf("rate   %6.2f/s achieved%s  %s", now.AchievedPerS, asked(now), spark(p.rates)),
		fmt.Sprintf("load   %6d in flight, %d sent, %d completed, %.0f tokens/s", now.InFlight, now.Sent, now.Completed, now.TokensPerS),
		fmt.Sprintf("TTFT   p50 %7s ms   p95 %7s ms", figure(now.TTFTp50Ms, 1), figure(now.TTFTp95Ms, 1)),
		fmt.Sprintf("TPOT   p50 %7s ms   p95 %7s ms%s", figure(now.TPOTp50Ms, 2), figure(now.TPOTp95Ms, 2), errorWords(now.Errors)),
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

// where is the phase and the step in words: "starting", "warm-up", "step
// concurrency@4, 2 of 5". Of a search the number of its steps isn't known.
func where(p results.Progress) string {
	switch {
	case p.Phase == load.PhaseWarmup:
		return "warm-up"
	case p.Phase != load.PhaseStep:
		return p.Phase
	case p.StepCount == 0:
		return fmt.Sprintf("step %s, number %d", p.Step, p.StepIndex+1)
	}
	return fmt.Sprintf("step %s, %d of %d", p.Step, p.StepIndex+1, p.StepCount)
}

// left is what is left of the time that can be known, with a comma before it.
func left(p results.Progress) string {
	if p.LeftS < 1 {
		return ""
	}
	return ", " + (time.Duration(p.LeftS) * time.Second).String() + " left"
}

// asked is the rate that was asked for, in an open loop.
func asked(p results.Progress) string {
	if p.AskedPerS == 0 {
		return ""
	}
	return fmt.Sprintf(" of %.2f/s asked", p.AskedPerS)
}

// figure is a live figure, and a dash as long as there is none.
func figure(v float64, digits int) string {
	if v == 0 {
		return "–"
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
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
