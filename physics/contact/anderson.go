package contact

import "math"

// anderson accelerates the fixed-point iteration r <- g(r) of the sweep by
// Anderson's mixing (type II): among the combinations of the last few steps it
// takes the one whose predicted residual f = g(r) - r is smallest. The norm is
// that of e_s, sum_c w_c |f_c|^2.
type anderson struct {
	depth, m, head int       // most steps kept, steps kept, slot of the next
	n              int       // length of the vectors
	df, dg         []float64 // depth x n: differences of f and of g
	f, fLast, g    []float64
	gLast          []float64
	gram           [maxDepth][maxDepth]float64
	last           float64
}

const maxDepth = 8

// bind prepares for vectors of length n.
func (a *anderson) bind(n, depth int) {
	a.n, a.depth = n, depth
	a.df = growTo(a.df, depth*n)
	a.dg = growTo(a.dg, depth*n)
	a.f = growTo(a.f, n)
	a.fLast = growTo(a.fLast, n)
	a.g = growTo(a.g, n)
	a.gLast = growTo(a.gLast, n)
	a.restart()
}

// restart forgets the history.
func (a *anderson) restart() { a.m, a.head, a.last = 0, 0, math.Inf(1) }

// accelerated does one sweep from r and moves r to the mixed iterate, made
// admissible. It returns the weighted norm of f at the old r, and whether the
// sweep came to its end before the deadline; if not, r stays. The swept forces
// before mixing remain in mix.g.
func (e *engine) accelerated(r []float64, omega float64) (size float64, whole bool) {
	a := &e.mix
	n := a.n
	copy(a.g, r)
	size, whole = e.sweep(a.g, omega)
	if !whole {
		return size, false
	}
	for i := range r {
		a.f[i] = a.g[i] - r[i]
	}
	if size > 2*a.last {
		a.restart()
	}
	if a.last < math.Inf(1) { // there is a step before this one
		df, dg := a.df[a.head*n:a.head*n+n], a.dg[a.head*n:a.head*n+n]
		for i := range df {
			df[i] = a.f[i] - a.fLast[i]
			dg[i] = a.g[i] - a.gLast[i]
		}
		a.m = min(a.m+1, a.depth)
		for j := range a.m {
			s := e.inner(df, a.df[j*n:j*n+n])
			a.gram[a.head][j], a.gram[j][a.head] = s, s
		}
		a.head = (a.head + 1) % a.depth
	}
	a.last = size
	copy(a.fLast, a.f)
	copy(a.gLast, a.g)
	copy(r, a.g)
	if a.m > 0 {
		var gamma [maxDepth]float64
		for j := range a.m {
			gamma[j] = e.inner(a.f, a.df[j*n:j*n+n])
		}
		if !solveGram(&a.gram, &gamma, a.m) {
			a.restart()
			return size, true
		}
		for j := range a.m {
			g := gamma[j]
			for i, d := range a.dg[j*n : j*n+n] {
				r[i] -= g * d
			}
		}
		Admit(r, e.p.Mu)
	}
	return size, true
}

// inner is sum_c w_c u_c.v_c.
func (e *engine) inner(u, v []float64) float64 {
	s := 0.0
	for c := range e.loc {
		k := 3 * c
		s += e.loc[c].scale * (u[k]*v[k] + u[k+1]*v[k+1] + u[k+2]*v[k+2])
	}
	return s
}

// solveGram solves G x = b in place for the leading m unknowns by Cholesky
// with a slight damping; false if G is not finite.
func solveGram(g *[maxDepth][maxDepth]float64, b *[maxDepth]float64, m int) bool {
	var l [maxDepth][maxDepth]float64
	for i := range m {
		for j := range i + 1 {
			s := g[i][j]
			if i == j {
				s *= 1 + 1e-12
			}
			for k := range j {
				s -= l[i][k] * l[j][k]
			}
			if i != j {
				l[i][j] = s / l[j][j]
				continue
			}
			if !(s > 1e-14*g[i][i]) {
				if !(s <= 1e-14*g[i][i]) {
					return false
				}
				s = math.Inf(1) // drop a dependent direction
			}
			l[i][i] = math.Sqrt(s)
		}
	}
	for i := range m {
		for k := range i {
			b[i] -= l[i][k] * b[k]
		}
		b[i] /= l[i][i]
	}
	for i := m - 1; i >= 0; i-- {
		for k := i + 1; k < m; k++ {
			b[i] -= l[k][i] * b[k]
		}
		b[i] /= l[i][i]
	}
	return true
}
