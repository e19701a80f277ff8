package contact

import "math"

// Motions says how rigid bodies move contacts: W = G G^T, x = G v + q, with velocities v of six components a body, in
// which its mass matrix is the identity.
type Motions struct {
	Bodies int
	A, B   []int32   // N, the bodies of a contact; -1: none that moves
	G      []float64 // 36 a contact: its three rows about A, then about B
}

// motionsError is the share of a diagonal entry that W and G G^T may differ by: rounding.
const motionsError = 1e-10

// factor tells whether m is a factor of the W of p.
func (m *Motions) factor(p *Problem) bool {
	if len(m.A) != p.N || len(m.B) != p.N || len(m.G) != 36*p.N {
		return false
	}
	n := 3 * p.N
	for c := range p.N {
		for d := range c + 1 {
			var w [9]float64
			m.block(&w, c, d)
			for k, v := range w {
				i, j := 3*c+k/3, 3*d+k%3
				most := motionsError * math.Sqrt(math.Abs(p.W[i*n+i]*p.W[j*n+j]))
				if !(math.Abs(p.W[i*n+j]-v) <= most) || !(math.Abs(p.W[j*n+i]-v) <= most) {
					return false
				}
			}
		}
	}
	return true
}

// block adds what contacts c and d have of G G^T to w, by rows.
func (m *Motions) block(w *[9]float64, c, d int) {
	for i, a := range [2]int32{m.A[c], m.B[c]} {
		for j, b := range [2]int32{m.A[d], m.B[d]} {
			if a != b || a < 0 {
				continue
			}
			g, h := m.G[36*c+18*i:36*c+18*i+18], m.G[36*d+18*j:36*d+18*j+18]
			for r := range 3 {
				for s := range 3 {
					for k := range 6 {
						w[3*r+s] += g[6*r+k] * h[6*s+k]
					}
				}
			}
		}
	}
}
