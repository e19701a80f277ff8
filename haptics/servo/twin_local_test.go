package servo

import "math"

// localSolve is the force of one contact that obeys Signorini and Coulomb for
// x = A r + b: open, sticking, or the root of the sliding equation between two
// brackets. ok is false where A or b make no sense; the force is then one
// inside the cone all the same.
func localSolve(a []float64, b *[3]float64, mu float64) (r [3]float64, ok bool) {
	if !(a[0] > 0) || !(b[0] < 0) {
		return r, b[0] >= 0
	}
	rn := -b[0] / a[0]
	if !(rn <= maxContact) {
		return r, false
	}
	if !(mu > 0) || !(mu <= 1e3) {
		r[0] = rn
		return r, mu == 0
	}
	// condensed on the normal row
	h1, h2 := a[1]/a[0], a[2]/a[0]
	s11 := a[4] - a[3]*h1
	s12 := 0.5 * (a[5] + a[7] - a[3]*h2 - a[6]*h1)
	s22 := a[8] - a[6]*h2
	c1 := b[1] + a[3]*rn
	c2 := b[2] + a[6]*rn
	c := math.Sqrt(c1*c1 + c2*c2)
	if !(c > 0) {
		r[0] = rn
		return r, c == 0
	}
	tr := s11 + s22
	det := s11*s22 - s12*s12
	solid := det > 1e-14*tr*tr && s11 > 0
	if solid {
		t1 := -(s22*c1 - s12*c2) / det
		t2 := -(s11*c2 - s12*c1) / det
		n := rn - h1*t1 - h2*t2
		if n >= 0 && n <= maxContact && t1*t1+t2*t2 <= mu*mu*n*n {
			return [3]float64{n, t1, t2}, true
		}
	}
	// slide: S + s I with |t| = mu n; g = mu n / |t| - 1 grows with s
	lo := 0.0
	if !solid {
		e := 0.5 * (tr - math.Sqrt((s11-s22)*(s11-s22)+4*s12*s12))
		if e < 0 {
			lo = -e
		}
		lo += 1e-14 * (math.Abs(s11) + math.Abs(s22))
	}
	glo, ghi := -1.0, 0.0
	hi := lo + c/(mu*rn)
	if guess := c/(mu*rn) - 0.5*tr; guess > lo && guess < hi { // exact for a round S and no coupling
		hi = guess
	}
	var n, t1, t2, t float64
	found := false
	for i := range 60 {
		n, t1, t2, t = slide(s11, s12, s22, c1, c2, h1, h2, rn, hi)
		ghi = mu*n/t - 1
		if ghi >= 0 {
			found = true
			break
		}
		lo, glo = hi, ghi
		if i == 0 {
			hi *= 1.25
		} else {
			hi *= 4
		}
	}
	if !found {
		r[0] = rn
		return r, false
	}
	side := 0
	for range 60 {
		if ghi <= slideTolerance {
			break
		}
		s := lo + (hi-lo)*glo/(glo-ghi)
		if !(s > lo && s < hi) {
			s = 0.5 * (lo + hi)
			if !(s > lo && s < hi) {
				break
			}
		}
		n, t1, t2, t = slide(s11, s12, s22, c1, c2, h1, h2, rn, s)
		g := mu*n/t - 1
		if math.Abs(g) <= slideTolerance {
			break
		}
		if g > 0 {
			hi, ghi = s, g
			if side == 1 {
				glo *= 0.5
			}
			side = 1
		} else {
			lo, glo = s, g
			if side == -1 {
				ghi *= 0.5
			}
			side = -1
		}
	}
	if !(n >= 0 && n <= maxContact) || !(t > 0 && t <= math.MaxFloat64) {
		r[0] = rn
		return r, false
	}
	f := mu * n / t
	return [3]float64{n, f * t1, f * t2}, true
}

// slide is the force for one value of s: tangential (t1, t2) of length t, and normal n.
func slide(s11, s12, s22, c1, c2, h1, h2, rn, s float64) (n, t1, t2, t float64) {
	u, v := s11+s, s22+s
	det := u*v - s12*s12
	t1 = -(v*c1 - s12*c2) / det
	t2 = -(u*c2 - s12*c1) / det
	n = rn - h1*t1 - h2*t2
	t = math.Sqrt(t1*t1 + t2*t2)
	return n, t1, t2, t
}

func isFinite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
