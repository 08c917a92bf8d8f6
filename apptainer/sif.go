package apptainer

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/apptainer/sif/v2/pkg/sif"
)

// Image is what a SIF file says about itself. Nothing of its contents is run.
type Image struct {
	Path      string
	SizeBytes int64
	// ID is the image's own UUID; zeros for images built to be reproducible.
	ID string
	// Arch is the GOARCH that the primary partition is for, empty where the format has no
	// name for it.
	Arch string
	// Created is the image's own time in UTC, zero where it has none.
	Created time.Time
	// Labels are those that the build wrote; nil where it wrote none.
	Labels map[string]string
	// From is where the image was built from, such as docker.io/vllm/vllm-openai:v0.32.0;
	// empty where the definition file isn't kept or doesn't say.
	From string
	// FSType and PartitionBytes are of the partition that holds the root file system.
	FSType         string
	PartitionBytes int64
}

// Sizes of the format, version 01.
const (
	headerBytes     = 128
	magicAt         = 32
	descriptorsAt   = 88
	descriptorBytes = 585
	// Real images have 48; more than this many isn't an image but noise, and would be
	// allocated at once.
	maxDescriptors = 1 << 16
	// Labels and definitions are a few kilobytes.
	maxTextBytes = 4 << 20
)

// Inspect reads the header and the descriptors of a SIF file, a few kilobytes whatever
// the file's size. An error says what is there instead: nothing, a folder, another
// kind of file, or a copy that wasn't finished. Links are followed.
func Inspect(path string) (Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return Image{}, fmt.Errorf("open image: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Image{}, fmt.Errorf("look at image %s: %w", path, err)
	}
	switch {
	case info.IsDir():
		return Image{}, fmt.Errorf("image %s is a folder: a sandbox can't be measured as it can change; build a .sif from it", path)
	case !info.Mode().IsRegular():
		return Image{}, fmt.Errorf("image %s is not a regular file (%s)", path, info.Mode().Type())
	}
	image, err := read(f, info.Size())
	if err != nil {
		return Image{}, fmt.Errorf("image %s: %w", path, err)
	}
	image.Path = path
	return image, nil
}

// CheckArch says in words that the image is for other processors than goarch.
func (i Image) CheckArch(goarch string) error {
	switch i.Arch {
	case goarch:
		return nil
	case "":
		return fmt.Errorf("image %s doesn't say which processors it is for, and the nodes are %s: pull it again", i.Path, goarch)
	}
	return fmt.Errorf("image %s is for %s, and the nodes are %s: pull it with --arch %s", i.Path, i.Arch, goarch, goarch)
}

func read(r io.ReaderAt, size int64) (Image, error) {
	if err := checkHeader(r, size); err != nil {
		return Image{}, err
	}
	f, err := sif.LoadContainer(readOnly{r}, sif.OptLoadWithCloseOnUnload(false))
	if err != nil {
		return Image{}, fmt.Errorf("damaged SIF: %w", err)
	}
	image := Image{SizeBytes: size, ID: f.ID(), Arch: known(f.PrimaryArch())}
	if at := f.CreatedAt(); at.Unix() > 0 {
		image.Created = at.UTC()
	}
	all, err := f.GetDescriptors()
	if err != nil {
		return Image{}, fmt.Errorf("damaged SIF: %w", err)
	}
	for _, d := range all {
		if d.Offset() < 0 || d.Size() < 0 || d.Size() > size || d.Offset() > size-d.Size() {
			return Image{}, fmt.Errorf("truncated SIF: its part %q ends after byte %d, the file has %d; copy or pull it again", name(d), uint64(d.Offset())+uint64(d.Size()), size)
		}
		if err := image.take(d); err != nil {
			return Image{}, err
		}
	}
	if image.FSType == "" {
		return Image{}, errors.New("SIF without a root file system: it can't be run")
	}
	return image, nil
}

