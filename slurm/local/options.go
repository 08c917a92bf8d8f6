package local

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// options are the sbatch options that mean something here; all others are
// accepted and ignored, so that one script serves every site.
type options map[string]string

// shortOptions are sbatch's one-letter names of those.
var shortOptions = map[string]string{"-o": "output", "-e": "error", "-t": "time", "-J": "job-name", "-a": "array", "-D": "chdir",
	"-A": "account", "-p": "partition", "-q": "qos", "-d": "dependency"}

var longOptions = map[string]bool{"output": true, "error": true, "time": true, "job-name": true, "array": true, "chdir": true,
	"account": true, "partition": true, "qos": true, "open-mode": true, "signal": true, "export": true, "dependency": true}

// scriptOptions reads a script's #SBATCH lines, up to its first command.
func scriptOptions(script string) (options, error) {
	if !strings.HasPrefix(script, "#!") {
		return nil, fmt.Errorf("this does not look like a batch script: its first line must begin with #! and name an interpreter")
	}
	opts := options{}
	sc := bufio.NewScanner(strings.NewReader(script))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		if rest, ok := strings.CutPrefix(line, "#SBATCH"); ok {
			rest, _, _ = strings.Cut(rest, " #")
			opts.read(strings.Fields(rest))
			continue
		}
		if line != "" && !strings.HasPrefix(line, "#") {
			break
		}
	}
	return opts, sc.Err()
}

// read takes options as sbatch takes them: --name=value, --name value, -n value.
func (o options) read(args []string) {
	for i := 0; i < len(args); i++ {
		name, value, has := strings.Cut(args[i], "=")
		long, isLong := strings.CutPrefix(name, "--")
		if !isLong {
			if long = shortOptions[name]; long == "" {
				if len(name) < 2 || shortOptions[name[:2]] == "" {
					continue
				}
				long, value, has = shortOptions[name[:2]], args[i][2:], true // -t30
			}
		}
		if !longOptions[long] {
			continue
		}
		if !has && i+1 < len(args) {
			i++
			value = args[i]
		}
		o[long] = strings.Trim(value, `"'`)
	}
}

// parseSignal reads --signal: [B:]SIGNAL[@SECONDS]. Without seconds it is a
// minute. Only the form with B, for the batch shell, has somebody to reach here.
func parseSignal(s string) (warning, error) {
	text, toBatch := strings.CutPrefix(s, "B:")
	name, before, hasTime := strings.Cut(text, "@")
	w := warning{Before: time.Minute}
	if n, err := strconv.Atoi(name); err == nil {
		w.Signal = n
	} else {
		w.Signal = int(unix.SignalNum("SIG" + strings.TrimPrefix(strings.ToUpper(name), "SIG")))
	}
	if hasTime {
		n, err := strconv.ParseUint(before, 10, 16)
		if err != nil {
			return warning{}, fmt.Errorf("--signal=%s: the seconds after @ are not a number up to 65535", s)
		}
		w.Before = time.Duration(n) * time.Second
	}
	if w.Signal <= 0 || w.Signal > 64 {
		return warning{}, fmt.Errorf("--signal=%s: no such signal", s)
	}
	if !toBatch {
		return warning{}, nil
	}
	return w, nil
}
