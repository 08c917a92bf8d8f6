package templates

import (
	"fmt"
	"regexp"
	"strings"
)

// commandLines lays a command out for reading: the program with what follows it,
// then each option with its values on a line of its own.
func commandLines(argv []string) ([]string, error) {
	var out []string
	for i, a := range argv {
		word, err := q(a)
		if err != nil {
			return nil, fmt.Errorf("quote argument %q: %w", a, err)
		}
		if i == 0 || strings.HasPrefix(a, "-") {
			out = append(out, word)
			continue
		}
		out[len(out)-1] += " " + word
	}
	return out, nil
}

// headLines is the runtime's part of the command, with the image, its last word, on a
// line of its own.
func headLines(argv []string, lines func([]string) []string) []string {
	if len(argv) == 0 {
		return nil
	}
	last := len(argv) - 1
	return append(lines(argv[:last]), lines(argv[last:])...)
}

// rankValues are what the tasks of a server on several nodes put for a placeholder.
var (
	rankValues      = map[string]string{"{rank}": "$SLURM_PROCID", "{master_addr}": "$MASTER_ADDR"}
	rankPlaceholder = regexp.MustCompile(`\{(rank|master_addr)\}`)
)

// rankScript is the small shell that gives each task of a server on several nodes
// its own arguments and then becomes the server.
func (m MultiNode) rankScript() (string, error) {
	words := func(args []string) (string, error) {
		var b strings.Builder
		for _, a := range args {
			w, err := qAround(a, rankPlaceholder, func(match string) string { return rankValues[match] })
			if err != nil {
				return "", fmt.Errorf("quote argument %q: %w", a, err)
			}
			b.WriteString(" " + w)
		}
		return b.String(), nil
	}
	workers, err := words(m.WorkerArgs)
	if err != nil {
		return "", err
	}
	ranks, err := words(m.RankArgs)
	if err != nil {
		return "", err
	}
	text := "exec \"$@\"" + ranks
	if workers != "" {
		text = "if [ \"$SLURM_PROCID\" != 0 ]; then set -- \"$@\"" + workers + "; fi\n    " + text
	}
	if !strings.Contains(text, "'") {
		return "'\n    " + text + "'", nil
	}
	return q(text)
}
