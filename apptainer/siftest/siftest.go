// Package siftest writes small valid SIF images for tests. It is never part of the
// program.
//
// The images are deterministic: the same Options give the same bytes. Unless a file
// system is given, the partition holds a few bytes that only look like squashfs, which
// is enough for everything that reads images but not for a real runtime.
package siftest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/apptainer/sif/v2/pkg/sif"
)

// Options of an image. The zero value is an amd64 image without labels.
type Options struct {
	// Arch is a GOARCH; empty means amd64.
	Arch string
	// Labels are written as the runtimes do, as JSON beside the file system.
	Labels map[string]string
	// Definition is the text of the definition file, which the runtimes keep too.
	Definition string
	// ID is a UUID; empty means one of zeros.
	ID string
	// Created is the image's own time; zero means none.
	Created time.Time
	// FS is a whole squashfs file system, e.g. from mksquashfs.
	FS []byte
	// NoPartition leaves the file system out, which makes the image useless but valid.
	NoPartition bool
}

// squashfsMagic begins every squashfs, so that tools which look at the first bytes
// see the kind they expect.
var squashfsMagic = append([]byte("hsqs"), make([]byte, 4092)...)

// Write makes the image at path, which must not exist.
func Write(path string, o Options) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("write test image %s: it exists", path)
	}
	inputs, err := o.inputs()
	if err != nil {
		return fmt.Errorf("write test image %s: %w", path, err)
	}
	opts := []sif.CreateOpt{sif.OptCreateWithDescriptors(inputs...)}
	if o.ID == "" {
		opts = append(opts, sif.OptCreateDeterministic())
	} else {
		opts = append(opts, sif.OptCreateWithID(o.ID))
	}
	if !o.Created.IsZero() || o.ID != "" {
		opts = append(opts, sif.OptCreateWithTime(o.Created))
	}
	opts = append(opts, sif.OptCreateWithLaunchScript("#!/usr/bin/env run-singularity\n"))
	f, err := sif.CreateContainerAtPath(path, opts...)
	if err != nil {
		return fmt.Errorf("write test image %s: %w", path, err)
	}
	if err := f.UnloadContainer(); err != nil {
		return fmt.Errorf("write test image %s: %w", path, err)
	}
	return nil
}

func (o Options) inputs() ([]sif.DescriptorInput, error) {
	var out []sif.DescriptorInput
	add := func(t sif.DataType, content []byte, opts ...sif.DescriptorInputOpt) error {
		in, err := sif.NewDescriptorInput(t, bytes.NewReader(content), opts...)
		if err == nil {
			out = append(out, in)
		}
		return err
	}
	if o.Definition != "" {
		if err := add(sif.DataDeffile, []byte(o.Definition), sif.OptObjectName("definition")); err != nil {
			return nil, err
		}
	}
	if o.Labels != nil {
		text, err := json.Marshal(map[string]any{
			"data": map[string]any{"attributes": map[string]any{"labels": o.Labels}},
			"type": "container",
		})
		if err != nil {
			return nil, err
		}
		if err := add(sif.DataGenericJSON, text, sif.OptObjectName("inspect-metadata.json")); err != nil {
			return nil, err
		}
	}
	if o.NoPartition {
		return out, nil
	}
	fs, arch := o.FS, o.Arch
	if fs == nil {
		fs = squashfsMagic
	}
	if arch == "" {
		arch = "amd64"
	}
	err := add(sif.DataPartition, fs,
		sif.OptPartitionMetadata(sif.FsSquash, sif.PartPrimSys, arch),
		sif.OptObjectName("squashfs"))
	return out, err
}
