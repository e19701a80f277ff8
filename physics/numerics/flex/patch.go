package flex

/*
#include "delassus.h"
*/
import "C"

import (
	"runtime"
	"slices"
	"unsafe"

	"hapco/physics/numerics/num"
)

// Patch is the part of a compliance that steps work with at present: the nodes around the contacts, copied together.
// Rows of the compliance of a large surface lie far apart, and a step that read its few columns there would wait for
// memory at each; the patch is small, stays in the processor's caches, and changes by the few nodes that come and go.
// So what a step costs follows the contacts and not the nodes of the body.
//
// Nodes are named by their row, their place among the compliance's nodes, and stand in slots 0..Len()-1 of the patch.
// One goroutine.
type Patch struct {
	c     *Compliance
	room  int       // slots that data has room for
	rows  []int32   // of each slot
	slot  []int32   // of each row; -1: not here
	used  []uint32  // of each slot: when it was brought in last
	front int       // the nodes that carry forces stand in the first slots
	borne []uint32  // of those: when they did last
	now   uint32    // counts calls of Trim
	data  []float64 // C[rows, rows], 3 room to a row
	block []float64 // workspace
	stale bool      // something is missing in data, or a blend has gone on
	order []int32   // the slots by their rows: workspace of complete
	full  int       // slots of which data is there, of a compliance stored as one matrix

	// Of one that is not:
	missing []bool    // of each slot: data is not there yet
	parts   [2]*Patch // of a blend: its two ends, the same nodes in the same slots; the first may be nil
	ends    [2]*Patch // memory for parts
	compact []float64 // workspace of refresh
}

// idle is for how many calls of Trim a node stays without being brought in again: long enough for one that comes and
// goes with the rounding of a step.
const idle = 8

// Bind makes p an empty patch of c, with room for that many nodes before it has to allocate.
func (p *Patch) Bind(c *Compliance, room int) {
	p.c, p.stale = c, c.other != nil
	p.rows, p.used, p.missing, p.full = p.rows[:0], p.used[:0], p.missing[:0], 0
	p.parts = [2]*Patch{}
	if blend, ok := c.other.(*Blend); ok {
		for i, end := range [2]*Compliance{blend.from, blend.to} {
			if end != nil {
				if p.ends[i] == nil {
					p.ends[i] = new(Patch)
				}
				p.parts[i] = p.ends[i]
				p.parts[i].Bind(end, room)
			}
		}
	}
	if cap(p.slot) < c.N {
		p.slot = make([]int32, c.N)
	}
	p.slot = p.slot[:c.N]
	for i := range p.slot {
		p.slot[i] = -1
	}
	p.grow(min(room, c.N))
}

// grow makes room for at least n nodes.
func (p *Patch) grow(n int) {
	n = (n + 3) &^ 3 // rows of whole vectors
	if n <= p.room {
		return
	}
	data := make([]float64, 9*n*n+1) // three numbers are read as four
	for i := range 3 * len(p.rows) {
		copy(data[3*n*i:], p.data[3*p.room*i:3*p.room*i+3*len(p.rows)])
	}
	p.data, p.room = data, n
	p.rows = append(make([]int32, 0, n), p.rows...)
	p.used = append(make([]uint32, 0, n), p.used...)
	p.borne = append(make([]uint32, 0, n), p.borne...)
	p.order = make([]int32, 0, n)
}

// Renew tells that the compliance, a blend, has gone on.
func (p *Patch) Renew() { p.stale = p.stale || p.c.other != nil }

// Trim lets nodes go that nobody brought in lately; slots change.
func (p *Patch) Trim() {
	p.now++
	for s := p.front - 1; s >= 0; s-- {
		if p.now-p.borne[s] > idle {
			p.front--
			p.swap(s, p.front)
		}
	}
	for s := len(p.rows) - 1; s >= 0; s-- {
		if p.now-p.used[s] > idle {
			p.drop(s)
		}
	}
}

// drop lets the node in slot s go; the last slot's takes its place.
func (p *Patch) drop(s int) {
	if s < p.front {
		p.front--
		p.swap(s, p.front)
		s = p.front
	}
	p.swap(s, len(p.rows)-1)
	p.pop()
}

// pop lets the last slot's node go.
func (p *Patch) pop() {
	last := len(p.rows) - 1
	p.full = min(p.full, last)
	p.slot[p.rows[last]] = -1
	p.rows, p.used, p.borne = p.rows[:last], p.used[:last], p.borne[:last]
	if p.c.other != nil {
		p.missing = p.missing[:last]
	}
	for _, part := range p.parts {
		if part != nil {
			part.pop()
		}
	}
}

