package judge

import (
	"fmt"

	"hpcbench/results"
)

// RulesVersion numbers the rules and limits of this package.
const RulesVersion = 1

// Codes of findings. They are stable: suites and CI refer to them.
const (
	CodeUnfinished     = "unfinished"      // the window didn't run to its planned end
	CodeEndedEarly     = "ended_early"     // a limit of the plan ended it
	CodeNotRun         = "not_run"         // planned not to run, with the reason
	CodeNoWindow       = "no_window"       // telemetry has no edges of the step
	CodeCounts         = "counts"          // requests don't add up
	CodeNothingSent    = "nothing_sent"    //
	CodeNoAnswer       = "no_answer"       // not one request completed
	CodeNoTokens       = "no_tokens"       // answers without tokens
	CodeErrors         = "errors"          // share of failed requests
	CodeTimeouts       = "timeouts"        // share of timed out requests, server not saturated
	CodeClientLimited  = "client_limited"  // the client didn't send or hold what it should
	CodeClientBusy     = "client_busy"     // it did, but was short of CPU
	CodeOutputLength   = "output_length"   // other than asked
	CodeContextCut     = "context_cut"     // answers cut at the context limit
	CodePromptLength   = "prompt_length"   // other than asked
	CodeTokensGuessed  = "tokens_guessed"  // counted from events, not from usage
	CodeContradictory  = "contradictory"   // records that can't be true
	CodeMergedStamps   = "merged_stamps"   //
	CodeMixedClocks    = "mixed_clocks"    //
	CodeClockStepped   = "clock_stepped"   //
	CodeRestarted      = "restarted"       // the server
	CodeOtherModel     = "other_model"     //
	CodeForeign        = "foreign"         // requests that weren't ours
	CodePrefixHits     = "prefix_hits"     //
	CodeQueueLeft      = "queue_left"      // from the step before
	CodeUnsteady       = "unsteady"        //
	CodeStalled        = "stalled"         // no token for long, with requests open
	CodeSaturated      = "saturated"       //
	CodeShed           = "shed"            // refused by a full server
	CodeCapReached     = "cap_reached"     // arrivals dropped: only compat is valid
	CodeClientOrPath   = "client_or_path"  // our TTFT is longer than the server's
	CodeTokensDiffer   = "tokens_differ"   // the engine's count against the answers' usage
	CodeOverCapacity   = "over_capacity"   // matrix: the engine queued, preempted or ran below what was asked
	CodeThrottled      = "throttled"       // GPU clocks held down
	CodeOOMKill        = "oom_kill"        //
	CodeInterrupted    = "interrupted"     // the attempt
	CodeFailed         = "failed"          // the attempt
	CodeNotEnded       = "not_ended"       // the attempt was killed or still runs
	CodeTornRecords    = "torn_records"    //
	CodeBadRecords     = "bad_records"     //
	CodeBadSamples     = "bad_samples"     //
	CodeDuplicates     = "duplicates"      // records with the same number
	CodeNoSteps        = "no_steps"        //
	CodeForeignOnGPU   = "foreign_on_gpu"  // processes on our GPUs before the start
	CodeProcessClock   = "process_clock"   // no kernel stamps
	CodePreempted      = "preempted"       // the engine ran out of KV cache
	CodeOpenAtEnd      = "open_at_end"     // requests that never ended, server not saturated
	CodeCountersDiffer = "counters_differ" // the engine started fewer than answered us
)

// Apply judges a summary: it replaces the findings of every step and of the
// repeat, and the rules' version. The warm-up isn't judged.
func Apply(s *results.Summary, attempt results.Attempt, plan results.Plan) {
	s.RulesVersion = RulesVersion
	s.Findings = repeat(*s, attempt)
	for i := range s.Steps {
		s.Steps[i].Findings = Step(s.Steps[i], attempt, plan)
	}
}

// Step judges one step. The order of findings is that of the rules: INVALID
// and warnings stand where their subject does.
func Step(s results.StepSummary, attempt results.Attempt, plan results.Plan) []results.Finding {
	if s.Step.NotRun != "" {
		return []results.Finding{{Level: results.LevelNote, Code: CodeNotRun, Reason: "not run: " + s.Step.NotRun}}
	}
	var found []results.Finding
	found = append(found, finished(s, attempt.State)...)
	if s.NoWindow {
		return found
	}
	load := loadOf(s, plan)
	found = append(found, counted(s)...)
	found = append(found, answered(s, load, plan)...)
	found = append(found, client(s)...)
	found = append(found, clocks(s)...)
	found = append(found, lengths(s, plan)...)
	found = append(found, steady(s, load)...)
	found = append(found, stalled(s)...)
	found = append(found, server(s, attempt, plan)...)
	found = append(found, node(s)...)
	return found
}

// limited is a finding with the figure that decided and its limit.
func limited(level, code string, figure, limit float64, format string, args ...any) results.Finding {
	return results.Finding{Level: level, Code: code, Reason: fmt.Sprintf(format, args...), Figure: &figure, Limit: &limit}
}

// plain is a finding without a figure.
func plain(level, code, format string, args ...any) results.Finding {
	return results.Finding{Level: level, Code: code, Reason: fmt.Sprintf(format, args...)}
}

// percent writes a share for people.
func percent(share float64) string { return fmt.Sprintf("%.3g %%", share*100) }
