package grain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// audit is what tells whether the laws hold. It counts from when it is first asked for, and
// anew where a parameter changes: that gives and takes what it likes.
type audit struct {
	on      bool
	judging bool   // the step that is under way
	listed  [2]int // grains that have come and gone
	at      []mgl64.Vec3
	through int // grains that have gone through a wall

	work        float64 // of the tool in the step that is judged, J
	moved       float64 // sum of the sizes of the tool's works, J
	most        float64 // largest kinetic energy that was seen, J
	heat        float64 // that the fluid had taken when the audit began, J
	unexplained float64 // energy that is more than the scheme's error can be, of all steps that were judged, J
	before      struct {
		listed       [2]int
		energy, heat float64
		pos          []float64
	}
}

// Account is what tells whether the laws hold: momentum to rounding, energy, and that nothing goes
// through a wall. The energy is judged in the first own step of each step of the world.
func (l *live) Account(bool) []physics.Entry {
	w, a := l.world, &l.audit
	if !a.on {
		*a = audit{on: true, at: a.at[:0], before: a.before, heat: w.Dissipated()}
	}
	if listed := [2]int{l.made, l.gone}; listed != a.listed || len(a.at) != w.N() {
		a.listed, a.at = listed, a.at[:0]
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
		{Name: physics.EnergyUnexplained, Value: a.unexplained},
		{Name: physics.EnergyMoved, Value: a.most + a.moved + w.Dissipated() - a.heat},
		{Name: physics.MomentumUnexplained, Value: b.Residual.Len()},
		{Name: physics.MomentumMoved, Value: impulses},
		{Name: physics.Escaped, Value: a.through},
		{Name: physics.PutBack, Value: w.Report().Lost},
	}
}

// begin is before a step that is judged, and before the tool moves in it.
func (a *audit) begin(l *live) {
	a.before.listed, a.before.energy, a.before.heat = [2]int{l.made, l.gone}, l.world.Sums().Modified, l.world.Dissipated()
	a.work, a.judging = 0, true
}

// ready is after the tool has moved; it tells whether the step can be judged: grains that come or go
// bring and take energy.
func (a *audit) ready(l *live) bool {
	if a.judging = a.before.listed == [2]int{l.made, l.gone}; !a.judging {
		return false
	}
	l.world.forces() // with lists that serve the step, too
	a.before.pos = append(a.before.pos[:0], l.world.pos...)
	return true
}

// end is after the step. The scheme of Euler and Cromer keeps the modified energy (Sums.Modified) but
// for what the fluid takes, the tool gives, and the error of the trapezoidal rule along the way that
// each grain goes, which is bounded. What is more than that comes from nowhere.
func (a *audit) end(w *World) {
	a.judging = false
	bound := w.trapezoid(a.before.pos)
	sums := w.Sums()
	heat := w.Dissipated() - a.before.heat
	left := math.Abs(sums.Modified-a.before.energy-a.work+heat) - bound
	size := sums.Kinetic + math.Abs(sums.Potential) + math.Abs(a.before.energy) + float64(w.N())*w.model.Epsilon
	if left > rounding*size {
		a.unexplained += left
	}
	a.moved += math.Abs(a.work)
	a.most = max(a.most, sums.Kinetic)
}

// trapezoid is how much the trapezoidal rule may be off in the step from pos, J, for each force along
// the way D that it acts on: M D^3/12 with M the most of U”'; where the force has a bend more by its change of
// slope times D^2/8, and where it jumps by half the jump times D; and never more than twice the largest
// force times D. What an obstacle does turns with its closest point, which may jump.
func (w *World) trapezoid(pos []float64) (bound float64) {
	s, from := w.model.Sigma, w.model.core()
	unit := 24 * w.model.Epsilon / s
	most := math.Abs(w.model.bottom()) + f2
	bend := 26/math.Pow(from, 14) - 7/math.Pow(from, 8)
	add := func(times, was, is, turn, way float64) {
		was, is, way = was/s, is/s, way/s
		low, high := (was+is-way)/2, (was+is+way)/2 // nearest and farthest on the way
		if low >= CutOff || way == 0 {
			return
		}
		x := max(low, from)
		x9 := x * x * x
		x9 *= x9 * x9 // f'' is at most 364/x^15 + 56/x^9; with what its direction adds, of f'/x and f/x^2
		off := (364/(x9*x9/(x*x*x)) + 100/x9 + 1.2*most/(low*low)) * way * way * way / 12
		if low < from && high > from {
			off += bend * way * way / 8
		}
		if high > CutOff {
			off += f2 * way / 2
		}
		if !(low > 0) || off > 2*most*way {
			off = 2 * most * way
		}
		bound += times * unit * s * (off + most*turn*way/2)
	}
	at := func(pos []float64, i int32) mgl64.Vec3 { return mgl64.Vec3(pos[i:][:3]) }
	for k := range w.tasks { // of which one that moves has no neighbours, and one of pairs none near obstacles
		t := &w.tasks[k]
		for _, near := range t.near {
			i := 4 * near.grain
			from, to := at(pos, i), at(w.pos, i)
			if near.beyond > w.mover.way()+to.Sub(from).Len() {
				continue
			}
			p, was := w.obstacles[near.obstacle].Closest(from)
			q, is := w.obstacles[near.obstacle].Closest(to)
			if was && is {
				d, e := p.Sub(from), q.Sub(to)
				turn := 2.0
				if a, b := d.Len(), e.Len(); a > 0 && b > 0 {
					turn = d.Mul(1 / a).Sub(e.Mul(1 / b)).Len()
				}
				add(2, d.Len(), e.Len(), turn, to.Sub(from).Len())
			}
		}
		for i, list := range t.neighboursOf() {
			for _, j := range list {
				from, to := at(pos, j).Sub(at(pos, 4*i)), at(w.pos, j).Sub(at(w.pos, 4*i))
				add(1, from.Len(), to.Len(), 0, to.Sub(from).Len())
			}
		}
	}
	return bound
}

// share is what an obstacle has in the modified energy, J: its potential, and (dt/2) F v. That is
// the potential where the grains were half a step ago, to second order in the step.
func (w *World) share(obstacle int) (energy float64) {
	for i := range w.near(obstacle) {
		p, v := mgl64.Vec3(w.pos[4*i:][:3]), mgl64.Vec3(w.vel[4*i:][:3])
		if k, ok := w.obstacles[obstacle].Closest(p); ok {
			e := k.Sub(p)
			energy += 2*w.model.Potential(e.Len()) + w.dt/2*w.model.push(e).Dot(v)
		}
	}
	return energy
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
