package flex

/*
#include "delassus.h"
*/
import "C"

import (
	"math"
	"runtime"
)

// gather writes the part between the active nodes, (3 active)^2, row-major.
func (c *Compliance) gather(compact []float64, active []int32) {
	if c.other != nil {
		c.other.gather(compact, active)
		return
	}
	double, single := c.stored()
	C.hapco_gather(double, single, C.int64_t(3*c.N), (*C.int32_t)(&active[0]), C.int64_t(len(active)), (*C.double)(&compact[0]))
	runtime.KeepAlive(c)
}

// stored is where the numbers are: one of the two is nil.
func (c *Compliance) stored() (double *C.double, single *C.float) {
	if c.C != nil {
		return (*C.double)(&c.C[0]), nil
	}
	return nil, (*C.float)(&c.Single[0])
}

// Displace adds the displacements under forces on some of the nodes: u += C[:,S] f_S, at E = 1 Pa (divide the forces by
// E). dst is flat, 3N; nodes are indices into the compliance's nodes, forces flat, 3 a node of nodes. Allocates
// nothing.
func (c *Compliance) Displace(dst []float64, nodes []int32, forces []float64) {
	if len(dst) != 3*c.N || len(forces) != 3*len(nodes) {
		panic("flex: Displace: wrong lengths")
	}
	if len(nodes) == 0 {
		return
	}
	if c.other != nil {
		c.other.displace(dst, nodes, forces)
		return
	}
	full, at, count := C.int64_t(3*c.N), (*C.int32_t)(&nodes[0]), C.int64_t(len(nodes))
	f, u := (*C.double)(&forces[0]), (*C.double)(&dst[0])
	if double, single := c.stored(); double != nil {
		C.hapco_displace(double, full, at, count, f, u)
	} else {
		C.hapco_displace_single(single, full, at, count, f, u)
	}
	runtime.KeepAlive(c)
}

// DisplaceAt computes the displacements of some nodes only, wanted, under forces on some: dst = C[wanted,S] f_S, 3 a
// node of wanted, otherwise as Displace. Its cost does not depend on N.
func (c *Compliance) DisplaceAt(dst []float64, wanted, nodes []int32, forces []float64) {
	if len(dst) != 3*len(wanted) || len(forces) != 3*len(nodes) {
		panic("flex: DisplaceAt: wrong lengths")
	}
	if len(wanted) == 0 {
		return
	}
	if len(nodes) == 0 {
		clear(dst)
		return
	}
	if c.other != nil {
		c.other.displaceAt(dst, wanted, nodes, forces)
		return
	}
	full, want, wants := C.int64_t(3*c.N), (*C.int32_t)(&wanted[0]), C.int64_t(len(wanted))
	at, count := (*C.int32_t)(&nodes[0]), C.int64_t(len(nodes))
	f, u := (*C.double)(&forces[0]), (*C.double)(&dst[0])
	if double, single := c.stored(); double != nil {
		C.hapco_displace_at(double, full, want, wants, at, count, f, u)
	} else {
		C.hapco_displace_at_single(single, full, want, wants, at, count, f, u)
	}
	runtime.KeepAlive(c)
}

// SelfCompliance bounds how far a unit of force can move the node that it acts on: the largest eigenvalue of a diagonal
// block, m/N at E = 1 Pa. With u = C f, node i moves no farther than sqrt(SelfCompliance(i) f^T C f), by the inequality
// of Cauchy and Schwarz in the energy's scalar product.
func (c *Compliance) SelfCompliance(node int32) float64 {
	b := c.Block(node, node)
	// of a positive matrix: below its trace and below its largest row sum
	rows := 0.0
	for r := range 3 {
		rows = max(rows, math.Abs(b[3*r])+math.Abs(b[3*r+1])+math.Abs(b[3*r+2]))
	}
	return min(rows, b[0]+b[4]+b[8])
}

// Turn writes F^T c F, c being the compliance between contacts in the world's axes and F their frames with rows n, t1, t2:
// both matrices are 3m x 3m, row-major and symmetric, and of c the upper block triangle is read. rows is room for 9m numbers.
func Turn(dst, c, frames, rows []float64) {
	m := len(frames) / 9
	if len(dst) != 9*m*m || len(c) != len(dst) || len(rows) != len(frames) {
		panic("flex: Turn: wrong lengths")
	}
	if m > 0 {
		C.hapco_turn((*C.double)(&dst[0]), (*C.double)(&c[0]), (*C.double)(&frames[0]), C.int64_t(m), (*C.double)(&rows[0]))
	}
}

// AddProduct adds a^T b to w, which is n x n; a and b have k rows of n numbers.
func AddProduct(w, a, b []float64, k int) {
	n := len(a) / k
	if len(a) != k*n || len(b) != k*n || len(w) != n*n {
		panic("flex: AddProduct: wrong lengths")
	}
	if n > 0 {
		C.hapco_add_product((*C.double)(&w[0]), (*C.double)(&a[0]), (*C.double)(&b[0]), C.int64_t(n), C.int64_t(k))
	}
}