// swap exchanges the nodes of two slots.
func (p *Patch) swap(a, b int) {
	if a == b {
		return
	}
	p.complete()
	n, m := 3*p.room, 3*len(p.rows)
	for d := range 3 {
		x, y := p.data[(3*a+d)*n:][:m], p.data[(3*b+d)*n:][:m]
		for i, v := range x {
			x[i], y[i] = y[i], v
		}
	}
	for i := range m {
		x, y := p.data[i*n+3*a:][:3], p.data[i*n+3*b:][:3]
		x[0], x[1], x[2], y[0], y[1], y[2] = y[0], y[1], y[2], x[0], x[1], x[2]
	}
	p.rows[a], p.rows[b] = p.rows[b], p.rows[a]
	p.used[a], p.used[b] = p.used[b], p.used[a]
	p.borne[a], p.borne[b] = p.borne[b], p.borne[a]
	p.slot[p.rows[a]], p.slot[p.rows[b]] = int32(a), int32(b)
	if p.c.other != nil {
		p.missing[a], p.missing[b] = p.missing[b], p.missing[a]
	}
	for _, part := range p.parts {
		if part != nil {
			part.swap(a, b)
		}
	}
}

// Bring brings a node in, unless it is here, and returns its slot.
func (p *Patch) Bring(row int32) int32 {
	for _, part := range p.parts {
		if part != nil {
			part.Bring(row)
		}
	}
	if s := p.slot[row]; s >= 0 {
		p.used[s] = p.now
		return s
	}
	s := len(p.rows)
	if s == p.room {
		p.grow(2 * p.room)
	}
	p.rows, p.used, p.borne = append(p.rows, row), append(p.used, p.now), append(p.borne, 0)
	p.slot[row] = int32(s)
	p.stale = true
	if p.c.other != nil {
		p.missing = append(p.missing, true)
	}
	return int32(s)
}

// complete fills in what is missing of a compliance that is stored as one matrix. Many nodes together take far less
// than one after the other, each of which is a column of a large matrix.
func (p *Patch) complete() {
	if p.c.other != nil || p.full == len(p.rows) {
		return
	}
	p.order = p.order[:0]
	for s := range p.rows {
		p.order = append(p.order, int32(s))
	}
	slices.SortFunc(p.order, func(a, b int32) int { return int(p.rows[a] - p.rows[b]) })
	double, single := p.c.stored()
	C.hapco_patch_fill(double, single, C.int64_t(3*p.c.N), (*C.int32_t)(&p.rows[0]), (*C.int32_t)(&p.order[0]), C.int64_t(p.full), C.int64_t(len(p.rows)), (*C.double)(&p.data[0]), C.int64_t(3*p.room))
	runtime.KeepAlive(p.c)
	p.full = len(p.rows)
}

// refresh fills in what is missing, or combines the two ends of a blend anew.
func (p *Patch) refresh() {
	p.stale = false
	n := 3 * len(p.rows)
	if n == 0 {
		return
	}
	if p.c.other == nil {
		p.complete()
		return
	}
	if p.parts[1] != nil {
		p.combine(n)
		return
	}
	lacking := 0
	for _, missing := range p.missing {
		if missing {
			lacking++
		}
	}
	if 8*lacking < len(p.rows) {
		for s, missing := range p.missing {
			if missing {
				p.fill(s)
			}
		}
	} else if lacking > 0 {
		p.compact = num.Grow(p.compact, n*n)
		p.c.gather(p.compact, p.rows)
		for i := range n {
			copy(p.data[3*p.room*i:3*p.room*i+n], p.compact[n*i:n*i+n])
		}
	}
	clear(p.missing)
}

// fill asks for one slot's blocks.
func (p *Patch) fill(s int) {
	for t, other := range p.rows {
		block := p.c.Block(p.rows[s], other)
		for r := range 3 {
			copy(p.data[3*p.room*(3*s+r)+3*t:][:3], block[3*r:3*r+3])
			for k := range 3 {
				p.data[3*p.room*(3*t+k)+3*s+r] = block[3*r+k]
			}
		}
	}
}

// combine mixes the two ends of a blend.
func (p *Patch) combine(n int) {
	s := p.c.other.(*Blend).Share()
	for i, part := range p.parts {
		if part != nil && part.stale {
			part.refresh()
		}
		share := s
		if i == 0 {
			share = 1 - s
		}
		for row := range n {
			to := p.data[3*p.room*row:][:n]
			if i == 0 {
				clear(to)
			}
			if part == nil {
				continue
			}
			for k, x := range part.data[3*part.room*row:][:n] {
				to[k] += share * x
			}
		}
	}
	clear(p.missing)
}

