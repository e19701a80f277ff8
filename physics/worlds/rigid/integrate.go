package rigid

import (
	"fmt"
	"math"
	"slices"

	"hapco/physics/numerics/num"
)

// Algorithm is one of the integrators of the package's comment.
type Algorithm uint8

// The integrators.
const (
	C1  Algorithm = iota // implicit, conserves energy and momentum of a free body
	NMB                  // one torque evaluation a step, both bounded
	C2                   // explicit, conserves momentum; the least accurate of the three
)

var algorithms = [...]string{C1: "C1", NMB: "NMB", C2: "C2"}

// String is the integrator's name.
func (a Algorithm) String() string { return algorithms[a] }

// ParseAlgorithm finds an integrator by its name.
func ParseAlgorithm(name string) (Algorithm, error) {
	if a := slices.Index(algorithms[:], name); a >= 0 {
		return Algorithm(a), nil
	}
	return 0, fmt.Errorf("algorithm %q is unknown (cure: NMB, C1 or C2)", name)
}

// TorqueRule says which moment stands for that of a step in the balance of C1 and C2.
type TorqueRule uint8

// The rules.
const (
	HalfRotation     TorqueRule = iota // Gamma(t_n + h/2, R_n exp(Theta/2))
	EndAverage                         // (Gamma_n + Gamma_n+1)/2
	EnergyConserving                   // C1 under a weight: the total energy is exact
	End                                // NMB: Gamma_n+1
)

var rules = [...]string{HalfRotation: "half_rotation", EndAverage: "end_average", EnergyConserving: "energy_conserving", End: "end"}

// String is the rule's name.
func (r TorqueRule) String() string { return rules[r] }

// ParseRule finds a rule by its name.
func ParseRule(name string) (TorqueRule, error) {
	if r := slices.Index(rules[:], name); r >= 0 {
		return TorqueRule(r), nil
	}
	return 0, fmt.Errorf("torque rule %q is unknown (cure: half_rotation, end_average, energy_conserving or end)", name)
}

// Suits tells whether the integrator knows the rule.
func (a Algorithm) Suits(r TorqueRule) bool {
	switch a {
	case NMB:
		return r == End
	case C1:
		return r != End
	}
	return r == HalfRotation || r == EndAverage
}

// Torque is a moment on a body, space frame, N m, at time t in s and attitude r.
type Torque interface {
	Moment(t float64, r quat) vec3
}

// Weight is the moment of a weight on a body that turns about a fixed point.
type Weight struct {
	Arm   vec3 // centre of mass from the fixed point, body frame, m
	Force vec3 // m g, space frame, N
}

// Moment is that about the fixed point.
func (w *Weight) Moment(_ float64, r quat) vec3 { return rotate(r, w.Arm).Cross(w.Force) }

// step is the moment over a step that makes the total energy of C1 exact: the work on the chord of the rotation equals
// the change of potential,
//
//	tan(|Theta|/2)/(|Theta|/2) (x_n + x_n+1)/2 x m g.
func (w *Weight) step(r0, r1 quat, theta vec3) vec3 {
	half := theta.Len() / 2
	k := sinc(half) / math.Cos(half)
	return rotate(r0, w.Arm).Add(rotate(r1, w.Arm)).Mul(k / 2).Cross(w.Force)
}

// Rotor is a body that turns about its frame's origin.
type Rotor struct {
	J, Inv mat3 // inertia and its inverse, body frame, kg m^2
	R      quat // attitude
	W, A   vec3 // angular velocity and its rate, body frame, 1/s and 1/s^2
	T      float64
}

// NewRotor makes a rotor at time 0; its A is that of the moment.
func NewRotor(j mat3, r quat, w vec3, torque Torque) Rotor {
	b := Rotor{J: j, Inv: inverse(j), R: r, W: w}
	b.A = b.rate(torque.Moment(0, r))
	return b
}

// rate solves (d) for A.
func (b *Rotor) rate(gamma vec3) vec3 {
	return b.Inv.Mul3x1(unrotate(b.R, gamma).Sub(b.W.Cross(b.J.Mul3x1(b.W))))
}

// Energy is the kinetic energy, J.
func (b *Rotor) Energy() float64 { return b.W.Dot(b.J.Mul3x1(b.W)) / 2 }

// Momentum is the angular momentum about the frame's origin, space frame.
func (b *Rotor) Momentum() vec3 { return rotate(b.R, b.J.Mul3x1(b.W)) }

// cautionAngle is the rotation in one step, rad, from which on the error of an integrator is felt: that of Theta grows
// like its square, and the energy that C2 gains like its cube.
const cautionAngle = 0.1

// Caution tells that the body turns so far in a step h that the integrators are not to be trusted.
func (b *Rotor) Caution(h float64) bool { return !(b.W.Len()*h <= cautionAngle) }

// none is no moment at all.
type none struct{}

