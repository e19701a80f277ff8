package solid

import "math"

// invariants are the coefficients, at one J, of a law of I1 = tr C, I2 = (tr(C)^2 - tr(C^2))/2 and J that is linear in
// I1 and I2:
//
//	W = w1(J) I1 + w2(J) I2 + w0(J)
//	P = w1 2F + w2 dI2/dF + W_J cof F
//
// with dI2/dF = 2 (I1 F - F C) and cof F = dJ/dF.
type invariants [3][3]float64 // w0, w1, w2, each with its first two derivatives by J

func (w *invariants) energy(f *Mat3) float64 {
	c := f.TMul(f)
	i1 := c[0] + c[4] + c[8]
	return w[0][0] + w[1][0]*i1 + w[2][0]*(i1*i1-c.Dot(&c))/2
}

func (w *invariants) stress(p, f *Mat3) {
	cof := f.Cofactor()
	if w[2] == ([3]float64{}) {
		wj := w[0][1] + w[1][1]*f.Dot(f)
		for k := range p {
			p[k] = 2*w[1][0]*f[k] + wj*cof[k]
		}
		return
	}
	c := f.TMul(f)
	i1 := c[0] + c[4] + c[8]
	i2 := (i1*i1 - c.Dot(&c)) / 2
	fc := f.Mul(&c)
	wj := w[0][1] + w[1][1]*i1 + w[2][1]*i2
	for k := range p {
		p[k] = 2*w[1][0]*f[k] + 2*w[2][0]*(i1*f[k]-fc[k]) + wj*cof[k]
	}
}

// tangentOf is
//
//	A = w1 d2I1 + w2 d2I2 + W_J d2J + W_JJ cof cof
//	    + w1' (dI1 cof + cof dI1) + w2' (dI2 cof + cof dI2)
func (w *invariants) tangent(a *Mat9, f *Mat3) {
	cof := f.Cofactor()
	c := f.TMul(f)
	i1 := c[0] + c[4] + c[8]
	i2 := (i1*i1 - c.Dot(&c)) / 2
	*a = Mat9{}
	a.diagonal(2 * w[1][0])
	a.outerBoth(2*w[1][1], f, &cof)
	a.outer(w[0][2]+w[1][2]*i1+w[2][2]*i2, &cof, &cof)
	a.curvature(w[0][1]+w[1][1]*i1+w[2][1]*i2, f)
	if w[2] == ([3]float64{}) {
		return
	}
	fc, b := f.Mul(&c), f.MulT(f)
	var g Mat3 // dI2/dF
	for k := range g {
		g[k] = 2 * (i1*f[k] - fc[k])
	}
	a.outerBoth(w[2][1], &g, &cof)
	s := 2 * w[2][0]
	a.outer(2*s, f, f)
	a.diagonal(s * i1)
	a.onDirections(-s, &c)
	a.crossed(-s, f, f)
	a.onComponents(-s, &b)
}

// NeoHookeanLog is
//
//	W = mu/2 (I1 - 3) - mu ln J + lambda/2 (ln J)^2
//	P = mu (F - F^-T) + lambda ln J F^-T
//
// With Floor > 0 the function of J goes on below J = Floor as its own parabola there: value, slope and curvature fit,
// so that a turned-over element has a finite force that turns it back. At and above Floor nothing is changed.
type NeoHookeanLog struct {
	Lambda, Mu float64 // Pa
	Floor      float64 // -; 0: none, W is infinite at J <= 0
}

func (l NeoHookeanLog) coefficients(j float64) (w invariants) {
	d := j - l.Floor
	at := j
	if l.Floor > 0 && d < 0 {
		at = l.Floor
	} else {
		d = 0
	}
	if !(at > 0) {
		w[0] = [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
		return
	}
	ln := math.Log(at)
	slope := (l.Lambda*ln - l.Mu) / at
	curve := (l.Lambda + l.Mu - l.Lambda*ln) / (at * at)
	w[0] = [3]float64{-1.5*l.Mu - l.Mu*ln + l.Lambda/2*ln*ln + slope*d + curve/2*d*d, slope + curve*d, curve}
	w[1] = [3]float64{l.Mu / 2, 0, 0}
	return w
}

func (l NeoHookeanLog) Energy(f *Mat3) float64 { w := l.coefficients(f.Det()); return w.energy(f) }

func (l NeoHookeanLog) Stress(p, f *Mat3) { w := l.coefficients(f.Det()); w.stress(p, f) }

func (l NeoHookeanLog) Tangent(a *Mat9, f *Mat3) { w := l.coefficients(f.Det()); w.tangent(a, f) }

func (l NeoHookeanLog) Scaled(shape, bulk float64) Law {
	whole("the logarithmic neo-Hookean law", shape, bulk)
	return NeoHookeanLog{l.Lambda * shape, l.Mu * shape, l.Floor}
}

// MooneyRivlin is, with Ib1 = J^(-2/3) I1 and Ib2 = J^(-4/3) I2,
//
//	W = c10 (Ib1 - 3) + c01 (Ib2 - 3) + kappa/2 (J-1)^2
//
// and with C01 = 0, C10 = mu/2 the neo-Hookean law of isochoric and volumetric parts. With Floor > 0 the powers of J go
// on below J = Floor as their own parabolas there; see NeoHookeanLog.
type MooneyRivlin struct {
	C10, C01, Kappa float64 // Pa; mu = 2 (C10 + C01)
	Floor           float64 // -; 0: none, W is infinite at J <= 0
}

// NeoHookeanIsovol is mu/2 (Ib1 - 3) + kappa/2 (J-1)^2.
func NeoHookeanIsovol(mu, kappa float64) MooneyRivlin { return MooneyRivlin{C10: mu / 2, Kappa: kappa} }

// power is x^p and its first two derivatives, below floor the parabola that fits there.
func power(x, p, floor float64) (value, slope, curve float64) {
	at, d := x, 0.0
	if floor > 0 && x < floor {
		at, d = floor, x-floor
	}
	if !(at > 0) {
		return math.Inf(1), math.Inf(1), math.Inf(1)
	}
	value = math.Pow(at, p)
	slope = p * value / at
	curve = (p - 1) * slope / at
	return value + slope*d + curve/2*d*d, slope + curve*d, curve
}

func (l MooneyRivlin) coefficients(j float64) (w invariants) {
	w[0] = [3]float64{l.Kappa/2*(j-1)*(j-1) - 3*(l.C10+l.C01), l.Kappa * (j - 1), l.Kappa}
	v, d, c := power(j, -2./3, l.Floor)
	w[1] = [3]float64{l.C10 * v, l.C10 * d, l.C10 * c}
	if l.C01 != 0 {
		v, d, c = power(j, -4./3, l.Floor)
		w[2] = [3]float64{l.C01 * v, l.C01 * d, l.C01 * c}
	}
	return w
}

func (l MooneyRivlin) Energy(f *Mat3) float64 { w := l.coefficients(f.Det()); return w.energy(f) }

func (l MooneyRivlin) Stress(p, f *Mat3) { w := l.coefficients(f.Det()); w.stress(p, f) }

func (l MooneyRivlin) Tangent(a *Mat9, f *Mat3) { w := l.coefficients(f.Det()); w.tangent(a, f) }

func (l MooneyRivlin) Scaled(shape, bulk float64) Law {
	return MooneyRivlin{l.C10 * shape, l.C01 * shape, l.Kappa * bulk, l.Floor}
}
