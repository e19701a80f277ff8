package rigid

import (
	"fmt"
	"math"
)

// Body is one body of a world. Position and attitude are those of its centre of mass and its frame.
type Body struct {
	Name        string
	Mass        float64 // kg; not read of a fixed body
	Inertia     mat3    // about the centre of mass, body frame, kg m^2
	Form        *Form
	Fixed       bool    // never moves
	Friction    float64 // two bodies touch with the root of the product of their coefficients
	Restitution float64 // and rebound with the larger of theirs, 0 to 1

	X vec3 // m
	Q quat
	V vec3 // m/s
	W vec3 // angular velocity, body frame, 1/s

	// Strike, where given, is told each impulse on the body at a contact, N s, world axes, and the point in the body's
	// frame.
	Strike func(impulse, at vec3)

	// Solo, where given, integrates the attitude to the letter of one of the integrators. Such a body touches nothing
	// and hangs on no joint.
	Solo *Solo

	vibration *vibration

	rotor   Rotor
	invMass float64
	hand    *hand // whose stylus moves it; nil: none does
	id      int32
	quick   float64 // m/s: its farthest point's, where the kick has made it faster than it came
	reach   float64 // m, as far as contacts were looked for
	force   vec3    // of this step's laws
	moment  vec3
	r       mat3
	asleep  bool
}

// moves tells whether it may ever move.
func (b *Body) moves() bool { return b.invMass > 0 || b.hand != nil }

// Solo is how a body turns by itself.
type Solo struct {
	Algorithm Algorithm
	Rule      TorqueRule
	Pivot     *vec3 // it turns about this point of the world, under its weight; nil: about its centre of mass
	Arm       vec3  // the centre of mass from there, body frame, m

	weight Weight
}

// start makes the rotor of a body that turns by itself.
func (s *Solo) start(b *Body, g vec3) error {
	if !s.Algorithm.Suits(s.Rule) {
		return fmt.Errorf("%s has no torque rule %q", s.Algorithm, s.Rule)
	}
	j := b.Inertia
	if s.Pivot != nil {
		j = j.Add(pointInertia(b.Mass, s.Arm))
		s.weight = Weight{Arm: s.Arm, Force: g.Mul(b.Mass)}
	}
	b.rotor = NewRotor(j, b.Q, b.W, &s.weight)
	s.follow(b)
	return nil
}

func (s *Solo) follow(b *Body) {
	if s.Pivot != nil {
		b.X = s.Pivot.Add(rotate(b.Q, s.Arm))
		b.V = rotate(b.Q, b.W.Cross(s.Arm))
	}
}

// step turns the body on by h.
func (s *Solo) step(b *Body, h float64) {
	b.rotor.Step(s.Algorithm, s.Rule, h, &s.weight)
	b.Q, b.W = b.rotor.R, b.rotor.W
	s.follow(b)
}

// size is how far its surface is from its centre, m, if that is anywhere.
func (b *Body) size() float64 {
	if math.IsInf(b.Form.reach, 0) {
		return 0
	}
	return b.Form.reach
}

// omega is the angular velocity in the world, 1/s.
func (b *Body) omega() vec3 { return rotate(b.Q, b.W) }

// point is a point of the body in the world, m.
func (b *Body) point(at vec3) vec3 { return b.X.Add(rotate(b.Q, at)) }

// pointVelocity is its velocity, m/s.
func (b *Body) pointVelocity(at vec3) vec3 { return b.V.Add(rotate(b.Q, b.W.Cross(at))) }

// Push adds a force at a point in the world, for the step under way: laws call it.
func (b *Body) Push(force, at vec3) {
	b.force = b.force.Add(force)
	b.moment = b.moment.Add(at.Sub(b.X).Cross(force))
}

// twist adds a moment, N m.
func (b *Body) twist(moment vec3) { b.moment = b.moment.Add(moment) }

// kinetic is the kinetic energy, J.
func (b *Body) kinetic() float64 {
	if b.invMass == 0 {
		return 0
	}
	return b.Mass*b.V.Dot(b.V)/2 + b.W.Dot(b.Inertia.Mul3x1(b.W))/2
}

// spin is the angular momentum about the centre of mass, world axes.
func (b *Body) spin() vec3 { return rotate(b.Q, b.Inertia.Mul3x1(b.W)) }
