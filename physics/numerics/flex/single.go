package flex

/*
#include "factor.h"
*/
import "C"

import "runtime"

// Quick solves with a factor of RefactorizeSingle, right to some four digits, in two halves: K^-1 = (D L^-T) (L^-1 D),
// D being what scales K to a unit diagonal. Between them, what a node will do is known, and a force on it may join, at
// the cost of a product with the node's Half. One goroutine at a time. Nothing allocates but NewQuick, and Of a factor
// of another size.
type Quick struct {
	f     *Factor
	y     []float32 // in the elimination order
	work  []float32
	kept  []float32 // y as Keep found it
	small [9]C.float

	panel []float32 // of Halves
	mark  []byte
	place [3 * halvesAtOnce]int64
}

// NewQuick prepares the workspace for factors of one pattern.
func NewQuick() *Quick { return &Quick{} }

// Of takes a factor. It holds until the factor's next Refactorize or Close.
func (q *Quick) Of(f *Factor) {
	if f.f == nil || !f.single {
		panic("flex: Quick: nothing is factorised in single precision")
	}
	q.f = f
	if len(q.y) != len(f.b) {
		q.panel = nil
		q.y = make([]float32, len(f.b))
		q.work = make([]float32, int(C.hapco_tallest(f.f))+C.HAPCO_GROUP)
	}
}

// First takes the right-hand side over the free unknowns through the first half; nil stands for zeros, which cost
// nothing.
func (q *Quick) First(b []float64) {
	if b == nil {
		clear(q.y)
		return
	}
	for i, at := range q.f.position {
		q.y[at] = float32(b[i])
	}
	C.hapco_forward(q.f.f, (*C.float)(&q.y[0]), (*C.float)(&q.work[0]))
	runtime.KeepAlive(q.f)
}

// Keep remembers what is known between the halves, and Back goes back to it: as often as forces are to join anew.
func (q *Quick) Keep() { q.kept = append(q.kept[:0], q.y...) }

// Back goes back to what Keep has found.
func (q *Quick) Back() { copy(q.y, q.kept) }

// Second goes through the other half, and writes the solution over the free unknowns.
func (q *Quick) Second(dst []float64) {
	C.hapco_backward(q.f.f, (*C.float)(&q.y[0]), (*C.float)(&q.work[0]))
	for i, at := range q.f.position {
		dst[i] = float64(q.y[at])
	}
	runtime.KeepAlive(q.f)
}

// Half is what the first half of a solve makes of unit forces on a node: three columns of L^-1 D. They are 0 but on the
// node's path to the root of the elimination tree. The compliance between two nodes is the product of their halves.
type Half struct {
	path []int64 // supernodes
	rest []int   // unknowns from each of them to the root
	size int     // unknowns on it
	z    []float32
}

// halvesAtOnce is how many nodes share a pass through the factor.
const halvesAtOnce = C.HAPCO_PANEL / 3

// Halves computes those of some free nodes. Neighbours share most of their paths, and so most of the work.
func (q *Quick) Halves(h []*Half, freeNodes []int32) {
	if len(q.panel) == 0 {
		q.panel = make([]float32, C.HAPCO_PANEL*len(q.y))
		q.mark = make([]byte, int(C.hapco_supernodes(q.f.f)))
	}
	for len(h) > 0 {
		n := min(len(h), halvesAtOnce)
		for i, node := range freeNodes[:n] {
			copy(q.place[3*i:], q.f.position[3*int(node):3*int(node)+3])
		}
		C.hapco_halves(q.f.f, C.int(3*n), (*C.int64_t)(&q.place[0]), (*C.float)(&q.panel[0]), (*C.uchar)(&q.mark[0]))
		for i, h := range h[:n] {
			h.gather(q, q.place[3*i], q.panel[3*i:])
		}
		h, freeNodes = h[n:], freeNodes[n:]
	}
	runtime.KeepAlive(q.f)
}

// gather takes from y what is on the path of a place.
func (h *Half) gather(q *Quick, place int64, y []float32) {
	var size C.int64_t
	steps := int(C.hapco_path(q.f.f, C.int64_t(place), nil, &size))
	h.size = int(size)
	if cap(h.path) < steps {
		h.path, h.rest = make([]int64, steps, steps+steps/2), make([]int, steps, steps+steps/2)
	}
	h.path, h.rest = h.path[:steps], h.rest[:steps]
	C.hapco_path(q.f.f, C.int64_t(place), (*C.int64_t)(&h.path[0]), &size)
	rest := h.size
	for i, t := range h.path {
		h.rest[i] = rest
		rest -= int(C.hapco_columns(q.f.f, C.int64_t(t)))
	}
	if cap(h.z) < 3*h.size {
		h.z = make([]float32, 3*h.size, 3*h.size+h.size)
	}
	h.z = h.z[:3*h.size]
	C.hapco_take_path(q.f.f, C.int64_t(steps), (*C.int64_t)(&h.path[0]), (*C.float)(&y[0]), (*C.float)(&h.z[0]))
}

// Across is the compliance between two nodes of one factor, row-major: displacement of h's under a force on other's.
func (q *Quick) Across(h, other *Half) (block [9]float64) {
	common := 0
	for i, j := len(h.path)-1, len(other.path)-1; i >= 0 && j >= 0 && h.path[i] == other.path[j]; i, j = i-1, j-1 {
		common = h.rest[i]
	}
	if common == 0 {
		return block
	}
	C.hapco_across((*C.float)(&h.z[0]), C.int64_t(h.size), (*C.float)(&other.z[0]), C.int64_t(other.size), C.int64_t(common), &q.small[0])
	for i, v := range q.small {
		block[i] = float64(v)
	}
	return block
}

// At is what the node would do after the second half.
func (q *Quick) At(h *Half) [3]float64 {
	C.hapco_half_dot(q.f.f, C.int64_t(len(h.path)), (*C.int64_t)(&h.path[0]), C.int64_t(h.size), (*C.float)(&h.z[0]), (*C.float)(&q.y[0]), &q.small[0])
	return [3]float64{float64(q.small[0]), float64(q.small[1]), float64(q.small[2])}
}

// Join adds a force on the node.
func (q *Quick) Join(h *Half, force [3]float64) {
	for c, v := range force {
		q.small[c] = C.float(v)
	}
	C.hapco_half_add(q.f.f, C.int64_t(len(h.path)), (*C.int64_t)(&h.path[0]), C.int64_t(h.size), (*C.float)(&h.z[0]), &q.small[0], (*C.float)(&q.y[0]))
}
