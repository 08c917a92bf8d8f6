// Package convert speaks the file formats of other tools.
//
// Export writes a repeat as the Hugging Face inference-benchmarker's JSON, which
// its dashboard loads, or a run as lines for benchstat (benchfmt). Import reads
// the Hugging Face tool's and vLLM's benchmark files as a run folder of the
// usual kind, so that old measurements can be shown and compared; each file is
// one repeat. What a file doesn't state stays empty, and the run says where it
// comes from.
package convert
