package sites

import (
	"os"
	"path/filepath"
	"testing"
)

// bench is a user's home with a configuration folder, and a working folder.
type bench struct {
	t    *testing.T
	home string
	Options
}

func newBench(t *testing.T, environ ...string) *bench {
	t.Helper()
	home := t.TempDir()
	b := &bench{t: t, home: home, Options: Options{
		Environ: append([]string{"HOME=" + home, "USER=ada"}, environ...),
		Dir:     t.TempDir(),
	}}
	return b
}

// write puts a file into the configuration folder.
func (b *bench) write(name, text string) string {
	b.t.Helper()
	return writeFile(b.t, filepath.Join(b.home, ".config", "hpcbench", name), text)
}

// project puts hpcbench.yaml into the working folder.
func (b *bench) project(text string) string {
	b.t.Helper()
	return writeFile(b.t, filepath.Join(b.Dir, projectFile), text)
}

func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