// Slot is where a node is, -1 where it is not here.
func (p *Patch) Slot(row int32) int32 { return p.slot[row] }

// Spread writes the forces on some nodes, 3 a node, to a dense vector over the first slots, as Displace takes it,
// reusing its memory. It brings the nodes in and to the front, so that slots change, though not those that an earlier
// vector is about.
func (p *Patch) Spread(dense []float64, rows []int32, forces []float64) []float64 {
	for i, row := range rows {
		if f := forces[3*i : 3*i+3]; f[0] == 0 && f[1] == 0 && f[2] == 0 {
			continue
		}
		s := int(p.Bring(row))
		if s >= p.front {
			p.swap(s, p.front)
			s = p.front
			p.front++
		}
		p.borne[s] = p.now
	}
	n := (3*p.front + 3) &^ 3 // a whole number of vectors
	if cap(dense) < n {
		dense = make([]float64, n, max(n, 3*p.room))
	}
	dense = dense[:n]
	clear(dense)
	for i, row := range rows {
		if s := int(p.slot[row]); s >= 0 && s < p.front {
			copy(dense[3*s:3*s+3], forces[3*i:3*i+3])
		}
	}
	return dense
}

// Displace computes the displacements of the nodes in some slots under forces on the patch: dst = C[slots, :] dense, 3
// a node of slots, at E = 1 Pa. dense is what Spread made since the last Trim.
func (p *Patch) Displace(dst []float64, slots []int32, dense []float64) {
	if len(dst) != 3*len(slots) || len(dense) > 3*p.room || len(dense)&3 != 0 {
		panic("flex: Patch.Displace: wrong lengths")
	}
	if len(slots) == 0 {
		return
	}
	if len(dense) == 0 {
		clear(dst)
		return
	}
	if p.stale {
		p.refresh()
	}
	C.hapco_patch_displace((*C.double)(&p.data[0]), C.int64_t(3*p.room), C.int64_t(len(dense)),
		(*C.int32_t)(&slots[0]), C.int64_t(len(slots)), (*C.double)(&dense[0]), (*C.double)(&dst[0]), p.workspace(len(dense)))
}

// Link ties one contact to the body: the contact point is the weighted mean of up to three nodes (2.48), and the
// contact's axes are seen from the body. Its layout is that of hapco_link in delassus.h.
type Link struct {
	Contact, Count int32
	Sign           float64    // +1 where the body carries P, -1 where it carries Q
	Node           [3]int32   // of the body's surface
	Slot           [3]int32   // Node's place among the active nodes
	Weight         [3]float64 // sum 1
	Frame          [9]float64 // n, t1, t2 in body axes
}

// AddDelassus adds the body's share to the upper block triangle of the Delassus operator, H K^-1 H^T (2.62), row-major
// n x n, m/N:
//
//	W_fe += scale s_e s_f sum_kl b_k b_l F_f^T C_lk F_e    for links f <= e
//
// and its transpose where e and f are the two ends of one contact: a body that touches itself. active are the slots of
// the nodes that links refer to, scale is 1/E. Links must be in ascending order of their contacts. Anew it does not add
// to W but overwrites it; with whole, W is complete and is made symmetric.
func (p *Patch) AddDelassus(w []float64, n int, links []Link, active []int32, scale float64, anew, whole bool) {
	if n == 0 {
		return
	}
	if len(w) < n*n || len(links) > 0 && n < 3*int(links[len(links)-1].Contact)+3 {
		panic("flex: AddDelassus: W is too small for the contacts")
	}
	if p.stale {
		p.refresh()
	}
	C.hapco_delassus((*C.double)(&p.data[0]), C.int64_t(3*p.room), (*C.int32_t)(unsafe.SliceData(active)),
		(*C.hapco_link)(unsafe.Pointer(unsafe.SliceData(links))), C.int64_t(len(links)), C.double(scale),
		(*C.double)(&w[0]), C.int64_t(n), p.workspace(3*(3*C.HAPCO_LINKS+4)*len(active)), C.bool(anew), C.bool(whole))
}

// workspace has room for that many numbers, and, so that it seldom grows, for as many as AddDelassus takes of all nodes.
func (p *Patch) workspace(need int) *C.double {
	if cap(p.block) < need {
		p.block = make([]float64, max(need, 3*(3*C.HAPCO_LINKS+4)*min(p.room, 1024)))
	}
	return (*C.double)(unsafe.SliceData(p.block))
}
