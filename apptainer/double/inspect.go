package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"hpcbench/apptainer"
)

// inspect prints the labels, which is what the real program does when asked nothing
// else.
func (d *double) inspect(args []string) (int, error) {
	f, err := d.parse("inspect", "inspect", inspectOptions, args[1:])
	if err != nil {
		return 0, err
	}
	if f.help {
		fmt.Fprintf(d.stdout, "Usage:\n  %s inspect [inspect options...] <image path>\n", d.name)
		return 0, nil
	}
	if len(f.args) != 1 {
		return 0, usagef("Error for command %q: accepts 1 arg(s), received %d", "inspect", len(f.args))
	}
	path, err := filepath.Abs(f.args[0])
	if err != nil {
		return 0, err
	}
	if _, err := os.Lstat(path); err != nil {
		return 0, fatalf("Failed to open image %s: failed to retrieve path for %s: lstat %s: %v", f.args[0], f.args[0], path, unwrap(err))
	}
	sif, err := apptainer.Inspect(path)
	if err != nil {
		return 0, fatalf("Failed to open image %s: image format not recognized (%v)", f.args[0], err)
	}
	if f.bool("json") {
		b, err := json.MarshalIndent(map[string]any{
			"data": map[string]any{"attributes": map[string]any{"labels": sif.Labels}}, "type": "container",
		}, "", "\t")
		if err != nil {
			return 0, err
		}
		fmt.Fprintln(d.stdout, string(b))
		return 0, nil
	}
	for _, name := range slices.Sorted(maps.Keys(sif.Labels)) {
		fmt.Fprintf(d.stdout, "%s: %s\n", name, sif.Labels[name])
	}
	return 0, nil
}
