package checkpoint

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

type leaf struct {
	value float64
	next  *leaf
}

type held struct {
	fixed  [3]float64
	grown  []float64
	part   []float64 // of grown
	nested [][]int
	table  map[string]*leaf
	boxed  any
	shared atomic.Pointer[leaf]
	queue  chan *leaf
	ring   *leaf
	mutex  sync.Mutex //lint:ignore U1000 memory that an image has
	ctx    context.Context
	pool   sync.Pool //lint:ignore U1000 the same
	once   sync.Once
	text   string
	count  atomic.Uint32
	c      *outside
}

// outside stands for memory that is not Go's.
type outside struct{ number *int }

var numbers = map[*int]int{}

func (o *outside) Keep() func() func() {
	was := numbers[o.number]
	return func() func() { return func() { numbers[o.number] = was } }
}

func (h *held) print() string {
	s := fmt.Sprint(h.fixed, h.grown, h.part, h.nested, h.boxed.(*leaf).value, h.shared.Load().value, len(h.queue), h.ring.value, h.ring.next == h.ring, h.text, h.count.Load(), numbers[h.c.number])
	for _, k := range []string{"a", "b", "c"} {
		if l := h.table[k]; l != nil {
			s += fmt.Sprint(k, l.value)
		}
	}
	return s
}

// All that an object reaches is put back where it was: what was written, grown, replaced, sent,
// deleted; twice, and after the collector has been.
func TestRestore(t *testing.T) {
	h := &held{grown: make([]float64, 3, 4), nested: [][]int{{1}, {2, 3}}, table: map[string]*leaf{"a": {value: 1}, "b": {value: 2}},
		boxed: &leaf{value: 3}, queue: make(chan *leaf, 2), ring: &leaf{value: 4}, ctx: t.Context(), text: "x", c: &outside{new(int)}}
	h.part, h.ring.next = h.grown[1:2], h.ring
	h.shared.Store(&leaf{value: 5})
	h.queue <- h.ring
	numbers[h.c.number] = 7
	was, grown := h.print(), h.grown
	m := Take(h, nil)
	for range 2 {
		h.fixed[1], h.grown[1] = 9, 9
		h.grown = append(h.grown, 1, 2, 3)
		h.part, h.nested[1][0], h.nested = nil, 9, append(h.nested, nil)
		h.table["a"].value, h.table["c"] = 9, &leaf{}
		delete(h.table, "b")
		h.boxed.(*leaf).value = 9
		h.boxed = &leaf{value: 8}
		h.shared.Load().value = 9
		h.shared.Store(&leaf{})
		<-h.queue
		h.ring.value, h.ring.next = 9, nil
		h.ring, h.text = &leaf{}, "y"
		h.count.Add(1)
		h.once.Do(func() {})
		numbers[h.c.number]++
		if h.print() == was {
			t.Fatal("nothing has changed")
		}
		m.Restore()
		if got := h.print(); got != was {
			t.Fatalf("%s\nbefore: %s", got, was)
		}
		if &h.grown[0] != &grown[0] || &h.part[0] != &grown[1] {
			t.Error("not where it was")
		}
	}
	if again := Take(h, m); &again.raw[0].saved[0] != &m.raw[0].saved[0] {
		t.Error("what has not changed is copied again")
	}
}
