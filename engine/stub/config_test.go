package stub

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestConfigSaysEverythingWrongAtOnce(t *testing.T) {
	_, err := Start(Config{Port: 70000, ITLMs: -1, TTFTBaseMs: math.NaN(), Slots: -2, Faults: Faults{ErrorShare: 1.5, FreezeFor: -time.Second}})
	if err == nil {
		t.Fatal("it was taken")
	}
	for _, want := range []string{"port is 70000", "ITL (ms) is -1", "TTFT base (ms) is NaN", "slots is -2", "error share is 1.5", "freeze for is -1s"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q isn't in: %v", want, err)
		}
	}
}

func TestTakenPort(t *testing.T) {
	s := started(t, Config{})
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL(), "http://"), ":")
	n := 0
	for _, c := range port {
		n = n*10 + int(c-'0')
	}
	if _, err := Start(Config{Port: n}); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("got %v", err)
	}
}
