package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// defaultPath is the container's PATH where the image has none (env.go of both).
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// alwaysPass survive --cleanenv, neverPass are not inherited (create.go of Apptainer,
// clean.go of SingularityCE). The second may be set with the prefix where true.
var (
	alwaysPass = []string{"TERM", "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY", "ftp_proxy", "FTP_PROXY"}
	neverPass  = map[string]bool{"HOME": false, "PATH": false, "SINGULARITY_SHELL": false, "SINGULARITY_APPNAME": false, "LD_LIBRARY_PATH": true}
)

// containerEnv is what the command gets: the image's variables, over them those with
// the prefix, and the host's where neither has set one.
func (d *double) containerEnv(f *flags, image image, verb, home string, binds []bind) (map[string]string, error) {
	if err := d.takeEnvOptions(f); err != nil {
		return nil, err
	}
	injected := d.injected()
	host := d.inherited(f.bool("cleanenv"), injected)
	env := map[string]string{"HOME": home, "PATH": defaultPath}
	maps.Copy(env, image.Env)
	for _, name := range slices.Sorted(maps.Keys(injected)) {
		value := injected[name]
		if !f.bool("no-eval") {
			var err error
			if value, err = evaluate(value, env); err != nil {
				return nil, fatalf("while setting %s: %v", name, err)
			}
		}
		switch name {
		case "PATH":
			env["PATH"] = value
		case "PREPEND_PATH", "APPEND_PATH":
		case "LD_LIBRARY_PATH":
			env[name] = value + ":/.singularity.d/libs"
		default:
			env[name] = value
		}
	}
	if v := injected["PREPEND_PATH"]; v != "" {
		env["PATH"] = v + ":" + env["PATH"]
	}
	if v := injected["APPEND_PATH"]; v != "" {
		env["PATH"] += ":" + v
	}
	for name, value := range host {
		if set, ok := env[name]; !ok {
			env[name] = value
		} else if set == "" {
			delete(env, name)
		}
	}
	var list []string
	for _, b := range binds {
		list = append(list, b.source+":"+b.target)
	}
	for _, prefix := range d.setting {
		env[prefix+"CONTAINER"] = image.Path
		env[prefix+"NAME"] = image.Path[strings.LastIndex(image.Path, "/")+1:]
		env[prefix+"BIND"] = strings.Join(list, ",")
		env[prefix+"COMMAND"] = verb
		env[prefix+"ENVIRONMENT"] = "/.singularity.d/env/91-environment.sh"
	}
	return env, nil
}

// takeEnvOptions turns --env and --env-file into variables with the prefix, as the
// real programs do.
func (d *double) takeEnvOptions(f *flags) error {
	given, err := f.GetStringToString("env")
	if err != nil {
		return err
	}
	files := f.list("env-file")
	if one := f.string("env-file"); one != "" {
		files = []string{one}
	}
	all := map[string]string{}
	for _, file := range files {
		read, err := envFile(file, d.env)
		if err != nil {
			return fatalf("while setting environment: while processing %s: %v", file, err)
		}
		maps.Copy(all, read)
	}
	for name := range given {
		if _, ok := all[name]; ok {
			d.say("WARNING", "Ignored environment file variable %s: override from --env", name)
		}
	}
	maps.Copy(all, given)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		full := d.inject[0] + name
		d.env = slices.DeleteFunc(d.env, func(kv string) bool { return strings.HasPrefix(kv, full+"=") })
		d.env = append(d.env, full+"="+all[name])
	}
	return nil
}

// injected are the variables with the prefix. Apptainer also takes the older one, and
// says so; SingularityCE doesn't know the other.
func (d *double) injected() map[string]string {
	out := map[string]string{}
	for i, prefix := range d.inject {
		for _, kv := range d.env {
			full, value, ok := strings.Cut(kv, "=")
			name, has := strings.CutPrefix(full, prefix)
			if !ok || !has || name == "" {
				continue
			}
			if may, listed := neverPass[name]; listed && !may && name != "PATH" {
				d.say("WARNING", "Overriding %s environment variable with %s is not permitted", name, full)
				continue
			}
			before, twice := out[name]
			switch {
			case i > 0 && twice && before != value:
				d.say("WARNING", "%s and %s have different values, using the latter", full, d.inject[0]+name)
				continue
			case i > 0 && !twice:
				d.say("INFO", "Environment variable %s is set, but %s is preferred", full, d.inject[0]+name)
			}
			out[name] = value
		}
	}
	return out
}

// inherited are the host's variables that go in.
func (d *double) inherited(clean bool, injected map[string]string) map[string]string {
	out := map[string]string{}
	if clean {
		out["LANG"] = "C"
	}
	for _, kv := range d.env {
		name, value, ok := strings.Cut(kv, "=")
		_, never := neverPass[name]
		if !ok || never || clean && !slices.Contains(alwaysPass, name) || d.isSetting(name) {
			continue
		}
		if _, ok := injected[name]; !ok {
			out[name] = value
		}
	}
	return out
}

func (d *double) isSetting(name string) bool {
	has := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return slices.ContainsFunc(d.setting, has) || slices.ContainsFunc(d.inject, has)
}

// evaluate is what both programs do to a prefixed value without --no-eval: a shell
// reads it between double quotes.
func evaluate(value string, env map[string]string) (string, error) {
	text := `x="` + strings.ReplaceAll(value, `"`, `\"`) + `"`
	vars, err := shell(text, list(env))
	if err != nil {
		return "", err
	}
	return vars["x"], nil
}

// envFile reads a file of assignments, which a shell evaluates with the host's
// variables.
func envFile(file string, host []string) (map[string]string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("could not read environment file %q: %w", file, err)
	}
	return shell(string(b), host)
}

// shell runs assignments and returns them.
func shell(text string, env []string) (map[string]string, error) {
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, err
	}
	runner, err := interp.New(interp.Env(expand.ListEnviron(env...)), interp.StdIO(nil, io.Discard, io.Discard))
	if err != nil {
		return nil, err
	}
	var exit interp.ExitStatus
	if err := runner.Run(context.Background(), file); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	out := map[string]string{}
	for name, v := range runner.Vars {
		switch name {
		case "EUID", "GID", "HOME", "IFS", "OPTIND", "PWD", "UID", "OLDPWD":
			continue
		}
		out[name] = v.String()
	}
	return out, nil
}

// list is the environment in a stable order.
func list(env map[string]string) []string {
	out := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}
