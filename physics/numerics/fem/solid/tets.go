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

	"hapco/physics/numerics/fem"
)

// Tets computes the forces of linear tetrahedra, eight at a time in vector registers: some ten times as fast as
// Body.Forces. Any goroutine may use it.
type Tets struct {
	runs   []run
	conn   []int32
	grad   []float64
	volume []float64
}

// run is the elements of one law: a block of the body.
type run struct {
	formula
	first, count  int // elements of the body
	group, groups int // of lanes
}

// formula is a law as C computes it, or as Go does where C has none of it.
type formula struct {
	law                        C.int
	lambda, mu, floor, barrier float64

	any Law // one element at a time
}

func formulaOf(law Law) formula {
	f := formula{floor: math.Inf(-1)}
	inner := law
	if w, ok := law.(Barrier); ok {
		f.barrier, inner = w.Stiffness, w.Law
	}
	switch l := inner.(type) {
	case Corotational:
		f.law, f.lambda, f.mu = C.HAPCO_COROTATIONAL, l.Lambda, l.Mu
	case NeoHookeanLog:
		f.law, f.lambda, f.mu = C.HAPCO_NEO_HOOKEAN, l.Lambda, l.Mu
		if l.Floor > 0 {
			f.floor = l.Floor
		}
	default:
		f.any = law
	}
	return f
}

