package slurm

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestCommandErrorHasTheToolsOwnWords(t *testing.T) {
	c, _ := answering(map[string][]answer{"sbatch": {{code: 1, stderr: "sbatch: error: line one\nsbatch: fatal: line two\n\n"}}})
	_, err := c.Submit(context.Background(), SubmitRequest{Script: "s"})
	var failed *CommandError
	if !errors.As(err, &failed) || failed.Words() != "line one; line two" || !strings.HasPrefix(err.Error(), "sbatch: line one") {
		t.Errorf("got %v", err)
	}
}
