package grain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/local"
)

// grip is the spring and damper by which the tool draws at a grain.
type grip struct {
	grain int        // its number, from 1; 0: none is held
	to    mgl64.Vec3 // where it is drawn, m
	k, c  float64    // N/m, N s/m
}

// The spring is so soft against a bond of two grains that it breaks one when it is some grains long: it can be seen. It
// pulls no harder when it is longer than that many.
const (
	softer    = 50
	mostPulls = 20
)

// grab takes hold of the grain whose surface is nearest to a point.
func (w *World) grab(at mgl64.Vec3) {
	w.grip = grip{}
	near := math.Inf(1)
	for i := range w.N() {
		if d := math.Abs(w.Position(i).Sub(at).Len() - w.radius[w.place[i]]); d < near {
			near, w.grip.grain = d, i+1
		}
	}
	if w.grip.grain != 0 {
		w.grip.to = w.Position(w.grip.grain - 1)
		w.setSpring()
	}
}

// setSpring gives the spring the stiffness and the damping that the grains' own, and the step, ask for.
func (w *World) setSpring() {
	if g := &w.grip; g.grain != 0 {
		m := w.Mass(g.grain - 1)
		g.k = w.model.Stiffness() / softer
		g.c = min(math.Sqrt(g.k*m), 0.1*m/w.dt)
	}
}

// draws is the force of the spring on the grain, N.
func (w *World) draws() (f mgl64.Vec3) {
	g := &w.grip
	if g.grain == 0 {
		return f
	}
	way := g.to.Sub(w.Position(g.grain - 1))
	if l, most := way.Len(), mostPulls*w.model.Sigma; l > most {
		way = way.Mul(most / l)
	}
	return way.Mul(g.k).Sub(w.Velocity(g.grain - 1).Mul(g.c))
}

// pull adds it to the forces of a task's grains: the tool gives it.
func (w *World) pull(t *task) {
	if w.grip.grain == 0 || w.mover.obstacle < 0 {
		return
	}
	i := w.place[w.grip.grain-1]
	if i < t.lo || i >= t.hi {
		return
	}
	f := w.draws()
	for k := range 3 {
		w.force[4*int(i)+k] += f[k]
	}
	o := &t.sums.obstacle[w.mover.obstacle]
	o.force.add(f)
	o.moment.add(w.Position(w.grip.grain - 1).Cross(f))
}

// take takes hold of what another grasp says, or lets go.
func (l *live) take(g *physics.Grasp) {
	if g.Number == l.grasp {
		return
	}
	l.grasp, l.world.grip = g.Number, grip{}
	if l.audit.on = false; g.Number != 0 {
		l.world.grab(g.At)
		l.end = l.pose.InversePoint(l.world.grip.to)
	}
}

// spring adds that of a grasp to the hand's model.
func (l *live) spring(f *local.Field) {
	if g := &l.world.grip; g.grain > 0 {
		f.Spring(mgl64.Ident3().Mul(g.k), l.pose.Vector(l.end))
	}
}

// drawHeld shows it.
func (l *live) drawHeld(f *physics.Frame) {
	if w := l.world; w.grip.grain > 0 {
		f.Held = physics.Held{On: true, At: w.Position(w.grip.grain - 1), To: w.grip.to, Force: w.draws()}
	}
}
