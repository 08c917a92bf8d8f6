package judge

import (
	"strings"
	"testing"

	"hpcbench/results"
)

func ptr[T any](v T) *T { return &v }

// healthy is a step with nothing to find in it.
func healthy() (results.StepSummary, results.Attempt, results.Plan) {
	s := results.StepSummary{
		Step:     results.Step{ID: "constant@10.00req/s", Loop: results.LoopOpen, RatePerS: 10, DurationS: 60},
		Finished: true, WindowFrom: 1_000_000, WindowTo: 61_000_000, DrainedAt: 62_000_000, WindowS: 60, InFlightEnd: 6,
		Counts: results.Counts{Planned: 600, Sent: 600, Completed: 600},
		Corrected: results.Corrected{
			Valid: true, OutputTokens: 30_000, SentPerS: 10, OfferedPerS: 10, TokensPerS: 500, InFlightMean: 6, InFlightMax: 8,
			ServiceTTFT:  results.Dist{N: 600, Mean: ptr(100.0), P50: ptr(100.0), P90: ptr(110.0)},
			ServiceE2E:   results.Dist{N: 600, P50: ptr(600.0)},
			InFlightRise: ptr(0.001), InFlightRiseP: ptr(0.7), MergedShare: 0.01,
		},
		Client: results.ClientFacts{
			SendLagMs:   results.Dist{N: 600, P99: ptr(0.4)},
			CPUShareMax: ptr(0.2), RunDelayShare: ptr(0.001), GCPauseMaxMs: ptr(0.3), ClockStepMs: ptr(0.0),
			DeviationPrompt: ptr(0.0), DeviationOutput: ptr(0.0), ReusedShare: 1,
		},
		Clocks:  map[string]int{results.ClockKernel: 600},
		Sources: map[string]int{results.TokensUsage: 600},
		Server: &results.ServerStats{
			Samples: 60, Running: &results.MinMax{Mean: 6, Min: 5, Max: 8}, Waiting: &results.MinMax{}, Preemptions: ptr(0.0),
			PrefixQueries: ptr(120_000.0), PrefixHits: ptr(0.0), Started: ptr(600.0), TTFTMeanMs: ptr(98.0), ClientPath: ptr(2.0),
			BusyBefore: ptr(0.0), OOMKills: ptr(0.0),
			Whole: &results.WholeStep{Started: 600, Ours: 600, GenerationTokens: ptr(30_000.0), OurTokens: 30_000},
		},
	}
	a := results.Attempt{State: results.StateComplete, Clock: results.ClockFacts{Kind: results.ClockKernel},
		Server: results.ServerFacts{ServedName: "m", AskedName: "m", Root: "/w/m", AskedRoot: "/w/m"}}
	p := results.Plan{Kind: results.KindRate, Request: results.RequestPlan{IgnoreEOS: true, TimeoutS: 60}}
	return s, a, p
}

// closed turns a step into a healthy held loop.
func closed(s *results.StepSummary) {
	s.Step.Loop, s.Step.Streams = results.LoopClosed, 8
	s.Client.StreamsHeld, s.Client.StreamsAsked = ptr(8.0), ptr(8.0)
	s.Client.SendLagMs = results.Dist{}
	s.Corrected.SlicesPerS = []float64{500, 500, 500, 500, 500, 500}
	s.StartedInWindow = 600
}

