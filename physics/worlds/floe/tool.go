package floe

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"hapco/physics/numerics/num"
)

// Tool is what the hand pushes floes with: a floe of its own, the last one, that a spring and a damper pull after the
// hand. It has a mass, and thus never crushes what it meets; neither wind nor water act on it.
type Tool struct {
	Outline   []Vec2  // about its centroid, m
	Position  Vec2    // m, at the start
	Angle     float64 // rad
	Mass      float64 // kg
	Stiffness float64 // of the spring, N/m; that of rotation is this times the square of the tool's size
	Damping   float64 // as a share of critical; 0: 1
}

// discOutline is a round tool, a polygon of 24 corners.
func discOutline(radius float64) []Vec2 {
	out := make([]Vec2, 24)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 24)
		out[i] = Vec2{radius * cos, radius * sin}
	}
	return out
}

// shipOutline is a ship from above, its bow towards +x.
func shipOutline(length, beam float64) []Vec2 {
	l, b := length/2, beam/2
	return []Vec2{{-l, -b * 0.8}, {-l * 0.8, -b}, {l * 0.3, -b}, {l * 0.65, -b * 0.75}, {l * 0.9, -b * 0.3}, {l, 0},
		{l * 0.9, b * 0.3}, {l * 0.65, b * 0.75}, {l * 0.3, b}, {-l * 0.8, b}, {-l, b * 0.8}}
}

// hand is where the hand holds the tool, and what it felt.
type hand struct {
	index     int        // of the tool in bodies
	at        State      // where the hand is, and how it moves
	stiffness [2]float64 // N/m, N m/rad
	damping   [2]float64 // N s/m, N m s/rad
	force     Vec2       // of the ice on the hand, mean of the last step, N
	torque    float64    // N m
	size      float64    // m

	// The tool as it would be without ice: what is felt of the ice is how far the tool is from there. loose: it is
	// there, and touches nothing.
	twin  State
	was   State // twin before the step
	loose bool
	up    bool // lifted off the water: it touches nothing

	// Of the present step: its length, 0 once felt; the tool at its start; and with the velocities without contacts.
	dt         float64
	from, free State
}

func (t *Tool) floe() (Floe, error) {
	if !num.Positive(t.Mass) || !num.Positive(t.Stiffness) || !(t.Damping >= 0) || !num.Finite(t.Damping) {
		return Floe{}, fmt.Errorf("floe: tool of %g kg, stiffness %g N/m, damping %g (cure: above 0; damping 0 or more)", t.Mass, t.Stiffness, t.Damping)
	}
	if len(t.Outline) < 3 {
		return Floe{}, errors.New("floe: tool without outline (cure: 3 vertices or more)")
	}
	return Floe{Outline: t.Outline, Thickness: 1, Density: t.Mass / SectionOf(t.Outline).Area, Position: t.Position, Angle: t.Angle}, nil
}

// hold couples the last floe to the hand.
func (w *World) hold(t *Tool) {
	last := w.order[len(w.order)-1]
	b := &w.bodies[last]
	b.tool = true
	h := &hand{index: last, at: State{Position: t.Position, Angle: t.Angle}, size: b.Radius, twin: b.state(), loose: true,
		stiffness: [2]float64{t.Stiffness, t.Stiffness * (b.Polar / b.Area)}}
	for k, m := range [2]float64{b.mass, b.inertia} {
		h.damping[k] = 2 * cmp.Or(t.Damping, 1) * math.Sqrt(h.stiffness[k]*m)
	}
	w.hand = h
}

// Hold says where the hand is, and how it moves: the tool follows. Numbers that are not finite change nothing.
func (w *World) Hold(s State) {
	if w.hand != nil && num.AllFinite(s.Position[0], s.Position[1], s.Angle, s.Velocity[0], s.Velocity[1], s.Rate) {
		w.hand.at = s
	}
}

// lift takes the tool off the water, where it touches nothing, or puts it back: not onto floes, it stays up over them.
// It returns whether the tool is up.
func (w *World) lift(up bool) bool {
	h := w.hand
	if h == nil || up == h.up {
		return up && h != nil
	}
	t := &w.bodies[h.index]
	for i := range w.bodies {
		if b := &w.bodies[i]; !up && i != h.index && boxesNear(t, b, w.config.Collision) && distance(&t.placed, &b.placed) <= w.config.Collision {
			return true
		}
	}
	h.up, w.near.valid = up, false
	return up
}

