package equilibrium

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"hapco/physics/numerics/fem"
)

// ritz turns v into the best approximations in its span of the vectors with K v w^2 = M v, each of length 1 in the
// metric of K, and gives their 1/w^2, largest first. k holds K; scratch is as large as v.
func ritz(k *fem.Matrix, mass []float64, v, scratch [][]float64) ([]float64, error) {
	n := len(v)
	// K-orthonormal, by Gram-Schmidt twice
	kv := make([]float64, k.N)
	for j := range v {
		for range 2 {
			k.MulVec(kv, v[j])
			for i := range j {
				d := Inner(kv, v[i])
				for r := range v[j] {
					v[j][r] -= d * v[i][r]
				}
			}
			k.MulVec(kv, v[j])
			s := Inner(kv, v[j])
			if !(s > 0) {
				return nil, errors.New("equilibrium: modal analysis: the search space is too large for the body (ask for fewer frequencies)")
			}
			s = 1 / math.Sqrt(s)
			for r := range v[j] {
				v[j][r] *= s
			}
		}
	}
	m := mat.NewSymDense(n, nil)
	for j := range v {
		Multiply(k, mass, scratch[j], v[j])
		for i := range j + 1 {
			m.SetSym(i, j, Inner(v[i], scratch[j]))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(m, true) {
		return nil, errors.New("equilibrium: modal analysis: no eigenvalues (check the material)")
	}
	var q mat.Dense
	e.VectorsTo(&q)
	values := make([]float64, n)
	for j := range n {
		from := n - 1 - j // ascending there
		values[j] = e.Values(nil)[from]
		clear(scratch[j])
		for i := range n {
			c := q.At(i, from)
			for r, x := range v[i] {
				scratch[j][r] += c * x
			}
		}
	}
	for j := range v {
		copy(v[j], scratch[j])
	}
	return values, nil
}