func (none) Moment(float64, quat) vec3 { return vec3{} }

// Step advances by h. Equations are solved to rounding; ok is false where that failed, which takes a rotation of more
// than half a turn in the step.
func (b *Rotor) Step(a Algorithm, rule TorqueRule, h float64, torque Torque) (ok bool) {
	switch a {
	case NMB:
		return b.stepNMB(h, torque)
	case C2:
		b.stepC2(rule, h, torque)
		return true
	}
	return b.stepC1(rule, h, torque)
}

// rounding is the size of a Newton step, relative to the unknown, that is rounding only.
const rounding = 4e-16

// stepNMB solves (d) at the end for A_n+1 by Newton's method.
func (b *Rotor) stepNMB(h float64, torque Torque) bool {
	b.R = turned(b.R, b.W.Mul(h).Add(b.A.Mul(h*h/2)))
	b.T += h
	gamma := unrotate(b.R, torque.Moment(b.T, b.R))
	w0, a0 := b.W, b.A
	b.W = w0.Add(a0.Mul(h))
	for range 50 {
		jw := b.J.Mul3x1(b.W)
		miss := b.J.Mul3x1(b.A).Add(b.W.Cross(jw)).Sub(gamma)
		tangent := b.J.Add(hat(b.W).Mul3(b.J).Sub(hat(jw)).Mul(h / 2))
		d := inverse(tangent).Mul3x1(miss)
		b.A = b.A.Sub(d)
		b.W = w0.Add(a0.Add(b.A).Mul(h / 2))
		if h*num.MaxAbs(d) <= rounding*num.MaxAbs(b.W) {
			return true
		}
	}
	return false
}

// stepC2 needs no solve.
func (b *Rotor) stepC2(rule TorqueRule, h float64, torque Torque) {
	theta := b.W.Mul(h).Add(b.A.Mul(h * h / 2))
	r1 := turned(b.R, theta)
	p := b.J.Mul3x1(b.W).Add(unrotate(b.R, b.moment(rule, h, theta, r1, torque)).Mul(h))
	b.advance(h, r1, solve(&b.J, &b.Inv, unturn(theta, p)))
}

// stepC1 solves exp(Theta) J W_n+1 = J W_n + h R_n^T Gamma with Theta = h/2 (W_n + W_n+1) by Newton's method, in which
// the moment's dependence on Theta is left out: it is of order h^2.
func (b *Rotor) stepC1(rule TorqueRule, h float64, torque Torque) bool {
	w := b.W.Add(b.A.Mul(h))
	jw := b.J.Mul3x1(b.W)
	free := torque == (none{})
	balance := func(w vec3) (theta, y vec3) {
		p := jw
		if theta = of(b.W).plus(of(w)).times(h / 2).vec(); !free {
			p = jw.Add(unrotate(b.R, b.moment(rule, h, theta, turned(b.R, theta), torque)).Mul(h))
		}
		return theta, unturn(theta, p)
	}
	last := math.Inf(1)
	for range 100 {
		theta, y := balance(w)
		change := inverse(implicit(b.J, of(theta), of(y), h))
		d := of(w).by(&b.J).minus(of(y)).by(&change).vec()
		w = w.Sub(d)
		// The last digits may go on flickering: then the step before was rounding.
		size := num.MaxAbs(d)
		if size <= rounding*num.MaxAbs(w) || size >= last/2 && size <= 1e-13*num.MaxAbs(w) {
			theta, y := balance(w) // it, not w, gives the new W: momentum is then exact to rounding
			b.advance(h, turned(b.R, theta), solve(&b.J, &b.Inv, y))
			return true
		}
		last = size
	}
	return false
}

// moment is that of the step by the rule, space frame.
func (b *Rotor) moment(rule TorqueRule, h float64, theta vec3, r1 quat, torque Torque) vec3 {
	if torque == (none{}) {
		return vec3{}
	}
	switch rule {
	case EndAverage:
		return torque.Moment(b.T, b.R).Add(torque.Moment(b.T+h, r1)).Mul(0.5)
	case EnergyConserving:
		if w, ok := torque.(*Weight); ok {
			return w.step(b.R, r1, theta)
		}
	}
	return torque.Moment(b.T+h/2, turned(b.R, theta.Mul(0.5)))
}

// solve is J^-1 y, refined: J times the rounded inverse is not quite 1, which as a factor of every step would let
// momentum and energy drift.
func solve(j, inv *mat3, y vec3) vec3 {
	w := inv.Mul3x1(y)
	for i := range 3 {
		for k := range 3 {
			y[i] = math.FMA(-j[3*k+i], w[k], y[i])
		}
	}
	return w.Add(inv.Mul3x1(y))
}

func (b *Rotor) advance(h float64, r quat, w vec3) {
	b.A = w.Sub(b.W).Mul(1 / h)
	b.R, b.W = r, w
	b.T += h
}
