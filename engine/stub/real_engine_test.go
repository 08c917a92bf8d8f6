//go:build engine

package stub

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	kinds "hpcbench/engine"
	"hpcbench/engine/realtest"
	"hpcbench/engine/vllm"
)

// The captured bytes may grow old, so the whole contract is also asked of a
// living vLLM.
func TestContractWithTheRealEngine(t *testing.T) {
	e, err := realtest.Find()
	if err != nil {
		t.Fatal(err)
	}
	p := e.Run(t, realtest.Start{Key: capturedConfig.APIKey, Args: append([]string{"vllm", "serve", e.Model, "--served-model-name", "tiny", "--host", "127.0.0.1", "--port", "{port}",
		"--max-model-len", "4096", "--max-num-seqs", "8"}, realtest.Args...)})
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	if _, err := vllm.Ready(ctx, kinds.Loopback(p.Port, kinds.Secret(capturedConfig.APIKey)), "tiny", p.Dead); err != nil {
		t.Fatalf("%v\n%s", err, p.Log(t))
	}
	s := started(t, capturedConfig)
	for _, c := range contract {
		t.Run(strings.TrimSuffix(c.file, ".http"), func(t *testing.T) {
			real := callAt(t, "127.0.0.1:"+strconv.Itoa(p.Port), c.method, c.path, c.key, c.body)
			head, _, _ := strings.Cut(real, "\r\n\r\n")
			lines := strings.Split(head, "\r\n")
			_, body := parsed(t, real)
			sameShape(t, call(t, s, c.method, c.path, c.key, c.body), lines[0], lines[1:], body, c.exact)
		})
	}
}
