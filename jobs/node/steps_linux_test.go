package node

import (
	"slices"
	"testing"
)

func TestServerSteps(t *testing.T) {
	got := serverSteps("12_3.0\n12_3.batch\n12_3.extern\n12_3.11\n")
	if want := []string{"12_3.0", "12_3.11"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := serverSteps("\n"); got != nil {
		t.Errorf("got %v", got)
	}
}
