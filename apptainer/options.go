package apptainer

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// owned are options that have a field of their own in Command, and where the
// reason to refuse them differs from that, the reason.
var owned = map[string]string{
	"--env":      "its values would be readable in ps: use Env",
	"--env-file": "a shell evaluates the file: use Env",
	"--bind":     "use Binds",
	"-B":         "use Binds",
	"--nv":       "use GPU",
	"--rocm":     "use GPU",
	"--pwd":      "use Pwd",
	"--cwd":      "use Pwd",
	"--cleanenv": "use CleanEnv",
	"-e":         "use CleanEnv",
	"--no-eval":  "it is always given",
	"--":         "it would end the options before the image",
}

// checkOptions refuses further options that would take the place of a field, or
// that can't be an option list at all.
func checkOptions(options []string) error {
	for i, o := range options {
		if strings.ContainsFunc(o, isControl) {
			return fmt.Errorf("container option %q holds a control character", o)
		}
		if i == 0 && !strings.HasPrefix(o, "-") {
			return fmt.Errorf("container option %q doesn't begin with a dash: it would be taken for the image", o)
		}
		name, _, _ := strings.Cut(o, "=")
		if why, ok := owned[name]; ok {
			return fmt.Errorf("container option %s: %s", name, why)
		}
	}
	return nil
}

var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "ksh": true, "zsh": true}

// execWord finds exec as a command of its own in a line of shell.
var execWord = regexp.MustCompile(`(^|[;&|({\s])exec\s`)

// checkInner refuses a command that would stand between the runtime and the engine:
// TERM reaches the runtime's direct child only.
func checkInner(argv []string) error {
	if len(argv) == 0 || argv[0] == "" {
		return fmt.Errorf("no command to run in the container")
	}
	for _, a := range argv {
		if strings.ContainsRune(a, 0) {
			return fmt.Errorf("argument %q holds a NUL byte", a)
		}
	}
	if strings.HasPrefix(argv[0], "-") {
		return fmt.Errorf("command %q begins with a dash: it would be taken for an option of the image's runscript", argv[0])
	}
	if !shells[path.Base(argv[0])] {
		return nil
	}
	for i, a := range argv[1:] {
		if !strings.HasPrefix(a, "-") {
			break
		}
		if !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c") && i+2 < len(argv) && !execWord.MatchString(argv[i+2]) {
			return fmt.Errorf("%s -c %q starts the engine as a child of a shell, which keeps signals from it: put exec before the engine", argv[0], argv[i+2])
		}
	}
	return nil
}
