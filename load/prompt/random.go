package prompt

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
)

// source makes a random source for one thing: equal parts give equal sources.
func source(what string, parts ...uint64) *rand.Rand {
	h := fnv.New128a()
	h.Write([]byte(what))
	var b [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(b[:], p)
		h.Write(b[:])
	}
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}

// saltOf turns the attempt's salt into a number.
func saltOf(salt string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(salt))
	return h.Sum64()
}
