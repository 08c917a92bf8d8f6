package schema_test

import (
	"testing"

	"hpcbench/results"
	"hpcbench/results/schematest"
)

func TestSchemasAreCurrent(t *testing.T) {
	words := func(typ, property string, words ...string) schematest.Enum {
		return schematest.Enum{Type: typ, Property: property, Words: words}
	}
	step := []schematest.Enum{
		words("Step", "loop", results.LoopOpen, results.LoopClosed),
		words("Step", "arm", results.ArmDirect, results.ArmControl, results.ArmGateway),
	}
	finding := words("Finding", "level", results.LevelInvalid, results.LevelWarning, results.LevelNote)
	states := []string{results.StateStarting, results.StateRunning, results.StateComplete, results.StateInterrupted, results.StateFailed}
	schematest.Current(t, schematest.Sources{Import: "hpcbench/results/schema", Dirs: []string{".."}},
		schematest.Kind{File: "run.json", Value: results.Spec{}, Format: results.FormatSpec, Enums: []schematest.Enum{
			words("Plan", "kind", results.Kinds...),
			words("PromptPlan", "source", results.SourceSynthetic, results.SourceShareGPT, results.SourceJSONL, results.SourceText),
			words("OutputPlan", "distribution", results.DistFixed, results.DistNormal, results.DistUniform, results.DistDataset),
			words("RequestPlan", "api", "chat", "completions"),
			words("RequestPlan", "usage", results.UsageFinal, results.UsageContinuous, results.UsageNone),
			words("CapacityPlan", "loop", results.LoopOpen, results.LoopClosed),
			words("SiteFacts", "scheduler", results.SchedulerSlurm, results.SchedulerLocal),
			words("ServerSpec", "engine", results.EngineVLLM, results.EngineOpenAI, results.EngineStub, results.EngineRemote),
			words("Grouping", "mode", results.ModeArray, results.ModeRestart, results.ModeChain, results.ModeReuse, results.ModeRemote),
		}},
		schematest.Kind{File: "job.json", Value: results.LedgerEntry{}, Format: results.FormatLedger, Enums: []schematest.Enum{
			words("LedgerEntry", "event", results.LedgerIntent, results.LedgerSubmitted, results.LedgerFound, results.LedgerRefused, results.LedgerCancelled),
		}},
		schematest.Kind{File: "steps.json", Value: results.FrozenSteps{}, Format: results.FormatSteps, Enums: step},
		schematest.Kind{File: "attempt.json", Value: results.Attempt{}, Format: results.FormatAttempt, Enums: []schematest.Enum{
			words("Attempt", "state", states...),
		}},
		schematest.Kind{File: "progress.json", Value: results.Progress{}, Format: results.FormatProgress},
		schematest.Kind{File: "summary.json", Value: results.Summary{}, Format: results.FormatSummary,
			Enums: append([]schematest.Enum{finding, words("Summary", "state", states...)}, step...)},
		schematest.Kind{File: "record.json", Value: results.Record{}, Enums: []schematest.Enum{
			words("Record", "phase", results.PhaseWarmup, results.PhaseStepWarmup, results.PhaseWindow, results.PhaseProbe),
			words("Record", "outcome", results.Outcomes...),
			words("Record", "clock", results.ClockKernel, results.ClockProcess),
			words("Record", "tokens_source", results.TokensUsage, results.TokensContinuous, results.TokensEvents),
			words("Record", "error_class", results.ErrorHTTP, results.ErrorInStream, results.ErrorAborted, results.ErrorNoTokens,
				results.ErrorClosed, results.ErrorReset, results.ErrorRefused, results.ErrorDNS, results.ErrorTLS, results.ErrorProtocol,
				results.ErrorContentType, results.ErrorRedirect, results.ErrorTooLarge, results.ErrorTimeout, results.ErrorCancelled, results.ErrorClient),
		}},
		schematest.Kind{File: "sample.json", Value: results.Sample{}, Enums: append([]schematest.Enum{
			words("Sample", "kind", results.SampleServer, results.SampleGPU, results.SampleHost, results.SampleClient, results.SampleStep),
			words("StepSample", "edge", results.EdgeBegin, results.EdgeOpen, results.EdgeClose, results.EdgeDrained, results.EdgeEnd),
		}, step...)},
		schematest.Kind{File: "reference.json", Value: results.Reference{}, Format: results.FormatReference, Enums: []schematest.Enum{
			words("ReferenceConditions", "path", results.PathBare, results.PathService),
			words("ReferenceConditions", "statistic", results.StatMeanOf5, results.StatP90, results.StatSingle),
		}},
		schematest.Kind{File: "matrix-reference.json", Value: results.MatrixReference{}, Format: results.FormatMatrixReference, Enums: []schematest.Enum{
			words("MatrixCell", "status", results.CellValid, results.CellOverCapacityPlanned),
			words("MatrixConditions", "statistic", results.StatSingle),
		}},
	)
}
