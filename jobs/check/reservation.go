package check

import (
	"slices"
	"strings"
	"time"

	"hpcbench/slurm"
)

// reservation looks for reservations that a job which starts now would reach into:
// on their nodes it waits, with ReqNodeNotAvail or Reservation as the reason.
func reservation(s Subject, f Facts) []Finding {
	r := &report{name: "reservations"}
	if f.reservations.err != nil {
		r.warn("try again later", "the reservations could not be asked: %v", f.reservations.err)
		return r.found
	}
	if own := s.Site.Reservation; own != "" {
		i := slices.IndexFunc(f.reservations.is, func(v slurm.Reservation) bool { return v.Name == own })
		switch {
		case i < 0:
			r.fail("leave `reservation` out, or correct it", "there is no reservation %s", own)
		case s.Now.After(f.reservations.is[i].End):
			r.fail("leave `reservation` out", "reservation %s ended at %s", own, clock(f.reservations.is[i].End))
		case s.Now.Add(s.walltime()).After(f.reservations.is[i].End):
			r.warn("take a shorter --time, or the job waits for ever in it", "reservation %s ends at %s, and a job asks for %s", own, clock(f.reservations.is[i].End), limitWords(s.walltime()))
		default:
			r.ok("reservation %s, %s to %s", own, clock(f.reservations.is[i].Start), clock(f.reservations.is[i].End))
		}
		return r.found
	}
	p, listed := f.partition(s.Site.Partition)
	if !listed {
		return nil
	}
	mine, err := slurm.ExpandNodeList(p.Nodes)
	if err != nil {
		r.warn("", "the nodes of partition %s could not be read: %v", p.Name, err)
		return r.found
	}
	for _, v := range f.reservations.is {
		r.reaches(s, p, v, mine)
	}
	if len(r.found) == 0 {
		r.ok("none that a job of %s would reach into now", limitWords(s.walltime()))
	}
	return r.found
}

func (r *report) reaches(s Subject, p slurm.Partition, v slurm.Reservation, mine []string) {
	end := s.Now.Add(s.walltime())
	if !v.Start.Before(end) || !v.End.After(s.Now) {
		return
	}
	nodes, err := slurm.ExpandNodeList(v.Nodes)
	if err != nil {
		nodes = nil // then the partition alone decides
	}
	taken := 0
	for _, n := range nodes {
		if slices.Contains(mine, n) {
			taken++
		}
	}
	if taken == 0 {
		return
	}
	words := "a job of %s that starts now would reach into reservation %s (%s to %s UTC%s), which holds %d of the %d nodes of partition %s"
	args := []any{limitWords(s.walltime()), v.Name, clock(v.Start), clock(v.End), flagWords(v.Flags), taken, len(mine), p.Name}
	remedy := "it takes the other nodes, and starts later if they are busy"
	if taken == len(mine) {
		remedy = "it waits until " + clock(v.End) + " UTC (ReqNodeNotAvail)"
		if room := v.Start.Sub(s.Now); room > 10*time.Minute {
			remedy += "; with at most " + limitWords(room.Truncate(time.Minute)) + " it could start before"
		}
	}
	r.warn(remedy, words, args...)
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

func flagWords(flags []string) string {
	var words []string
	for _, f := range flags {
		switch f {
		case "MAINT":
			words = append(words, "maintenance")
		case "DAILY":
			words = append(words, "daily")
		case "WEEKLY":
			words = append(words, "weekly")
		}
	}
	if len(words) == 0 {
		return ""
	}
	return ", " + strings.Join(words, ", ")
}
