package apptainer

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hpcbench/apptainer/siftest"
)

func image(t testing.TB, o siftest.Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.sif")
	if err := siftest.Write(path, o); err != nil {
		t.Fatal(err)
	}
	return path
}

func full() siftest.Options {
	return siftest.Options{
		Arch:       "arm64",
		ID:         "b2659d4e-bd50-4ea5-bd17-eec5e54f918e",
		Created:    time.Date(2026, 8, 7, 11, 51, 22, 0, time.UTC),
		Labels:     map[string]string{"org.opencontainers.image.version": "24.04", "vllm": "0.32.0"},
		Definition: "# Built: by hand\nBootstrap: docker\nFROM: docker.io/vllm/vllm-openai:v0.32.0\n%post\nFrom: nowhere\n",
		FS:         bytes.Repeat([]byte("x"), 5000),
	}
}

func TestInspect(t *testing.T) {
	path := image(t, full())
	got, err := Inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	want := Image{
		Path: path, SizeBytes: info.Size(), ID: "b2659d4e-bd50-4ea5-bd17-eec5e54f918e", Arch: "arm64",
		Created: time.Date(2026, 8, 7, 11, 51, 22, 0, time.UTC),
		Labels:  map[string]string{"org.opencontainers.image.version": "24.04", "vllm": "0.32.0"},
		From:    "docker.io/vllm/vllm-openai:v0.32.0", FSType: "Squashfs", PartitionBytes: 5000,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("image (-want +got):\n%s", diff)
	}
	if err := got.CheckArch("arm64"); err != nil {
		t.Errorf("same processors: %v", err)
	}
	if err := got.CheckArch("amd64"); err == nil || !strings.Contains(err.Error(), "is for arm64, and the nodes are amd64") {
		t.Errorf("other processors: %v", err)
	}
	if err := (Image{Path: path}).CheckArch("amd64"); err == nil || !strings.Contains(err.Error(), "doesn't say which processors") {
		t.Errorf("no processors: %v", err)
	}
}

func TestInspectBareImage(t *testing.T) {
	got, err := Inspect(image(t, siftest.Options{Definition: "Bootstrap: localimage\n%post\nFrom: nowhere\n"}))
	if err != nil {
		t.Fatal(err)
	}
	if !got.Created.IsZero() || got.Labels != nil || got.From != "" || got.Arch != "amd64" || got.ID != "00000000-0000-0000-0000-000000000000" {
		t.Errorf("got %+v", got)
	}
}

func TestInspectFollowsLinks(t *testing.T) {
	path := image(t, siftest.Options{})
	link := filepath.Join(t.TempDir(), "latest.sif")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Inspect(link); err != nil {
		t.Error(err)
	}
	if got, err := Resolve(link); err != nil || got != path {
		t.Errorf("Resolve: %q, %v", got, err)
	}
	if _, err := Resolve(filepath.Join(t.TempDir(), "none.sif")); err == nil {
		t.Error("a missing image was resolved")
	}
}

func TestWhatIsNoImage(t *testing.T) {
	good, err := os.ReadFile(image(t, full()))
	if err != nil {
		t.Fatal(err)
	}
	change := func(at int, b ...byte) []byte {
		c := bytes.Clone(good)
		copy(c[at:], b)
		return c
	}
	ff := bytes.Repeat([]byte{0xff}, 8)
	for _, c := range []struct {
		name    string
		content []byte
		says    string
	}{
		{"empty", nil, "the file is empty"},
		{"text", []byte("<!doctype html>"), "error page of a download"},
		{"pointer", []byte("version https://git-lfs.github.com/spec/v1\n"), "Git LFS pointer"},
		{"archive", []byte("\x1f\x8b\x08" + strings.Repeat("\x00", 200)), "pull it as a .sif"},
		{"squashfs", []byte("hsqs" + strings.Repeat("\x00", 200)), "bare squashfs"},
		{"noise", bytes.Repeat([]byte("ab"), 500), "another format"},
		{"half a header", good[:100], "ends in its header"},
		{"half a list", good[:8000], "list of parts ends after the 8000 bytes"},
		{"half a partition", good[:len(good)-1], "truncated SIF: its part \"squashfs\""},
		{"huge list", change(descriptorsAt, 0, 0, 0, 0, 1), "makes no sense"},
		{"negative list", change(descriptorsAt, ff...), "makes no sense"},
		{"offset of the list", change(descriptorsAt+8, ff[:7]...), "truncated"},
		{"version", change(42, '9', '9'), "damaged SIF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "image.sif")
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Inspect(path)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v should name %s and say %q", err, path, c.says)
			}
		})
	}
	for path, says := range map[string]string{
		image(t, siftest.Options{NoPartition: true}): "no objects",
		t.TempDir():    "sandbox",
		"/no/such.sif": "no such file",
		"/dev/null":    "not a regular file",
		image(t, siftest.Options{NoPartition: true, Labels: map[string]string{"a": "b"}}): "without a root file system",
	} {
		if _, err := Inspect(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v should say %q", path, err, says)
		}
	}
}

func FuzzInspect(f *testing.F) {
	for _, o := range []siftest.Options{{}, full(), {NoPartition: true, Labels: map[string]string{"a": "b"}}} {
		b, err := os.ReadFile(image(f, o))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:200])
	}
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		if got.FSType == "" || got.PartitionBytes < 0 || got.PartitionBytes > int64(len(b)) || got.SizeBytes != int64(len(b)) {
			t.Errorf("accepted %+v of %d bytes", got, len(b))
		}
	})
}