// tool is where the tool is; false where there is none.
func (w *World) tool() (State, bool) {
	if w.hand == nil {
		return State{}, false
	}
	return w.bodies[w.hand.index].state(), true
}

// handForce is the force and the torque on the hand, mean of the last step, N and N m.
func (w *World) handForce() (Vec2, float64) {
	if w.hand == nil {
		return Vec2{}, 0
	}
	return w.hand.force, w.hand.torque
}

// drive pulls the tool after the hand for a step of implicit Euler,
//
//	(m + dt c + dt^2 k) v+ = m v + dt k (target + dt speed - x) + dt c speed + impulses of contacts
//
// so that no step is too long for spring and damper. The contacts of the step see the mass in front: a tool that ice
// holds then gets the force of the spring.
func (w *World) drive(b *body, dt float64) {
	h := w.hand
	h.dt, h.from = dt, b.state()
	to := &h.at
	m := b.mass + dt*h.damping[0] + dt*dt*h.stiffness[0]
	i := b.inertia + dt*h.damping[1] + dt*dt*h.stiffness[1]
	pulled := func(s State) (v Vec2, rate float64) {
		pull := to.Position.Add(to.Velocity.Mul(dt)).Sub(s.Position).Mul(h.stiffness[0]).Add(to.Velocity.Mul(h.damping[0]))
		twist := h.stiffness[1]*(to.Angle+dt*to.Rate-s.Angle) + h.damping[1]*to.Rate
		return s.Velocity.Mul(b.mass).Add(pull.Mul(dt)).Mul(1 / m), (b.inertia*s.Rate + dt*twist) / i
	}
	h.was = h.twin
	h.twin.Velocity, h.twin.Rate = pulled(h.twin)
	b.v, b.rate = pulled(b.state())
	b.invMass, b.invInertia = 1/m, 1/i
	b.accel = (b.v.Sub(h.from.Velocity).Len() + math.Abs(b.rate-h.from.Rate)*b.Radius) / dt
	h.free = b.state()
}

// felt computes what the hand got in the step, once its contacts are solved; done is how far the places went.
func (w *World) felt(done float64) {
	h := w.hand
	if h == nil || h.dt == 0 {
		return
	}
	b := &w.bodies[h.index]
	dt, to, from, free := h.dt, &h.at, &h.from, &h.free
	stretch := to.Position.Add(to.Velocity.Mul(dt)).Sub(from.Position.Add(b.v.Mul(dt)))
	f := stretch.Mul(h.stiffness[0]).Add(to.Velocity.Sub(b.v).Mul(h.damping[0]))
	torque := h.stiffness[1]*(to.Angle+dt*to.Rate-from.Angle-dt*b.rate) + h.damping[1]*(to.Rate-b.rate)
	h.force, h.torque = f.Mul(-1), -torque
	// What the tool gained, less the work that the contacts did on the mass they saw.
	w.energy.Tool += (b.mass*(b.v.LenSqr()-from.Velocity.LenSqr()) + b.inertia*(b.rate*b.rate-from.Rate*from.Rate) -
		(b.v.LenSqr()-free.Velocity.LenSqr())/b.invMass - (b.rate*b.rate-free.Rate*free.Rate)/b.invInertia) / 2
	h.dt = 0

	goes := h.was // by explicit Euler places follow the velocity before, in windows that after
	if w.config.Window > 0 {
		goes = h.twin
	}
	h.twin.Position = h.twin.Position.Add(goes.Velocity.Mul(done))
	h.twin.Angle += goes.Rate * done
	h.loose = b.g.Sub(h.twin.Position).Len() < together*h.size && math.Abs(b.angle-h.twin.Angle) < together
	for i := range w.contacts {
		c := &w.contacts[i]
		h.loose = h.loose && (c.Impulse == 0 || c.A != h.index && c.B != h.index)
	}
	if h.loose {
		h.twin = b.state()
	}
}
