package equilibrium

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"hapco/physics/numerics/num"
)

// gmres solves K step = residual with the exact K, preconditioned from the left by the factor. That of the elements'
// rotation is near: a handful of rounds do.
func (s *Statics) gmres() {
	const most = 60
	full, out := make([]float64, len(s.X)), make([]float64, len(s.X))
	b := make([]float64, s.k.N)
	s.factor.SolveFree(b, s.residual, 1)
	var space Krylov
	space.Solve(s.step, b, most, 1e-13*Norm(b), func(dst, v []float64) bool {
		clear(full)
		s.each(func(free, dof int) {
			if !s.held[dof] {
				full[dof] = v[free]
			}
		})
		s.Body.MulTangent(out, s.X, full)
		if s.moreTimes != nil {
			s.moreTimes(out, full)
		}
		s.each(func(free, dof int) {
			dst[free] = 0
			if !s.held[dof] {
				dst[free] = out[dof]
			}
		})
		s.factor.SolveFree(dst, dst, 1)
		return true
	})
}

// Krylov is room for GMRES [Saad, Schultz 1986]. Nothing allocates once it is large enough.
type Krylov struct {
	basis []float64 // v0, v1, ...
	upper []float64 // columns of Hessenberg's matrix, turned upper
	turns [][2]float64
	left  []float64
}

// Solve finds x with A x = b, in so many rounds at most, until no more than end is missing to b. times is dst = A v, or
// false where x is to be made of the directions before v.
func (k *Krylov) Solve(x, b []float64, most int, end float64, times func(dst, v []float64) bool) {
	size := len(b)
	k.basis, k.upper = num.Grow(k.basis, (most+1)*size), num.Grow(k.upper, (most+1)*most)
	k.turns, k.left = num.Grow(k.turns, most), num.Grow(k.left, most+1)
	v := func(j int) []float64 { return k.basis[j*size : (j+1)*size] }
	column := func(j int) []float64 { return k.upper[j*(most+1) : (j+1)*(most+1)] }
	beta := Norm(b)
	clear(x)
	if beta == 0 {
		return
	}
	k.left[0] = beta
	floats.ScaleTo(v(0), 1/beta, b)
	n := 0
	for n < most && math.Abs(k.left[n]) > end {
		w, c := v(n+1), column(n)
		if !times(w, v(n)) {
			break
		}
		clear(c)
		for range 2 { // twice is enough
			for j := range n + 1 {
				d := Inner(v(j), w)
				c[j] += d
				floats.AddScaled(w, -d, v(j))
			}
		}
		next := Norm(w)
		c[n+1] = next
		for j, t := range k.turns[:n] {
			c[j], c[j+1] = t[0]*c[j]+t[1]*c[j+1], -t[1]*c[j]+t[0]*c[j+1]
		}
		r := math.Hypot(c[n], c[n+1])
		t := [2]float64{c[n] / r, c[n+1] / r}
		k.turns[n], c[n] = t, r
		k.left[n+1] = -t[1] * k.left[n]
		k.left[n] *= t[0]
		if n++; next <= 1e-14*beta {
			break
		}
		floats.Scale(1/next, w)
	}
	for i := n - 1; i >= 0; i-- {
		y := k.left[i]
		for j := i + 1; j < n; j++ {
			y -= column(j)[i] * k.left[j]
		}
		k.left[i] = y / column(i)[i]
	}
	for j, y := range k.left[:n] {
		floats.AddScaled(x, y, v(j))
	}
}

func Inner(a, b []float64) float64 { return floats.Dot(a, b) }

func Norm(a []float64) float64 { return math.Sqrt(Inner(a, a)) }
