package grain

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// audit is what tells whether the laws hold. It counts from when it is first asked for, and
// anew where grains come or go or a parameter changes: these give and take what they like.
type audit struct {
	on      bool
	listed  [2]int // grains that have come and gone
	at      []mgl64.Vec3
	through int // grains that have gone through a wall
}

// Account is what tells whether the laws hold: momentum to rounding, and that nothing goes
// through a wall. It claims no energy: a tool that goes on by steps of its own through the steep
// potential of a grain does not give what force times way says.
func (l *live) Account(bool) []physics.Entry {
	w, a := l.world, &l.audit
	if !a.on {
		a.through = 0
	}
	if listed := [2]int{l.made, l.gone}; !a.on || listed != a.listed || len(a.at) != w.N() {
		*a = audit{on: true, listed: listed, at: a.at[:0], through: a.through}
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
