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

	any Law // where it is none of those in C: one element at a time
}

// NewTets is the fast form of a body of linear tetrahedra of one law. That is fast where
// the law is corotational or neo-Hookean with a logarithm, in a Barrier or not; with any
// other it is as slow as Body. ok is false for other elements.
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
			t.any = blk.law
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
	if t.any != nil {
		return anyForces(t.any, t.conn, t.grad, t.volume, dst, x)
	}
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
	tangents     []Mat9 // of any law
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
	if t.any != nil {
		return anyForces(t.any, p.conn, p.grad, p.volume, dst, x)
	}
	return float64(C.hapco_tets(C.int64_t(p.groups), (*C.int32_t)(unsafe.Pointer(&p.conn[0])), (*C.double)(&p.grad[0]), (*C.double)(&p.volume[0]),
		(*C.double)(&x[0]), (*C.double)(&dst[0]), t.law, C.double(t.lambda), C.double(t.mu), C.double(t.floor), C.double(t.barrier)))
}

// Tangent makes K = df/dx at the places x ready for Times.
func (p *Part) Tangent(x []float64) {
	t := p.t
	if t.any != nil {
		if cap(p.tangents) < len(p.volume) {
			p.tangents = make([]Mat9, len(p.volume)+len(p.volume)/2)
		}
		p.tangents = p.tangents[:len(p.volume)]
		for e := range p.volume {
			f := gradientOf(p.conn, p.grad, x, e)
			t.any.Tangent(&p.tangents[e], &f)
		}
		return
	}
	C.hapco_tets_tangent(C.int64_t(p.groups), (*C.int32_t)(unsafe.Pointer(&p.conn[0])), (*C.double)(&p.grad[0]), (*C.double)(&x[0]), (*C.double)(&p.state[0]),
		t.law, C.double(t.lambda), C.double(t.mu), C.double(t.floor), C.double(t.barrier))
}

// Times writes K v to dst, N, 3 a node.
func (p *Part) Times(dst, v []float64) {
	clear(dst)
	t := p.t
	if t.any != nil {
		for e, volume := range p.volume {
			f := gradientOf(p.conn, p.grad, v, e)
			q := p.tangents[e].Times(&f)
			spread(dst, &q, p.conn, p.grad, volume, e)
		}
		return
	}
	C.hapco_tets_times(C.int64_t(p.groups), (*C.int32_t)(unsafe.Pointer(&p.conn[0])), (*C.double)(&p.grad[0]), (*C.double)(&p.volume[0]), (*C.double)(&p.state[0]),
		(*C.double)(&v[0]), (*C.double)(&dst[0]), t.law, C.double(t.lambda), C.double(t.mu))
}

// gradientOf is the gradient of a field at the nodes of element e, 3 a node: sum of v_a
// grad N_a. That of node 0 is less the sum of the others'.
func gradientOf(conn []int32, grad, v []float64, e int) (f Mat3) {
	const lanes = C.HAPCO_LANES
	g, l := e/lanes, e%lanes
	first := 3 * conn[g*4*lanes+l]
	for a := 1; a < 4; a++ {
		node := 3 * conn[(g*4+a)*lanes+l]
		for i := range 3 {
			d := v[int(node)+i] - v[int(first)+i]
			for k := range 3 {
				f[3*i+k] += d * grad[(g*9+3*(a-1)+k)*lanes+l]
			}
		}
	}
	return f
}

// spread adds volume P grad N_a to the nodes of element e.
func spread(dst []float64, p *Mat3, conn []int32, grad []float64, volume float64, e int) {
	const lanes = C.HAPCO_LANES
	g, l := e/lanes, e%lanes
	first := 3 * int(conn[g*4*lanes+l])
	for a := 1; a < 4; a++ {
		node := 3 * int(conn[(g*4+a)*lanes+l])
		for i := range 3 {
			sum := 0.0
			for k := range 3 {
				sum += p[3*i+k] * grad[(g*9+3*(a-1)+k)*lanes+l]
			}
			dst[node+i] += volume * sum
			dst[first+i] -= volume * sum
		}
	}
}

// anyForces adds the forces of any law to dst and gives the smallest det F, below 0
// where a place is not finite.
func anyForces(law Law, conn []int32, grad, volume, dst, x []float64) (least float64) {
	least = math.Inf(1)
	var p Mat3
	for e, v := range volume {
		f := gradientOf(conn, grad, x, e)
		j := f.Det()
		if j-j != 0 {
			least = math.Inf(-1)
		}
		least = math.Min(least, j)
		if v == 0 {
			continue
		}
		law.Stress(&p, &f)
		spread(dst, &p, conn, grad, v, e)
	}
	return least
}
