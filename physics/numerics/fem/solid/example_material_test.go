package solid

import (
	"math/rand/v2"
	"testing"
)

// polynomial is a material, with J = det F:
//
//	W = mu/2 (F:F - 3) - mu (J - 1) + lambda/2 (J - 1)^2
//	P = dW/dF = mu F + (lambda (J - 1) - mu) cof F
//	dP/dF     = mu I + lambda cof F x cof F + (lambda (J - 1) - mu) d(cof F)/dF
type polynomial struct{ lambda, mu float64 } // Pa

// Energy implements Law.
func (l polynomial) Energy(f *Mat3) float64 {
	j := f.Det() - 1
	return l.mu/2*(f.Dot(f)-3) - l.mu*j + l.lambda/2*j*j
}

// Stress implements Law.
func (l polynomial) Stress(p, f *Mat3) {
	c, s := f.Cofactor(), l.lambda*(f.Det()-1)-l.mu
	for k := range p {
		p[k] = l.mu*f[k] + s*c[k]
	}
}

// Tangent implements Law.
func (l polynomial) Tangent(a *Mat9, f *Mat3) {
	*a = Mat9{}
	c := f.Cofactor()
	a.diagonal(l.mu)
	a.outer(l.lambda, &c, &c)
	a.curvature(l.lambda*(f.Det()-1)-l.mu, f)
}

// Splits implements Law: there is no isochoric part.
func (polynomial) Splits() bool { return false }

// Scaled implements Law.
func (l polynomial) Scaled(shape, bulk float64) Law {
	whole("the polynomial law", shape, bulk)
	return polynomial{l.lambda * shape, l.mu * shape}
}

// What every law is tested for: the stress is the slope of the energy, the tangent that
// of the stress; and no stress at rest.
func TestExampleMaterial(t *testing.T) {
	lambda, mu := Lame(5000, 0.4)
	l := polynomial{lambda, mu}
	for _, f := range states(rand.New(rand.NewPCG(3, 4))) {
		checkDerivatives(t, "polynomial", l, f)
	}
	var p Mat3
	if l.Stress(&p, &Identity); p != (Mat3{}) {
		t.Errorf("at rest P = %v", p)
	}
}
