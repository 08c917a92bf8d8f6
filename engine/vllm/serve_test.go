package vllm

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestServeArgs(t *testing.T) {
	tests := []struct {
		name string
		in   ServeConfig
		want string
	}{
		{"smallest", ServeConfig{Model: "org/m"},
			"vllm serve org/m --served-model-name org/m-{nonce} --host 127.0.0.1 --port {port} --tensor-parallel-size 1"},
		{"all", ServeConfig{Model: "/w/snap", ServedName: "org/m", TP: 4, MaxModelLen: 4096, MaxNumSeqs: 64, DType: "bfloat16", Revision: "abc"},
			"vllm serve /w/snap --served-model-name org/m-{nonce} --host 127.0.0.1 --port {port} --tensor-parallel-size 4 --revision abc --dtype bfloat16 --max-model-len 4096 --max-num-seqs 64"},
		{"two nodes", ServeConfig{Model: "m", TP: 8, PP: 2, Nodes: 2},
			"vllm serve m --served-model-name m-{nonce} --host 127.0.0.1 --port {port} --tensor-parallel-size 8 --pipeline-parallel-size 2 --distributed-executor-backend mp --master-port {master_port}"},
		{"socket", ServeConfig{Model: "m", Socket: true},
			"vllm serve m --served-model-name m-{nonce} --uds {socket} --tensor-parallel-size 1"},
		{"user's flag replaces ours", ServeConfig{Model: "m", TP: 4, MaxModelLen: 4096, Extra: []string{"-tp", "2", "--max_model_len=8192", "--enforce-eager"}},
			"vllm serve m --served-model-name m-{nonce} --host 127.0.0.1 --port {port} -tp 2 --max_model_len=8192 --enforce-eager"},
		{"a negative value is no flag", ServeConfig{Model: "m", Extra: []string{"--seed", "-1"}},
			"vllm serve m --served-model-name m-{nonce} --host 127.0.0.1 --port {port} --tensor-parallel-size 1 --seed -1"},
		{"command", ServeConfig{Command: []string{"python3", "-m", "vllm.entrypoints.cli.main"}, Model: "m"},
			"python3 -m vllm.entrypoints.cli.main serve m --served-model-name m-{nonce} --host 127.0.0.1 --port {port} --tensor-parallel-size 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ServeArgs(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestServeArgsRefuses(t *testing.T) {
	for _, extra := range [][]string{
		{"--port", "8000"}, {"--host=0.0.0.0"}, {"--api-key", "k"}, {"--api_key=k"}, {"--por", "1"}, {"--served-model-name", "x"},
		{"-n", "2"}, {"--config", "f.yaml"}, {"stray"}, {"--seed", "1\n2"}, {"--ssl-keyfile", "k"}, {"--headless"},
	} {
		if args, err := ServeArgs(ServeConfig{Model: "m", Extra: extra}); err == nil {
			t.Errorf("%q was taken: %q", extra, args)
		} else if !strings.Contains(err.Error(), "--server-arg") {
			t.Errorf("%q: the error doesn't name the option: %v", extra, err)
		}
	}
	for _, model := range []string{"", "--port", "a\nb"} {
		if _, err := ServeArgs(ServeConfig{Model: model}); err == nil {
			t.Errorf("the model %q was taken", model)
		}
	}
	// Every wrong one is named at once.
	_, err := ServeArgs(ServeConfig{Model: "m", Extra: []string{"--port", "1", "--api-key", "k"}})
	if err == nil || !strings.Contains(err.Error(), "--port") || !strings.Contains(err.Error(), "--api-key") {
		t.Errorf("not both named: %v", err)
	}
}

func TestRankArgs(t *testing.T) {
	rank, worker := RankArgs(2)
	if diff := cmp.Diff([]string{"--nnodes", "2", "--node-rank", "{rank}", "--master-addr", "{master_addr}"}, rank); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"--headless"}, worker); diff != "" {
		t.Error(diff)
	}
	if rank, worker := RankArgs(1); rank != nil || worker != nil {
		t.Errorf("one node got %q %q", rank, worker)
	}
}

func knownFlags(t testing.TB) []string {
	t.Helper()
	f, err := os.Open("testdata/serve-flag-names.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	known, err := ParseHelp(f)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// Every flag that ServeArgs writes is one of vLLM 0.32's.
func TestOurFlagsAreKnown(t *testing.T) {
	known := knownFlags(t)
	args, err := ServeArgs(ServeConfig{Model: "m", TP: 2, PP: 2, Nodes: 2, MaxModelLen: 1, MaxNumSeqs: 1, DType: "auto", Revision: "r",
		Extra: []string{"--enforce-eager", "--no-enable-prefix-caching", "--block_size=32", "--max-num-queued-reqs", "6"}})
	if err != nil {
		t.Fatal(err)
	}
	rank, worker := RankArgs(2)
	args = append(append(args, rank...), worker...)
	if err := CheckFlags(args, known, "0.32.0"); err != nil {
		t.Error(err)
	}
}

func TestCheckFlags(t *testing.T) {
	known := knownFlags(t)
	err := CheckFlags([]string{"vllm", "serve", "m", "--tensor-paralel-size", "4", "--frobnicate"}, known, "0.32.0")
	want := "vLLM 0.32.0 doesn't know --tensor-paralel-size (the nearest is --tensor-parallel-size), --frobnicate"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if err := CheckFlags([]string{"--frobnicate"}, nil, ""); err != nil {
		t.Errorf("nothing is known, but %v", err)
	}
}

func TestParseHelp(t *testing.T) {
	help := `usage: vllm serve [model_tag] [options]

Frontend:
  Arguments for the server.

  --host HOST           Host name. See also
                        --not-a-flag in prose. (default: None)
  --disable-log-requests, --no-disable-log-requests
                        x (default: True)
  -tp TENSOR_PARALLEL_SIZE, --tensor-parallel-size TENSOR_PARALLEL_SIZE
                        y
`
	got, err := ParseHelp(strings.NewReader(help))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"--disable-log-requests", "--host", "--no-disable-log-requests", "--tensor-parallel-size", "-tp"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := ParseHelp(strings.NewReader("no such command")); err == nil {
		t.Error("a text without flags was taken")
	}
}

func FuzzServeArgs(f *testing.F) {
	f.Add("org/m", "--seed", "1")
	f.Add("m", "--port=1", "")
	f.Fuzz(func(t *testing.T, model, a, b string) {
		args, err := ServeArgs(ServeConfig{Model: model, Extra: []string{a, b}})
		if err != nil {
			return
		}
		line := strings.Join(args, " ")
		if strings.Count(line, PortWord) > 1+strings.Count(model+a+b, PortWord) || !strings.Contains(line, "-"+NonceWord) {
			t.Errorf("the frame is broken: %q", args)
		}
		for _, frame := range []string{"--port", "--host", "--api-key"} {
			n := 0
			for i, x := range args {
				if i > 2 && canonical(x) == frame { // behind the model
					n++
				}
			}
			if want := map[string]int{"--port": 1, "--host": 1}[frame]; n != want {
				t.Errorf("%s stands %d times: %q", frame, n, args)
			}
		}
	})
}

func FuzzParseHelp(f *testing.F) {
	f.Add("  --host HOST\n  -tp X, --tensor-parallel-size X\n")
	f.Fuzz(func(t *testing.T, text string) {
		names, err := ParseHelp(strings.NewReader(text))
		if err == nil && len(names) == 0 {
			t.Error("no names and no error")
		}
	})
}
