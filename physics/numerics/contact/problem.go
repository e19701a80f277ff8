package contact

import (
	"fmt"
	"math"

	"hapco/physics/numerics/contact/internal/kernel"
	"hapco/physics/numerics/num"
)

// Validate reports the first thing that makes p no problem: a slice of the wrong length, a value that is not finite, a
// negative friction coefficient, a negative diagonal entry of W, motions that are no factor of it.
func (p *Problem) Validate() error {
	n := 3 * p.N
	switch {
	case p.N < 0:
		return fmt.Errorf("contact: %d contacts; give 0 or more", p.N)
	case len(p.W) != n*n:
		return fmt.Errorf("contact: W has %d entries for %d contacts; give %d", len(p.W), p.N, n*n)
	case len(p.Q) != n:
		return fmt.Errorf("contact: q has %d entries for %d contacts; give %d", len(p.Q), p.N, n)
	case len(p.Mu) != p.N:
		return fmt.Errorf("contact: mu has %d entries for %d contacts; give %d", len(p.Mu), p.N, p.N)
	case p.ID != nil && len(p.ID) != p.N:
		return fmt.Errorf("contact: %d identities for %d contacts; give %d or none", len(p.ID), p.N, p.N)
	}
	for c, mu := range p.Mu {
		if !(mu >= 0) || math.IsInf(mu, 0) {
			return fmt.Errorf("contact: friction coefficient %g of contact %d; give a finite number, 0 or more", mu, c)
		}
	}
	for i, q := range p.Q {
		if !num.Finite(q) {
			return fmt.Errorf("contact: q[%d] = %g; give a finite number", i, q)
		}
	}
	for i, w := range p.W {
		if !num.Finite(w) {
			return fmt.Errorf("contact: W[%d,%d] = %g; give a finite number", i/n, i%n, w)
		}
	}
	for i := range n {
		if w := p.W[i*n+i]; w < 0 {
			return fmt.Errorf("contact: W[%d,%d] = %g; a Delassus operator has no negative diagonal entry", i, i, w)
		}
	}
	if p.Motions != nil && !p.Motions.factor(p) {
		return fmt.Errorf("contact: the motions G are no factor of W; give W = G G^T, or none")
	}
	return nil
}

// Displacements writes x = W r + q (2.61) to dst (3N).
func (p *Problem) Displacements(dst, r []float64) {
	for c := range p.N {
		dst[3*c], dst[3*c+1], dst[3*c+2] = p.DisplacementsAt(c, r)
	}
}

// DisplacementsAt is x = W r + q of contact c alone, from all forces r (3N).
func (p *Problem) DisplacementsAt(c int, r []float64) (xn, xt1, xt2 float64) {
	q := p.Q[3*c : 3*c+3 : 3*c+3]
	if b := p.Blocks; b != nil {
		i, k := b.Row[c], b.Row[c+1]
		xn, xt1, xt2 = kernel.BlockRow(b.Val[12*i:12*k], b.Col[i:k], r)
	} else {
		n := 3 * p.N
		xn, xt1, xt2 = kernel.Dot3(p.W[3*c*n:(3*c+3)*n], n, r)
	}
	return xn + q[0], xt1 + q[1], xt2 + q[2]
}

// Block is W_ab, the displacement of contact a per force at contact b.
func (p *Problem) Block(a, b int) (w [3][3]float64) {
	n := 3 * p.N
	for i := range 3 {
		k := (3*a+i)*n + 3*b
		copy(w[i][:], p.W[k:k+3])
	}
	return w
}

// RhoMin is the smallest 1/W_ii (3.1), N/m; 0 if no diagonal entry is positive.
func (p *Problem) RhoMin() float64 {
	n, big := 3*p.N, 0.0
	for i := range n {
		if w := p.W[i*n+i]; w > big {
			big = w
		}
	}
	if big == 0 {
		return 0
	}
	return 1 / big
}

// LocalStiffness is (rho_n, rho_t) of contact c (3.2), N/m: 1/W_nn and lambda_min/lambda_max^2 of W_tt. A W_tt of rank
// one would make the latter 0, and a tangential force would never grow: 1/lambda_max stands in for it. A value is 0
// where W says nothing about it.
func (p *Problem) LocalStiffness(c int) (rhoN, rhoT float64) {
	n := 3 * p.N
	d := 3*c*n + 3*c
	if w := p.W[d]; w > 0 {
		rhoN = 1 / w
	}
	a, b, e := p.W[d+n+1], (p.W[d+n+2]+p.W[d+2*n+1])/2, p.W[d+2*n+2]
	mean, radius := (a+e)/2, math.Hypot((a-e)/2, b)
	least, most := mean-radius, mean+radius
	switch {
	case !(most > 0):
	case least > 1e-12*most:
		rhoT = least / (most * most)
	default:
		rhoT = 1 / most
	}
	return rhoN, rhoT
}
