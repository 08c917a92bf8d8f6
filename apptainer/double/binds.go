package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

type bind struct {
	source, target string
}

// bindOptions are the words after the second colon (bind.go of both programs).
var bindFlags = []string{"ro", "rw"}

var bindKeys = []string{"image-src", "id"}

// binds reads --bind and --mount with their variables and checks each source: without
// a container that is all that a bind can do here.
func (d *double) binds(f *flags) ([]bind, error) {
	var out []bind
	for _, text := range f.list("bind") {
		got, err := parseBinds(text)
		if err != nil {
			return nil, fatalf("While setting bind mount configuration: while parsing bind path: %v", err)
		}
		out = append(out, got...)
	}
	for _, text := range f.list("mount") {
		b, err := parseMount(text)
		if err != nil {
			return nil, fatalf("While setting bind mount configuration: while parsing mount: %v", err)
		}
		out = append(out, b)
	}
	for _, b := range out {
		if !filepath.IsAbs(b.target) {
			return nil, fatalf("container creation failed: unable to add %s to mount list: destination must be an absolute path", b.source)
		}
		if filepath.Clean(b.target) == "/" {
			return nil, notSimulatedf("a bind over the root of the container")
		}
	}
	for _, b := range out {
		source, err := filepath.Abs(b.source)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(source); err != nil {
			d.say("WARNING", "skipping mount of %s: stat %s: %v", source, source, unwrap(err))
			return nil, fatalf("container creation failed: mount hook function failure: mount %s->%s error: while mounting %s: mount source %s doesn't exist", source, b.target, source, source)
		}
	}
	return out, nil
}

var bindParts = regexp.MustCompile(`[^,:]+:?`)

// parseBinds takes source[:target[:options]] several times, separated by commas, where
// options are separated by commas too.
func parseBinds(text string) ([]bind, error) {
	var specs []string
	for _, part := range bindParts.FindAllString(text, -1) {
		part = strings.TrimSpace(part)
		last := len(specs) - 1
		switch {
		case last >= 0 && strings.HasSuffix(specs[last], ":"):
			specs[last] += part
		case last >= 0 && strings.Count(specs[last], ":") == 2 && isBindOption(part):
			specs[last] += "," + part
		default:
			specs = append(specs, part)
		}
	}
	var out []bind
	for _, spec := range specs {
		parts := strings.SplitN(spec, ":", 3)
		b := bind{parts[0], parts[0]}
		if len(parts) > 1 {
			b.target = parts[1]
		}
		if len(parts) > 2 {
			for o := range strings.SplitSeq(parts[2], ",") {
				if !isBindOption(o) {
					return nil, fmt.Errorf("while getting bind path: %s is not a valid bind option", o)
				}
			}
		}
		out = append(out, b)
	}
	return out, nil
}

func isBindOption(s string) bool {
	key, _, has := strings.Cut(s, "=")
	return slices.Contains(bindFlags, s) || has && slices.Contains(bindKeys, key)
}

// parseMount takes type=bind,source=…,destination=….
func parseMount(text string) (bind, error) {
	fields, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil {
		return bind{}, err
	}
	var b bind
	for _, field := range fields {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "type":
			if value != "bind" {
				return bind{}, fmt.Errorf("unsupported mount type %q", value)
			}
		case "source", "src":
			b.source = value
		case "destination", "dst", "target":
			b.target = value
		case "ro", "rw", "image-src", "id", "bind-propagation":
		default:
			return bind{}, fmt.Errorf("invalid key %q in mount specification", key)
		}
	}
	if b.source == "" || b.target == "" {
		return bind{}, fmt.Errorf("mounts must specify a source and a destination")
	}
	return b, nil
}
