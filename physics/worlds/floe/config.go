package floe

import (
	"errors"
	"fmt"
	"math"

	"hapco/physics/numerics/num"
)

// Floe is one floe, or an obstacle, as it starts.
type Floe struct {
	Outline   []Vec2  // in a frame of its own, m; any orientation
	Thickness float64 // m
	Density   float64 // kg/m^3
	Position  Vec2    // of the outline's centroid, m
	Angle     float64 // of the outline's frame, rad
	Velocity  Vec2    // of the centroid, m/s
	Rate      float64 // rad/s
	Fixed     bool    // an obstacle: of infinite mass, it goes on at its velocity
}

// Repairs are the switches that go beyond the letter of the reports. The zero value is the letter; Recommended is what
// the reference cases want.
type Repairs struct {
	// ForcesFirst integrates the forces of a step before its collisions. By the letter their impulse is part of (3.5),
	// and restitution multiplies it too.
	ForcesFirst bool
	// CloseAgain solves one more inelastic problem where a contact that the compression closed ends with an approach:
	// W_N = -eps w- < 0 by the letter.
	CloseAgain bool
	// Rest takes eps = 0 for floes that approach at less than three steps of their acceleration: the end of an infinite
	// number of bounces, and resting contact.
	Rest bool
	// Sequential lets a shock run through floes that touch, pair by pair. By the letter one simultaneous problem
	// spreads it over all of them.
	Sequential bool
}

// Recommended is every repair but Sequential.
var Recommended = Repairs{ForcesFirst: true, CloseAgain: true, Rest: true}

// The laws of contact that Config.Law names, beside the solvers of physics/numerics/contact.
const (
	LawLCP    = "lcp"    // (3.5) by Lemke's pivots, where a cluster has few contacts; larger ones are swept
	LawSweeps = "sweeps" // Gauss-Seidel over the contacts, each solved exactly
)

// Config states a simulation.
type Config struct {
	Floes       []Floe
	Environment Environment
	Friction    float64 // mu
	Restitution float64 // eps, 0 to 1
	Collision   float64 // xi, the distance at which floes touch, m; 0: 1e-4 of the median radius
	Repairs     Repairs
	Law         string // LawLCP where empty

	Tool     *Tool     // what the hand holds; nil: nothing
	Fracture *Fracture // nil: floes do not break

	// Window, in s, replaces steps from event to event by steps of that length. All floes that may meet within one are
	// in its contact problem, with Signorini's condition relaxed to J'W+ >= c, c = -gap/Window: they may close their
	// gap, and no more. A field of any density then moves on at a cost that is known; impacts happen up to a window too
	// early. 0: from event to event.
	Window float64

	MaxStep  float64 // longest step, s; 0: none of one's own
	Accuracy float64 // longest step over the time in which drag or Coriolis change a velocity; 0: 0.05

	Threads int // goroutines that work on a step; 0: one a processor
}

// maxFloes is the largest number of floes.
const maxFloes = 1 << 20

func (f *Flow) check(name string) error {
	if !(f.Density >= 0) || !(f.Drag >= 0) || !num.AllFinite(f.Density, f.Drag) {
		return fmt.Errorf("floe: %s of density %g kg/m^3 and drag %g (cure: 0 or more)", name, f.Density, f.Drag)
	}
	if !num.AllFinite(f.Velocity[0], f.Velocity[1], f.Swing[0], f.Swing[1], f.Rate, f.Phase) {
		return fmt.Errorf("floe: velocity of the %s (cure: finite numbers)", name)
	}
	return nil
}

// check refuses what the model cannot run, with one line: what, where, cure.
func (c *Config) check() error {
	e := &c.Environment
	if err := errors.Join(e.Air.check("air"), e.Water.check("water")); err != nil {
		return err
	}
	switch {
	case !num.AllFinite(e.Coriolis, e.Body[0], e.Body[1]):
		return errors.New("floe: Coriolis parameter and body acceleration (cure: finite numbers)")
	case !(c.Friction >= 0) || math.IsInf(c.Friction, 0):
		return fmt.Errorf("floe: friction %g (cure: 0 or more)", c.Friction)
	case !(c.Restitution >= 0 && c.Restitution <= 1):
		return fmt.Errorf("floe: restitution %g (cure: 0 to 1)", c.Restitution)
	case !(c.Collision >= 0) || math.IsInf(c.Collision, 0):
		return fmt.Errorf("floe: collision distance %g m (cure: above 0, or 0 to have it chosen)", c.Collision)
	case !(c.MaxStep >= 0), !(c.Accuracy >= 0), !num.AllFinite(c.MaxStep, c.Accuracy):
		return fmt.Errorf("floe: longest step %g s, accuracy %g (cure: above 0, or 0 to have them chosen)", c.MaxStep, c.Accuracy)
	case !(c.Window >= 0) || math.IsInf(c.Window, 0):
		return fmt.Errorf("floe: windows of %g s (cure: above 0, or 0 for steps from event to event)", c.Window)
	case c.Threads < 0:
		return fmt.Errorf("floe: %d threads (cure: 1 or more, or 0 for all processors)", c.Threads)
	case len(c.Floes) > maxFloes:
		return fmt.Errorf("floe: %d floes (cure: at most %d)", len(c.Floes), maxFloes)
	}
	return nil
}

// body makes the state of a floe.
func (f *Floe) body() (body, error) {
	var b body
	if !num.Positive(f.Thickness) || !num.Positive(f.Density) {
		return b, fmt.Errorf("thickness %g m, density %g kg/m^3 (cure: both above 0)", f.Thickness, f.Density)
	}
	if !num.AllFinite(f.Position[0], f.Position[1], f.Angle, f.Velocity[0], f.Velocity[1], f.Rate) {
		return b, errors.New("place or velocity (cure: finite numbers)")
	}
	outline, repair, err := Outline(f.Outline)
	if err != nil {
		return b, err
	}
	b.repair = repair
	// An outline about its centroid but for round-off is left as it is.
	if s := SectionOf(outline); s.Centroid.Len() > offCentre*s.Radius {
		centre(outline, s.Centroid)
	}
	b.plate = newPlate(outline)
	b.thickness, b.density, b.fixed = f.Thickness, f.Density, f.Fixed
	b.mass, b.inertia = f.Density*f.Thickness*b.Area, f.Density*f.Thickness*b.Polar
	if !num.Positive(b.mass) || !num.Positive(b.inertia) {
		return b, fmt.Errorf("area %g m^2, thickness %g m and density %g kg/m^3 give no mass", b.Area, f.Thickness, f.Density)
	}
	if !f.Fixed {
		b.invMass, b.invInertia = 1/b.mass, 1/b.inertia
	}
	b.angle = f.Angle
	b.v, b.rate = f.Velocity, f.Rate
	b.before, b.beforeRate = b.v, b.rate
	b.put(&b.plate, f.Position, f.Angle)
	return b, nil
}
