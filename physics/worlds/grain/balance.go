package grain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// sum1 adds numbers and keeps what rounding drops, as Neumaier does.
type sum1 struct{ sum, rest float64 }

func (s *sum1) add(x float64) {
	t := s.sum + x
	if math.Abs(s.sum) >= math.Abs(x) {
		s.rest += s.sum - t + x
	} else {
		s.rest += x - t + s.sum
	}
	s.sum = t
}

func (s *sum1) value() float64 { return s.sum + s.rest }

// sum3 does that with vectors.
type sum3 [3]sum1

func (s *sum3) add(v mgl64.Vec3) {
	for k, x := range v {
		s[k].add(x)
	}
}

func (s *sum3) value() mgl64.Vec3 { return mgl64.Vec3{s[0].value(), s[1].value(), s[2].value()} }

// moveSums is what the grains of a task felt in a step.
type moveSums struct {
	force    mgl64.Vec3 // of other grains and obstacles, N
	drag     mgl64.Vec3 // lambda v, N
	weight   float64    // mass that gravity acts on, kg
	work     float64    // power of the drag, W
	obstacle []push     // of each
	near     int        // contacts inside the core of an obstacle
	lost     int        // grains whose speed was no number
	speed2   float64    // the greatest, squared, m^2/s^2
	stale    bool       // one has moved half the skin
}

func (s *moveSums) reset() {
	*s = moveSums{obstacle: s.obstacle}
	clear(s.obstacle)
}

// push is what an obstacle does: force, N, and its moment about the world's origin, N m.
type push struct{ force, moment sum3 }

// impulse adds up what has acted on the grains since the start, N s.
type impulse struct {
	gravity, drag, pair sum3
	obstacle            []push
	source              sum3       // of grains that came and went
	heat                sum1       // work of the drag, J
	start               mgl64.Vec3 // momentum then, kg m/s
}

// collect adds up the last step, task by task in their order.
func (w *World) collect() {
	var force, drag, touched sum3
	weight, work, speed2 := 0.0, 0.0, 0.0
	w.report.Core, w.report.Near, w.report.Walls, w.report.Contacts = 0, 0, 0, 0
	for i := range w.tasks {
		t := &w.tasks[i]
		if t.lo == t.hi {
			continue
		}
		if !t.move {
			w.report.Core += t.found.core
			w.report.Near += t.found.near
			continue
		}
		s := &t.sums
		force.add(s.force)
		drag.add(s.drag)
		weight += s.weight
		work += s.work
		speed2 = max(speed2, s.speed2)
		w.report.Walls += s.near
		w.report.Lost += s.lost
		w.report.Contacts += len(t.near)
		w.listing.stale = w.listing.stale || s.stale
		if len(t.near) == 0 {
			continue
		}
		for k := range s.obstacle {
			f := s.obstacle[k].force.value()
			touched.add(f)
			w.impulse.obstacle[k].force.add(f.Mul(w.dt))
			w.impulse.obstacle[k].moment.add(s.obstacle[k].moment.value().Mul(w.dt))
		}
	}
	w.listing.went += w.dt * math.Sqrt(speed2)
	w.impulse.pair.add(force.value().Sub(touched.value()).Mul(w.dt))
	w.impulse.drag.add(drag.value().Mul(-w.dt))
	w.impulse.gravity.add(w.model.gravity.Mul(weight * w.dt))
	w.impulse.heat.add(work * w.dt)
}

// Report counts what one should know about the last step.
type Report struct {
	Core     int // pairs closer than sigma
	Near     int // of these: whose energy exceeds half of what lets them pass through each other
	Walls    int // grains closer than sigma to an obstacle
	Contacts int // grains that were looked at for being near an obstacle
	Lost     int // grains stopped since the start because their speed was no number
	Listings int // times that neighbours were listed since the start
	Listed   int // length of all lists of neighbours, padding included
}

// Report is that of the last step.
func (w *World) Report() Report { return w.report }

// Balance is the balance of momentum since the start, N s. Residual is what is
// left when all impulses are taken from the change: round-off.
type Balance struct {
	Gravity, Drag, Pair mgl64.Vec3
	Source              mgl64.Vec3   // that added grains brought, less what removed ones took
	Obstacles           []mgl64.Vec3 // on the grains; the obstacles feel the opposite
	Start, End          mgl64.Vec3
	Residual            mgl64.Vec3
}

