package load

import (
	"testing"

	"hpcbench/results"
)

func TestLiveFiguresAreOfTheLastSeconds(t *testing.T) {
	l := newLive()
	l.inFlight.Store(3)
	l.sent.Store(5)
	l.tokens.Store(40)
	l.ended(&results.Record{Outcome: results.OutcomeCompleted, TIntended: 1000, TFirstToken: 21_000, TLastToken: 111_000, FirstTokens: 1, OutputTokens: 10})
	l.ended(&results.Record{Outcome: results.OutcomeShed})
	l.ended(&results.Record{Outcome: results.OutcomeFailed, ErrorClass: results.ErrorReset})
	l.ended(&results.Record{Outcome: results.OutcomeDropped})
	var p results.Progress
	l.read(&p)
	if p.Sent != 5 || p.Completed != 1 || p.InFlight != 3 || p.TokensPerS <= 0 || p.AchievedPerS <= 0 {
		t.Errorf("%+v", p)
	}
	if p.TTFTp50Ms < 19.8 || p.TTFTp50Ms > 20.2 || p.TPOTp95Ms < 9.9 || p.TPOTp95Ms > 10.1 {
		t.Errorf("TTFT %v, TPOT %v ms", p.TTFTp50Ms, p.TPOTp95Ms)
	}
	if p.Errors["shed"] != 1 || p.Errors["reset"] != 1 || p.Errors["dropped"] != 1 {
		t.Errorf("errors %v", p.Errors)
	}
	l.turnedAt = l.turnedAt.Add(-2 * liveSpan)
	l.read(&p)
	l.turnedAt = l.turnedAt.Add(-2 * liveSpan)
	l.read(&p)
	if l.read(&p); p.TTFTp50Ms != 0 {
		t.Errorf("a request of long ago is still shown: %v ms", p.TTFTp50Ms)
	}
}
