package sites

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"hpcbench/sites/conf"
)

// Placeholders that a template may hold. The first ones are known when the
// spec is made; {job} and {node} are left for the job's script.
const (
	forSpec = "account account_lower user home site cache_dir"
	forJob  = "job node"
)

var placeholder = regexp.MustCompile(`\{[a-z_]*\}`)

// checkTemplate says what is wrong with the placeholders of a text. Braces
// around anything else are the text's own.
func checkTemplate(text string) error {
	known := strings.Fields(forSpec + " " + forJob)
	for _, found := range placeholder.FindAllString(text, -1) {
		if name := found[1 : len(found)-1]; !slices.Contains(known, name) {
			return fmt.Errorf("%s is no placeholder%s", found, conf.DidYouMean(name, known))
		}
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Errorf("%q has a line break or another control character", text)
	}
	return nil
}

// checkPathTemplate also refuses braces that are no placeholder.
func checkPathTemplate(text string) error {
	if err := checkTemplate(text); err != nil {
		return err
	}
	if strings.ContainsAny(placeholder.ReplaceAllString(text, ""), "{}") {
		return fmt.Errorf("%q has a brace that belongs to no placeholder", text)
	}
	return nil
}

// fill replaces the placeholders that values knows and leaves the others. A
// value that is empty is an error: the path would be somebody else's.
func fill(text string, values map[string]string) (string, error) {
	var missing error
	filled := placeholder.ReplaceAllStringFunc(text, func(found string) string {
		value, known := values[found[1:len(found)-1]]
		if known && value == "" && missing == nil {
			missing = fmt.Errorf("%q needs %s, which is not set", text, found[1:len(found)-1])
		}
		if !known {
			return found
		}
		return value
	})
	return filled, missing
}

// absolute makes a path one that means the same everywhere: ~/ is the home
// folder, and a relative path begins in the working folder.
func (w Who) absolute(path string) (string, error) {
	switch rest, tilde := strings.CutPrefix(path, "~/"); {
	case path == "" || filepath.IsAbs(path):
		return path, nil
	case tilde && w.Home != "":
		return filepath.Join(w.Home, rest), nil
	case strings.HasPrefix(path, "~") || w.Dir == "":
		return "", fmt.Errorf("%q is not an absolute path", path)
	}
	return filepath.Join(w.Dir, path), nil
}

// Expand gives a copy of the profile in which every template is filled in
// except {job} and {node}, and every path is absolute. It fails when a template needs a
// value that is missing.
func (p Profile) Expand(who Who) (Profile, error) {
	values := map[string]string{
		"account": p.Account, "account_lower": strings.ToLower(p.Account),
		"user": who.User, "home": who.Home, "site": p.Name,
	}
	var errs []error
	set := func(key, text string) string {
		filled, err := fill(text, values)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
		return filled
	}
	setPath := func(key, text string) string {
		absolute, err := who.absolute(set(key, text))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
		return absolute
	}
	p.CacheDir = setPath("cache_dir", p.CacheDir)
	values["cache_dir"] = p.CacheDir
	p.Image = setPath("image", p.Image)
	p.RunsDir = setPath("runs_dir", p.RunsDir)

	p.Caches = maps.Clone(p.Caches)
	for _, name := range slices.Sorted(maps.Keys(p.Caches)) {
		c := p.Caches[name]
		c.Path = setPath("caches."+name+".path", c.Path)
		p.Caches[name] = c
	}
	p.Environment = maps.Clone(p.Environment)
	for _, name := range slices.Sorted(maps.Keys(p.Environment)) {
		v := p.Environment[name]
		v.Value = set("environment."+name+".value", v.Value)
		p.Environment[name] = v
	}
	binds := make(map[string]Bind, len(p.Binds))
	for _, path := range slices.Sorted(maps.Keys(p.Binds)) {
		b := p.Binds[path]
		b.Target = set("binds."+path+".target", b.Target)
		binds[set("binds."+path, path)] = b
	}
	p.Binds = binds
	if err := conf.Join(errs...); err != nil {
		return Profile{}, fmt.Errorf("fill in the templates of site %s: %w", p.Name, err)
	}
	return p, nil
}
