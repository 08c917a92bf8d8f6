package sites

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestConfigDir(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    string
	}{
		{[]string{"HOME=/h"}, "/h/.config/hpcbench"},
		{[]string{"HOME=/h", "XDG_CONFIG_HOME=/x"}, "/x/hpcbench"},
		{[]string{"HOME=/h", "XDG_CONFIG_HOME=relative"}, "/h/.config/hpcbench"}, // as the XDG specification says
		{[]string{"HOME=/h", "XDG_CONFIG_HOME=/x", "HPCBENCH_CONFIG_DIR=/c"}, "/c"},
		{[]string{"HOME=/old", "HOME=/h"}, "/h/.config/hpcbench"},
		{nil, ""},
	} {
		if got := (Options{Environ: c.environ}).ConfigDir(); got != c.want {
			t.Errorf("%v: %q, want %q", c.environ, got, c.want)
		}
	}
}

func TestWho(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    Who
	}{
		{[]string{"USER=ada", "LOGNAME=x", "HOME=/h"}, Who{User: "ada", Home: "/h"}},
		{[]string{"LOGNAME=bob"}, Who{User: "bob"}},
		{nil, Who{User: strconv.Itoa(os.Getuid())}},
	} {
		if got := (Options{Environ: c.environ}).Who(); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.environ, got, c.want)
		}
	}
}

func TestTrust(t *testing.T) {
	for _, c := range []struct {
		mode  fs.FileMode
		owner int
		want  string // empty = trusted
	}{
		{0o600, 1000, ""},
		{0o644, 1000, ""},
		{0o444, 0, ""},
		{0o644, 1001, "belongs to user 1001"},
		{0o664, 1000, "chmod go-w /c/config.yaml"},
		{0o646, 1000, "0646 lets others write"},
		{0o666, 0, "lets others write"},
		{fs.ModeDir | 0o755, 1000, "not a regular file"},
		{fs.ModeNamedPipe | 0o600, 1000, "not a regular file"},
	} {
		err := trust("/c/config.yaml", c.mode, c.owner, 1000)
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("mode %v of user %d: %v, want %q", c.mode, c.owner, err, c.want)
		}
	}
}

// Every file that settings come from is looked at before it is believed.
func TestUntrustedFilesAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		load func(Options) error
	}{
		{"config.yaml", func(o Options) error { _, _, err := LoadConfig(o); return err }},
		{"config.yaml", func(o Options) error { _, _, err := LoadSite("lumi", o); return err }},
		{"sites/lumi.yaml", func(o Options) error { _, _, err := LoadSite("lumi", o); return err }},
		{"models.yaml", func(o Options) error { _, _, err := LoadModels(o); return err }},
	} {
		b := newBench(t)
		path := b.write(c.name, "# nothing\n")
		if err := c.load(b.Options); err != nil {
			t.Errorf("%s of our own: %v", c.name, err)
		}
		if err := os.Chmod(path, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := c.load(b.Options); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s that anybody can write: %v", c.name, err)
		}
	}
	b := newBench(t)
	if err := os.Chmod(b.project("# nothing\n"), 0o620); err != nil {
		t.Fatal(err)
	}
	if _, _, err := LoadSite("local", b.Options); err == nil || !strings.Contains(err.Error(), "hpcbench.yaml") {
		t.Errorf("hpcbench.yaml that a group can write: %v", err)
	}
}

func TestReadTrustedLimitsTheSize(t *testing.T) {
	path := writeFile(t, filepath.Join(t.TempDir(), "big.yaml"), strings.Repeat("#", maxFile+1))
	if _, err := readTrusted(path); err == nil || !strings.Contains(err.Error(), "is this the right file?") {
		t.Errorf("%v", err)
	}
}

func TestExplicitConfigDirMustExist(t *testing.T) {
	b := newBench(t, "HPCBENCH_CONFIG_DIR=/nowhere/hpcbench")
	if _, _, err := LoadConfig(b.Options); err == nil || !strings.Contains(err.Error(), "HPCBENCH_CONFIG_DIR") {
		t.Errorf("%v", err)
	}
}
