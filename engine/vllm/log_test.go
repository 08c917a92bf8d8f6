package vllm

import (
	"strings"
	"testing"

	"hpcbench/engine"
)

func TestLogOfARealServer(t *testing.T) {
	kv, ok, err := KVFromLog(open(t, "server-log-start.txt"))
	if want := (engine.KVBudget{Tokens: 2097152, Source: engine.KVFromLog}); err != nil || !ok || kv != want {
		t.Errorf("%+v %v %v", kv, ok, err)
	}
	version, err := VersionFromLog(open(t, "server-log-start.txt"))
	if err != nil || version != "0.32.0" {
		t.Errorf("version %q, %v", version, err)
	}
}

func TestKVFromLog(t *testing.T) {
	tests := []struct {
		name, log string
		want      int64
	}{
		{"one core", "(EngineCore_DP0 pid=7) INFO 08-07 10:00:00 [kv_cache_utils.py:864] GPU KV cache size: 686,320 tokens\n", 686320},
		{"two cores", "(EngineCore_DP0 pid=7) INFO GPU KV cache size: 1,000 tokens\n(EngineCore_DP1 pid=8) INFO GPU KV cache size: 2,000 tokens\n", 3000},
		{"a core says it once a worker", "INFO GPU KV cache size: 2,000 tokens\nINFO GPU KV cache size: 1,968 tokens\n", 1968},
		{"a second start in the same log", "(APIServer pid=1) INFO x  version 0.32.0\n(EngineCore pid=7) GPU KV cache size: 1,000 tokens\n" +
			"(APIServer pid=2) INFO x  version 0.32.0\n(EngineCore pid=8) GPU KV cache size: 900 tokens\n", 900},
		{"nothing", "INFO Application startup complete.\n", 0},
		{"no number", "GPU KV cache size: , tokens\n", 0},
		{"an endless line", strings.Repeat("x", 1<<20) + "\nCPU KV cache size: 5 tokens", 5},
	}
	for _, tt := range tests {
		kv, ok, err := KVFromLog(strings.NewReader(tt.log))
		if err != nil || ok != (tt.want > 0) || kv.Tokens != tt.want {
			t.Errorf("%s: %+v %v %v, want %d", tt.name, kv, ok, err, tt.want)
		}
	}
}

func TestVersionFromLog(t *testing.T) {
	for log, want := range map[string]string{
		"INFO 12-01 [api_server.py:1712] vLLM API server version 0.10.1\n":                               "0.10.1",
		"(EngineCore pid=1) INFO Initializing a V1 LLM engine (v0.22.1) with config: model='m'\n":        "0.22.1",
		"Launching vLLM (v0.32.0) headless multiproc executor, with head node address 127.0.0.1:29511\n": "0.32.0",
		"INFO 12-01 [x.py:1] vLLM API server version 0.11.0rc2.dev13+gabc\n":                             "0.11.0rc2.dev13+gabc",
		"the conversion 0.5 of something\n":                                                              "",
	} {
		if got, err := VersionFromLog(strings.NewReader(log)); err != nil || got != want {
			t.Errorf("%q: %q %v, want %q", log, got, err, want)
		}
	}
}

func FuzzLog(f *testing.F) {
	f.Add("(EngineCore pid=1) GPU KV cache size: 99,999,999,999,999,999,999 tokens\n")
	f.Add("version 0.1\n")
	f.Fuzz(func(t *testing.T, text string) {
		kv, ok, err := KVFromLog(strings.NewReader(text))
		if err != nil || kv.Tokens < 0 || (!ok && kv.Tokens != 0) {
			t.Errorf("%+v %v %v", kv, ok, err)
		}
		if _, err := VersionFromLog(strings.NewReader(text)); err != nil {
			t.Error(err)
		}
		c := Classify([]byte(text))
		if c.Class == "" || c.Words == "" || c.Remedy == "" || strings.ContainsAny(c.Line, "\n\x1b\x00") {
			t.Errorf("%+v", c)
		}
	})
}
