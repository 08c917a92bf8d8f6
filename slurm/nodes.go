package slurm

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// NodeKind is a set of a partition's nodes that are alike and in the same state.
type NodeKind struct {
	Partition string
	Nodes     int
	CPUs      int   // of one node; with hyper-threads, if Slurm counts them
	MemoryMiB int64 // of one node, that jobs may use
	Gres      []Gres
	State     string // idle, mixed, allocated, drained, down*, …
}

// Gres is one generic resource of a node: gpu:a100:8.
type Gres struct {
	Name  string // gpu
	Kind  string // a100; empty where the site doesn't tell kinds apart
	Count int
}

// nodeFormat are sinfo's one-letter fields. Sockets in the generic resources have
// commas and colons, but no field holds the separator.
var nodeFormat = strings.Join([]string{"%R", "%D", "%c", "%m", "%G", "%T"}, fieldSep)

// NodeKinds asks what the nodes of a partition are.
func (c *Client) NodeKinds(ctx context.Context, partition string) ([]NodeKind, error) {
	if err := DirectiveValue(partition); err != nil || partition == "" {
		return nil, fmt.Errorf("nodes of partition %q: not a partition's name", partition)
	}
	res, err := c.ask(ctx, "sinfo", "--noheader", "--partition="+partition, "--format="+nodeFormat)
	if err != nil {
		return nil, fmt.Errorf("ask for the nodes of partition %s: %w", partition, err)
	}
	return parseNodeKinds(res.Stdout)
}

func parseNodeKinds(stdout string) ([]NodeKind, error) {
	var out []NodeKind
	err := rows("sinfo", stdout, strings.Count(nodeFormat, fieldSep)+1, func(f []string) error {
		k := NodeKind{Partition: f[0], State: f[5]}
		var errs [4]error
		k.Nodes, errs[0] = strconv.Atoi(f[1])
		// Where the nodes of a row differ, sinfo gives the least with a plus behind it.
		k.CPUs, errs[1] = strconv.Atoi(strings.TrimSuffix(f[2], "+"))
		k.MemoryMiB, errs[2] = strconv.ParseInt(strings.TrimSuffix(f[3], "+"), 10, 64)
		k.Gres, errs[3] = ParseGres(f[4])
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
		out = append(out, k)
		return nil
	})
	return out, err
}

// ParseGres reads a node's generic resources as sinfo and scontrol write them:
// gpu:a100:8(S:0-1),nvme:1. Sizes with a suffix, such as nvme:1T, count as 0.
func ParseGres(s string) ([]Gres, error) {
	if null(s) == "" {
		return nil, nil
	}
	var out []Gres
	for _, part := range splitOutside(s) {
		text, _, _ := strings.Cut(part, "(") // the sockets
		words := strings.Split(text, ":")
		g := Gres{Name: words[0]}
		switch {
		case g.Name == "" || len(words) > 3:
			return nil, fmt.Errorf("generic resources %q: %q is not name[:kind]:count", s, part)
		case len(words) == 1:
			g.Count = 1
		default:
			n, err := strconv.Atoi(words[len(words)-1])
			if err == nil && n < 0 {
				return nil, fmt.Errorf("generic resources %q: %q has a negative count", s, part)
			}
			if err != nil && len(words) == 2 {
				g.Kind, n = words[1], 1 // gpu:a100 alone
			}
			g.Count = n
			if len(words) == 3 {
				g.Kind = words[1]
			}
		}
		out = append(out, g)
	}
	return out, nil
}

// splitOutside cuts at the commas that stand outside parentheses.
func splitOutside(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, r := range s {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth <= 0:
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}

// GPUs are the kind and the number of GPUs of a node; kind is empty where Slurm
// has no name for it, or more than one.
func (k NodeKind) GPUs() (kind string, count int) {
	kinds := map[string]bool{}
	for _, g := range k.Gres {
		if g.Name == "gpu" {
			kinds[g.Kind] = true
			kind, count = g.Kind, count+g.Count
		}
	}
	if len(kinds) > 1 {
		kind = ""
	}
	return kind, count
}
