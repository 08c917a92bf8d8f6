package slurm

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Partition is a partition's limits as the controller states them.
type Partition struct {
	Name          string
	State         string // UP, DOWN, DRAIN, INACTIVE
	Default       bool
	MaxTime       time.Duration
	DefaultTime   time.Duration // 0: none of its own, MaxTime counts
	MaxNodes      int           // -1: no limit
	TotalNodes    int
	Nodes         string
	AllowAccounts []string // nil: all
	DenyAccounts  []string
	AllowQOS      []string // nil: all
	QOS           string   // limits of jobs on the partition are this QOS's
	Exclusive     bool     // whole nodes only
	PreemptMode   string
	TRES          TRES // of all its nodes
	Fields        map[string]string
}

// Allows says whether the partition takes jobs of an account. Slurm compares
// account names without regard to case.
func (p Partition) Allows(account string) bool {
	has := func(list []string) bool {
		for _, a := range list {
			if strings.EqualFold(a, account) {
				return true
			}
		}
		return false
	}
	return (p.AllowAccounts == nil || has(p.AllowAccounts)) && !has(p.DenyAccounts)
}

// Partitions asks for all partitions that this user may see.
func (c *Client) Partitions(ctx context.Context) ([]Partition, error) {
	res, err := c.ask(ctx, "scontrol", "show", "partition", "--oneliner")
	if err != nil {
		return nil, fmt.Errorf("show the partitions: %w", err)
	}
	return parsePartitions(res.Stdout)
}

func parsePartitions(stdout string) ([]Partition, error) {
	var out []Partition
	var errs []error
	for _, line := range strings.Split(stdout, "\n") {
		kv := keyValues(line)
		if kv["PartitionName"] == "" {
			continue
		}
		p := Partition{
			Name: kv["PartitionName"], State: kv["State"], Default: kv["Default"] == "YES", Nodes: kv["Nodes"],
			AllowAccounts: list(kv["AllowAccounts"]), DenyAccounts: list(kv["DenyAccounts"]), AllowQOS: list(kv["AllowQos"]),
			QOS: kv["QoS"], Exclusive: kv["OverSubscribe"] == "EXCLUSIVE", PreemptMode: kv["PreemptMode"], MaxNodes: -1, Fields: kv,
		}
		var lineErrs [5]error
		p.MaxTime, lineErrs[0] = ParseTimeLimit(kv["MaxTime"])
		p.DefaultTime, lineErrs[1] = ParseTimeLimit(kv["DefaultTime"])
		p.TRES, lineErrs[2] = ParseTRES(kv["TRES"])
		if n := kv["MaxNodes"]; n != "" && n != "UNLIMITED" {
			p.MaxNodes, lineErrs[3] = strconv.Atoi(n)
		}
		if n := kv["TotalNodes"]; n != "" {
			p.TotalNodes, lineErrs[4] = strconv.Atoi(n)
		}
		if err := errors.Join(lineErrs[:]...); err != nil {
			errs = append(errs, fmt.Errorf("partition %s: %w", p.Name, err))
			continue
		}
		out = append(out, p)
	}
	return out, errors.Join(errs...)
}

// list cuts a comma list; nil where it is empty or means everything.
func list(s string) []string {
	if s == "" || s == "ALL" {
		return nil
	}
	return strings.Split(s, ",")
}
