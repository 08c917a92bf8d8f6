package apptainer

import (
	"fmt"
	"path"
	"strings"
)

// GPU says how a device and its host libraries come into the container.
type GPU string

const (
	// NoGPU adds nothing. It is also right on LUMI: /dev brings the devices and
	// the images carry their own ROCm, which --rocm would mix with the host's.
	NoGPU GPU = ""
	// NV is --nv: NVIDIA devices and the host's driver libraries.
	NV GPU = "nv"
	// ROCm is --rocm: AMD devices and the host's ROCm libraries.
	ROCm GPU = "rocm"
)

// Command is one `exec` in an image.
type Command struct {
	Runtime Runtime
	// Program is the runtime's executable where its plain name isn't right; it must
	// have the runtime's name.
	Program string
	// Image is the absolute path of a .sif file.
	Image string
	GPU   GPU
	Binds []Bind
	// Pwd is the absolute working folder in the container; empty leaves it to the
	// runtime, which takes the host's where it is visible, else $HOME.
	Pwd string
	// CleanEnv starts from an empty environment (--cleanenv) plus Env. Off, the host's
	// variables are inherited except PATH, HOME and LD_LIBRARY_PATH.
	CleanEnv bool
	// Env is set in the container, through the host's environment: see Environ.
	Env []Var
	// Options are further options of exec, as given, e.g. --overlay and its value.
	Options []string
	// Argv is what runs in the container: a program and its arguments.
	Argv []string
}

// CommandLine is everything, the runtime first. It holds no value of Env. An
// error says which field is wrong.
func (c Command) CommandLine() ([]string, error) {
	head, err := c.Head()
	if err != nil {
		return nil, err
	}
	if err := checkInner(c.Argv); err != nil {
		return nil, err
	}
	return append(head, c.Argv...), nil
}

// Head is the part of the command line that belongs to the runtime, up to and with
// the image.
func (c Command) Head() ([]string, error) {
	program, err := c.program()
	if err != nil {
		return nil, err
	}
	argv := []string{program, "exec", "--no-eval"}
	switch c.GPU {
	case NoGPU:
	case NV, ROCm:
		argv = append(argv, "--"+string(c.GPU))
	default:
		return nil, fmt.Errorf("GPU option %q: want %q, %q or none", c.GPU, NV, ROCm)
	}
	if c.CleanEnv {
		argv = append(argv, "--cleanenv")
	}
	if c.Pwd != "" {
		if err := checkPath("working folder", c.Pwd); err != nil {
			return nil, err
		}
		argv = append(argv, "--pwd", c.Pwd)
	}
	for _, b := range c.Binds {
		spec, err := b.spec()
		if err != nil {
			return nil, err
		}
		argv = append(argv, "--bind", spec)
	}
	if err := checkOptions(c.Options); err != nil {
		return nil, err
	}
	argv = append(argv, c.Options...)
	if err := checkPath("image", c.Image); err != nil {
		return nil, err
	}
	return append(argv, c.Image), nil
}

func (c Command) program() (string, error) {
	if _, err := ParseRuntime(string(c.Runtime)); err != nil {
		return "", err
	}
	if c.Program == "" {
		return string(c.Runtime), nil
	}
	if r, ok := RuntimeOf(c.Program); !ok || r != c.Runtime {
		return "", fmt.Errorf("container program %q is not %s by name", c.Program, c.Runtime)
	}
	if strings.Contains(c.Program, "/") {
		if err := checkPath("container program", c.Program); err != nil {
			return "", err
		}
	}
	return c.Program, nil
}

// checkPath wants an absolute path that can stand in a script and in a log line.
// This also keeps out docker:// and the like: images are pulled once, before.
func checkPath(what, p string) error {
	switch {
	case p == "":
		return fmt.Errorf("%s is missing: give an absolute path", what)
	case strings.Contains(p, "://"):
		return fmt.Errorf("%s %q is an address: pull it first and give the path of the .sif", what, p)
	case !path.IsAbs(p):
		return fmt.Errorf("%s %q is relative: give an absolute path, jobs don't start in your folder", what, p)
	}
	if i := strings.IndexFunc(p, isControl); i >= 0 {
		return fmt.Errorf("%s %q holds a control character at byte %d", what, p, i)
	}
	return nil
}
