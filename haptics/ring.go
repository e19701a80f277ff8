package haptics

import "sync/atomic"

// ring hands records from the loop to one other goroutine. When it is full new
// records are dropped and counted: the loop never waits.
type ring struct {
	slots   []Record // a power of two of them
	head    atomic.Uint64
	_       [56]byte
	tail    atomic.Uint64
	_       [56]byte
	dropped atomic.Uint64
}

func newRing(size int) *ring {
	n := 1
	for n < size {
		n *= 2
	}
	return &ring{slots: make([]Record, n)}
}

// put adds a record. Loop only.
func (r *ring) put(rec *Record) {
	h := r.head.Load()
	if h-r.tail.Load() >= uint64(len(r.slots)) {
		r.dropped.Add(1)
		return
	}
	r.slots[h&uint64(len(r.slots)-1)] = *rec
	r.head.Store(h + 1)
}

// drain moves the oldest records to dst and returns how many. Reader only.
func (r *ring) drain(dst []Record) int {
	t := r.tail.Load()
	n := min(uint64(len(dst)), r.head.Load()-t)
	for i := range n {
		dst[i] = r.slots[(t+i)&uint64(len(r.slots)-1)]
	}
	r.tail.Store(t + n)
	return int(n)
}
