// Package latest hands the newest value from one goroutine to another without either ever waiting.
//
// A Box is a triple buffer: the writer fills the slot it owns and swaps it with the shared one; the reader swaps the
// shared slot with its own when it is newer. One writer, one reader. Values are reused, so slices inside T keep their
// capacity and a warm hand-over allocates nothing.
package latest

import "sync/atomic"

const fresh = 4 // set in state while the shared slot holds an unread value

// Box hands over values of type T. The zero value is not ready: use New.
type Box[T any] struct {
	slots [3]T
	state atomic.Uint32 // index of the shared slot, or'ed with fresh
	_     [60]byte      // keep writer's and reader's indices off one cache line
	write uint32
	_     [60]byte
	read  uint32
}

// New returns a box whose three slots are made by fill (nil leaves them zero).
func New[T any](fill func(*T)) *Box[T] {
	b := &Box[T]{write: 0, read: 2}
	b.state.Store(1)
	if fill != nil {
		for i := range b.slots {
			fill(&b.slots[i])
		}
	}
	return b
}

// Back is the slot that the writer may fill. It holds an old value: overwrite all of it. Writer only; valid until
// Publish.
func (b *Box[T]) Back() *T { return &b.slots[b.write] }

// Publish makes the back slot the newest value. Writer only.
func (b *Box[T]) Publish() {
	b.write = b.state.Swap(b.write|fresh) &^ fresh
}

// Get returns the newest published value and whether it is newer than that of the last call. The pointer stays valid,
// and its value unchanged, until the next Get. Reader only. Before the first Publish it is the slot made by fill.
func (b *Box[T]) Get() (value *T, newer bool) {
	if b.state.Load()&fresh == 0 {
		return &b.slots[b.read], false
	}
	b.read = b.state.Swap(b.read) &^ fresh
	return &b.slots[b.read], true
}
