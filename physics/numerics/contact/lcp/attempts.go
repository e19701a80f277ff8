package lcp

import (
	"math"
	"math/rand/v2"

	"hapco/physics/numerics/num"
)

// Attempts solves problems in up to three tries, with another covering vector each: ones, the square roots of the
// diagonal, and random ones from a fixed seed. Round-off can end all of them in a ray where M is singular and there is
// a solution: then M gets a little more on its diagonal, and what comes out is held against M itself.
//
// It serves one goroutine and allocates nothing once it has seen the largest problem.
type Attempts struct {
	Workspace
	cover, near []float64
	random      rand.PCG
}

// accepted is the largest violation of z >= 0, w >= 0 and z'w = 0 that is taken for a solution, relative to the
// largest |q| and |z|.
const accepted = 1e-8

// Solve finds z (length n) with w = M z + q >= 0, z >= 0, z'w = 0. The status is Solved only where z passes that test
// on M itself, and Ray where every try ended in one: then z is 0. Pivots counts those of all tries.
func (a *Attempts) Solve(m, q, z []float64) Result {
	n := len(q)
	a.cover = num.Grow(a.cover, n)
	a.random.Seed(0x1ce, uint64(n))
	var last Result
	rays, pivots := 0, 0
	for try := range 3 + len(softening) {
		cover, matrix := a.cover, m
		switch try {
		case 0:
			cover = nil
		case 1:
			for i := range cover {
				cover[i] = math.Sqrt(math.Abs(m[i*n+i]))
				if !(cover[i] > 0) {
					cover[i] = 1
				}
			}
		case 2:
			for i := range cover {
				cover[i] = 0.1 + float64(a.random.Uint64()>>11)/(1<<53)
			}
		default:
			cover = nil
			a.near = append(a.near[:0], m...)
			mean := 0.0
			for i := range n {
				mean += math.Abs(m[i*n+i]) / float64(n)
			}
			for i := range n {
				a.near[i*n+i] += softening[try-3] * mean
			}
			matrix = a.near
		}
		last = a.covered(matrix, q, cover, z, 0)
		pivots += last.Pivots
		if last.Status == Ray && try < 3 {
			rays++
		}
		if last.Status == Solved && Violation(m, q, z) <= accepted {
			last.Pivots = pivots
			return last
		}
	}
	clear(z)
	last = Result{Status: Inexact, Pivots: pivots, Residual: Residual(m, q, z)}
	if rays == 3 {
		last.Status = Ray
	}
	return last
}

// softening is what the diagonal gets, as a share of its mean, in the tries after the third.
var softening = [...]float64{1e-13, 1e-12, 1e-11, 1e-10}

// Violation is the largest of -z, relative to the largest |z| or 1, of -w, relative to the largest |q| or 1, and of |z
// w|, relative to both.
func Violation(m, q, z []float64) float64 {
	n := len(q)
	s, t := 1.0, 1.0
	for i := range n {
		s, t = math.Max(s, math.Abs(q[i])), math.Max(t, math.Abs(z[i]))
	}
	worst := 0.0
	for i := range n {
		w := q[i]
		for j, v := range m[i*n : (i+1)*n] {
			w += v * z[j]
		}
		e := math.Max(math.Max(-z[i]/t, -w/s), math.Abs(z[i]*w)/(s*t))
		if !(e <= worst) {
			worst = e
		}
	}
	return worst
}
