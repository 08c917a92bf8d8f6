package local

import (
	"strings"
	"testing"
)

func TestPidThatIsUsedAgainIsAnotherProcess(t *testing.T) {
	self, err := identify(1)
	if err != nil || !self.alive() {
		t.Fatalf("process 1: %+v, %v", self, err)
	}
	for _, other := range []process{{}, {PID: 1, Ticks: self.Ticks + 1, Boot: self.Boot}, {PID: 1, Ticks: self.Ticks, Boot: "another boot"}} {
		if other.alive() {
			t.Errorf("%+v is taken for process 1", other)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("1 (a b) ) S 1 1 1 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 9 0 77"))
	f.Add([]byte(strings.Repeat(")", 30)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := parseStat(1, b); err == nil && s.state == 0 {
			t.Errorf("%q has no state", b)
		}
	})
}
