package slurm

import (
	"context"
	"slices"
	"testing"
)

func TestScrubKeepsWhereTheClusterIsAndDropsWhatSteers(t *testing.T) {
	got := Scrub([]string{"PATH=/bin", "SLURM_CONF=/etc/s.conf", "SLURM_JWT=x", "SBATCH_ACCOUNT=other", "SQUEUE_FORMAT=%i", "SACCT_FORMAT=x",
		"SCANCEL_STATE=RUNNING", "SLURM_TIME_FORMAT=relative", "SLURM_CLUSTERS=b", "LC_ALL=cs_CZ.UTF-8", "TZ=Europe/Prague", "SLURMISH=1"})
	want := []string{"PATH=/bin", "SLURM_CONF=/etc/s.conf", "SLURM_JWT=x", "TZ=Europe/Prague", "SLURMISH=1", "LC_ALL=C.UTF-8"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestQuestionsAreInUTCAndJobsKeepTheirZone(t *testing.T) {
	f := &fake{answers: map[string][]answer{"squeue": {{}}, "sbatch": {{stdout: "1"}}}}
	c := New(Options{Run: f.run, Environ: []string{"TZ=Europe/Prague", "A=b"}})
	if _, err := c.Queue(context.Background(), JobID{Job: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Submit(context.Background(), SubmitRequest{Script: "s", Environ: []string{"KEY=1"}}); err != nil {
		t.Fatal(err)
	}
	if got := f.calls[0].Environ; !slices.Contains(got, "TZ=UTC") || slices.Contains(got, "TZ=Europe/Prague") || !slices.Contains(got, "SLURM_TIME_FORMAT="+timeFormat) {
		t.Errorf("question: %q", got)
	}
	if got := f.calls[1].Environ; !slices.Equal(got, []string{"TZ=Europe/Prague", "A=b", "LC_ALL=C.UTF-8", "KEY=1"}) {
		t.Errorf("sbatch: %q", got)
	}
}
