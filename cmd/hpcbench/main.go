// Command hpcbench benchmarks language models served by vLLM in containers on
// Slurm machines. This package is the command line only: one file a verb, which
// reads flags, calls the rooms and prints what they answer.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/willabides/kongplete"
)

func main() {
	ctx, caught := catch()
	os.Exit(tell(run(ctx, caught, os.Args[1:], os.Stdout, os.Stderr), os.Stderr))
}

// app is what every verb gets.
type app struct {
	ctx            context.Context
	signals        *signals
	stdout, stderr io.Writer
	tail           []string // what stands after --, for the verb that takes a command line
}

// run parses args and runs one verb. Usage errors wrap errUsage.
func run(ctx context.Context, caught *signals, args []string, stdout, stderr io.Writer) (err error) {
	var c cli
	type exit int
	defer func() {
		// kong calls Exit after --help; a panic is its documented way out of Parse.
		if r := recover(); r != nil {
			code, ok := r.(exit)
			if !ok {
				panic(r)
			}
			if code != 0 {
				err = codeError{int(code), nil}
			}
		}
	}()
	parser, err := kong.New(&c,
		kong.Name("hpcbench"),
		kong.Description("Benchmark language models served by vLLM on Slurm machines."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exit(code)) }),
		kong.ExplicitGroups(groups),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Vars{"version": versionLine()},
	)
	if err != nil {
		return fmt.Errorf("command line: %w", err)
	}
	kongplete.Complete(parser, completions()...)
	if len(args) == 0 {
		args = []string{"--help"}
	}
	var tail []string
	if at := slices.Index(args, "--"); at >= 0 && args[0] == "repeat" {
		args, tail = args[:at], args[at+1:]
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		var parse *kong.ParseError
		hint := "hpcbench --help"
		if errors.As(err, &parse) && parse.Context != nil && parse.Context.Selected() != nil {
			hint = "hpcbench " + parse.Context.Selected().Path() + " --help"
			hint = strings.Replace(hint, "hpcbench hpcbench", "hpcbench", 1)
		}
		return codeError{codeUsage, fmt.Errorf("%w; see `%s`", err, hint)}
	}
	return parsed.Run(&app{ctx: ctx, signals: caught, stdout: stdout, stderr: stderr, tail: tail})
}
