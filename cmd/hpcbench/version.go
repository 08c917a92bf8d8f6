package main

import (
	"fmt"
	"runtime"
)

// version is stamped by the Makefile from git; a plain go build says so.
var version = "unstamped"

func versionLine() string {
	return fmt.Sprintf("hpcbench %s %s/%s %s", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
}

type versionCmd struct{}

func (versionCmd) Run(a *app) error {
	_, err := fmt.Fprintln(a.stdout, versionLine())
	return err
}
