package exact

import (
	"math"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/kernel"
	"hapco/physics/numerics/num"
)

// anderson accelerates the fixed-point iteration r <- g(r) of the sweep by Anderson's mixing (type II): among the
// combinations of the last few steps it takes the one whose predicted residual f = g(r) - r is smallest, in the norm of
// e_s, sum_c w_c |f_c|^2. All f here are scaled by sqrt(w_c), so that this is the plain norm.
type anderson struct {
	m, head  int       // steps kept, slot of the next
	n        int       // length of the vectors
	df, dg   []float64 // maxDepth rows of n: differences of f and of g
	f, fLast []float64
	g, gLast []float64
	gram     gram    // of the rows of df
	last     float64 // size of the last residual
}

// maxDepth is how many steps are kept: a multiple of three, since Dot3 takes three rows.
const maxDepth = 9

// regrowth of the residual at which the history is forgotten.
const regrowth = 2

// bind prepares for vectors of length n.
func (a *anderson) bind(n int) {
	a.n = n
	a.df = num.Grow(a.df, maxDepth*n)
	a.dg = num.Grow(a.dg, maxDepth*n)
	a.f = num.Grow(a.f, n)
	a.fLast = num.Grow(a.fLast, n)
	a.g = num.Grow(a.g, n)
	a.gLast = num.Grow(a.gLast, n)
	a.restart()
}

// restart forgets the history.
func (a *anderson) restart() { a.m, a.head, a.gram.known, a.last = 0, 0, 0, math.Inf(1) }

// accelerated does one sweep from r and moves r to the mixed iterate, made admissible. It returns the weighted norm of
// f at the old r, and whether the sweep came to its end before the deadline; if not, r stays. The swept forces before
// mixing remain in mix.g.
func (e *engine) accelerated(r []float64) (size float64, whole bool) {
	a := &e.mix
	n := a.n
	copy(a.g, r)
	size, whole = e.sweep(a.g, 1)
	if !whole {
		return size, false
	}
	if e.off&Mixing != 0 {
		copy(r, a.g)
		return size, true
	}
	f := a.f[:n]
	for c := range e.loc {
		w, k := math.Sqrt(e.loc[c].scale), 3*c
		f[k] = w * (a.g[k] - r[k])
		f[k+1] = w * (a.g[k+1] - r[k+1])
		f[k+2] = w * (a.g[k+2] - r[k+2])
	}
	copy(r, a.g)
	if a.mixed(r, size) {
		contact.Admit(r, e.p.Mu)
	}
	return size, true
}

// mixed moves r, which is g(r) after the step of residual f and that size, to the mixture of the last steps; false where
// there is none.
func (a *anderson) mixed(r []float64, size float64) bool {
	if size > regrowth*a.last {
		a.restart()
	}
	if a.last < math.Inf(1) { // there is a step before this one
		a.remember()
	}
	a.last = size
	a.f, a.fLast = a.fLast, a.f
	copy(a.gLast, a.g)
	if a.m == 0 {
		return false
	}
	var gamma [maxDepth]float64
	a.dots(&gamma, a.fLast)
	if !a.gram.solve(&gamma, a.m) {
		a.restart()
		return false
	}
	kernel.Combine(r, a.dg[:a.m*a.n], gamma[:a.m])
	return true
}

// remember adds the step from the last residual to the present one.
func (a *anderson) remember() {
	n := a.n
	df, dg := a.df[a.head*n:a.head*n+n], a.dg[a.head*n:a.head*n+n]
	for i := range df {
		df[i] = a.f[i] - a.fLast[i]
		dg[i] = a.g[i] - a.gLast[i]
	}
	a.m = min(a.m+1, maxDepth)
	var s [maxDepth]float64
	a.dots(&s, df)
	for j := range a.m {
		a.gram.g[a.head][j], a.gram.g[j][a.head] = s[j], s[j]
	}
	a.gram.known = min(a.gram.known, a.head)
	a.head = (a.head + 1) % maxDepth
}

// dots is the products of the kept rows of df with v, and of up to two more with whatever these hold.
func (a *anderson) dots(s *[maxDepth]float64, v []float64) {
	for j := 0; j < a.m; j += 3 {
		s[j], s[j+1], s[j+2] = kernel.Dot3(a.df[j*a.n:(j+3)*a.n], a.n, v)
	}
}

// gram is a matrix of inner products with its Cholesky factors.
type gram struct {
	g, l  [maxDepth][maxDepth]float64
	inv   [maxDepth]float64 // inverses of the diagonal of l
	known int               // rows of l that are those of g
}

// solve solves G x = b in place for the leading m unknowns; directions that depend on earlier ones get nothing. It
// reports false if G is not finite.
func (m *gram) solve(b *[maxDepth]float64, n int) bool {
	const dependent = 1e-13
	for i := m.known; i < n; i++ {
		gi, li := &m.g[i], &m.l[i]
		for j := range i {
			s, lj := gi[j], &m.l[j]
			for k := range j {
				s -= li[k] * lj[k]
			}
			li[j] = s * m.inv[j]
		}
		s := gi[i]
		for k := range i {
			s -= li[k] * li[k]
		}
		switch {
		case s > dependent*gi[i]:
			m.inv[i] = 1 / math.Sqrt(s)
		case s <= dependent*gi[i]:
			m.inv[i] = 0
		default:
			return false // NaN
		}
	}
	m.known = n
	for i := range n {
		s := b[i]
		for k := range i {
			s -= m.l[i][k] * b[k]
		}
		b[i] = s * m.inv[i]
	}
	for i := n - 1; i >= 0; i-- {
		b[i] *= m.inv[i]
		for k := range i {
			b[k] -= m.l[i][k] * b[i]
		}
	}
	return true
}
