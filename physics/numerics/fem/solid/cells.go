package solid

/*
#cgo CFLAGS: -O2 -Wall
#cgo LDFLAGS: -lm
#include "cells.h"
*/
import "C"

import (
	"math"
	"unsafe"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/num"
)

const lanes = C.HAPCO_LANES

// Cells computes the forces of a body's elements. Eight at a time, in vector registers and some ten times as fast as
// Body.Forces, are linear tetrahedra, and quadratic ones and hexahedra with mean dilatation, where their law is
// corotational or neo-Hookean with a logarithm, in a Barrier or not. All others are computed as Body does. It serves
// one goroutine.
type Cells struct {
	runs []run
	w    work
}

// run is a block of the body.
type run struct {
	group
	blk   *block
	law   C.hapco_law
	fast  bool
	first int // element of the body
}

// group is some elements of a block, numbered there, and what C needs of them, eight lanes in turn.
type group struct {
	elements            []int32
	conn                []int32
	grad, weight, stays []float64
}

func newCells(b *Body) *Cells {
	c := &Cells{runs: make([]run, len(b.blocks))}
	first := 0
	for i, blk := range b.blocks {
		r := &c.runs[i]
		r.blk, r.first = blk, first
		for e := range blk.len() {
			r.elements = append(r.elements, int32(e))
		}
		first += blk.len()
		r.take()
		r.pack(blk, nil)
	}
	return c
}

// Len is the number of elements.
func (c *Cells) Len() int {
	last := &c.runs[len(c.runs)-1]
	return last.first + len(last.elements)
}

// Element is the nodes of one.
func (c *Cells) Element(e int) []int32 {
	r := c.of(e)
	return r.blk.element(e - r.first)
}

func (c *Cells) of(e int) *run {
	i := 0
	for e >= c.runs[i].first+len(c.runs[i].elements) {
		i++
	}
	return &c.runs[i]
}

// packs tells whether C has the block's elements.
func (b *block) packs() bool {
	return b.shape == mesh.Tet4 && b.kind == Full || b.kind == MeanDilatation
}

// take takes over the law of the block.
func (r *run) take() {
	r.fast = r.blk.packs()
	r.law = C.hapco_law{floor: C.double(math.Inf(-1)), mean: C.double(r.blk.ofMean)}
	inner := r.blk.law
	if w, ok := inner.(Barrier); ok {
		r.law.barrier, inner = C.double(w.Stiffness), w.Law
	}
	switch l := inner.(type) {
	case Corotational:
		r.law.law, r.law.lambda, r.law.mu = C.HAPCO_COROTATIONAL, C.double(l.Lambda), C.double(l.Mu)
	case NeoHookeanLog:
		r.law.law, r.law.lambda, r.law.mu = C.HAPCO_NEO_HOOKEAN, C.double(l.Lambda), C.double(l.Mu)
		if l.Floor > 0 {
			r.law.floor = C.double(l.Floor)
		}
	default:
		r.fast = false
	}
}

// pack fills the lanes of the group's elements, whose nodes are numbered anew unless number is nil. An empty lane has
// its eight's first element without weight.
func (g *group) pack(b *block, number []int32) {
	n, q := b.nodes, b.points
	groups := (len(g.elements) + lanes - 1) / lanes
	if !b.packs() {
		groups = 0
	}
	g.conn, g.weight = num.Grow(g.conn, groups*n*lanes), num.Grow(g.weight, groups*q*lanes)
	g.grad, g.stays = num.Grow(g.grad, groups*q*3*(n-1)*lanes), g.stays[:0]
	for i := range groups * lanes {
		at, l := i/lanes, i%lanes
		e, empty := at*lanes, i >= len(g.elements)
		if !empty {
			e = i
		}
		e = int(g.elements[e])
		for a, node := range b.element(e) {
			if number != nil {
				node = number[node]
			}
			g.conn[(at*n+a)*lanes+l] = node
		}
		for p := range q {
			from := e*q + p
			g.weight[(at*q+p)*lanes+l] = b.weight[from]
			if empty {
				g.weight[(at*q+p)*lanes+l] = 0
			}
			for a := range n - 1 {
				for k := range 3 {
					g.grad[((at*q+p)*3*(n-1)+3*a+k)*lanes+l] = b.grad[from*n+a+1][k]
				}
			}
		}
	}
	g.stay(b)
}

// stay takes over the stresses that stay.
func (g *group) stay(b *block) {
	if b.stays == nil || len(g.weight) == 0 {
		return
	}
	g.stays = num.Grow(g.stays, 9*len(g.weight))
	for i, e := range g.elements {
		g.stayOne(b, i, int(e))
	}
}

// stayOne does that for the group's element i, which is e of the block.
func (g *group) stayOne(b *block, i, e int) {
	if len(g.stays) == 0 {
		return
	}
	at, l := i/lanes, i%lanes
	for p := range b.points {
		for k, v := range b.stays[e*b.points+p] {
			g.stays[((at*b.points+p)*9+k)*lanes+l] = v
		}
	}
}

// arrays are those of the lanes, for C.
func (g *group) arrays() (conn *C.int32_t, grad, weight, stays *C.double) {
	if len(g.stays) > 0 {
		stays = (*C.double)(&g.stays[0])
	}
	return (*C.int32_t)(unsafe.Pointer(&g.conn[0])), (*C.double)(&g.grad[0]), (*C.double)(&g.weight[0]), stays
}

// groups is how many eights there are.
func (g *group) groups() C.int64_t { return C.int64_t((len(g.elements) + lanes - 1) / lanes) }