func TestStepRules(t *testing.T) {
	type step = results.StepSummary
	// Each rule just inside its limit (want "") and just outside.
	for _, c := range []struct {
		name string
		make func(*step, *results.Attempt, *results.Plan)
		want string // "level code", or "" for no finding at all
	}{
		{"healthy", func(s *step, a *results.Attempt, p *results.Plan) {}, ""},
		{"healthy held", func(s *step, a *results.Attempt, p *results.Plan) { closed(s) }, ""},
		{"not planned to run", func(s *step, a *results.Attempt, p *results.Plan) {
			*s = step{Step: results.Step{NotRun: "over_capacity_planned: 64 x 8192"}}
		}, "note not_run"},
		{"left by a signal", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Finished, s.WindowS, a.State = false, 20, results.StateInterrupted
		}, "invalid unfinished"},
		{"killed", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Finished, s.WindowS, a.State = false, 20, results.StateRunning
		}, "invalid unfinished"},
		{"killed in a step that ends by its count", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Finished, s.WindowS, s.Step.DurationS, a.State = false, 20, 0, results.StateRunning
		}, "invalid unfinished"},
		{"ended by a limit", func(s *step, a *results.Attempt, p *results.Plan) { s.Finished, s.WindowS = false, 20 }, "warning ended_early"},
		{"ended by a limit, no duration", func(s *step, a *results.Attempt, p *results.Plan) { s.Finished, s.Step.DurationS = false, 0 }, "warning ended_early"},
		{"never opened", func(s *step, a *results.Attempt, p *results.Plan) {
			*s = step{Step: s.Step}
			a.State = results.StateInterrupted
		}, "invalid unfinished,invalid nothing_sent"},
		{"no edges", func(s *step, a *results.Attempt, p *results.Plan) { s.NoWindow = true }, "invalid no_window"},

		{"an end is missing", func(s *step, a *results.Attempt, p *results.Plan) { s.Counts.Completed = 599 }, "invalid counts"},
		{"more sent than planned", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Counts.Planned, s.Counts.NotSent = 599, -1
		}, "invalid counts"},
		{"a sum is wrong", func(s *step, a *results.Attempt, p *results.Plan) { s.Counts.Planned = 601 }, "invalid counts"},
		{"one contradictory record in 1,000", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Counts = results.Counts{Planned: 1000, Sent: 1000, Completed: 1000}
			s.Contradictory = 1
		}, "warning contradictory"},
		{"one contradictory record in 600", func(s *step, a *results.Attempt, p *results.Plan) { s.Contradictory = 1 }, "invalid contradictory"},

		{"nothing sent", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Counts = results.Counts{Planned: 600, NotSent: 600}
		}, "invalid nothing_sent,invalid client_limited"},
		{"no arrival in the window", func(s *step, a *results.Attempt, p *results.Plan) { s.Counts = results.Counts{} }, "invalid nothing_sent"},
		{"all failed", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Counts.Completed, s.Counts.Failed = 0, 600
			s.Errors = []results.ErrorCount{{Class: results.ErrorHTTP, Status: 404, Text: "The model `nope` does not exist.", Count: 600}}
		}, "invalid no_answer"},
		{"no tokens", func(s *step, a *results.Attempt, p *results.Plan) { s.Corrected.OutputTokens = 0 }, "invalid no_tokens"},
		{"5 % failed", func(s *step, a *results.Attempt, p *results.Plan) { s.Counts.Completed, s.Counts.Failed = 570, 30 }, "warning errors"},
		{"more than 5 % failed", func(s *step, a *results.Attempt, p *results.Plan) { s.Counts.Completed, s.Counts.Failed = 569, 31 }, "invalid errors"},
		{"a capacity plan allows less", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Counts.Completed, s.Counts.Failed = 593, 7
			p.Capacity = &results.CapacityPlan{MaxErrorShare: 0.01}
		}, "invalid errors"},
		{"5 % timed out", func(s *step, a *results.Attempt, p *results.Plan) { s.Counts.Completed, s.Counts.TimedOut = 570, 30 }, "warning timeouts"},
		{"more timed out", func(s *step, a *results.Attempt, p *results.Plan) { s.Counts.Completed, s.Counts.TimedOut = 569, 31 }, "invalid timeouts"},
		{"no token for 6 s", func(s *step, a *results.Attempt, p *results.Plan) { s.Corrected.SilenceS = 6 }, "invalid stalled"},
		{"no token for 6 s, as prompts take", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Corrected.SilenceS, s.Corrected.ServiceTTFT.P50 = 6, ptr(2500.0)
		}, ""},
		{"no token for 6 s, and hardly any before", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Corrected.SilenceS, s.Corrected.ServiceTTFT.P50, s.Corrected.ServiceTTFT.Min = 6, nil, ptr(90.0)
		}, "invalid stalled"},
		{"timed out in a queue", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Counts.Completed, s.Counts.TimedOut = 300, 300
			s.Corrected.ServiceE2E.P50 = ptr(30_001.0)
		}, "note saturated"},
		{"5 % open", func(s *step, a *results.Attempt, p *results.Plan) { s.Counts.Completed, s.Counts.OpenAtEnd = 570, 30 }, "warning open_at_end"},
		{"more open", func(s *step, a *results.Attempt, p *results.Plan) { s.Counts.Completed, s.Counts.OpenAtEnd = 569, 31 }, "invalid open_at_end"},
		{"open and cancelled as planned", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			s.Step.CancelAtEnd, s.Counts.Completed, s.Counts.OpenAtEnd = true, 592, 8
		}, ""},
		{"open on a saturated server", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Counts.Completed, s.Counts.OpenAtEnd = 500, 100
			s.Corrected.InFlightRise, s.Corrected.InFlightRiseP = ptr(2.0), ptr(0.0001)
		}, "note saturated"},
		{"shed", func(s *step, a *results.Attempt, p *results.Plan) { s.Counts.Completed, s.Counts.Shed = 300, 300 }, "note shed"},
		{"cap reached", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Counts.Sent, s.Counts.Completed, s.Counts.Dropped = 500, 500, 100
			s.Corrected.Valid = false
		}, "warning cap_reached"},
		{"tokens from events", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Sources = map[string]int{results.TokensEvents: 600}
		}, "warning tokens_guessed"},

		{"lag at 5 ms", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.SendLagMs.P99 = ptr(5.0) }, ""},
		{"one late of 40", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Client.SendLagMs = results.Dist{N: 40, P90: ptr(0.2), P95: ptr(0.4), P99: ptr(25.0)}
		}, ""},
		{"several late of 40", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Client.SendLagMs = results.Dist{N: 40, P90: ptr(0.2), P95: ptr(6.0), P99: ptr(25.0)}
		}, "invalid client_limited"},
		{"several late of 10", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Client.SendLagMs = results.Dist{N: 10, P90: ptr(6.0), P95: ptr(6.0), P99: ptr(25.0)}
		}, "invalid client_limited"},
		{"lag above 5 ms", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.SendLagMs.P99 = ptr(5.01) }, "invalid client_limited"},
		{"lag at 5 % of TTFT", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Corrected.ServiceTTFT.P50, s.Client.SendLagMs.P99 = ptr(1000.0), ptr(50.0)
		}, ""},
		{"lag above 5 % of TTFT", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Corrected.ServiceTTFT.P50, s.Client.SendLagMs.P99 = ptr(1000.0), ptr(50.1)
		}, "invalid client_limited"},
		{"99 % of the schedule sent", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Counts = results.Counts{Planned: 600, Sent: 594, Completed: 594, NotSent: 6}
		}, ""},
		{"less of the schedule sent", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Counts = results.Counts{Planned: 600, Sent: 593, Completed: 593, NotSent: 7}
		}, "invalid client_limited"},
		{"98 % held", func(s *step, a *results.Attempt, p *results.Plan) { closed(s); s.Client.StreamsHeld = ptr(7.84) }, ""},
		{"less held", func(s *step, a *results.Attempt, p *results.Plan) { closed(s); s.Client.StreamsHeld = ptr(7.83) }, "invalid client_limited"},
		{"less held since refused", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			s.Client.StreamsHeld, s.Counts.Completed, s.Counts.Shed = ptr(5.0), 500, 100
		}, "note shed"},
		{"less held at the tail", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			s.Client.StreamsHeld, s.Step.MaxRequests = ptr(5.0), 600
		}, ""},
		{"client busy", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.CPUShareMax = ptr(0.81) }, "warning client_busy"},
		{"client waits", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.RunDelayShare = ptr(0.051) }, "warning client_busy"},
		{"client collects garbage", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.GCPauseMaxMs = ptr(5.1) }, "warning client_busy"},

		{"5 % merged", func(s *step, a *results.Attempt, p *results.Plan) { s.Corrected.MergedShare = 0.05 }, ""},
		{"more merged", func(s *step, a *results.Attempt, p *results.Plan) { s.Corrected.MergedShare = 0.051 }, "warning merged_stamps"},
		{"two clocks", func(s *step, a *results.Attempt, p *results.Plan) { s.Clocks[results.ClockProcess] = 1 }, "warning mixed_clocks"},
		{"clock 1 ms", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.ClockStepMs = ptr(1.0) }, ""},
		{"clock stepped under kernel stamps", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.ClockStepMs = ptr(1.1) }, "invalid clock_stepped"},
		{"clock stepped, process stamps", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Client.ClockStepMs, s.Clocks = ptr(1.1), map[string]int{results.ClockProcess: 600}
		}, "note clock_stepped"},

		{"2 % short", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.DeviationOutput = ptr(-0.02) }, ""},
		{"short where forced", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.DeviationOutput = ptr(-0.021) }, "invalid output_length"},
		{"short by min_tokens", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Client.DeviationOutput, p.Request.IgnoreEOS, p.Request.MinTokens = ptr(-0.021), false, true
		}, "invalid output_length"},
		{"short where free", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Client.DeviationOutput, p.Request.IgnoreEOS = ptr(-0.095), false
		}, "warning output_length"},
		{"long", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.DeviationOutput = ptr(0.021) }, "warning output_length"},
		{"1 % cut", func(s *step, a *results.Attempt, p *results.Plan) { s.CutShort = 6 }, "warning context_cut"},
		{"more cut", func(s *step, a *results.Attempt, p *results.Plan) { s.CutShort = 7 }, "invalid context_cut"},
		{"prompts 2 % long", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.DeviationPrompt = ptr(0.02) }, ""},
		{"prompts longer", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.DeviationPrompt = ptr(0.021) }, "warning prompt_length"},
		{"prompts shorter", func(s *step, a *results.Attempt, p *results.Plan) { s.Client.DeviationPrompt = ptr(-0.021) }, "warning prompt_length"},

		{"rising by a hundredth", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Corrected.InFlightRise, s.Corrected.InFlightRiseP = ptr(0.1), ptr(0.0001)
		}, ""},
		{"rising by more", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Corrected.InFlightRise, s.Corrected.InFlightRiseP = ptr(0.11), ptr(0.0001)
		}, "note saturated"},
		{"rising, perhaps", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Corrected.InFlightRise, s.Corrected.InFlightRiseP = ptr(0.5), ptr(0.01)
		}, ""},
		{"falling by half", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Corrected.InFlightRise, s.Corrected.InFlightRiseP = ptr(-0.1), ptr(0.0001)
		}, ""},
		{"falling by more", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Corrected.InFlightRise, s.Corrected.InFlightRiseP = ptr(-0.11), ptr(0.0001)
		}, "invalid unsteady"},
		{"slices within 10 % and a pause", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			s.Corrected.SlicesPerS = []float64{300, 400, 500, 500, 524, 562} // pauses of 110 ms in slices of 10 s: 1.1 x 1.011/0.989
		}, ""},
		{"slices beyond", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			s.Corrected.SlicesPerS = []float64{500, 500, 500, 500, 524, 563.5}
		}, "invalid unsteady"},
		{"slices beyond, and no pause in them", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			s.StartedInWindow, s.Corrected.SlicesPerS = 0, []float64{500, 500, 500, 500, 524, 551}
		}, "invalid unsteady"},
		{"a window in the middle of long requests", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			s.StartedInWindow, s.Step.CancelAtEnd = 0, true
			s.Counts = results.Counts{Planned: 8, Sent: 8, OpenAtEnd: 8}
			s.Corrected.ServiceTTFT.P90 = ptr(20_000.0)
		}, ""},
		{"such a window without a token", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			s.StartedInWindow, s.Step.CancelAtEnd = 0, true
			s.Counts = results.Counts{Planned: 8, Sent: 8, OpenAtEnd: 8}
			s.Corrected.OutputTokens = 0
		}, "invalid no_answer"},
		{"an empty slice", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			s.Corrected.SlicesPerS = []float64{500, 500, 500, 500, 0, 500}
		}, "invalid unsteady"},

		{"one left over", func(s *step, a *results.Attempt, p *results.Plan) { s.LeftOver = 1 }, "invalid queue_left"},
		{"busy before", func(s *step, a *results.Attempt, p *results.Plan) { s.Server.BusyBefore = ptr(1.0) }, "invalid queue_left"},
		{"restarted", func(s *step, a *results.Attempt, p *results.Plan) { s.Server.Restarted = true }, "invalid restarted"},
		{"foreign", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Server.Whole.Started, s.Server.Whole.Foreign = 601, 1
		}, "invalid foreign"},
		{"90 % of ours counted", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Server.Whole = &results.WholeStep{Started: 540, Ours: 600}
		}, ""},
		{"fewer of ours counted", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Server.Whole = &results.WholeStep{Started: 539, Ours: 600}
		}, "warning counters_differ"},
		{"tokens 1 % off", func(s *step, a *results.Attempt, p *results.Plan) { s.Server.Whole.GenerationTokens = ptr(30_299.0) }, ""},
		{"tokens more off", func(s *step, a *results.Attempt, p *results.Plan) { s.Server.Whole.GenerationTokens = ptr(30_302.0) }, "warning tokens_differ"},
		{"tokens off, but some were cancelled", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Server.Whole.GenerationTokens, s.Server.Whole.Allowed = ptr(31_000.0), 3
		}, ""},
		{"1 % prefix hits", func(s *step, a *results.Attempt, p *results.Plan) { s.Server.PrefixHits = ptr(1200.0) }, ""},
		{"more prefix hits", func(s *step, a *results.Attempt, p *results.Plan) { s.Server.PrefixHits = ptr(1216.0) }, "invalid prefix_hits"},
		{"prefix hits of preempted requests", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Server.PrefixHits, s.Server.Preemptions = ptr(1216.0), ptr(1.0)
		}, "warning prefix_hits,note preempted"},
		{"the template's own block", func(s *step, a *results.Attempt, p *results.Plan) {
			a.Server.TemplateTokens, s.Server.PrefixHits = 24, ptr(600*16.0+1200)
		}, ""},
		{"beyond the template's own block", func(s *step, a *results.Attempt, p *results.Plan) {
			a.Server.TemplateTokens, s.Server.PrefixHits = 24, ptr(600*16.0+1201)
		}, "invalid prefix_hits"},
		{"a template shorter than a block", func(s *step, a *results.Attempt, p *results.Plan) {
			a.Server.TemplateTokens, s.Server.BlockTokens, s.Server.PrefixHits = 24, ptr(32.0), ptr(9600.0)
		}, "invalid prefix_hits"},
		{"shared on purpose", func(s *step, a *results.Attempt, p *results.Plan) {
			p.Prompt.Shared, s.Server.PrefixHits = true, ptr(100_000.0)
		}, ""},
		{"10 ms on the path", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Server.TTFTMeanMs, s.Server.ClientPath = ptr(30.0), ptr(10.0)
		}, ""},
		{"a fifth on the path", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Server.TTFTMeanMs, s.Server.ClientPath = ptr(100.0), ptr(20.0)
		}, ""},
		{"more on the path", func(s *step, a *results.Attempt, p *results.Plan) {
			s.Server.TTFTMeanMs, s.Server.ClientPath = ptr(100.0), ptr(20.1)
		}, "warning client_or_path"},
		{"preempted", func(s *step, a *results.Attempt, p *results.Plan) { s.Server.Preemptions = ptr(3.0) }, "note preempted"},
		{"a cell that queued", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			p.Kind, s.Server.Running.Mean, s.Server.Waiting.Max = results.KindMatrix, 8, 1
		}, "note over_capacity"},
		{"a cell at 95 %", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			p.Kind, s.Server.Running.Mean = results.KindMatrix, 7.6
		}, ""},
		{"a cell below 95 %", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			p.Kind, s.Server.Running.Mean = results.KindMatrix, 7.59
		}, "note over_capacity"},
		{"a cell that preempted", func(s *step, a *results.Attempt, p *results.Plan) {
			closed(s)
			p.Kind, s.Server.Running.Mean, s.Server.Preemptions = results.KindMatrix, 8, ptr(2.0)
		}, "note over_capacity"},
		{"no server to ask", func(s *step, a *results.Attempt, p *results.Plan) { s.Server = nil }, ""},
		{"killed for memory", func(s *step, a *results.Attempt, p *results.Plan) { s.Server.OOMKills = ptr(1.0) }, "invalid oom_kill"},
		{"throttled", func(s *step, a *results.Attempt, p *results.Plan) { s.Server.Throttle = []string{"SW Power Cap"} }, "warning throttled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, a, p := healthy()
			c.make(&s, &a, &p)
			if got := words(Step(s, a, p)); got != c.want {
				t.Errorf("found %q, want %q: %+v", got, c.want, Step(s, a, p))
			}
		})
	}
}

