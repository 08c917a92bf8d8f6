package sites

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// shard makes a safetensors file of bfloat16 zeros.
func shard(tensors map[string][]int64) string {
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var at int64
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		n, _ := product(tensors[name])
		header[name] = map[string]any{"dtype": "BF16", "shape": tensors[name], "data_offsets": []int64{at, at + 2*n}}
		at += 2 * n
	}
	text, err := json.Marshal(header)
	if err != nil {
		panic(err) // maps of strings and numbers always marshal
	}
	var b bytes.Buffer
	b.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
	b.Write(text)
	b.Write(make([]byte, at))
	return b.String()
}

func TestParseShard(t *testing.T) {
	file := shard(map[string][]int64{"a": {4, 8}, "scalar": {}, "empty": {0, 7}})
	w, end, err := parseShard(strings.NewReader(file), int64(len(file)))
	if err != nil || w != (weights{bytes: 66, numbers: 33}) || end != int64(len(file)) {
		t.Errorf("%+v, %d of %d, %v", w, end, len(file), err)
	}
}

func TestParseShardRefuses(t *testing.T) {
	file := func(header string) string {
		return string(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))) + header
	}
	for _, text := range []string{
		"", "short", file("[]"), file(`{"a": 3}`),
		file(`{"a": {"shape": [-1], "data_offsets": [0, 2]}}`),
		file(`{"a": {"shape": [1], "data_offsets": [4, 2]}}`),
		file(`{"a": {"shape": [4294967296, 4294967296], "data_offsets": [0, 2]}}`),
		file(`{"a": {"shape": [1], "data_offsets": [0, 9223372036854775807]}}`),
		file(`{"a": {"shape": [9223372036854775807], "data_offsets": [0, 2]}, "b": {"shape": [9], "data_offsets": [0, 2]}}`),
		"\xff\xff\xff\xff\xff\xff\xff\xff{}",
	} {
		if w, _, err := parseShard(strings.NewReader(text), int64(len(text))); err == nil {
			t.Errorf("%q: %+v", text, w)
		}
	}
}

// FuzzParseShard: no bytes make it panic, allocate without bound or give a negative size.
func FuzzParseShard(f *testing.F) {
	f.Add([]byte(shard(map[string][]int64{"a": {4, 8}, "b": {16}})))
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\x7f{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, end, err := parseShard(bytes.NewReader(data), int64(len(data)))
		if err == nil && (w.bytes < 0 || w.numbers < 0 || end < 8) {
			t.Errorf("%+v, %d", w, end)
		}
	})
}