// tangent adds that of block i at the places x to the values of k, without the stresses that stay where it is momentary;
// false where C has none of its law. where is Body's.
func (c *Cells) tangent(i int, values, x []float64, k *fem.Matrix, where []int32, momentary bool) bool {
	r := &c.runs[i]
	if !r.fast || len(r.elements) == 0 {
		return r.fast
	}
	conn, grad, weight, stays := r.arrays()
	if momentary {
		stays = nil
	}
	C.hapco_cells_stiffness(C.int(r.blk.points), C.int64_t(len(r.elements)), conn, grad, weight, stays, (*C.double)(&x[0]), r.law,
		(*C.int32_t)(unsafe.Pointer(&where[0])), (*C.int32_t)(unsafe.Pointer(&k.Index[0])), (*C.int64_t)(unsafe.Pointer(&k.ColPtr[0])), (*C.double)(&values[0]))
	return true
}

// Forces writes the internal forces at the places x to dst, N, 3 a node, and returns the smallest det F of a point,
// below 0 where a place is not finite.
func (c *Cells) Forces(dst, x []float64) (least float64) {
	clear(dst)
	least = math.Inf(1)
	for i := range c.runs {
		r := &c.runs[i]
		least = math.Min(least, r.forces(&r.group, &c.w, nil, dst, x))
	}
	return least
}

// forces adds those of a group of the run's.
func (r *run) forces(g *group, w *work, number []int32, dst, x []float64) (least float64) {
	least = math.Inf(1)
	if len(g.elements) == 0 {
		return least
	}
	if r.fast {
		conn, grad, weight, stays := g.arrays()
		return float64(C.hapco_cells(C.int(r.blk.points), g.groups(), conn, grad, weight, stays, (*C.double)(&x[0]), (*C.double)(&dst[0]), r.law))
	}
	for _, e := range g.elements {
		w.gather(r.blk, int(e), x, number)
		least = math.Min(least, r.blk.least(w))
		r.blk.forces(int(e), w)
		for a, n := range r.blk.element(int(e)) {
			at := 3 * place(n, number)
			for i := range 3 {
				dst[at+i] += w.force[a][i]
			}
		}
	}
	return least
}

// place is the number of a node.
func place(n int32, number []int32) int {
	if number != nil {
		n = number[n]
	}
	return int(n)
}

// Part is some elements of a body: their forces, and products with their tangent.
type Part struct {
	c      *Cells
	w      work
	number []int32
	groups []partGroup // by block
}

type partGroup struct {
	group
	state []float64 // of C's tangent, or the matrices of all elements
}

// Take makes p these elements of c, whose nodes are numbered anew; number is kept. Nothing allocates where p has been
// as large before.
func (p *Part) Take(c *Cells, elements []int32, number []int32) {
	p.c, p.number, p.groups = c, number, num.Grow(p.groups, len(c.runs))
	for i := range c.runs {
		r, g := &c.runs[i], &p.groups[i]
		g.elements = g.elements[:0]
		for _, e := range elements {
			if at := int(e) - r.first; at >= 0 && at < len(r.elements) {
				g.elements = append(g.elements, int32(at))
			}
		}
		if g.pack(r.blk, number); r.fast {
			g.state = num.Grow(g.state, int(C.hapco_cells_state(C.int(r.blk.points))*C.int(g.groups()))*lanes)
		} else {
			g.state = num.Grow(g.state, 9*r.blk.nodes*r.blk.nodes*len(g.elements))
		}
	}
}

// Forces is that of Cells, for the part.
func (p *Part) Forces(dst, x []float64) (least float64) {
	clear(dst)
	least = math.Inf(1)
	for i := range p.groups {
		least = math.Min(least, p.c.runs[i].forces(&p.groups[i].group, &p.w, p.number, dst, x))
	}
	return least
}

// Tangent makes K = df/dx at the places x ready for Times.
func (p *Part) Tangent(x []float64) {
	for i := range p.groups {
		r, g := &p.c.runs[i], &p.groups[i]
		if len(g.elements) == 0 {
			continue
		}
		if r.fast {
			conn, grad, weight, stays := g.arrays()
			C.hapco_cells_tangent(C.int(r.blk.points), g.groups(), conn, grad, weight, stays, (*C.double)(&x[0]), (*C.double)(&g.state[0]), r.law)
			continue
		}
		size := 9 * r.blk.nodes * r.blk.nodes
		for k, e := range g.elements {
			p.w.gather(r.blk, int(e), x, p.number)
			r.blk.tangent(int(e), &p.w, false)
			copy(g.state[k*size:], p.w.k[:size])
		}
	}
}

// Times writes K v to dst, N, 3 a node.
func (p *Part) Times(dst, v []float64) {
	clear(dst)
	for i := range p.groups {
		r, g := &p.c.runs[i], &p.groups[i]
		if len(g.elements) == 0 {
			continue
		}
		if r.fast {
			conn, grad, weight, stays := g.arrays()
			C.hapco_cells_times(C.int(r.blk.points), g.groups(), conn, grad, weight, stays, (*C.double)(&g.state[0]), (*C.double)(&v[0]), (*C.double)(&dst[0]), r.law)
			continue
		}
		size := 9 * r.blk.nodes * r.blk.nodes
		for k, e := range g.elements {
			addProduct(dst, v, g.state[k*size:(k+1)*size], r.blk.element(int(e)), p.number)
		}
	}
}

// addProduct adds the matrix of an element times v to dst.
func addProduct(dst, v, k []float64, nodes, number []int32) {
	size := 3 * len(nodes)
	for i := range size {
		s := 0.0
		for j, m := range k[i*size : (i+1)*size] {
			s += m * v[3*place(nodes[j/3], number)+j%3]
		}
		dst[3*place(nodes[i/3], number)+i%3] += s
	}
}
