package sites

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hpcbench/sites/conf"
)

// weights are totals over a model's safetensors files.
type weights struct {
	bytes   int64 // of the tensors, without headers
	numbers int64 // elements of the tensors
}

// maxHeader bounds the header of a safetensors file in bytes, as the format's own library does.
const maxHeader = 100 << 20

// readWeights adds up the headers of a folder's safetensors files. They are
// the files that the index names, else model.safetensors, else none.
func readWeights(dir string) (weights, error) {
	shards, err := shardNames(dir)
	if err != nil {
		return weights{}, err
	}
	var total weights
	var errs []error
	for _, name := range shards {
		w, err := readShard(filepath.Join(dir, name))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		total.bytes += w.bytes
		total.numbers += w.numbers
	}
	if err := conf.Join(errs...); err != nil {
		return weights{}, err
	}
	return total, nil
}

func shardNames(dir string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "model.safetensors.index.json"))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(dir, "model.safetensors")); err == nil {
			return []string{"model.safetensors"}, nil
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the index of the weights: %w", err)
	}
	var index struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, fmt.Errorf("model.safetensors.index.json: not an index of weights: %w", err)
	}
	var names []string
	for _, name := range index.WeightMap {
		if filepath.Base(name) != name || !strings.HasSuffix(name, ".safetensors") {
			return nil, fmt.Errorf("model.safetensors.index.json: %q is not the name of a safetensors file beside it", name)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// readShard reads the header of one file: eight bytes of its length, little
// endian, then JSON that gives each tensor's shape and place. Only the header is read.
func readShard(path string) (weights, error) {
	f, err := os.Open(path)
	if err != nil {
		return weights{}, fmt.Errorf("the weights are not complete: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return weights{}, fmt.Errorf("the weights are not complete: %w", err)
	}
	w, end, err := parseShard(f, info.Size())
	if err != nil {
		return weights{}, fmt.Errorf("%s: %w", path, err)
	}
	if end != info.Size() {
		return weights{}, fmt.Errorf("%s: it has %d bytes but its header speaks of %d; was the download cut off?", path, info.Size(), end)
	}
	return w, nil
}

// parseShard gives the totals and the size that the file must have.
func parseShard(r io.Reader, size int64) (total weights, end int64, err error) {
	var length uint64
	if err := binary.Read(r, binary.LittleEndian, &length); err != nil {
		return weights{}, 0, fmt.Errorf("not a safetensors file: %w", err)
	}
	if length > maxHeader || int64(length) > size-8 {
		return weights{}, 0, fmt.Errorf("not a safetensors file, or cut off: a header of %d bytes in a file of %d", length, size)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(r, header); err != nil {
		return weights{}, 0, fmt.Errorf("read the header: %w", err)
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return weights{}, 0, fmt.Errorf("not a safetensors file: %w", err)
	}
	for name, raw := range entries {
		if name == "__metadata__" {
			continue
		}
		var tensor struct {
			Shape   []int64  `json:"shape"`
			Offsets [2]int64 `json:"data_offsets"`
		}
		if err := json.Unmarshal(raw, &tensor); err != nil {
			return weights{}, 0, fmt.Errorf("tensor %q: %w", name, err)
		}
		numbers, ok := product(tensor.Shape)
		from, to := tensor.Offsets[0], tensor.Offsets[1]
		if !ok || from < 0 || to < from || to > math.MaxInt64-8-int64(length) {
			return weights{}, 0, fmt.Errorf("tensor %q: its shape %v or place %v can't be", name, tensor.Shape, tensor.Offsets)
		}
		if total.numbers > math.MaxInt64-numbers || total.bytes > math.MaxInt64-(to-from) {
			return weights{}, 0, fmt.Errorf("tensor %q: the sum of the sizes can't be", name)
		}
		total.numbers += numbers
		total.bytes += to - from
		end = max(end, to)
	}
	return total, 8 + int64(length) + end, nil
}

// product multiplies a shape; ok is false when it is negative or overflows.
func product(shape []int64) (n int64, ok bool) {
	n = 1
	for _, side := range shape {
		if side < 0 || side > 0 && n > math.MaxInt64/side {
			return 0, false
		}
		n *= side
	}
	return n, true
}
