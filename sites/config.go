package sites

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"hpcbench/sites/conf"
)

// Config is the user's configuration: settings for all sites, and changes to
// single keys of single sites.
type Config struct {
	Site     string `yaml:"site"` // taken where no --site is given
	Settings `yaml:",inline"`
	Sites    map[string]Profile `yaml:"sites"`
}

// EnvPrefix begins the variables of the configuration: HPCBENCH_ACCOUNT and so on.
const EnvPrefix = "HPCBENCH_"

// ReservedEnv are variables with that prefix that mean something else.
var ReservedEnv = []string{"HPCBENCH_CONFIG_DIR", "HPCBENCH_API_KEY", "HPCBENCH_API_KEY_FILE", "HPCBENCH_JOB_*", "HPCBENCH_TEST_*"}

// projectFile may lie in the working folder.
const projectFile = "hpcbench.yaml"

// configLayers are the layers of Config, lowest first.
func (o Options) configLayers() ([]conf.Layer, error) {
	var layers []conf.Layer
	var errs []error
	add := func(layer conf.Layer, ok bool, err error) {
		if ok {
			layers = append(layers, layer)
		}
		errs = append(errs, err)
	}
	if dir := o.getenv("HPCBENCH_CONFIG_DIR"); dir != "" {
		if info, err := os.Stat(dir); err != nil {
			errs = append(errs, fmt.Errorf("HPCBENCH_CONFIG_DIR: %w", err))
		} else if !info.IsDir() {
			errs = append(errs, fmt.Errorf("HPCBENCH_CONFIG_DIR: %s is not a folder", dir))
		}
	}
	add(o.userFile("config.yaml"))
	if o.Dir != "" {
		add(optionalFile(filepath.Join(o.Dir, projectFile)))
	}
	layers = append(layers, conf.Environment(EnvPrefix, o.Environ, ReservedEnv...), conf.Values(o.Flags...))
	return layers, conf.Join(errs...)
}

// LoadConfig reads the configuration without any site's profile. A site named
// in it that does not exist is an error.
func LoadConfig(o Options) (Config, *conf.Origins, error) {
	layers, err := o.configLayers()
	if err != nil {
		return Config{}, nil, err
	}
	cfg, origins, err := conf.Load[Config](layers...)
	if err != nil {
		return Config{}, nil, err
	}
	names, err := Names(o)
	if err != nil {
		return Config{}, nil, err
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(cfg.Sites)) {
		if !slices.Contains(names, name) {
			at := origins.First("sites", name)
			errs = append(errs, conf.Problem{Source: at.Source, Line: at.Line, Key: conf.PathString([]string{"sites", name}), Text: "there is no such site" + conf.DidYouMean(name, names)})
		}
	}
	if err := conf.Join(errs...); err != nil {
		return Config{}, nil, err
	}
	return cfg, origins, nil
}

// settingsMoves take the general keys of a configuration into a profile, and
// then the keys for this site.
func settingsMoves(site string) []conf.Move {
	var moves []conf.Move
	for _, key := range conf.Keys[Settings]() {
		moves = append(moves, conf.Move{From: key.Path, To: key.Path})
	}
	return append(moves, conf.Move{From: []string{"sites", site}})
}
