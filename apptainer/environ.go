package apptainer

import (
	"fmt"
	"regexp"
	"strings"
)

// Var is one environment variable.
type Var struct {
	Name, Value string
}

var varName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// unsettable are names that the runtimes ignore or use themselves, with what to do
// instead.
var unsettable = map[string]string{
	"HOME":                "both runtimes refuse to override it",
	"PWD":                 "use Pwd",
	"UID":                 "the runtime's own shell keeps it",
	"GID":                 "the runtime's own shell keeps it",
	"EUID":                "the runtime's own shell keeps it",
	"IFS":                 "the runtime's own shell keeps it",
	"OPTIND":              "the runtime's own shell keeps it",
	"SINGULARITY_SHELL":   "both runtimes refuse to override it",
	"SINGULARITY_APPNAME": "both runtimes refuse to override it",
	"APPTAINER_SHELL":     "Apptainer refuses to override it",
	"APPTAINER_APPNAME":   "Apptainer refuses to override it",
}

// Environ is what to export on the host, in the order of Env, with the runtime's
// prefix: these win over the host's plain variables and over the image's own. PATH,
// PREPEND_PATH and APPEND_PATH mean the container's PATH. PYTHONNOUSERSITE=1 is
// added unless Env decides it.
func (c Command) Environ() ([]Var, error) {
	if _, err := ParseRuntime(string(c.Runtime)); err != nil {
		return nil, err
	}
	out := make([]Var, 0, len(c.Env)+1)
	seen := map[string]bool{}
	for _, v := range c.Env {
		if err := checkVar(v); err != nil {
			return nil, err
		}
		if seen[v.Name] {
			return nil, fmt.Errorf("container variable %s is set twice", v.Name)
		}
		seen[v.Name] = true
		out = append(out, Var{c.Runtime.EnvName(v.Name), v.Value})
	}
	if !seen["PYTHONNOUSERSITE"] {
		out = append(out, Var{c.Runtime.EnvName("PYTHONNOUSERSITE"), "1"})
	}
	return out, nil
}

// checkVar never shows a value: it may be a key.
func checkVar(v Var) error {
	if !varName.MatchString(v.Name) {
		return fmt.Errorf("container variable %q: a name has letters, digits and underscores only", v.Name)
	}
	if why, ok := unsettable[v.Name]; ok {
		return fmt.Errorf("container variable %s can't be set: %s", v.Name, why)
	}
	if strings.ContainsFunc(v.Value, isControl) {
		return fmt.Errorf("the value of container variable %s holds a control character", v.Name)
	}
	return nil
}