// Balance adds up what has acted on the grains.
func (w *World) Balance() Balance {
	b := Balance{Gravity: w.impulse.gravity.value(), Drag: w.impulse.drag.value(), Pair: w.impulse.pair.value(), Source: w.impulse.source.value(),
		Start: w.impulse.start, End: w.Momentum()}
	for k := range w.impulse.obstacle {
		b.Obstacles = append(b.Obstacles, w.impulse.obstacle[k].force.value())
	}
	b.Residual = w.residual(b.End)
	return b
}

// residual is what impulses do not explain of a momentum.
func (w *World) residual(end mgl64.Vec3) mgl64.Vec3 {
	var total sum3
	a := &w.impulse
	total.add(end)
	for _, v := range [...]mgl64.Vec3{w.impulse.start, a.gravity.value(), a.drag.value(), a.pair.value(), a.source.value()} {
		total.add(v.Mul(-1))
	}
	for k := range a.obstacle {
		total.add(a.obstacle[k].force.value().Mul(-1))
	}
	return total.value()
}

// Dissipated is the work that the fluid has taken from the grains since the start, J.
func (w *World) Dissipated() float64 { return w.impulse.heat.value() }

// Momentum of all grains, kg m/s.
func (w *World) Momentum() mgl64.Vec3 {
	var sum sum3
	for i := range w.place {
		sum.add(w.Velocity(i).Mul(w.Mass(i)))
	}
	return sum.value()
}

// Sums are properties of all grains together.
type Sums struct {
	Momentum        mgl64.Vec3 // kg m/s
	AngularMomentum mgl64.Vec3 // about the origin, kg m^2/s
	Kinetic         float64    // J
	Potential       float64    // of pairs, obstacles and weight, J
	Centroid        mgl64.Vec3 // m
	Nearest         float64    // least distance of two grains, m; that of grains farther apart than the cut-off is not found: +Inf
	Centred         float64    // J: the energy with the velocities half a step on, v + (dt/2) a, to which the scheme keeps closer
	Modified        float64    // J: Kinetic + Potential + (dt/2) F v with the forces F that have a potential; see World.share
}

// Sums adds up the present state; it looks at every pair that acts on each other.
func (w *World) Sums() Sums {
	w.forces()
	s := Sums{Nearest: math.Inf(1)}
	var mass, kinetic, potential, centred, half sum1
	var p, l, c sum3
	for k := range w.tasks {
		t := &w.tasks[k]
		if t.lo == t.hi {
			continue
		}
		if !t.move {
			w.potentials(t, &potential, &s.Nearest)
			continue
		}
		near := t.near
		for i := t.lo; i < t.hi; i++ {
			x, v := mgl64.Vec3(w.pos[4*i:][:3]), mgl64.Vec3(w.vel[4*i:][:3])
			r, m := w.radius[i], w.vel[4*i+3]
			mass.add(m)
			p.add(v.Mul(m))
			l.add(x.Cross(v).Mul(m))
			c.add(x.Mul(m))
			kinetic.add(m * v.LenSqr() / 2)
			weight := w.model.weighs(m, r)
			potential.add(-weight * w.model.gravity.Dot(x))
			f := mgl64.Vec3(w.force[4*i:][:3])
			for ; len(near) > 0 && near[0].grain == i; near = near[1:] {
				if near[0].beyond > w.mover.way() {
					continue
				}
				if q, ok := w.obstacles[near[0].obstacle].Closest(x); ok {
					e := q.Sub(x)
					potential.add(2 * w.model.Potential(e.Len()))
					f = f.Add(w.model.push(e))
				}
			}
			f = f.Add(w.model.gravity.Mul(weight))
			half.add(w.dt / 2 * f.Dot(v))
			f = f.Sub(v.Mul(w.braking(int(i), v)))
			centred.add(m * v.Add(f.Mul(w.dt/(2*m))).LenSqr() / 2)
		}
	}
	s.Momentum, s.AngularMomentum, s.Kinetic, s.Potential = p.value(), l.value(), kinetic.value(), potential.value()
	if m := mass.value(); m > 0 {
		s.Centroid = c.value().Mul(1 / m)
	}
	s.Centred = centred.value() + s.Potential
	s.Modified = s.Kinetic + s.Potential + half.value()
	return s
}

// potentials adds up those of a task's pairs, and finds the nearest.
func (w *World) potentials(t *task, sum *sum1, nearest *float64) {
	for i, list := range t.neighboursOf() {
		x := mgl64.Vec3(w.pos[4*i:][:3])
		for _, b := range list {
			d := mgl64.Vec3(w.pos[b:][:3]).Sub(x).Len()
			if d < CutOff*w.model.Sigma {
				sum.add(w.model.Potential(d))
			}
			if int(b) < 4*len(w.id) {
				*nearest = min(*nearest, d)
			}
		}
	}
}
