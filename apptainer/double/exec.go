package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// exec is `exec` and `run`: everything up to the start of the command.
func (d *double) exec(args []string) (int, error) {
	verb := args[0]
	table := actionOptions
	want := 2
	if verb == "run" {
		table = append(append([]option{}, actionOptions...), runOptions...)
		want = 1
	}
	f, err := d.parse(verb, verb, table, args[1:])
	if err != nil {
		return 0, err
	}
	if f.help {
		fmt.Fprintf(d.stdout, "Usage:\n  %s %s [%s options...] <container> <command>\n", d.name, verb, verb)
		return 0, nil
	}
	if len(f.args) < want {
		return 0, usagef("Error for command %q: requires at least %d arg(s), only received %d", verb, want, len(f.args))
	}
	image, err := d.image(f.args[0])
	if err != nil {
		return 0, err
	}
	argv := f.args[1:]
	if verb == "run" {
		if len(image.Runscript) == 0 {
			d.say("ERROR", "No runscript and no /bin/sh executable found in container, aborting")
			return 1, nil
		}
		argv = append(append([]string{}, image.Runscript...), argv...)
	}
	binds, err := d.binds(f)
	if err != nil {
		return 0, err
	}
	home, err := d.home(f, image)
	if err != nil {
		return 0, err
	}
	env, err := d.containerEnv(f, image, verb, home, binds)
	if err != nil {
		return 0, err
	}
	dir, err := d.workingFolder(f, home)
	if err != nil {
		return 0, err
	}
	path, err := d.find(argv[0], image, env["PATH"])
	if err != nil {
		return 0, err
	}
	env["PWD"] = dir
	return d.start(path, argv, list(env), dir)
}

// workingFolder is the host's, or what --pwd says.
func (d *double) workingFolder(f *flags, home string) (string, error) {
	dir := f.string("cwd")
	if dir == "" {
		dir = f.string("pwd")
	}
	if dir == "" {
		here, err := os.Getwd()
		if err != nil {
			return home, nil
		}
		return here, nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fatalf("failed to set working directory: chdir %s: no such file or directory", dir)
	}
	return dir, nil
}

// find is the command as a file of the host.
func (d *double) find(name string, image image, path string) (string, error) {
	if mapped, ok := image.Commands[name]; ok {
		return mapped, nil
	}
	if strings.Contains(name, "/") {
		switch info, err := os.Stat(name); {
		case err != nil:
			return "", fatalf("stat %s: no such file or directory", name)
		case info.IsDir():
			return "", fatalf("is a directory")
		}
		return name, nil
	}
	host, _ := d.lookup("PATH")
	for _, dir := range filepath.SplitList(path + string(filepath.ListSeparator) + host) {
		candidate := filepath.Join(dir, name)
		if info, err := os.Stat(candidate); name != "" && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return candidate, nil
		}
	}
	return "", fatalf("%q: executable file not found in $PATH", name)
}

// command is what runs: with the name that the caller gave as its first word.
func command(path string, argv, env []string, dir string) *exec.Cmd {
	return &exec.Cmd{Path: path, Args: argv, Env: env, Dir: dir, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
}
