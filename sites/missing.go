package sites

import (
	"fmt"
	"regexp"
	"strings"

	"hpcbench/sites/conf"
)

// MissingValue is a setting without which nothing can be submitted.
type MissingValue struct {
	Key  string // as in the configuration file
	What string // what it is, with an example
	Env  string // the variable that sets it
}

// Missing lists what the user must still say, all at once.
func Missing(p Profile) []MissingValue {
	var list []MissingValue
	need := func(wanted bool, key, value, what string) {
		if wanted && value == "" {
			list = append(list, MissingValue{Key: key, What: what, Env: conf.EnvName(EnvPrefix, key)})
		}
	}
	account := "the project that pays"
	if p.AccountExample != "" {
		account += ", such as " + p.AccountExample
	}
	container := p.Runtime.Command != None
	need(p.Scheduler == Slurm, "account", p.Account, account)
	need(p.Scheduler == Slurm, "partition", p.Partition, "one of "+strings.Join(p.PartitionNames(), ", "))
	need(container, "image", p.Image, "the path of a .sif file with the engine in it")
	need(true, "runs_dir", p.RunsDir, "the folder for runs, which compute nodes see and may execute from")
	need(container, "cache_dir", p.CacheDir, "the folder for caches, not in the home folder")
	if container {
		if _, ok := p.Caches["HF_HOME"]; !ok {
			list = append(list, MissingValue{Key: "caches.HF_HOME", What: "the folder of the model weights"})
		}
	}
	return list
}

// Require is nil when nothing is missing and the account has the site's form.
// Otherwise it names everything and how to set each.
func Require(p Profile, origins *conf.Origins) error {
	var errs []error
	for _, m := range Missing(p) {
		errs = append(errs, m)
	}
	if err := p.CheckAccount(); p.Account != "" && err != nil {
		errs = append(errs, fmt.Errorf("%s (from %s)", err, origins.Of("account")))
	}
	if err := conf.Join(errs...); err != nil {
		return fmt.Errorf("site %s is not ready:\n%w", p.Name, err)
	}
	return nil
}

// Error says how to set the value.
func (m MissingValue) Error() string {
	if m.Env == "" {
		return fmt.Sprintf("%s is not set (%s): write it into the site's file", m.Key, m.What)
	}
	flag := "--" + strings.ReplaceAll(m.Key, "_", "-")
	return fmt.Sprintf("%s is not set (%s): pass %s, set %s, or write `%s: …` in config.yaml", m.Key, m.What, flag, m.Env, m.Key)
}

// CheckAccount compares the account with the site's form.
func (p Profile) CheckAccount() error {
	if p.AccountPattern == "" {
		return nil
	}
	pattern, err := regexp.Compile(p.AccountPattern)
	if err != nil {
		return fmt.Errorf("account_pattern of site %s: %w", p.Name, err)
	}
	if !pattern.MatchString(p.Account) {
		return fmt.Errorf("account %q has not the form that %s uses, such as %s", p.Account, p.Name, p.AccountExample)
	}
	return nil
}
