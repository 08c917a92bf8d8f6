package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"hpcbench/apptainer"
)

var notInNames = regexp.MustCompile(`[^A-Za-z0-9.-]`)

// pull copies an image out of the folder that stands for the registries.
func (d *double) pull(args []string) (int, error) {
	f, err := d.parse("pull", "pull", pullOptions, args[1:])
	if err != nil {
		return 0, err
	}
	if f.help {
		fmt.Fprintf(d.stdout, "Usage:\n  %s pull [pull options...] [output file] <URI>\n", d.name)
		return 0, nil
	}
	if n := len(f.args); n < 1 || n > 2 {
		return 0, usagef("Error for command %q: accepts between 1 and 2 arg(s), received %d", "pull", n)
	}
	address := f.args[len(f.args)-1]
	transport, rest, ok := strings.Cut(address, "://")
	if !ok || transport != "docker" && transport != "oras" && transport != "library" && transport != "https" {
		return 0, fatalf("Unsupported transport type: %s", transport)
	}
	target := f.string("name")
	if len(f.args) == 2 {
		target = f.args[0]
	}
	if target == "" {
		target = fileName(rest)
	}
	if dir := f.string("dir"); dir != "" {
		target = filepath.Join(dir, target)
	}
	if _, err := os.Stat(target); !errors.Is(err, fs.ErrNotExist) && !f.bool("force") {
		return 0, fatalf("Image file already exists: %q - will not overwrite", target)
	}
	return 0, d.fetch(f, address, target)
}

// fileName is what the real program makes of docker://host/org/name:tag: name_tag.sif.
func fileName(rest string) string {
	base := rest[strings.LastIndex(rest, "/")+1:]
	name, tag, ok := strings.Cut(base, ":")
	if !ok {
		tag = "latest"
	}
	return name + "_" + tag + ".sif"
}

func (d *double) fetch(f *flags, address, target string) error {
	failed := func(err error) error {
		return fatalf("While making image from oci registry: error fetching image to cache: %v", err)
	}
	registry, ok := d.lookup("HPCBENCH_TEST_REGISTRY")
	if !ok {
		return failed(errors.New("the test double has no network; HPCBENCH_TEST_REGISTRY is not set"))
	}
	source := filepath.Join(registry, notInNames.ReplaceAllString(address, "_")+".sif")
	sif, err := apptainer.Inspect(source)
	if err != nil {
		return failed(err)
	}
	arch := f.string("arch")
	if arch == "" {
		arch = runtime.GOARCH
	}
	if sif.Arch != arch {
		return failed(fmt.Errorf("no image for architecture %s", arch))
	}
	b, err := os.ReadFile(source)
	if err != nil {
		return failed(err)
	}
	if err := os.WriteFile(target, b, 0o755); err != nil {
		return fatalf("While making image from oci registry: %v", err)
	}
	if side, err := os.ReadFile(source + ".double.json"); err == nil {
		return os.WriteFile(target+".double.json", side, 0o644)
	}
	return nil
}
