package grain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
)

// audit is what tells whether the laws hold. It counts from when it is first asked for, and
// anew where grains come or go or a parameter changes: these give and take what they like.
type audit struct {
	on      bool
	listed  [2]int // grains that have come and gone
	energy  float64
	heat    float64
	given   float64 // by the tool, J
	moved   float64 // the same, each part above 0
	at      []mgl64.Vec3
	through int // grains that have gone through a wall
	pose    frame.Pose
	pushed  push // impulse of the tool and its moment, N s, since the start
}

// push counts the work of the tool in a step of the engine that took it to a pose.
func (a *audit) push(w *World, tool int, to frame.Pose) {
	if !a.on {
		return
	}
	now, from := w.impulse.obstacle[tool], a.pose
	force := now.force.value().Sub(a.pushed.force.value()) // on the grains, times the step
	moment := now.moment.value().Sub(a.pushed.moment.value())
	a.pushed, a.pose = now, to
	q := to.Rotation.Mul(from.Rotation.Conjugate())
	if q.W < 0 {
		q = q.Scale(-1)
	}
	turn := q.V.Mul(2 / w.dt)
	work := force.Dot(to.Position.Sub(from.Position))/w.dt + moment.Sub(to.Position.Cross(force)).Dot(turn)
	a.given += work
	a.moved += math.Abs(work)
}

// Account is what tells whether the laws hold; it looks at every pair of grains.
func (l *live) Account(bool) []physics.Entry {
	w, a := l.world, &l.audit
	sums := w.Sums()
	energy := sums.Centred + w.Dissipated()
	if !a.on {
		a.through = 0
	}
	if listed := [2]int{l.made, l.gone}; !a.on || listed != a.listed || len(a.at) != w.N() {
		*a = audit{on: true, listed: listed, energy: energy, heat: w.Dissipated(), at: a.at[:0], through: a.through, pose: l.pose, pushed: w.impulse.obstacle[l.which]}
		for i := range w.N() {
			a.at = append(a.at, w.Position(i))
		}
	}
	walls := l.now.Container.walls()
	for i, was := range a.at {
		now := w.Position(i)
		for k := range walls {
			if walls[k].crossed(was, now, 2*w.model.Sigma) {
				a.through++
			}
		}
		a.at[i] = now
	}
	b := w.Balance()
	impulses := b.Gravity.Len() + b.Drag.Len() + b.Source.Len() + b.End.Len() + b.Start.Len()
	for _, o := range b.Obstacles {
		impulses += o.Len()
	}
	return []physics.Entry{
		{Name: physics.EnergyUnexplained, Value: energy - a.energy - a.given},
		{Name: physics.EnergyMoved, Value: a.moved + sums.Kinetic + w.Dissipated() - a.heat},
		{Name: physics.MomentumUnexplained, Value: b.Residual.Len()},
		{Name: physics.MomentumMoved, Value: impulses},
		{Name: physics.Escaped, Value: a.through},
		{Name: physics.PutBack, Value: w.Report().Lost},
	}
}

// crossed tells whether a way that is shorter than the margin goes through a wall, farther than
// that from its edges: so it is one whichever way it went from place to place.
func (q *wall) crossed(from, to mgl64.Vec3, margin float64) bool {
	n := q.a.Cross(q.b).Normalize()
	x, y := from.Sub(q.corner).Dot(n), to.Sub(q.corner).Dot(n)
	if x*y >= 0 || to.Sub(from).Len() > margin {
		return false
	}
	p := from.Add(to.Sub(from).Mul(x / (x - y))).Sub(q.corner)
	for _, side := range [2]mgl64.Vec3{q.a, q.b} {
		l := side.Len()
		if at := p.Dot(side) / l; at < margin || at > l-margin {
			return false
		}
	}
	return true
}
