package fit

import (
	"fmt"
	"math"
	"strings"
)

// Times are the parts of one repeat, all in seconds.
type Times struct {
	StartS float64 // expected start of the server
	LoadS  float64 // warm-up, steps and pauses, as planned
	DrainS float64 // the drain caps of all steps together
	StopS  float64 // grace, and the GPU's memory being freed
	// StartReserveS is how much longer one start may take (deadline − expected). It is shared by the repeats of a
	// job: five times the deadline alone would not fit a three-hour partition.
	StartReserveS float64
	// SignalS is how long before the end TERM comes, and a minute more, since Slurm may send it so much earlier.
	SignalS int
}

// Repeat is what one repeat takes, without the shared parts.
func (t Times) Repeat() float64 { return t.StartS + t.LoadS + t.DrainS + t.StopS }

// Walltime is what a job of n repeats asks for, in whole minutes given as seconds,
// and the sum in words, one line a term.
func Walltime(t Times, n int, fresh bool) (seconds int, arithmetic []string) {
	perRepeat := t.Repeat()
	total := perRepeat * float64(n)
	line := fmt.Sprintf("%d x (start %s + load %s + drain at most %s + stop %s) = %s", n,
		short(t.StartS), short(t.LoadS), short(t.DrainS), short(t.StopS), short(total))
	if !fresh {
		total = t.StartS + t.StopS + float64(n)*(t.LoadS+t.DrainS)
		line = fmt.Sprintf("start %s + stop %s + %d x (load %s + drain at most %s) = %s",
			short(t.StartS), short(t.StopS), n, short(t.LoadS), short(t.DrainS), short(total))
	}
	sum := total + t.StartReserveS + 60 + float64(t.SignalS)
	seconds = int(math.Ceil(sum/60)) * 60
	return seconds, []string{
		line,
		fmt.Sprintf("+ reserve for one slow start %s + TERM %s before the end, which Slurm may send 1 min early", short(t.StartReserveS), short(float64(t.SignalS))),
		fmt.Sprintf("= %s, asked for as %s", short(sum), Clock(seconds)),
	}
}

// Clock writes seconds as Slurm does: [D-]HH:MM:SS.
func Clock(seconds int) string {
	d, rest := seconds/86400, seconds%86400
	clock := fmt.Sprintf("%02d:%02d:%02d", rest/3600, rest%3600/60, rest%60)
	if d > 0 {
		return fmt.Sprintf("%d-%s", d, clock)
	}
	return clock
}

// short writes seconds for people: 45s, 24m30s, 2h42m30s.
func short(s float64) string {
	whole := int(math.Round(s))
	var b strings.Builder
	if h := whole / 3600; h > 0 {
		fmt.Fprintf(&b, "%dh", h)
	}
	if m := whole % 3600 / 60; m > 0 {
		fmt.Fprintf(&b, "%dm", m)
	}
	if sec := whole % 60; sec > 0 || b.Len() == 0 {
		fmt.Fprintf(&b, "%ds", sec)
	}
	return b.String()
}
