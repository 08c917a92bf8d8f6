package slurm

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Forecast is what sbatch --test-only expects of a job.
type Forecast struct {
	Start      time.Time
	Processors int
	NodeList   string
	Partition  string
	Text       string // Slurm's own words
}

var forecastText = regexp.MustCompile(`Job \d+ to start at (\S+)(?: a)? using (\d+) processors on (?:nodes )?(\S+)(?: in partition (\S+))?`)

// TestOnly asks when a job would start, and whether it would be accepted,
// without submitting it. The forecast assumes that all jobs use their full time
// limits; a limit of the partition that the job breaks may go unnoticed.
func (c *Client) TestOnly(ctx context.Context, r SubmitRequest) (Forecast, error) {
	args, err := r.args("--test-only")
	if err != nil {
		return Forecast{}, err
	}
	res, err := retryTransient(ctx, c.retryFor, func(ctx context.Context) (Result, error) {
		env := append(c.question[:len(c.question):len(c.question)], r.Environ...)
		return c.call(ctx, Command{Name: "sbatch", Args: args, Environ: env})
	})
	if err != nil {
		return Forecast{}, fmt.Errorf("ask when the job would start: %w", err)
	}
	f, err := parseForecast(res.Stderr + "\n" + res.Stdout)
	if err != nil {
		return Forecast{}, fmt.Errorf("ask when the job would start: %w", err)
	}
	return f, nil
}

func parseForecast(text string) (Forecast, error) {
	for _, line := range strings.Split(text, "\n") {
		m := forecastText.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, countErr := strconv.Atoi(m[2])
		start, err := parseInstant(m[1])
		if err := errors.Join(err, countErr); err != nil {
			return Forecast{}, err
		}
		return Forecast{Start: start, Processors: n, NodeList: m[3], Partition: m[4],
			Text: strings.TrimSpace(strings.TrimPrefix(line, "sbatch:"))}, nil
	}
	return Forecast{}, fmt.Errorf("sbatch --test-only said nothing of a start: %.200q", strings.TrimSpace(text))
}
