package finitestrain

import (
	"math"

	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/num"
)

// mixing is Anderson's: of the last corrections d_k at places x_k it takes the combination, with weights that add up to
// 1, whose correction is smallest, and goes on from there. Differences are taken within a step, where the tool stands
// still, and serve in later ones too.
type mixing struct {
	dx, dd [][]float64 // differences of places, and of corrections: room for them
	n      int         // that are remembered
	next   int
	x, d   []float64 // of the last correction
	has    bool
	gram   []float64
	right  []float64
}

// restart forgets the last correction, not the differences.
func (m *mixing) restart() { m.has = false }

func (m *mixing) forget() { m.n, m.next, m.has = 0, 0, false }

// mix turns a correction du at places x into the mixed one.
func (m *mixing) mix(du, x []float64, k *fem.Matrix, memory int) {
	if m.d == nil {
		m.x, m.d = make([]float64, len(du)), make([]float64, len(du))
		for range memory {
			m.dx, m.dd = append(m.dx, make([]float64, len(du))), append(m.dd, make([]float64, len(du)))
		}
		m.gram, m.right = make([]float64, memory*memory), make([]float64, memory)
	}
	if m.has {
		at := m.next % len(m.dx)
		m.n = max(m.n, at+1)
		m.next++
		a, b := m.dx[at], m.dd[at]
		for i, n := range k.FreeNode {
			for c := range 3 {
				a[3*i+c] = x[3*int(n)+c] - m.x[3*i+c]
				b[3*i+c] = du[3*i+c] - m.d[3*i+c]
			}
		}
	}
	for i, n := range k.FreeNode {
		copy(m.x[3*i:3*i+3], x[3*n:3*n+3])
	}
	copy(m.d, du)
	m.has = true
	n := m.n
	if n == 0 {
		return
	}
	// least squares |du - sum g_j dd_j|, slightly damped
	m.gram, m.right = num.Grow(m.gram, n*n), num.Grow(m.right, n)
	for i := range n {
		for j := range i + 1 {
			v := equilibrium.Inner(m.dd[i], m.dd[j])
			m.gram[i*n+j], m.gram[j*n+i] = v, v
		}
		m.gram[i*n+i] *= 1 + 1e-6
		m.right[i] = equilibrium.Inner(m.dd[i], du)
	}
	if !solveSmall(m.gram, m.right, n) {
		m.forget()
		return
	}
	for j, g := range m.right {
		a, b := m.dx[j], m.dd[j]
		for i := range du {
			du[i] -= g * (a[i] + b[i])
		}
	}
}

// solveSmall solves a positive definite system in place, by Cholesky.
func solveSmall(a, b []float64, n int) bool {
	for j := range n {
		d := a[j*n+j]
		for k := range j {
			d -= a[j*n+k] * a[j*n+k]
		}
		if !(d > 1e-12*a[j*n+j]) {
			return false
		}
		d = math.Sqrt(d)
		a[j*n+j] = d
		for i := j + 1; i < n; i++ {
			v := a[i*n+j]
			for k := range j {
				v -= a[i*n+k] * a[j*n+k]
			}
			a[i*n+j] = v / d
		}
	}
	for i := range n {
		for k := range i {
			b[i] -= a[i*n+k] * b[k]
		}
		b[i] /= a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= a[k*n+i] * b[k]
		}
		b[i] /= a[i*n+i]
	}
	return true
}
