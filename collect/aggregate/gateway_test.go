package aggregate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hpcbench/collect/read"
	"hpcbench/results"
)

// gatewayRun has ten blocks whose gateway adds 2 ms to a noisy, drifting server.
func gatewayRun(spoil int) *read.Run {
	rng := rand.New(rand.NewPCG(3, 4))
	var sum results.Summary
	sum.State = results.StateComplete
	for block := 1; block <= 10; block++ {
		for _, arm := range []string{results.ArmDirect, results.ArmControl, results.ArmGateway, results.ArmGateway, results.ArmControl, results.ArmDirect} {
			base := 100 + float64(block) + 0.2*rng.NormFloat64()
			if arm == results.ArmGateway {
				base += 2
			}
			s := results.StepSummary{Finished: true, Step: results.Step{Index: len(sum.Steps), ID: fmt.Sprintf("%s@c1/block%d", arm, block), Loop: results.LoopClosed, Streams: 1, Arm: arm, Block: block}}
			s.Corrected.Valid = true
			s.Corrected.E2EMs = results.Dist{N: 100, P50: &base}
			s.Counts.Sent = 100
			if block == spoil {
				s.Findings = []results.Finding{{Level: results.LevelInvalid, Code: "foreign"}}
			}
			sum.Steps = append(sum.Steps, s)
		}
	}
	return &read.Run{Repeats: []read.Repeat{{Index: 1, State: results.StateComplete, Summary: &sum}}}
}

func TestGatewayOverhead(t *testing.T) {
	list := Gateway(gatewayRun(0))
	o := list[0]
	if o.Quantity != "corrected.e2e_ms.p50" || !o.Primary || o.Blocks != 10 {
		t.Fatalf("first row %+v", o)
	}
	if math.Abs(*o.Added.Mean-2) > 0.3 || *o.Added.Low > 2 || *o.Added.High < 2 || math.Abs(o.HodgesLehmann-2) > 0.3 {
		t.Errorf("added %g (%g…%g), Hodges–Lehmann %g", *o.Added.Mean, *o.Added.Low, *o.Added.High, o.HodgesLehmann)
	}
	if *o.P > 0.002+1e-9 { // all ten the same sign: 2/1024
		t.Errorf("p %g, want 2/1024", *o.P)
	}
	if o.Control == nil || math.Abs(*o.Control) > 0.3 || math.Abs(*o.Share-2/105.5) > 0.003 {
		t.Errorf("control %v, share %v", *o.Control, *o.Share)
	}
	if got := Gateway(gatewayRun(4))[0].Blocks; got != 9 {
		t.Errorf("a block with an INVALID turn must not count: %d blocks", got)
	}
	if none := Gateway(&read.Run{}); len(none) != 0 {
		t.Errorf("no repeats: %v", none)
	}
}

func TestSignFlip(t *testing.T) {
	if p := signFlip([]float64{1, 1, 1, 1, 1, 1}); p != 2.0/64 {
		t.Errorf("six of one sign: %g, want .03125", p)
	}
	if p := signFlip([]float64{1, -1}); p != 1 {
		t.Errorf("no sign: %g", p)
	}
	many := make([]float64, 40)
	for i := range many {
		many[i] = math.Sin(float64(i)) + 0.1
	}
	if p := signFlip(many); p < 0.2 || p > 0.9 {
		t.Errorf("forty that hardly lean: %g", p)
	}
}
