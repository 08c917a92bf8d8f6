package stub

import "container/list"

// prefixCache knows which blocks of tokens were computed before, each block by
// a hash that covers everything in front of it, least recently used out first.
type prefixCache struct {
	capacity int // blocks
	at       map[uint64]*list.Element
	used     *list.List // of uint64, the freshest in front
}

func newPrefixCache(blocks int) *prefixCache {
	return &prefixCache{capacity: blocks, at: map[uint64]*list.Element{}, used: list.New()}
}

// blockHashes are the chained hashes (FNV-1a over the ids) of the whole blocks of a token sequence.
func blockHashes(ids []int, block int) []uint64 {
	hashes := make([]uint64, 0, len(ids)/block)
	h := uint64(14695981039346656037)
	for i, id := range ids {
		for v := uint32(id); ; v >>= 8 {
			h = (h ^ uint64(v&0xff)) * 1099511628211
			if v < 1<<8 {
				break
			}
		}
		h = (h ^ 0x100) * 1099511628211
		if (i+1)%block == 0 {
			hashes = append(hashes, h)
		}
	}
	return hashes
}

// hits is how many leading blocks are held. At least one token of a prompt is
// always computed, so the caller leaves out the hash of a block that ends it.
func (p *prefixCache) hits(hashes []uint64) int {
	for i, h := range hashes {
		e, ok := p.at[h]
		if !ok {
			return i
		}
		p.used.MoveToFront(e)
	}
	return len(hashes)
}

// add keeps blocks, the last one as the oldest, so that a chain loses its end first.
func (p *prefixCache) add(hashes []uint64) {
	for i := len(hashes) - 1; i >= 0; i-- {
		if e, ok := p.at[hashes[i]]; ok {
			p.used.MoveToFront(e)
			continue
		}
		p.at[hashes[i]] = p.used.PushFront(hashes[i])
		if p.used.Len() > p.capacity {
			delete(p.at, p.used.Remove(p.used.Back()).(uint64))
		}
	}
}
