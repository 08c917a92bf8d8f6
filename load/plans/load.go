package plans

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hpcbench/results"
	"hpcbench/sites/conf"
)

//go:embed embedded/*.yaml
var embedded embed.FS

const defaultsFile = "defaults"

// defaultsSource is what origins call the values that plans needn't state.
const defaultsSource = "default"

// ErrUnknown says that no plan has the name.
var ErrUnknown = errors.New("unknown plan")

// Info is one plan of a listing.
type Info struct {
	Name        string
	Kind        string
	Description string
	Source      string // "embedded" or the file's path
	Err         error  // why a file can't be used
}

// List gives the embedded plans and those of the user's folder, sorted by
// name. A file of the user's hides an embedded plan of the same name. dir may
// be empty or not exist.
func List(dir string) ([]Info, error) {
	names, err := Names(dir)
	if err != nil {
		return nil, err
	}
	var infos []Info
	for _, name := range names {
		p, _, err := Load(name, dir)
		info := Info{Name: name, Kind: p.Kind, Description: p.Description, Source: "embedded", Err: err}
		if path, ok := own(name, dir); ok {
			info.Source = path
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// Names gives the names of the embedded plans and of those in dir.
func Names(dir string) ([]string, error) {
	entries, err := embedded.ReadDir("embedded")
	if err != nil {
		return nil, fmt.Errorf("list the embedded plans: %w", err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".yaml"); name != defaultsFile {
			names[name] = true
		}
	}
	if dir != "" {
		own, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("list the plans in %s: %w", dir, err)
		}
		for _, e := range own {
			if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok && !e.IsDir() {
				names[name] = true
			}
		}
	}
	var sorted []string
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	return sorted, nil
}

// Load reads a plan: a path that ends in .yaml, a file NAME.yaml in dir (the
// user's own plans, may be ""), or an embedded one, in this order. above are
// layers on top, such as flags. The error wraps ErrUnknown where there is no
// such plan, and names near ones; else it holds everything that is wrong with
// the file and with the plan, each with its line.
func Load(name, dir string, above ...conf.Layer) (results.Plan, *conf.Origins, error) {
	defaults, err := embedded.ReadFile("embedded/" + defaultsFile + ".yaml")
	if err != nil {
		return results.Plan{}, nil, fmt.Errorf("read the defaults of plans: %w", err)
	}
	layer, err := layerOf(name, dir)
	if err != nil {
		return results.Plan{}, nil, err
	}
	layers := append([]conf.Layer{conf.Bytes(defaultsSource, defaults), layer}, above...)
	p, origins, err := conf.Load[results.Plan](layers...)
	if err != nil {
		return results.Plan{}, nil, fmt.Errorf("plan %s: %w", name, err)
	}
	if p.Name == "" {
		p.Name = strings.TrimSuffix(filepath.Base(name), ".yaml")
	}
	fill(&p)
	return p, origins, nil
}

func layerOf(name, dir string) (conf.Layer, error) {
	if strings.HasSuffix(name, ".yaml") {
		return conf.File(name), nil
	}
	if path, ok := own(name, dir); ok {
		return conf.File(path), nil
	}
	b, err := embedded.ReadFile("embedded/" + name + ".yaml")
	if err == nil && name != defaultsFile {
		return conf.Bytes("embedded:"+name+".yaml", b), nil
	}
	known, err := Names(dir)
	if err != nil {
		return conf.Layer{}, err
	}
	return conf.Layer{}, fmt.Errorf("%w %q%s", ErrUnknown, name, conf.DidYouMean(name, known))
}

// own is the path of a plan in the user's folder. A name with a separator
// can't be one: it would leave the folder.
func own(name, dir string) (string, bool) {
	if dir == "" || name != filepath.Base(name) {
		return "", false
	}
	path := filepath.Join(dir, name+".yaml")
	info, err := os.Stat(path)
	return path, err == nil && !info.IsDir()
}

// fill puts in what follows from the plan's kind and may be left out.
func fill(p *results.Plan) {
	if c := p.Capacity; c != nil {
		if c.Loop == "" {
			c.Loop = results.LoopClosed
		}
		if c.BracketShare == 0 {
			c.BracketShare = 0.1
		}
		if c.MinRequests == 0 {
			c.MinRequests = 100
		}
		if c.MinDecidingRequests == 0 {
			c.MinDecidingRequests = max(500, c.MinRequests)
		}
		if c.MaxLevel == 0 {
			c.MaxLevel = 512
		}
		if c.RelativeToOne == 0 && c.P95E2EMs == 0 && c.P95TTFTMs == 0 {
			c.RelativeToOne = 3
		}
	}
	if g := p.Gateway; g != nil {
		if g.Blocks == 0 {
			g.Blocks = 10
		}
		if g.Requests == 0 {
			g.Requests = 200
		}
		if len(p.Levels) == 0 {
			p.Levels = []int{1}
		}
	}
	if m := p.Matrix; m != nil && len(m.PrefillTokens) > 0 && m.PrefillSamples == 0 {
		m.PrefillSamples = 5
	}
	if s := p.Sweep; s != nil {
		if s.Steps == 0 {
			s.Steps = 10
		}
		if s.Fraction == 0 {
			s.Fraction = 1.2
		}
	}
}
