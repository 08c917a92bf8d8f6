package check

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"hpcbench/slurm"
)

// lustreQuotas asks lfs for the user's, the folder's group's and its project's quota.
// Which of the three a site limits differs: LUMI and Karolina do so by project.
func lustreQuotas(s Subject, path string, group int) ([]room, error) {
	if _, err := s.Look("lfs"); err != nil {
		return nil, errors.New("it is on Lustre, and there is no lfs here to ask for its quota")
	}
	var rooms []room
	var errs []error
	ask := func(by, flag, id string) {
		out, err := s.lfs("quota", "-q", flag, id, path)
		if err == nil {
			var left room
			if left, err = parseQuota(out); err == nil {
				left.by = by
				rooms = append(rooms, left)
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("ask for %s: %w", by, err))
		}
	}
	ask("your quota", "-u", strconv.Itoa(os.Getuid()))
	ask("the group's quota", "-g", strconv.Itoa(group))
	if out, err := s.lfs("project", "-d", path); err == nil {
		if id := parseProject(out); id != "" && id != "0" {
			ask("the project's quota", "-p", id)
		}
	}
	return rooms, errors.Join(errs...)
}

func (s Subject) lfs(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	res, err := s.Run(ctx, slurm.Command{Name: "lfs", Args: args, Environ: slurm.Scrub(os.Environ())})
	switch {
	case err != nil:
		return "", err
	case res.Code != 0:
		return "", fmt.Errorf("lfs %s: exit code %d: %.200s", args[0], res.Code, strings.TrimSpace(res.Stderr))
	}
	return res.Stdout, nil
}

// parseQuota reads `lfs quota -q`: the path, then kilobytes used, quota, limit and
// grace, and the same of files. 0 is no limit; * marks what is over, brackets what isn't
// exact. A path that is long stands on a line of its own.
func parseQuota(out string) (room, error) {
	fields := strings.Fields(out)
	// Where single servers are listed below, they begin after the first eight figures.
	for at := range fields {
		if !strings.HasPrefix(fields[at], "/") || at+8 >= len(fields) {
			continue
		}
		var n [8]int64
		ok := true
		for i := range n {
			if i == 3 || i == 7 {
				continue // grace
			}
			v, err := strconv.ParseInt(strings.Trim(fields[at+1+i], "[]*"), 10, 64)
			if err != nil || v < 0 {
				ok = false
				break
			}
			n[i] = v
		}
		if ok {
			return room{bytes: kib(left(n[0], n[1], n[2])), files: left(n[4], n[5], n[6])}, nil
		}
	}
	return room{}, fmt.Errorf("lfs quota: there are no figures in %.200q", out)
}

// left is what a soft and a hard limit leave; 0 is no limit.
func left(used, soft, hard int64) int64 {
	most := soft
	if hard > 0 && (most == 0 || hard < most) {
		most = hard
	}
	if most == 0 {
		return math.MaxInt64
	}
	return max(0, most-used)
}

func kib(n int64) int64 {
	if n > math.MaxInt64/1024 {
		return math.MaxInt64
	}
	return n * 1024
}

// parseProject reads `lfs project -d`: the id, a flag, the path.
func parseProject(out string) string {
	fields := strings.Fields(out)
	if len(fields) < 2 {
		return ""
	}
	if _, err := strconv.ParseUint(fields[0], 10, 32); err != nil {
		return ""
	}
	return fields[0]
}
