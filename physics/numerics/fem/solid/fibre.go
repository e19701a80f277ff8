package solid

import "math"

// Fibre is a matrix with fibres along one direction a0, which carry no compression [Holzapfel, Gasser, Ogden 2000].
// With I4 = |F a0|^2 and g = max(0, I4 - 1):
//
//	W = W_matrix + k1/(2 k2) (exp(k2 g^2) - 1)
//	P = P_matrix + 2 k1 g exp(k2 g^2) F a0 a0^T
//
// k2 = 0 is the limit k1/2 g^2. The stress is continuous; the tangent jumps where the fibres slacken.
type Fibre struct {
	Matrix    Law
	K1        float64    // Pa
	K2        float64    // -, 0 or more
	Direction [3]float64 // a0 at rest, of length 1
}

// steepest bounds the exponent, so that no stretch makes an infinite force.
const steepest = 200

// coefficients are F a0, and W, dW/dI4 and d2W/dI4^2 of the fibres.
func (l Fibre) coefficients(f *Mat3) (fa [3]float64, w, w4, w44 float64) {
	a := l.Direction
	for i := range 3 {
		fa[i] = f[3*i]*a[0] + f[3*i+1]*a[1] + f[3*i+2]*a[2]
	}
	g := dot(fa, fa) - 1
	if !(g > 0) {
		return fa, 0, 0, 0
	}
	x := l.K2 * g * g
	if x < 1e-12 {
		return fa, l.K1 / 2 * g * g, l.K1 * g, l.K1
	}
	if x > steepest { // goes on as a parabola
		x0 := float64(steepest)
		g0 := math.Sqrt(x0 / l.K2)
		e := math.Exp(x0)
		slope, curve := l.K1*g0*e, l.K1*(1+2*x0)*e
		d := g - g0
		return fa, l.K1/(2*l.K2)*(e-1) + slope*d + curve/2*d*d, slope + curve*d, curve
	}
	e := math.Exp(x)
	return fa, l.K1 / (2 * l.K2) * math.Expm1(x), l.K1 * g * e, l.K1 * (1 + 2*x) * e
}

func (l Fibre) Energy(f *Mat3) float64 {
	_, w, _, _ := l.coefficients(f)
	return l.Matrix.Energy(f) + w
}

func (l Fibre) Stress(p, f *Mat3) {
	l.Matrix.Stress(p, f)
	fa, _, w4, _ := l.coefficients(f)
	if w4 == 0 {
		return
	}
	for i := range 3 {
		for j := range 3 {
			p[3*i+j] += 2 * w4 * fa[i] * l.Direction[j]
		}
	}
}

// Tangent adds 2 W4 d_ik a_J a_L + 4 W44 (Fa)_i a_J (Fa)_k a_L.
func (l Fibre) Tangent(a *Mat9, f *Mat3) {
	l.Matrix.Tangent(a, f)
	fa, _, w4, w44 := l.coefficients(f)
	if w44 == 0 {
		return
	}
	var aa, m Mat3
	for i := range 3 {
		for j := range 3 {
			aa[3*i+j] = l.Direction[i] * l.Direction[j]
			m[3*i+j] = fa[i] * l.Direction[j]
		}
	}
	a.onDirections(2*w4, &aa)
	a.outer(4*w44, &m, &m)
}

// Scaled counts the fibres to the isochoric part.
func (l Fibre) Scaled(shape, bulk float64) Law {
	return Fibre{l.Matrix.Scaled(shape, bulk), l.K1 * shape, l.K2, l.Direction}
}
