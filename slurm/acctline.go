package slurm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Line is the record on one line, with sacct's own names for its fields: what
// is kept with a result once the job is over.
func (r AcctRow) Line() string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+"="+value)
		}
	}
	add("JobID", r.ID.String())
	add("JobName", r.Name)
	add("Account", r.Account)
	add("Partition", r.Partition)
	add("State", string(r.State))
	add("ExitCode", fmt.Sprintf("%d:%d", r.Exit.Code, r.Exit.Signal))
	add("Submit", instantWords(r.Submit))
	add("Start", instantWords(r.Start))
	add("End", instantWords(r.End))
	add("ElapsedRaw", fmt.Sprint(int64(r.Elapsed/time.Second)))
	add("NodeList", r.NodeList)
	var tres []string
	for _, name := range slices.Sorted(maps.Keys(r.AllocTRES)) {
		tres = append(tres, name+"="+r.AllocTRES[name])
	}
	add("AllocTRES", strings.Join(tres, ","))
	return strings.Join(parts, " ")
}

func instantWords(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}
