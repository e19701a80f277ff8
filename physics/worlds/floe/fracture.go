package floe

import (
	"errors"
	"fmt"

	"hapco/physics/numerics/num"
)

// Split cuts a floe along a straight crack through point in direction, both in the world. Each fragment keeps the
// velocity field of the whole, so that mass, momentum, angular momentum and kinetic energy stay as they are: what opens
// a crack is not taken from the motion.
func (f *Floe) Split(point, direction Vec2) (fragments [2]Floe, err error) {
	if !(direction.Len() > 0) {
		return fragments, errors.New("floe: a crack without direction (cure: a direction that is not 0)")
	}
	turn := rotation(f.Angle)
	local := turn.Transpose()
	outline, _, err := Outline(f.Outline)
	if err != nil {
		return fragments, fmt.Errorf("floe: %w", err)
	}
	left, right, err := cut(outline, local.Mul2x1(point.Sub(f.Position)), local.Mul2x1(direction))
	if err != nil {
		return fragments, fmt.Errorf("floe: %w", err)
	}
	for k, piece := range [2][]Vec2{left, right} {
		g := SectionOf(piece).Centroid
		part := *f
		part.Outline = piece
		centre(piece, g)
		arm := turn.Mul2x1(g)
		part.Position = f.Position.Add(arm)
		part.Velocity = f.Velocity.Add(turned(arm).Mul(f.Rate))
		fragments[k] = part
	}
	return fragments, nil
}

// Fracture says when floes break. The reports are silent on it; this is what stands in section 8 of the model's notes:
// impulses of a collision act for Duration, the floe is loaded by them and by its own inertia, and a crack opens where
// the largest principal stress reaches Strength (Rankine), across its direction.
type Fracture struct {
	Young     float64 // Pa
	Poisson   float64
	Strength  float64 // tensile, Pa
	Duration  float64 // of a contact, s
	Away      float64 // farther than this from every loaded point stresses count, m; those nearer depend on the mesh
	Smallest  float64 // area of a fragment at least, m^2
	Triangles int     // of a floe's mesh, about; 0: 300
	// Hurried makes the meshes of no more than so many floes in a step: for a hand that does not wait. 0: no bound.
	Hurried int
}

// ice is how the floes of the scenes break.
var ice = Fracture{Young: 9e9, Poisson: 0.3, Strength: 5e5, Duration: 0.01, Smallest: 1}

// Check tells what is wrong with the numbers.
func (f *Fracture) Check() error {
	if !num.Positive(f.Young) || !(f.Poisson > -1 && f.Poisson < 0.5) || !num.Positive(f.Strength) || !num.Positive(f.Duration) || !(f.Away >= 0) || !(f.Smallest >= 0) {
		return fmt.Errorf("floe: fracture with Young's modulus %g Pa, Poisson's ratio %g, strength %g Pa, duration %g s, distance %g m, smallest area %g m^2 (cure: above 0; Poisson's ratio in -1 to 0.5)",
			f.Young, f.Poisson, f.Strength, f.Duration, f.Away, f.Smallest)
	}
	return nil
}

// Critical finds the strongest tension under some point impulses (as forces, N) on a plate: its value in Pa, where, and
// the direction of the crack.
func (f *Fracture) Critical(p *Plate, loads []PointForce) (stress float64, at, crack Vec2, err error) {
	if err := p.Load(loads, nil, true); err != nil {
		return 0, at, crack, err
	}
	stress, at, d := p.strongest(loads, f.Away)
	return stress, at, turned(d), nil
}