// newTets is the fast form of a body of linear tetrahedra, a law a block. That is fast where the law is corotational or
// neo-Hookean with a logarithm, in a Barrier or not; with any other it is as slow as Body. ok is false for other
// elements.
func newTets(b *Body) (t *Tets, ok bool) {
	t = &Tets{}
	const lanes = C.HAPCO_LANES
	first := 0
	for _, blk := range b.blocks {
		if blk.nodes != 4 || blk.kind != Full || blk.stays != nil {
			return nil, false
		}
		r := run{formula: formulaOf(blk.law), first: first, count: blk.len(), group: len(t.volume) / lanes, groups: (blk.len() + lanes - 1) / lanes}
		first += r.count
		t.runs = append(t.runs, r)
		for i := range r.groups * lanes {
			// an empty lane computes its group's first element, which is not empty
			from, empty := i, i >= r.count
			if empty {
				from = i / lanes * lanes
			}
			g, l := r.group+i/lanes, i%lanes
			if l == 0 {
				t.conn = append(t.conn, make([]int32, 4*lanes)...)
				t.grad = append(t.grad, make([]float64, 9*lanes)...)
				t.volume = append(t.volume, make([]float64, lanes)...)
			}
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
	return t, len(t.volume) > 0
}

// tangent adds that of block i at the places x to the values of k; false where C has none of its law. where is Body's.
func (t *Tets) tangent(i int, values, x []float64, k *fem.Matrix, where []int32) bool {
	const lanes = C.HAPCO_LANES
	r := &t.runs[i]
	if r.any != nil || r.count == 0 {
		return r.any == nil
	}
	C.hapco_tets_stiffness(C.int64_t(r.count), (*C.int32_t)(unsafe.Pointer(&t.conn[4*lanes*r.group])), (*C.double)(&t.grad[9*lanes*r.group]), (*C.double)(&t.volume[lanes*r.group]), (*C.double)(&x[0]),
		r.law, C.double(r.lambda), C.double(r.mu), C.double(r.floor), C.double(r.barrier),
		(*C.int32_t)(unsafe.Pointer(&where[0])), (*C.int32_t)(unsafe.Pointer(&k.Index[0])), (*C.int64_t)(unsafe.Pointer(&k.ColPtr[0])), (*C.double)(&values[0]))
	return true
}

// Forces writes the internal forces at the places x to dst, N, 3 a node, and returns the smallest det F, below 0 where
// a place is not finite.
func (t *Tets) Forces(dst, x []float64) (least float64) {
	clear(dst)
	least = math.Inf(1)
	for i := range t.runs {
		r := &t.runs[i]
		least = math.Min(least, r.forces(r.group, r.groups, t.conn, t.grad, t.volume, dst, x))
	}
	return least
}

// forces adds those of some groups of lanes.
func (f *formula) forces(group, groups int, conn []int32, grad, volume, dst, x []float64) (least float64) {
	if groups == 0 {
		return math.Inf(1)
	}
	const lanes = C.HAPCO_LANES
	conn, grad, volume = conn[4*lanes*group:4*lanes*(group+groups)], grad[9*lanes*group:], volume[lanes*group:lanes*(group+groups)]
	if f.any != nil {
		return anyForces(f.any, conn, grad, volume, dst, x)
	}
	return float64(C.hapco_tets(C.int64_t(groups), (*C.int32_t)(unsafe.Pointer(&conn[0])), (*C.double)(&grad[0]), (*C.double)(&volume[0]),
		(*C.double)(&x[0]), (*C.double)(&dst[0]), f.law, C.double(f.lambda), C.double(f.mu), C.double(f.floor), C.double(f.barrier)))
}

// Part is some elements of a Tets: their forces, and products with their tangent.
type Part struct {
	t            *Tets
	ends         []int // by run: of its groups of lanes
	conn         []int32
	grad, volume []float64
	state        []float64
	tangents     []Mat9 // of any law
}

// Take makes p these elements of t, whose nodes are numbered anew. Nothing allocates where p has been as large before.
func (p *Part) Take(t *Tets, elements []int32, number []int32) {
	const lanes = C.HAPCO_LANES
	p.t, p.ends = t, p.ends[:0]
	groups := 0
	for i := range t.runs {
		in := 0
		for _, e := range elements {
			if t.runs[i].has(e) {
				in++
			}
		}
		groups += (in + lanes - 1) / lanes
		p.ends = append(p.ends, groups)
	}
	size := groups * lanes
	if cap(p.volume) < size {
		room := size + size/2
		p.conn, p.grad = make([]int32, 4*room), make([]float64, 9*room)
		p.volume, p.state = make([]float64, room), make([]float64, C.HAPCO_TANGENT*room)
	}
	p.conn, p.grad, p.volume, p.state = p.conn[:4*size], p.grad[:9*size], p.volume[:size], p.state[:C.HAPCO_TANGENT*size]
	at := 0
	for i := range t.runs {
		r := &t.runs[i]
		for _, e := range elements {
			if r.has(e) {
				from := r.group*lanes + int(e) - r.first
				p.put(at, from, number)
				p.volume[at] = t.volume[from]
				at++
			}
		}
		for ; at < p.ends[i]*lanes; at++ { // empty lanes: the group's first element without volume
			first := at / lanes * lanes
			g, h, l := at/lanes, first/lanes, at%lanes
			for k := range 4 {
				p.conn[(g*4+k)*lanes+l] = p.conn[(h*4+k)*lanes]
			}
			for k := range 9 {
				p.grad[(g*9+k)*lanes+l] = p.grad[(h*9+k)*lanes]
			}
			p.volume[at] = 0
		}
	}
}

// has tells whether an element of the body is one of the run's.
func (r *run) has(e int32) bool { return int(e) >= r.first && int(e) < r.first+r.count }

// put copies an element from its lane of p.t.
func (p *Part) put(at, from int, number []int32) {
	const lanes = C.HAPCO_LANES
	g, l, h, m := at/lanes, at%lanes, from/lanes, from%lanes
	for k := range 4 {
		p.conn[(g*4+k)*lanes+l] = number[p.t.conn[(h*4+k)*lanes+m]]
	}
	for k := range 9 {
		p.grad[(g*9+k)*lanes+l] = p.t.grad[(h*9+k)*lanes+m]
	}
}

// groups are the first group of run i, and how many there are.
func (p *Part) groups(i int) (first, count int) {
	if i > 0 {
		first = p.ends[i-1]
	}
	return first, p.ends[i] - first
}

// Forces is that of Tets, for the part.
func (p *Part) Forces(dst, x []float64) (least float64) {
	clear(dst)
	least = math.Inf(1)
	for i := range p.ends {
		group, groups := p.groups(i)
		least = math.Min(least, p.t.runs[i].forces(group, groups, p.conn, p.grad, p.volume, dst, x))
	}
	return least
}

// Tangent makes K = df/dx at the places x ready for Times.
func (p *Part) Tangent(x []float64) {
	const lanes = C.HAPCO_LANES
	for i := range p.ends {
		f := &p.t.runs[i].formula
		group, groups := p.groups(i)
		switch {
		case groups == 0:
		case f.any != nil:
			if cap(p.tangents) < len(p.volume) {
				p.tangents = make([]Mat9, len(p.volume)+len(p.volume)/2)
			}
			p.tangents = p.tangents[:len(p.volume)]
			for e := group * lanes; e < (group+groups)*lanes; e++ {
				g := gradientOf(p.conn, p.grad, x, e)
				f.any.Tangent(&p.tangents[e], &g)
			}
		default:
			C.hapco_tets_tangent(C.int64_t(groups), (*C.int32_t)(unsafe.Pointer(&p.conn[4*lanes*group])), (*C.double)(&p.grad[9*lanes*group]), (*C.double)(&x[0]),
				(*C.double)(&p.state[C.HAPCO_TANGENT*lanes*group]), f.law, C.double(f.lambda), C.double(f.mu), C.double(f.floor), C.double(f.barrier))
		}
	}
}

// Times writes K v to dst, N, 3 a node.
func (p *Part) Times(dst, v []float64) {
	const lanes = C.HAPCO_LANES
	clear(dst)
	for i := range p.ends {
		f := &p.t.runs[i].formula
		group, groups := p.groups(i)
		switch {
		case groups == 0:
		case f.any != nil:
			for e := group * lanes; e < (group+groups)*lanes; e++ {
				g := gradientOf(p.conn, p.grad, v, e)
				q := p.tangents[e].Times(&g)
				spread(dst, &q, p.conn, p.grad, p.volume[e], e)
			}
		default:
			C.hapco_tets_times(C.int64_t(groups), (*C.int32_t)(unsafe.Pointer(&p.conn[4*lanes*group])), (*C.double)(&p.grad[9*lanes*group]), (*C.double)(&p.volume[lanes*group]),
				(*C.double)(&p.state[C.HAPCO_TANGENT*lanes*group]), (*C.double)(&v[0]), (*C.double)(&dst[0]), f.law, C.double(f.lambda), C.double(f.mu))
		}
	}
}

// gradientOf is the gradient of a field at the nodes of element e, 3 a node: sum of v_a grad N_a. That of node 0 is
// less the sum of the others'.
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

// anyForces adds the forces of any law to dst and gives the smallest det F, below 0 where a place is not finite.
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
