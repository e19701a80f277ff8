package solid

import "math"

// barrierAt is the J below which Barrier acts.
const barrierAt = 0.3

// Barrier keeps elements from turning over: below J0 = 0.3 it adds, to any law,
//
//	-k (J - J0)^2 ln(J/J0)
//
// which grows beyond all bounds as J goes to 0, and fits at J0 with its first two derivatives. Above J0 nothing is
// changed, to the last bit.
type Barrier struct {
	Law
	Stiffness float64 // k, Pa
}

// of J: value, slope and curvature.
func (b Barrier) of(j float64) (w, w1, w2 float64) {
	if j >= barrierAt {
		return 0, 0, 0
	}
	if !(j > 0) {
		return math.Inf(1), math.Inf(-1), math.Inf(1)
	}
	d, ln := j-barrierAt, math.Log(j/barrierAt)
	return -b.Stiffness * d * d * ln, -b.Stiffness * (2*d*ln + d*d/j), -b.Stiffness * (2*ln + 4*d/j - d*d/(j*j))
}

// Energy is W.
func (b Barrier) Energy(f *Mat3) float64 {
	w, _, _ := b.of(f.Det())
	return b.Law.Energy(f) + w
}

// Stress is P.
func (b Barrier) Stress(p, f *Mat3) {
	b.Law.Stress(p, f)
	if _, w1, _ := b.of(f.Det()); w1 != 0 {
		c := f.Cofactor()
		for k := range p {
			p[k] += w1 * c[k]
		}
	}
}

// Tangent is dP/dF.
func (b Barrier) Tangent(a *Mat9, f *Mat3) {
	b.Law.Tangent(a, f)
	if _, w1, w2 := b.of(f.Det()); w2 != 0 {
		c := f.Cofactor()
		a.outer(w2, &c, &c)
		a.curvature(w1, f)
	}
}

// Scaled scales the law and its barrier.
func (b Barrier) Scaled(shape, bulk float64) Law {
	return Barrier{b.Law.Scaled(shape, bulk), b.Stiffness * bulk}
}
