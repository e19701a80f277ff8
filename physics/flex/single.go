package flex

/*
#include "factor.h"
*/
import "C"

import (
	"errors"
	"runtime"
)

// Quick solves in single precision: in a fraction of the time of SolveFree, right to
// some five digits. It also solves in two halves:
// what some nodes do is known after the first, and what acts on them may join
// before the second. One goroutine at a time; it holds until the factor's next
// Refactorize or Close. Nothing allocates but NewQuick and Of.
type Quick struct {
	f      *Factor
	y, z   []float32 // in the elimination order
	work   []float32
	mark   []byte
	places []int64
}

// NewQuick prepares the workspace for factors of one pattern.
func NewQuick() *Quick { return &Quick{} }

// Shrink makes a factor ready for Quick, once after each Refactorize.
func (f *Factor) Shrink() error {
	if f.f == nil || !f.filled {
		panic("flex: Shrink: nothing is factorised")
	}
	if C.hapco_single(f.f) != C.HAPCO_OK {
		return errors.New("flex: not enough memory for a second factor (use a coarser mesh)")
	}
	runtime.KeepAlive(f)
	return nil
}

// Of takes a factor, and the nodes, free ones, between the halves.
func (q *Quick) Of(f *Factor, freeNodes []int32) {
	q.f = f
	supernodes := int(C.hapco_supernodes(f.f))
	if len(q.y) != len(f.b) {
		q.y, q.z = make([]float32, len(f.b)), make([]float32, len(f.b))
	}
	if tallest := int(C.hapco_tallest(f.f)); len(q.work) < tallest {
		q.work = make([]float32, tallest)
	}
	if len(q.mark) < supernodes {
		q.mark = make([]byte, supernodes)
	}
	clear(q.mark)
	q.places = q.places[:0]
	for _, n := range freeNodes {
		for c := range 3 {
			q.places = append(q.places, f.position[3*int(n)+c])
		}
	}
	if len(q.places) > 0 {
		C.hapco_mark(f.f, C.int64_t(len(q.places)), (*C.int64_t)(&q.places[0]), (*C.uchar)(&q.mark[0]))
	}
	runtime.KeepAlive(f)
}

// First takes the right-hand side over the free unknowns, and writes what K^-1 b is
// at the nodes of Of, 3 each.
func (q *Quick) First(atNodes, b []float64) {
	for i, at := range q.f.position {
		q.y[at] = float32(b[i])
	}
	C.hapco_forward(q.f.f, (*C.float)(&q.y[0]), (*C.float)(&q.work[0]), nil)
	if len(q.places) > 0 {
		copy(q.z, q.y)
		C.hapco_backward(q.f.f, (*C.float)(&q.z[0]), (*C.float)(&q.work[0]), (*C.uchar)(&q.mark[0]))
		for i, at := range q.places {
			atNodes[i] = float64(q.z[at])
		}
	}
	runtime.KeepAlive(q.f)
}

// Column writes a column of K^-1 at the nodes of Of, 3 each: what a unit of force
// does along an axis of the node at one of their places. It does not disturb First
// and Second.
func (q *Quick) Column(atNodes []float64, place, axis int) {
	clear(q.z)
	q.z[q.places[3*place+axis]] = 1
	C.hapco_forward(q.f.f, (*C.float)(&q.z[0]), (*C.float)(&q.work[0]), (*C.uchar)(&q.mark[0]))
	C.hapco_backward(q.f.f, (*C.float)(&q.z[0]), (*C.float)(&q.work[0]), (*C.uchar)(&q.mark[0]))
	for i, at := range q.places {
		atNodes[i] = float64(q.z[at])
	}
	runtime.KeepAlive(q.f)
}

// Second adds forces on the nodes of Of to the right-hand side of First, 3 each,
// and writes K^-1 of all of it over the free unknowns.
func (q *Quick) Second(dst, atNodes []float64) {
	if len(q.places) > 0 {
		clear(q.z)
		for i, at := range q.places {
			q.z[at] = float32(atNodes[i])
		}
		C.hapco_forward(q.f.f, (*C.float)(&q.z[0]), (*C.float)(&q.work[0]), (*C.uchar)(&q.mark[0]))
		for i, v := range q.z {
			q.y[i] += v
		}
	}
	C.hapco_backward(q.f.f, (*C.float)(&q.y[0]), (*C.float)(&q.work[0]), nil)
	for i, at := range q.f.position {
		dst[i] = float64(q.y[at])
	}
	runtime.KeepAlive(q.f)
}
