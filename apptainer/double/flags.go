package main

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// flags are the parsed options of one verb. pflag is also what the real programs
// use, so that the words of its errors are the same.
type flags struct {
	*pflag.FlagSet
	args          []string
	help, version bool
}

// parse reads the options before the first argument, then the variables that stand
// for options, and refuses what can't be shown.
func (d *double) parse(verb, label string, table []option, args []string) (*flags, error) {
	f := &flags{FlagSet: pflag.NewFlagSet(label, pflag.ContinueOnError)}
	f.SetInterspersed(false)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.BoolVarP(&f.help, "help", "h", false, "")
	if verb == "" {
		f.BoolVar(&f.version, "version", false, "")
	}
	var mine []option
	for _, o := range table {
		if o.in == both || o.in == d.only {
			mine = append(mine, o)
			f.define(o)
		}
	}
	if err := f.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			f.help = true
			return f, nil
		}
		return nil, usagef("Error for command %q: %v", label, err)
	}
	f.args = f.Args()
	for _, o := range mine {
		if err := d.fromEnvironment(f, o); err != nil {
			return nil, err
		}
		if o.use == refused && f.Changed(o.name) {
			return nil, notSimulatedf("--%s is an option of %s, but what it does can't be shown without a container", o.name, d.name)
		}
	}
	return f, nil
}

func (f *flags) define(o option) {
	switch o.kind {
	case flagBool:
		f.BoolP(o.name, o.short, false, "")
	case flagString:
		f.StringP(o.name, o.short, "", "")
	case flagInt:
		f.IntP(o.name, o.short, 0, "")
	case flagList:
		f.StringSliceP(o.name, o.short, nil, "")
	case flagArray:
		f.StringArrayP(o.name, o.short, nil, "")
	case flagMap:
		f.StringToStringP(o.name, o.short, nil, "")
	}
}

// fromEnvironment takes APPTAINER_BIND and the like. For bind and mount they add to
// the command line, else the command line wins.
func (d *double) fromEnvironment(f *flags, o option) error {
	if o.env == "" {
		return nil
	}
	for key := range strings.SplitSeq(o.env, ",") {
		value := d.settingFor(key)
		if strings.TrimSpace(value) == "" || f.Changed(o.name) && o.name != "bind" && o.name != "mount" {
			continue
		}
		if err := f.Set(o.name, value); err != nil {
			return fatalf("unable to set flag %s to value %s: %v", o.name, value, err)
		}
	}
	return nil
}

// settingFor says, as Apptainer does, when the older prefix was used.
func (d *double) settingFor(key string) string {
	for i, prefix := range d.setting {
		value, _ := d.lookup(prefix + key)
		if value == "" {
			continue
		}
		if i > 0 {
			d.say("INFO", "Environment variable %s is set, but %s is preferred", prefix+key, d.setting[0]+key)
		}
		return value
	}
	return ""
}

func (f *flags) bool(name string) bool {
	v, err := f.GetBool(name)
	return err == nil && v
}

func (f *flags) string(name string) string {
	if v, err := f.GetString(name); err == nil {
		return v
	}
	return ""
}

// list is the value of a list or an array.
func (f *flags) list(name string) []string {
	if v, err := f.GetStringSlice(name); err == nil {
		return v
	}
	v, err := f.GetStringArray(name)
	if err != nil {
		return nil
	}
	return slices.Clone(v)
}