func TestRepeatRules(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(*results.Summary, *results.Attempt)
		want string
	}{
		{"complete", func(s *results.Summary, a *results.Attempt) {}, ""},
		{"interrupted", func(s *results.Summary, a *results.Attempt) { s.State = results.StateInterrupted }, "invalid interrupted"},
		{"failed", func(s *results.Summary, a *results.Attempt) { s.State = results.StateFailed }, "invalid failed"},
		{"killed", func(s *results.Summary, a *results.Attempt) { s.State = results.StateRunning }, "invalid not_ended"},
		{"no steps", func(s *results.Summary, a *results.Attempt) { s.Steps = nil }, "invalid no_steps"},
		{"torn", func(s *results.Summary, a *results.Attempt) { s.TornRecords = 1 }, "warning torn_records"},
		{"one line in 1,000 broken", func(s *results.Summary, a *results.Attempt) {
			s.Steps[0].Counts.Sent, s.BadRecords = 999, 1
		}, "warning bad_records"},
		{"more lines broken", func(s *results.Summary, a *results.Attempt) { s.BadRecords = 1 }, "invalid bad_records"},
		{"telemetry broken", func(s *results.Summary, a *results.Attempt) { s.BadSamples = 1 }, "warning bad_samples"},
		{"two attempts in one file", func(s *results.Summary, a *results.Attempt) { s.DuplicateRecords = 1 }, "invalid duplicates"},
		{"another name", func(s *results.Summary, a *results.Attempt) { a.Server.ServedName = "n" }, "invalid other_model"},
		{"another model under the name", func(s *results.Summary, a *results.Attempt) { a.Server.Root = "/w/n" }, "invalid other_model"},
		{"a server that doesn't say", func(s *results.Summary, a *results.Attempt) { a.Server.Root, a.Server.ServedName = "", "" }, ""},
		{"neighbours on the GPUs", func(s *results.Summary, a *results.Attempt) { a.Node.Foreign = []string{"4711 python"} }, "warning foreign_on_gpu"},
		{"process clock", func(s *results.Summary, a *results.Attempt) { a.Clock.Kind = results.ClockProcess }, "note process_clock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			step, a, p := healthy()
			s := results.Summary{State: results.StateComplete, Steps: []results.StepSummary{step}}
			c.make(&s, &a)
			Apply(&s, a, p)
			if got := words(s.Findings); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
			if s.RulesVersion != RulesVersion {
				t.Errorf("rules version %d", s.RulesVersion)
			}
		})
	}
}

func TestReasonsSayTheServersWords(t *testing.T) {
	s, a, p := healthy()
	s.Counts.Completed, s.Counts.Failed = 0, 600
	s.Errors = []results.ErrorCount{{Class: results.ErrorHTTP, Status: 404, Text: "The model `nope` does not exist.", Count: 590}, {Class: results.ErrorReset, Count: 10}}
	got := Step(s, a, p)[0].Reason
	for _, want := range []string{"600", "590 times", "http 404", "The model `nope` does not exist."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q doesn't say %q", got, want)
		}
	}
}

func TestFindingsOfOldRulesAreReplaced(t *testing.T) {
	step, a, p := healthy()
	step.Findings = []results.Finding{{Level: results.LevelInvalid, Code: "of old"}}
	s := results.Summary{State: results.StateComplete, Steps: []results.StepSummary{step}, Findings: step.Findings}
	Apply(&s, a, p)
	if len(s.Findings)+len(s.Steps[0].Findings) != 0 {
		t.Errorf("left: %+v, %+v", s.Findings, s.Steps[0].Findings)
	}
}

func words(findings []results.Finding) string {
	var all []string
	for _, f := range findings {
		all = append(all, f.Level+" "+f.Code)
	}
	return strings.Join(all, ",")
}
