package slurm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Reservation keeps nodes from other jobs for a time, for instance for
// maintenance: a job whose time limit reaches into it stays pending with
// ReqNodeNotAvail.
type Reservation struct {
	Name      string
	Start     time.Time
	End       time.Time
	Nodes     string
	Partition string
	Flags     []string // MAINT, DAILY, …
	State     string   // ACTIVE, INACTIVE
	Accounts  []string
	Users     []string
}

// Reservations asks for all reservations that this user may see.
func (c *Client) Reservations(ctx context.Context) ([]Reservation, error) {
	res, err := c.ask(ctx, "scontrol", "show", "reservation", "--oneliner")
	if err != nil {
		return nil, fmt.Errorf("show the reservations: %w", err)
	}
	return parseReservations(res.Stdout)
}

func parseReservations(stdout string) ([]Reservation, error) {
	var out []Reservation
	var errs []error
	for _, line := range strings.Split(stdout, "\n") {
		kv := keyValues(line)
		if kv["ReservationName"] == "" {
			continue
		}
		r := Reservation{Name: kv["ReservationName"], Nodes: kv["Nodes"], Partition: kv["PartitionName"], Flags: list(kv["Flags"]),
			State: kv["State"], Accounts: list(kv["Accounts"]), Users: list(kv["Users"])}
		var lineErrs [2]error
		r.Start, lineErrs[0] = parseInstant(kv["StartTime"])
		r.End, lineErrs[1] = parseInstant(kv["EndTime"])
		if err := errors.Join(lineErrs[:]...); err != nil {
			errs = append(errs, fmt.Errorf("reservation %s: %w", r.Name, err))
			continue
		}
		out = append(out, r)
	}
	return out, errors.Join(errs...)
}
