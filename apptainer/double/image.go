package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"hpcbench/apptainer"
)

// image is a SIF and what the file beside it says of its insides.
type image struct {
	apptainer.Image
	Commands  map[string]string `json:"commands"`
	Env       map[string]string `json:"env"`
	Home      string            `json:"home"`
	Runscript []string          `json:"runscript"`
}

// image opens the container as the real program does before it starts anything.
func (d *double) image(arg string) (image, error) {
	if strings.Contains(arg, "://") {
		return image{}, fatalf("Unable to handle %s uri: the test double has no network", arg)
	}
	path, err := filepath.Abs(arg)
	if err != nil {
		return image{}, err
	}
	wrong := func(format string, args ...any) (image, error) {
		return image{}, fatalf("While checking container encryption: "+format, args...)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return wrong("could not open image %s: failed to retrieve path for %s: lstat %s: %v", path, path, path, unwrap(err))
	}
	if info.IsDir() {
		return image{}, notSimulatedf("%s is a folder: sandboxes are not simulated", path)
	}
	sif, err := apptainer.Inspect(path)
	if err != nil {
		if strings.Contains(err.Error(), "without a root file system") || strings.Contains(err.Error(), "no objects") {
			return wrong("while getting root filesystem in %s: no root filesystem found", path)
		}
		return wrong("could not open image %s: image format not recognized (%v)", path, err)
	}
	if sif.Arch != runtime.GOARCH {
		return wrong("could not open image %s: the image's architecture (%s) could not run on the host's (%s)", path, sif.Arch, runtime.GOARCH)
	}
	out := image{Image: sif}
	return out, beside(path, &out)
}

// beside reads IMAGE.double.json, which need not be there.
func beside(path string, out *image) error {
	file := path + ".double.json"
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(out); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return nil
}

// unwrap is the bare reason, such as "no such file or directory".
func unwrap(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// home is the folder in the password file, which the real programs take whatever
// $HOME says, or that of --home.
func (d *double) home(f *flags, image image) (string, error) {
	if spec := f.string("home"); spec != "" {
		source, target, both := strings.Cut(spec, ":")
		if !both {
			target = source
		}
		if _, err := os.Stat(source); err != nil {
			return "", fatalf("home directory %s: %v", source, unwrap(err))
		}
		return target, nil
	}
	if image.Home != "" {
		return image.Home, nil
	}
	me, err := user.Current()
	if err != nil {
		return "", fatalf("find the home folder: %v", err)
	}
	return me.HomeDir, nil
}
