package tissue

// identities keep something for each of a few contacts, by identity: a table with open addressing, at most half full.
// It grows when it has to, and keeps its size.
type identities[V any] struct {
	keys   []uint64 // 0: free
	values []V
	n      int
}

// minIdentities is the least size of a table that holds anything.
const minIdentities = 64

// reserve makes room for n contacts; what is in the table stays.
func (t *identities[V]) reserve(n int) {
	size := max(minIdentities, len(t.keys))
	for size < 2*n {
		size *= 2
	}
	if size == len(t.keys) {
		return
	}
	keys, values := t.keys, t.values
	t.keys, t.values, t.n = make([]uint64, size), make([]V, size), 0
	for i, key := range keys {
		if key != 0 {
			*t.put(key) = values[i]
		}
	}
}

// slot is where a key is or would be. Fibonacci hashing: the high bits of the product depend on all bits of the key.
func (t *identities[V]) slot(key uint64) int {
	mask := len(t.keys) - 1
	h := key * 0x9e3779b97f4a7c15
	for i := int(h>>32) & mask; ; i = (i + 1) & mask {
		if t.keys[i] == key || t.keys[i] == 0 {
			return i
		}
	}
}

// get returns what is kept for a contact, nil where nothing is. It is valid until the next put.
func (t *identities[V]) get(key uint64) *V {
	if t.n == 0 {
		return nil
	}
	if i := t.slot(key); t.keys[i] == key {
		return &t.values[i]
	}
	return nil
}

// put returns the place of what is kept for a contact, zero if it is new.
func (t *identities[V]) put(key uint64) *V {
	if 2*(t.n+1) > len(t.keys) {
		t.reserve(max(minIdentities/2, 2*t.n))
	}
	i := t.slot(key)
	if t.keys[i] != key {
		var zero V
		t.keys[i], t.values[i] = key, zero
		t.n++
	}
	return &t.values[i]
}

func (t *identities[V]) clear() {
	if t.n > 0 {
		clear(t.keys)
		t.n = 0
	}
}
