package slurm

import (
	"context"
	"slices"
	"testing"
	"time"
)

func TestReservations(t *testing.T) {
	c, _ := answering(map[string][]answer{"scontrol": {{stdout: captured(t, "scontrol-reservation.txt")}, {stdout: "No reservations in the system\n"}}})
	rs, err := c.Reservations(context.Background())
	if err != nil || len(rs) != 1 {
		t.Fatalf("%v, %v", rs, err)
	}
	if r := rs[0]; r.Name != "cooling" || r.End.Sub(r.Start) != 8*time.Hour || r.Nodes != "acn01" || !slices.Contains(r.Flags, "MAINT") || r.Partition != "" {
		t.Errorf("reservation %+v", r)
	}
	if rs, err := c.Reservations(context.Background()); err != nil || len(rs) != 0 {
		t.Errorf("no reservations: %v, %v", rs, err)
	}
}
