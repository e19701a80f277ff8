// Package mixing accelerates fixed-point iterations.
package mixing

import (
	"math"

	"hapco/physics/numerics/contact/internal/kernel"
	"hapco/physics/numerics/num"
)

// Anderson accelerates the fixed-point iteration r <- g(r) of a sweep by Anderson's mixing (type II): among the
// combinations of the last few steps it takes the one whose predicted residual f = g(r) - r is smallest, in the norm of
// e_s, sum_c w_c |f_c|^2. All f here are scaled by sqrt(w_c), so that this is the plain norm.
//
// [Anderson 1965] Iterative procedures for nonlinear integral equations, J. ACM 12.
// [Walker, Ni 2011] Anderson acceleration for fixed-point iterations, SIAM J. Numer. Anal. 49.
type Anderson struct {
	F, G []float64 // the caller writes f and g of a step here

	depth, m, head int       // steps kept at most, and by now; slot of the next
	n              int       // length of the vectors
	df, dg         []float64 // rows of n: differences of f and of g
	fLast, gLast   []float64
	gram           Gram    // of the rows of df
	last           float64 // size of the last residual
}

// Most is how many steps are kept at most: a multiple of three, since rows are taken by three.
const Most = 9

// regrowth of the residual at which the history is forgotten.
const regrowth = 2

// Begin prepares for vectors of length n, of which so many steps are kept.
func (a *Anderson) Begin(n, depth int) {
	a.n, a.depth = n, depth
	rows := (depth + 2) / 3 * 3
	a.df = num.Grow(a.df, rows*n)
	a.dg = num.Grow(a.dg, rows*n)
	for _, v := range []*[]float64{&a.F, &a.fLast, &a.G, &a.gLast} {
		*v = num.Grow(*v, n)
	}
	a.Forget()
}

// Forget drops the steps kept.
func (a *Anderson) Forget() { a.m, a.head, a.gram.known, a.last = 0, 0, 0, math.Inf(1) }

// Mix moves r, which is G after a step of residual F of that size, to the mixture of the last steps; false where there
// is none.
func (a *Anderson) Mix(r []float64, size float64) bool {
	if size > regrowth*a.last {
		a.Forget()
	}
	if a.last < math.Inf(1) { // there is a step before this one
		a.remember()
	}
	a.last = size
	a.F, a.fLast = a.fLast, a.F
	copy(a.gLast, a.G)
	if a.m == 0 {
		return false
	}
	var gamma [Most]float64
	a.dots(&gamma, a.fLast)
	if !a.gram.Solve(&gamma, a.m) {
		a.Forget()
		return false
	}
	kernel.Combine(r, a.dg[:a.m*a.n], gamma[:a.m])
	return true
}

// remember adds the step from the last residual to the present one.
func (a *Anderson) remember() {
	n := a.n
	df, dg := a.df[a.head*n:a.head*n+n], a.dg[a.head*n:a.head*n+n]
	for i := range df {
		df[i] = a.F[i] - a.fLast[i]
		dg[i] = a.G[i] - a.gLast[i]
	}
	a.m = min(a.m+1, a.depth)
	var s [Most]float64
	a.dots(&s, df)
	for j := range a.m {
		a.gram.G[a.head][j], a.gram.G[j][a.head] = s[j], s[j]
	}
	a.gram.known = min(a.gram.known, a.head)
	a.head = (a.head + 1) % a.depth
}

// dots is the products of the kept rows of df with v, and of up to two more with whatever these hold.
func (a *Anderson) dots(s *[Most]float64, v []float64) {
	for j := 0; j < a.m; j += 3 {
		s[j], s[j+1], s[j+2] = kernel.Dot3(a.df[j*a.n:(j+3)*a.n], a.n, v)
	}
}

// Gram is a matrix G of inner products with its Cholesky factors.
type Gram struct {
	G, l  [Most][Most]float64
	inv   [Most]float64 // inverses of the diagonal of l
	known int           // rows of l that are those of g
}

// Solve solves G x = b in place for the leading m unknowns; directions that depend on earlier ones get nothing. It
// reports false if G is not finite.
func (m *Gram) Solve(b *[Most]float64, n int) bool {
	const dependent = 1e-13
	for i := m.known; i < n; i++ {
		gi, li := &m.G[i], &m.l[i]
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
