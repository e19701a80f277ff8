package solid

import "math"

// Law is a hyperelastic material: the energy of a deformation gradient and its first two derivatives. A Law is not
// changed once made; any goroutine may use it.
type Law interface {
	Energy(f *Mat3) float64   // W, J/m^3
	Stress(p, f *Mat3)        // p = dW/dF, Pa
	Tangent(a *Mat9, f *Mat3) // a = dP/dF, Pa; symmetric

	// Scaled is the law whose isochoric part counts shape times and whose volumetric part bulk times. Laws without such
	// parts take shape == bulk only.
	Scaled(shape, bulk float64) Law
}

// Splits tells whether a law has an isochoric and a volumetric part.
func Splits(law Law) bool {
	switch l := law.(type) {
	case MooneyRivlin, Ogden:
		return true
	case Fibre:
		return Splits(l.Matrix)
	case Barrier:
		return Splits(l.Law)
	}
	return false
}

// Lame gives the constants of Lame for Young's modulus in Pa and Poisson's ratio: lambda = E nu/((1+nu)(1-2nu)), mu =
// E/(2(1+nu)), in Pa (1.5).
func Lame(young, poisson float64) (lambda, mu float64) {
	return young * poisson / ((1 + poisson) * (1 - 2*poisson)), young / (2 * (1 + poisson))
}

// whole panics unless both factors are the same: a caller's bug.
func whole(law string, shape, bulk float64) {
	if shape != bulk {
		panic("solid: " + law + " has no isochoric part to scale")
	}
}

// Linear is the law of small strains, with e = sym(F) - I:
//
//	W = mu e:e + lambda/2 tr(e)^2
//	P = 2 mu e + lambda tr(e) I
//
// It takes a rotation for a strain.
type Linear struct{ Lambda, Mu float64 } // Pa

func (l Linear) strain(f *Mat3) (e Mat3, trace float64) {
	for i := range 3 {
		for j := range 3 {
			e[3*i+j] = (f[3*i+j] + f[3*j+i]) / 2
		}
		e[4*i]--
	}
	return e, e[0] + e[4] + e[8]
}

func (l Linear) Energy(f *Mat3) float64 {
	e, tr := l.strain(f)
	return l.Mu*e.Dot(&e) + l.Lambda/2*tr*tr
}

func (l Linear) Stress(p, f *Mat3) {
	e, tr := l.strain(f)
	for k := range p {
		p[k] = 2*l.Mu*e[k] + l.Lambda*tr*Identity[k]
	}
}

// Tangent is A_iJkL = mu (d_ik d_JL + d_iL d_kJ) + lambda d_iJ d_kL.
func (l Linear) Tangent(a *Mat9, _ *Mat3) {
	*a = Mat9{}
	a.diagonal(l.Mu)
	a.crossed(l.Mu, &Identity, &Identity)
	a.outer(l.Lambda, &Identity, &Identity)
}

func (l Linear) Scaled(shape, bulk float64) Law {
	whole("the linear law", shape, bulk)
	return Linear{l.Lambda * shape, l.Mu * shape}
}

// Corotational is the linear law in the frame that turns with each point (1.9 to 1.12), with F = R U:
//
//	W = mu |F-R|^2 + lambda/2 (tr U - 3)^2
//	P = 2 mu (F-R) + lambda (tr U - 3) R
//
// On a linear tetrahedron that is f = R K0 (R^T x - X).
type Corotational struct{ Lambda, Mu float64 } // Pa

func (l Corotational) Energy(f *Mat3) float64 {
	r := Rotation(f)
	tr, sum := r.Dot(f)-3, 0.0
	for k := range r {
		sum += (f[k] - r[k]) * (f[k] - r[k])
	}
	return l.Mu*sum + l.Lambda/2*tr*tr
}

func (l Corotational) Stress(p, f *Mat3) {
	r := Rotation(f)
	c := l.Lambda*(r.Dot(f)-3) - 2*l.Mu
	for k := range p {
		p[k] = 2*l.Mu*f[k] + c*r[k]
	}
}

// Tangent is A = 2 mu I + lambda R R + (lambda (tr U - 3) - 2 mu) dR/dF. The turn of R under dF is R [w]x with (tr(U)
// I - U) w = axial(R^T dF - dF^T R).
func (l Corotational) Tangent(a *Mat9, f *Mat3) {
	r := Rotation(f)
	u := r.TMul(f)
	tr := u[0] + u[4] + u[8]
	*a = Mat9{}
	a.diagonal(2 * l.Mu)
	a.outer(l.Lambda, &r, &r)
	turn := turning(&u)
	c := l.Lambda*(tr-3) - 2*l.Mu
	// e[p] is R [e_p]x, and by the same token e[p] : dF is component p of that axial vector
	var e [3]Mat3
	for p := range 3 {
		m, n := (p+1)%3, (p+2)%3 // [e_p]x has -1 at (m,n) and +1 at (n,m)
		for i := range 3 {
			e[p][3*i+n] = -r[3*i+m]
			e[p][3*i+m] = r[3*i+n]
		}
	}
	for p := range 3 {
		for q := range 3 {
			a.outer(c*turn[3*p+q], &e[p], &e[q])
		}
	}
}

