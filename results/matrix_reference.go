package results

// States of a published cell.
const (
	CellValid               = "valid"
	CellOverCapacityPlanned = "over_capacity_planned" // by arithmetic, not run
)

// MatrixReference is a published matrix of contexts by concurrency.
type MatrixReference struct {
	Format         string             `json:"format" yaml:"format"`
	Name           string             `json:"name" yaml:"name"`
	Title          string             `json:"title" yaml:"title"`
	Source         string             `json:"source" yaml:"source"`
	Plan           string             `json:"plan" yaml:"plan"` // the embedded plan with the same load
	Conditions     MatrixConditions   `json:"conditions" yaml:"conditions"`
	CommandLine    string             `json:"command_line,omitempty" yaml:"command_line"`
	Remarks        []string           `json:"remarks,omitempty" yaml:"remarks"`
	ContextsTokens []int              `json:"contexts_tokens" yaml:"contexts_tokens"`
	Levels         []int              `json:"levels" yaml:"levels"`
	Prefill        []PrefillReference `json:"prefill" yaml:"prefill"`
	// Cells has every context at every level, row by row.
	Cells []MatrixCell `json:"cells" yaml:"cells"`
}

// MatrixConditions are what a comparison of matrices must know, as published.
type MatrixConditions struct {
	GPUKind         string  `json:"gpu_kind" yaml:"gpu_kind"`
	GPUs            int     `json:"gpus" yaml:"gpus"`
	GPUMemoryGiB    float64 `json:"gpu_memory_gib" yaml:"gpu_memory_gib"`
	CPU             string  `json:"cpu,omitempty" yaml:"cpu"`
	MemoryGiB       float64 `json:"memory_gib,omitempty" yaml:"memory_gib"`
	OS              string  `json:"os,omitempty" yaml:"os"`
	Driver          string  `json:"driver,omitempty" yaml:"driver"`
	PowerLimitW     float64 `json:"power_limit_w,omitempty" yaml:"power_limit_w"`
	Model           string  `json:"model" yaml:"model"`
	ServedName      string  `json:"served_name,omitempty" yaml:"served_name"`
	Revision        string  `json:"revision,omitempty" yaml:"revision"`
	Engine          string  `json:"engine" yaml:"engine"`
	EngineVersion   string  `json:"engine_version" yaml:"engine_version"`
	Quantization    string  `json:"quantization,omitempty" yaml:"quantization"`
	Backend         string  `json:"backend,omitempty" yaml:"backend"`
	Image           string  `json:"image,omitempty" yaml:"image"`
	MaxModelLen     int     `json:"max_model_len,omitempty" yaml:"max_model_len"`
	MaxNumSeqs      int     `json:"max_num_seqs,omitempty" yaml:"max_num_seqs"`
	DecodeTest      string  `json:"decode_test" yaml:"decode_test"`
	PrefillMode     string  `json:"prefill_mode" yaml:"prefill_mode"`
	WindowS         float64 `json:"window_s" yaml:"window_s"`
	MaxOutputTokens int     `json:"max_output_tokens" yaml:"max_output_tokens"`
	Statistic       string  `json:"statistic" yaml:"statistic"`
	Runs            int     `json:"runs" yaml:"runs"`
	Tool            string  `json:"tool" yaml:"tool"`
}

// PrefillReference is one row of the prefill table.
type PrefillReference struct {
	PromptTokens int     `json:"prompt_tokens" yaml:"prompt_tokens"`
	PrintedAs    string  `json:"printed_as" yaml:"printed_as"` // "8K"
	TokensPerS   float64 `json:"tokens_per_s" yaml:"tokens_per_s"`
	// TokensPrinted is the figure as printed, such as "11.9K": three digits of the true one.
	TokensPrinted string  `json:"tokens_per_s_printed" yaml:"tokens_per_s_printed"`
	TTFTMs        float64 `json:"ttft_ms" yaml:"ttft_ms"`
	Samples       int     `json:"samples" yaml:"samples"`
}

// MatrixCell is one cell; figures are nil where it wasn't run. Latencies are
// medians over requests.
type MatrixCell struct {
	ContextTokens int      `json:"context_tokens" yaml:"context_tokens"`
	Streams       int      `json:"streams" yaml:"streams"`
	Status        string   `json:"status" yaml:"status"`
	TotalPerS     *float64 `json:"total_per_s,omitempty" yaml:"total_per_s"` // output tokens
	PerRequestPS  *float64 `json:"per_request_per_s,omitempty" yaml:"per_request_per_s"`
	TTFTMs        *float64 `json:"ttft_ms,omitempty" yaml:"ttft_ms"`
	TPOTMs        *float64 `json:"tpot_ms,omitempty" yaml:"tpot_ms"`
	Active        *float64 `json:"active,omitempty" yaml:"active"` // requests at once on average
	Completed     *int     `json:"completed,omitempty" yaml:"completed"`
	OutputTokens  *int     `json:"output_tokens,omitempty" yaml:"output_tokens"`
	MeasuredS     *float64 `json:"measured_s,omitempty" yaml:"measured_s"`
}

// Cell finds a cell by its place in the grid.
func (m MatrixReference) Cell(contextTokens, streams int) (MatrixCell, bool) {
	for _, c := range m.Cells {
		if c.ContextTokens == contextTokens && c.Streams == streams {
			return c, true
		}
	}
	return MatrixCell{}, false
}
