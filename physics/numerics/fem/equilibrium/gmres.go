package equilibrium

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// gmres solves K step = residual with the exact K, preconditioned from the left by the factor. That of the elements'
// rotation is near: a handful of rounds do.
func (s *Statics) gmres() {
	const most = 60
	n := s.k.N
	full, out := make([]float64, len(s.X)), make([]float64, len(s.X))
	times := func(dst, v []float64) {
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
	}
	b := make([]float64, n)
	s.factor.SolveFree(b, s.residual, 1)
	beta := Norm(b)
	clear(s.step)
	if beta == 0 {
		return
	}
	basis := [][]float64{scaledBy(b, 1/beta)}
	var h [][]float64 // columns of the Hessenberg matrix, turned upper
	var cs, sn []float64
	g := []float64{beta}
	for k := range most {
		w := make([]float64, n)
		times(w, basis[k])
		col := make([]float64, k+2)
		for range 2 { // twice is enough
			for j, v := range basis {
				d := Inner(v, w)
				col[j] += d
				for i := range w {
					w[i] -= d * v[i]
				}
			}
		}
		col[k+1] = Norm(w)
		next := col[k+1]
		for j := range k {
			col[j], col[j+1] = cs[j]*col[j]+sn[j]*col[j+1], -sn[j]*col[j]+cs[j]*col[j+1]
		}
		r := math.Hypot(col[k], col[k+1])
		cs, sn = append(cs, col[k]/r), append(sn, col[k+1]/r)
		col[k], col[k+1] = r, 0
		g = append(g, -sn[k]*g[k])
		g[k] *= cs[k]
		h = append(h, col)
		if math.Abs(g[k+1]) <= 1e-13*beta || next <= 1e-14*beta {
			break
		}
		basis = append(basis, scaledBy(w, 1/next))
	}
	y := make([]float64, len(h))
	for i := len(h) - 1; i >= 0; i-- {
		y[i] = g[i]
		for j := i + 1; j < len(h); j++ {
			y[i] -= h[j][i] * y[j]
		}
		y[i] /= h[i][i]
	}
	for j, v := range y {
		for i := range s.step {
			s.step[i] += v * basis[j][i]
		}
	}
}

func Inner(a, b []float64) float64 { return floats.Dot(a, b) }

func Norm(a []float64) float64 { return math.Sqrt(Inner(a, a)) }

func scaledBy(a []float64, s float64) []float64 {
	out := make([]float64, len(a))
	for i, x := range a {
		out[i] = s * x
	}
	return out
}