// checkHeader tells the kinds of wrong file apart, and keeps the library from
// allocating what a damaged header asks for.
func checkHeader(r io.ReaderAt, size int64) error {
	head := make([]byte, headerBytes)
	n, err := r.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the header: %w", err)
	}
	head = head[:n]
	if n < magicAt+9 || string(head[magicAt:magicAt+9]) != "SIF_MAGIC" {
		return fmt.Errorf("not a SIF image (%s)", kind(head))
	}
	if n < headerBytes {
		return fmt.Errorf("truncated SIF: the file ends in its header, after %d bytes; copy or pull it again", n)
	}
	field := func(i int) int64 { return int64(binary.LittleEndian.Uint64(head[descriptorsAt+8*i:])) }
	total, offset, bytes := field(0), field(1), field(2)
	if total < 0 || total > maxDescriptors || bytes < total*descriptorBytes || offset < headerBytes {
		return errors.New("damaged SIF: its header makes no sense; copy or pull it again")
	}
	if bytes > size || offset > size-bytes {
		return fmt.Errorf("truncated SIF: its list of parts ends after the %d bytes of the file; copy or pull it again", size)
	}
	return nil
}

// kind names what people take for an image.
func kind(head []byte) string {
	switch {
	case len(head) == 0:
		return "the file is empty"
	case strings.HasPrefix(string(head), "hsqs"):
		return "a bare squashfs; build a .sif from it"
	case strings.HasPrefix(string(head), "\x1f\x8b"), len(head) > 2 && string(head[:3]) == "BZh", strings.HasPrefix(string(head), "\xfd7zXZ"):
		return "a compressed archive, such as a Docker export; pull it as a .sif"
	case strings.HasPrefix(string(head), "version https://git-lfs"):
		return "a Git LFS pointer; fetch the file itself"
	case strings.HasPrefix(string(head), "<"), strings.HasPrefix(string(head), "{"):
		return "a text, perhaps the error page of a download"
	}
	return "its first bytes are another format's"
}

// known turns the library's word for a processor that it doesn't know into nothing.
func known(arch string) string {
	if arch == "unknown" {
		return ""
	}
	return arch
}

func name(d sif.Descriptor) string {
	if n := d.Name(); n != "" {
		return n
	}
	return d.DataType().String()
}

// take adds what one part of the file says. Damage in what is only informative, the
// labels and the definition, doesn't make the image unusable.
func (i *Image) take(d sif.Descriptor) error {
	switch d.DataType() {
	case sif.DataPartition:
		fs, part, arch, err := d.PartitionMetadata()
		if err != nil {
			return fmt.Errorf("damaged SIF: %w", err)
		}
		if part != sif.PartPrimSys {
			return nil
		}
		i.FSType, i.PartitionBytes = fs.String(), d.Size()
		if known(arch) != "" {
			i.Arch = arch
		}
	case sif.DataGenericJSON:
		if d.Name() == "inspect-metadata.json" {
			i.Labels = labels(text(d))
		}
	case sif.DataDeffile:
		i.From = from(string(text(d)))
	}
	return nil
}

func text(d sif.Descriptor) []byte {
	b, err := io.ReadAll(io.LimitReader(d.GetReader(), maxTextBytes))
	if err != nil {
		return nil
	}
	return b
}

func labels(metadata []byte) map[string]string {
	var m struct {
		Data struct {
			Attributes struct {
				Labels map[string]string `json:"labels"`
			} `json:"attributes"`
		} `json:"data"`
	}
	if json.Unmarshal(metadata, &m) != nil || len(m.Data.Attributes.Labels) == 0 {
		return nil
	}
	return m.Data.Attributes.Labels
}

// from finds the header line of a definition file. Its keys are not case-sensitive, and
// the sections that begin with % may hold anything.
func from(definition string) string {
	for line := range strings.Lines(definition) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "%") {
			return ""
		}
		if key, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(strings.TrimSpace(key), "from") {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// readOnly gives the library the writer it asks for and never uses when reading.
type readOnly struct{ io.ReaderAt }

var errReadOnly = errors.New("the image is open for reading only")

func (readOnly) Write([]byte) (int, error)      { return 0, errReadOnly }
func (readOnly) Seek(int64, int) (int64, error) { return 0, errReadOnly }
func (readOnly) Truncate(int64) error           { return errReadOnly }