// turning is (tr(U) I - U)^-1. Where two values of U cancel, any turn costs nothing: the inverse is then bounded.
func turning(u *Mat3) Mat3 {
	tr := u[0] + u[4] + u[8]
	g := Mat3{tr - u[0], -(u[1] + u[3]) / 2, -(u[2] + u[6]) / 2, -(u[1] + u[3]) / 2, tr - u[4], -(u[5] + u[7]) / 2, -(u[2] + u[6]) / 2, -(u[5] + u[7]) / 2, tr - u[8]}
	c := g.Cofactor()
	det := g[0]*c[0] + g[1]*c[1] + g[2]*c[2]
	size := math.Sqrt(g.Dot(&g))
	if !(det > 1e-6*size*size*size) {
		var v Mat3
		values := eigen(&g, &v)
		out := Mat3{}
		for k, x := range values {
			x = math.Max(x, 1e-2*size+1e-12)
			for i := range 3 {
				for j := range 3 {
					out[3*i+j] += v[3*i+k] * v[3*j+k] / x
				}
			}
		}
		return out
	}
	for k := range c {
		c[k] /= det
	}
	return c // symmetric
}

func (l Corotational) Scaled(shape, bulk float64) Law {
	whole("the corotational law", shape, bulk)
	return Corotational{l.Lambda * shape, l.Mu * shape}
}

// StVenantKirchhoff is linear in Green's strain E (1.13 to 1.19):
//
//	W = lambda/2 tr(E)^2 + mu E:E
//	S = lambda tr(E) I + 2 mu E,  P = F S
//
// It gives way under strong compression: below a stretch of 0.58 (uniaxial) it pushes back less the more it is pressed.
type StVenantKirchhoff struct{ Lambda, Mu float64 } // Pa

func green(f *Mat3) (e Mat3, trace float64) {
	e = f.TMul(f)
	for k := range e {
		e[k] = (e[k] - Identity[k]) / 2
	}
	return e, e[0] + e[4] + e[8]
}

func (l StVenantKirchhoff) Energy(f *Mat3) float64 {
	e, tr := green(f)
	return l.Lambda/2*tr*tr + l.Mu*e.Dot(&e)
}

func (l StVenantKirchhoff) second(f *Mat3) Mat3 {
	e, tr := green(f)
	for k := range e {
		e[k] = 2*l.Mu*e[k] + l.Lambda*tr*Identity[k]
	}
	return e
}

func (l StVenantKirchhoff) Stress(p, f *Mat3) {
	s := l.second(f)
	*p = f.Mul(&s)
}

// Tangent is A_iJkL = d_ik S_JL + lambda F_iJ F_kL + mu (F_iL F_kJ + (F F^T)_ik d_JL).
func (l StVenantKirchhoff) Tangent(a *Mat9, f *Mat3) {
	s := l.second(f)
	*a = Mat9{}
	a.onDirections(1, &s)
	l.material(a, f)
}

// material adds the part of the tangent that has no stress in it.
func (l StVenantKirchhoff) material(a *Mat9, f *Mat3) {
	b := f.MulT(f)
	a.outer(l.Lambda, f, f)
	a.crossed(l.Mu, f, f)
	a.onComponents(l.Mu, &b)
}

// split is the tangent in the thesis's three parts, A = Ae + As + Au (1.16 to 1.19): at rest, that of the stress, and
// the rest.
func (l StVenantKirchhoff) split(e, sigma, u *Mat9, f *Mat3) {
	l.Tangent(e, &Identity)
	s := l.second(f)
	*sigma, *u = Mat9{}, Mat9{}
	sigma.onDirections(1, &s)
	l.material(u, f)
	for k := range u {
		u[k] -= e[k]
	}
}

func (l StVenantKirchhoff) Scaled(shape, bulk float64) Law {
	whole("Saint Venant-Kirchhoff's law", shape, bulk)
	return StVenantKirchhoff{l.Lambda * shape, l.Mu * shape}
}

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

func (b Barrier) Energy(f *Mat3) float64 {
	w, _, _ := b.of(f.Det())
	return b.Law.Energy(f) + w
}

func (b Barrier) Stress(p, f *Mat3) {
	b.Law.Stress(p, f)
	if _, w1, _ := b.of(f.Det()); w1 != 0 {
		c := f.Cofactor()
		for k := range p {
			p[k] += w1 * c[k]
		}
	}
}

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
