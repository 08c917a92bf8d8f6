package apptainer

import (
	"fmt"
	"path"
)

// Runtime is one of the two container programs. They share most options but not
// the names of their environment variables.
type Runtime string

const (
	// Apptainer also honours SINGULARITYENV_*, and says so on stderr.
	Apptainer Runtime = "apptainer"
	// Singularity is SingularityCE, which does not know APPTAINERENV_*.
	Singularity Runtime = "singularity"
)

// ParseRuntime turns a profile's word into a Runtime.
func ParseRuntime(s string) (Runtime, error) {
	switch r := Runtime(s); r {
	case Apptainer, Singularity:
		return r, nil
	}
	return "", fmt.Errorf("container runtime %q: want %s or %s", s, Apptainer, Singularity)
}

// RuntimeOf tells which runtime a program is by its name, and false for a program
// that is neither, such as an engine that runs without a container.
func RuntimeOf(program string) (Runtime, bool) {
	r, err := ParseRuntime(path.Base(program))
	return r, err == nil
}

// EnvName is the variable to export on the host so that name is set in the
// container: APPTAINERENV_name or SINGULARITYENV_name.
func (r Runtime) EnvName(name string) string {
	if r == Singularity {
		return "SINGULARITYENV_" + name
	}
	return "APPTAINERENV_" + name
}

// SettingName is the host variable that stands for an option of the runtime itself:
// CACHEDIR gives APPTAINER_CACHEDIR or SINGULARITY_CACHEDIR.
func (r Runtime) SettingName(name string) string {
	if r == Singularity {
		return "SINGULARITY_" + name
	}
	return "APPTAINER_" + name
}
