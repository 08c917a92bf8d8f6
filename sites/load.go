package sites

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"hpcbench/sites/conf"
)

//go:embed profiles/*.yaml models.yaml
var embedded embed.FS

// embeddedPrefix begins the origins of values of ours.
const embeddedPrefix = "embedded:"

// siteName is what a profile may be called: it becomes part of file and run names.
var siteName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// Names lists the sites: the embedded ones and those of the configuration folder.
func Names(o Options) ([]string, error) {
	names := embeddedNames()
	if dir := o.ConfigDir(); dir != "" {
		entries, err := os.ReadDir(filepath.Join(dir, "sites"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, fmt.Errorf("list the sites of the configuration: %w", err)
		}
		for _, e := range entries {
			if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok && siteName.MatchString(name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func embeddedNames() []string {
	entries, err := embedded.ReadDir("profiles")
	if err != nil {
		return nil // the folder is part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// embeddedProfile is the layer of a site of ours; ok is false for others.
func embeddedProfile(name string) (conf.Layer, bool) {
	data, err := embedded.ReadFile("profiles/" + name + ".yaml")
	if err != nil {
		return conf.Layer{}, false
	}
	return conf.Bytes(embeddedPrefix+name+".yaml", data), true
}

// LoadSite gives a site's profile with the user's settings laid over it, and
// the origin of every value. An empty name takes the one in the configuration.
// Templates are left as they are: see Profile.Expand.
func LoadSite(name string, o Options) (Profile, *conf.Origins, error) {
	cfg, _, err := LoadConfig(o)
	if err != nil {
		return Profile{}, nil, err
	}
	names, err := Names(o)
	if err != nil {
		return Profile{}, nil, err
	}
	if name == "" {
		name = cfg.Site
	}
	if name == "" {
		return Profile{}, nil, fmt.Errorf("no site: pass --site NAME, set %sSITE or write `site: NAME` in config.yaml; known are %s", EnvPrefix, strings.Join(names, ", "))
	}
	if !slices.Contains(names, name) {
		return Profile{}, nil, fmt.Errorf("there is no site %q%s", name, conf.DidYouMean(name, names))
	}
	layers, err := siteLayers(name, o)
	if err != nil {
		return Profile{}, nil, err
	}
	return loadProfile(name, layers)
}

func siteLayers(name string, o Options) ([]conf.Layer, error) {
	var layers []conf.Layer
	if ours, ok := embeddedProfile(name); ok {
		layers = append(layers, ours)
	}
	own, ok, err := o.userFile("sites", name+".yaml")
	if err != nil {
		return nil, err
	}
	if ok {
		layers = append(layers, own)
	}
	// LUMI's users are told to export this one, and sbatch would obey it.
	if account := o.getenv("SBATCH_ACCOUNT"); account != "" {
		layers = append(layers, conf.Values(conf.Value{Path: []string{"account"}, Text: account, Source: "SBATCH_ACCOUNT"}))
	}
	general, err := o.configLayers()
	if err != nil {
		return nil, err
	}
	for _, layer := range general {
		layers = append(layers, conf.Part[Config](layer, settingsMoves(name)...))
	}
	return layers, nil
}

func loadProfile(name string, layers []conf.Layer) (Profile, *conf.Origins, error) {
	profile, origins, err := conf.Load[Profile](layers...)
	if err != nil {
		return Profile{}, nil, fmt.Errorf("site %s: %w", name, err)
	}
	profile.Name = name
	if err := validate(profile, origins); err != nil {
		return Profile{}, nil, fmt.Errorf("site %s: %w", name, err)
	}
	profile.dropSkipped()
	return profile, origins, nil
}

// dropSkipped takes out the entries that a higher layer wants gone.
func (p *Profile) dropSkipped() {
	for name, v := range p.Environment {
		if v.Skip {
			delete(p.Environment, name)
		}
	}
	for name, c := range p.Caches {
		if c.Skip {
			delete(p.Caches, name)
		}
	}
	for path, b := range p.Binds {
		if b.Skip {
			delete(p.Binds, path)
		}
	}
}

// Check reads one profile file as `sites check` does: alone when its name is
// new, over the embedded profile of the same name when there is one.
func Check(file string) error {
	name, ok := strings.CutSuffix(filepath.Base(file), ".yaml")
	if !ok || !siteName.MatchString(name) {
		return fmt.Errorf("check %s: a profile is called NAME.yaml, NAME of small letters, digits, dot, _ and -", file)
	}
	data, err := readTrusted(file)
	if err != nil {
		return err
	}
	var layers []conf.Layer
	if ours, ok := embeddedProfile(name); ok {
		layers = append(layers, ours)
	}
	_, _, err = loadProfile(name, append(layers, conf.Bytes(file, data)))
	return err
}

// Rows is what `sites show` prints: each value and its origin.
func Rows(p Profile, origins *conf.Origins) []conf.Row {
	return conf.Rows(p, origins)
}
