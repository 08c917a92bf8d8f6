package results

// Statistics of published figures.
const (
	StatMeanOf5 = "mean of 5"
	StatP90     = "P90"
	StatSingle  = "single run"
)

// Paths that published figures were measured through.
const (
	PathBare    = "bare"
	PathService = "through the service"
)

// Reference is a published table with its conditions.
type Reference struct {
	Format      string              `json:"format" yaml:"format"`
	Name        string              `json:"name" yaml:"name"`
	Title       string              `json:"title" yaml:"title"`
	Source      string              `json:"source" yaml:"source"` // where it was published, in words
	Conditions  ReferenceConditions `json:"conditions" yaml:"conditions"`
	Plan        string              `json:"plan" yaml:"plan"` // the embedded plan with the same load
	Rows        []ReferenceRow      `json:"rows" yaml:"rows"`
	Remarks     []string            `json:"remarks,omitempty" yaml:"remarks"`
	CommandLine string              `json:"command_line,omitempty" yaml:"command_line"`
}

// ReferenceConditions are what a comparison must hold equal.
type ReferenceConditions struct {
	Site          string  `json:"site" yaml:"site"`
	Partition     string  `json:"partition,omitempty" yaml:"partition"`
	GPUKind       string  `json:"gpu_kind" yaml:"gpu_kind"`
	GPUs          int     `json:"gpus" yaml:"gpus"`
	Model         string  `json:"model" yaml:"model"`
	Image         string  `json:"image" yaml:"image"`
	EngineVersion string  `json:"engine_version" yaml:"engine_version"`
	Date          string  `json:"date,omitempty" yaml:"date"` // YYYY-MM-DD; empty = not stated
	Path          string  `json:"path" yaml:"path"`
	URL           string  `json:"url,omitempty" yaml:"url"`
	WarmupS       float64 `json:"warmup_s" yaml:"warmup_s"`
	DurationS     float64 `json:"duration_s" yaml:"duration_s"`
	PromptTokens  int     `json:"prompt_tokens" yaml:"prompt_tokens"`
	OutputTokens  int     `json:"output_tokens" yaml:"output_tokens"`
	OutputSD      float64 `json:"output_sd" yaml:"output_sd"`
	OutputMin     int     `json:"output_min" yaml:"output_min"`
	OutputMax     int     `json:"output_max" yaml:"output_max"`
	MaxVUs        int     `json:"max_vus" yaml:"max_vus"`
	MaxVUsStated  bool    `json:"max_vus_stated" yaml:"max_vus_stated"` // false: the tool's default applied
	Statistic     string  `json:"statistic" yaml:"statistic"`
	Runs          int     `json:"runs" yaml:"runs"` // 0 = not stated
	Tool          string  `json:"tool" yaml:"tool"`
}

// ReferenceRow is one row as published; nil = the table has no such column.
type ReferenceRow struct {
	RatePerS   float64  `json:"rate_per_s" yaml:"rate_per_s"` // asked
	QPS        *float64 `json:"qps,omitempty" yaml:"qps"`     // achieved, as printed
	E2ES       *float64 `json:"e2e_s,omitempty" yaml:"e2e_s"`
	E2EMs      *float64 `json:"e2e_ms,omitempty" yaml:"e2e_ms"`
	TTFTMs     *float64 `json:"ttft_ms,omitempty" yaml:"ttft_ms"`
	ITLMs      *float64 `json:"itl_ms,omitempty" yaml:"itl_ms"`
	TokensPerS *float64 `json:"tokens_per_s,omitempty" yaml:"tokens_per_s"`
	ErrorShare *float64 `json:"error_share,omitempty" yaml:"error_share"` // 0..1
	Successful *int     `json:"successful,omitempty" yaml:"successful"`
	Total      *int     `json:"total,omitempty" yaml:"total"`
	Suspect    string   `json:"suspect,omitempty" yaml:"suspect"` // why it must not decide; "" = fine
	PrintedAs  string   `json:"printed_as,omitempty" yaml:"printed_as"`
}
