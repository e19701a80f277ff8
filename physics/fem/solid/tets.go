package solid

/*
#cgo CFLAGS: -O3 -Wall
#cgo LDFLAGS: -lm
#include "tets.h"
*/
import "C"

import (
	"math"
	"unsafe"
)

// Tets computes the forces of linear tetrahedra of one law, eight at a time in
// vector registers: some ten times as fast as Body.Forces. Any goroutine may use it.
type Tets struct {
	groups int
	conn   []int32
	grad   []float64
	volume []float64

	law                        C.int
	lambda, mu, floor, barrier float64
}

// NewTets is the fast form of a body of linear tetrahedra whose law is corotational
// or neo-Hookean with a logarithm, in a Barrier or not; ok is false for any other.
func NewTets(b *Body) (t *Tets, ok bool) {
	t = &Tets{floor: math.Inf(-1)}
	for i, blk := range b.blocks {
		if blk.nodes != 4 || blk.kind != Full || blk.stays != nil || i > 0 {
			return nil, false
		}
		law := blk.law
		if w, ok := law.(Barrier); ok {
			t.barrier, law = w.Stiffness, w.Law
		}
		switch l := law.(type) {
		case Corotational:
			t.law, t.lambda, t.mu = C.HAPCO_COROTATIONAL, l.Lambda, l.Mu
		case NeoHookeanLog:
			t.law, t.lambda, t.mu = C.HAPCO_NEO_HOOKEAN, l.Lambda, l.Mu
			if l.Floor > 0 {
				t.floor = l.Floor
			}
		default:
			return nil, false
		}
		const lanes = C.HAPCO_LANES
		t.groups = (blk.len() + lanes - 1) / lanes
		t.conn = make([]int32, t.groups*4*lanes)
		t.grad = make([]float64, t.groups*9*lanes)
		t.volume = make([]float64, t.groups*lanes)
		for e := range t.groups * lanes {
			// an empty lane computes its group's first element, which is not empty
			from, empty := e, e >= blk.len()
			if empty {
				from = e / lanes * lanes
			}
			g, l := e/lanes, e%lanes
			for a, n := range blk.element(from) {
				t.conn[(g*4+a)*lanes+l] = n
				if a > 0 {
					for k := range 3 {
						t.grad[(g*9+3*(a-1)+k)*lanes+l] = blk.grad[4*from+a][k]
					}
				}
			}
			if !empty {
				t.volume[g*lanes+l] = blk.weight[from]
			}
		}
	}
	return t, t.groups > 0
}

// Forces writes the internal forces at the places x to dst, N, 3 a node, and
// returns the smallest det F, below 0 where a place is not finite.
func (t *Tets) Forces(dst, x []float64) (least float64) {
	clear(dst)
	return float64(C.hapco_tets(C.int64_t(t.groups), (*C.int32_t)(unsafe.Pointer(&t.conn[0])), (*C.double)(&t.grad[0]), (*C.double)(&t.volume[0]),
		(*C.double)(&x[0]), (*C.double)(&dst[0]), t.law, C.double(t.lambda), C.double(t.mu), C.double(t.floor), C.double(t.barrier)))
}

// Part is some elements of a Tets: their forces, and products with their tangent.
type Part struct {
	t            *Tets
	groups       int
	conn         []int32
	grad, volume []float64
	state        []float64
}

// Take makes p these elements of t, whose nodes are numbered anew. Nothing allocates
// where p has been as large before.
func (p *Part) Take(t *Tets, elements []int32, number []int32) {
	const lanes = C.HAPCO_LANES
	p.t, p.groups = t, (len(elements)+lanes-1)/lanes
	size := p.groups * lanes
	if cap(p.volume) < size {
		room := size + size/2
		p.conn, p.grad = make([]int32, 4*room), make([]float64, 9*room)
		p.volume, p.state = make([]float64, room), make([]float64, C.HAPCO_TANGENT*room)
	}
	p.conn, p.grad, p.volume, p.state = p.conn[:4*size], p.grad[:9*size], p.volume[:size], p.state[:C.HAPCO_TANGENT*size]
	for i := range size {
		e, empty := i, i >= len(elements)
		if empty {
			e = i / lanes * lanes
		}
		from := int(elements[e])
		g, l, h, m := i/lanes, i%lanes, from/lanes, from%lanes
		for a := range 4 {
			p.conn[(g*4+a)*lanes+l] = number[t.conn[(h*4+a)*lanes+m]]
		}
		for k := range 9 {
			p.grad[(g*9+k)*lanes+l] = t.grad[(h*9+k)*lanes+m]
		}
		p.volume[i] = t.volume[from]
		if empty {
			p.volume[i] = 0
		}
	}
}

// Forces is that of Tets, for the part.
func (p *Part) Forces(dst, x []float64) (least float64) {
	clear(dst)
	t := p.t
	return float64(C.hapco_tets(C.int64_t(p.groups), (*C.int32_t)(unsafe.Pointer(&p.conn[0])), (*C.double)(&p.grad[0]), (*C.double)(&p.volume[0]),
		(*C.double)(&x[0]), (*C.double)(&dst[0]), t.law, C.double(t.lambda), C.double(t.mu), C.double(t.floor), C.double(t.barrier)))
}

// Tangent makes K = df/dx at the places x ready for Times.
func (p *Part) Tangent(x []float64) {
	t := p.t
	C.hapco_tets_tangent(C.int64_t(p.groups), (*C.int32_t)(unsafe.Pointer(&p.conn[0])), (*C.double)(&p.grad[0]), (*C.double)(&x[0]), (*C.double)(&p.state[0]),
		t.law, C.double(t.lambda), C.double(t.mu), C.double(t.floor), C.double(t.barrier))
}

// Times writes K v to dst, N, 3 a node.
func (p *Part) Times(dst, v []float64) {
	clear(dst)
	t := p.t
	C.hapco_tets_times(C.int64_t(p.groups), (*C.int32_t)(unsafe.Pointer(&p.conn[0])), (*C.double)(&p.grad[0]), (*C.double)(&p.volume[0]), (*C.double)(&p.state[0]),
		(*C.double)(&v[0]), (*C.double)(&dst[0]), t.law, C.double(t.lambda), C.double(t.mu))
}
