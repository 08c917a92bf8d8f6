package vllm

import "testing"

func TestUtilizationOfARelease(t *testing.T) {
	for version, want := range map[string]float64{"": DefaultUtilization, "0.32.0": DefaultUtilization, "0.31.2": 0.9, "0.9": 0.9, "1.0.0": DefaultUtilization, "nightly": DefaultUtilization} {
		if got := Utilization(version); got != want {
			t.Errorf("%q: %v, want %v", version, got, want)
		}
	}
}
