package rigid

import (
	"math"

	"hapco/physics/numerics/num"
)

// drift moves a body on for half a step without forces.
func (w *World) drift(b *Body, h float64) {
	b.X = b.X.Add(b.V.Mul(h))
	switch {
	case b.Solo != nil: // in one piece, at the end of the step
	case b.W == (vec3{}):
	case b.hand != nil:
		b.Q = turned(b.Q, b.W.Mul(h))
	default:
		rot := &b.rotor
		rot.R, rot.W, rot.T = b.Q, b.W, 0
		rot.A = rot.rate(vec3{})
		if num.MaxAbs(b.W)*h < 1e-8 { // of C1 rounding leaves no more than this
			w1 := b.W.Add(rot.A.Mul(h))
			b.Q, b.W = turned(b.Q, b.W.Add(w1).Mul(h/2)), w1
		} else if rot.Step(C1, HalfRotation, h, none{}) {
			b.Q, b.W = rot.R, rot.W
		} else { // more than half a turn in the step: momentum is kept, the rest is noise
			l := b.spin()
			b.Q = turned(b.Q, b.W.Mul(h))
			b.W = rot.Inv.Mul3x1(unrotate(b.Q, l))
		}
	}
}

// Step advances by the step of the configuration: in one kick, or in parts where that would bring bodies into each
// other by what contacts do not see of a turn. It allocates nothing once all contacts have been seen.
func (w *World) Step() {
	h := w.Config.Step
	w.stats = Stats{Deepest: math.Inf(1), Restitution: 1, Solved: true}
	if !w.given.begun { // one that goes on for another with other bodies has steps already
		w.kinetic0 = w.kinetic()
		w.given.begun = true
	}
	for _, g := range w.hands {
		g.reaction, g.ahead = reaction{}, h+h/2
	}
	w.heed()
	if w.part == 0 {
		w.part = h
	}
	w.advance(h, h/2, 0)
	for _, i := range w.awake {
		b := w.moved[i]
		if b.Solo != nil {
			b.Solo.step(b, h)
			b.r = matrixOf(b.Q)
		}
	}
	for _, v := range w.vibrations {
		v.step(h)
	}
	w.given.add(w.stats.Joints)
	w.given.sum += w.stats.Led // no more was moved by it
	w.steps++
	w.time += h
}

// advance moves on by h, which is a step halved so many times; the next kick comes so much later at
// most. A kick after which bodies would turn into each other has not been: it is made again as two
// of half the length. A part is at most twice as long as the one before, so that what is near comes
// no later than the kick that is to see it. Where the step is late no part is halved any more: the hand waits for it.
func (w *World) advance(h, next float64, halvings int) {
	s := &w.system
	may, fits := halvings < mostHalvings && !w.Deadline.Late(0), h <= 2*w.part
	if fits || !may {
		for _, i := range w.awake {
			s.bodies.begun[i] = w.moved[i].placed()
		}
		before := w.stats
		for _, i := range w.awake {
			b := w.moved[i]
			w.stats.Caution = max(w.stats.Caution, b.W.Len()*h)
			w.drift(b, h/2)
		}
		if fits = w.kick(h, h/2+min(next, h), may); !fits && may {
			w.stats = before
			for _, i := range w.awake {
				w.moved[i].put(&s.bodies.begun[i])
			}
		}
	}
	if !fits && may {
		w.advance(h/2, h/4, halvings+1)
		w.advance(h/2, next, halvings+1)
		return
	}
	w.part = h
	w.commit(h)
	for _, g := range w.hands {
		g.ahead -= h
	}
	for _, i := range w.awake {
		b := w.moved[i]
		w.drift(b, h/2)
		b.r = matrixOf(b.Q)
	}
}

// kick finds what the forces and the impulses of a step of h make of the velocities, if the next
// one comes after the time ahead, and tells whether it may come so late; may says that it matters.
func (w *World) kick(h, ahead float64, may bool) (fits bool) {
	w.h, w.ahead = h, ahead
	for _, g := range w.hands {
		g.aim(h)
	}
	for _, b := range w.moved {
		if !b.asleep {
			b.r, b.quick = matrixOf(b.Q), 0
		}
		b.force, b.moment = w.Config.Gravity.Mul(b.Mass), vec3{}
	}
	for _, l := range w.laws {
		l.Apply(w)
	}
	for _, g := range w.hands {
		g.hold()
	}
	before := w.stats
	w.detect(ahead, false)
	for blows := 0; ; blows++ {
		w.stats = before
		w.rouse()
		w.velocities()
		w.stats.Deepest = min(w.stats.Deepest, w.search.deepest, w.rest.deepest)
		if w.search.blurred && may {
			return false
		}
		w.forces(h)
		w.gather(ahead)
		w.start()
		w.solve(ahead)
		w.paths(ahead)
		if w.late {
			return true // shorter parts would be later still
		}
		if blows == len(w.awake) || !w.overlooked(ahead) {
			return w.turnsFit(ahead)
		}
	}
}

// velocities gives the problem the bodies' masses and their velocities before the kick.
func (w *World) velocities() {
	p := &w.system.problem
	for i, b := range w.moved {
		if w.rest.gathered && b.asleep {
			continue
		}
		p.invMass[i] = b.invMass
		p.v[i], p.omega[i] = b.V, rotate(b.Q, b.W)
		switch {
		case b.invMass > 0:
			p.invInertia[i] = b.r.Mul3(b.rotor.Inv).Mul3(b.r.Transpose())
		case b.hand != nil:
			p.invMass[i], p.invInertia[i] = 1/toolMass, b.hand.toolInertia()
			p.v[i], p.omega[i] = b.hand.was.v, rotate(b.Q, b.hand.was.w)
		default:
			p.invInertia[i] = mat3{}
		}
	}
}

// forces finds what those of a step of h make of the velocities.
func (w *World) forces(h float64) {
	s := &w.system
	p := &s.problem
	for i, b := range w.moved {
		if w.rest.gathered && b.asleep {
			continue
		}
		if b.invMass > 0 {
			s.bodies.startV[i] = p.v[i].Add(b.force.Mul(h * b.invMass))
			s.bodies.startW[i] = p.omega[i].Add(p.invInertia[i].Mul3x1(b.moment).Mul(h))
		} else { // the hand's forces are what takes it to its target
			s.bodies.startV[i], s.bodies.startW[i] = b.V, rotate(b.Q, b.W)
		}
	}
}

// paths finds how far the bodies turn and come until the next kick.
func (w *World) paths(h float64) {
	s := &w.system
	for _, i := range w.awake {
		b := w.moved[i]
		s.bodies.turns[i] = s.problem.omega[i].Len() * h
		s.bodies.ways[i] = s.problem.v[i].Len()*h + s.bodies.turns[i]*b.size()
	}
}

// overlooked tells whether bodies that the kick has made faster than contacts were looked for
// would come into others. Then these contacts are found: a blow goes on from body to body, through all of them at most.
func (w *World) overlooked(h float64) bool {
	s, f := &w.system, &w.search
	quicker := false
	for _, i := range w.awake {
		b := w.moved[i]
		if s.bodies.ways[i] > b.reach {
			b.quick, quicker = s.bodies.ways[i]/h, true
		}
	}
	if !quicker {
		return false
	}
	w.detect(h, true)
	for i := range f.pairs {
		p := &f.pairs[i]
		a, b := w.bodies[p.a], w.bodies[p.b]
		i, j := w.ends(a, b)
		slop := w.slop(a, b)
		for t := p.from; t < p.to; t++ {
			t := &f.touches[t]
			if !t.fresh {
				continue
			}
			m := s.motion(i, j, s.problem.v, s.problem.omega)
			closes := m.slip(of(t.at.Sub(a.X)), of(t.at.Add(t.slip).Sub(b.X))).dot(of(t.normal))
			if t.gap+h*closes < min(t.gap, 0)-slop {
				return true
			}
		}
	}
	f.found, f.last = f.last, f.found
	return false
}

// turnsFit tells whether the bodies turn by so little until the next kick that contacts, which are
// linear in their motion, let them no deeper into each other than is allowed. In second order of
// the turns theta, a point of a body at r leaves its straight way by theta x (theta x r)/2, and a
// surface of normal n that turns below a slip s comes closer by (theta x n).s.
func (w *World) turnsFit(h float64) bool {
	s := &w.system
	p := &s.problem
	for i := range w.search.pairs {
		if t := &w.search.pairs[i]; t.swift {
			a, b := w.bodies[t.a], w.bodies[t.b]
			speed := 0.0
			for _, of := range [2]*Body{a, b} {
				if k := w.ids[of.id]; k >= 0 {
					speed = max(speed, of.sweeps(p.omega[k]))
				}
			}
			if speed*h > swift*smaller(a, b) {
				return false
			}
		}
	}
	for i := s.asleep; i < len(p.contacts); i++ {
		c := &p.contacts[i]
		theta, path := 0.0, 0.0
		for _, k := range [2]int32{c.a, c.b} {
			if k >= 0 {
				theta, path = max(theta, s.bodies.turns[k]), path+s.bodies.ways[k]
			}
		}
		if 2*theta*path <= turnShare/slopShare*s.contacts.slops[i] {
			continue
		}
		a, b := w.bodies[s.contacts.pairs[i][0]], w.bodies[s.contacts.pairs[i][1]]
		var way [2]vec3 // of the points that touch
		var turn [2]vec3
		bend := 0.0
		n := c.d[0]
		for side, of := range [2]*Body{a, b} {
			k := [2]int32{c.a, c.b}[side]
			if k < 0 {
				continue
			}
			r, theta := c.arm[side], p.omega[k].Mul(h)
			way[side] = p.v[k].Mul(h).Add(theta.Cross(r))
			if of.Form.Kind == FormBall {
				continue // a turn changes nothing about it
			}
			turn[side] = theta
			bend += float64(1-2*side) * n.Dot(theta.Cross(theta.Cross(r))) / 2
		}
		slip := way[0].Sub(way[1])
		left := s.contacts.gaps[i] + n.Dot(slip)
		slip = slip.Sub(n.Mul(n.Dot(slip)))
		bend += min(turn[0].Cross(n).Dot(slip), turn[1].Cross(n).Dot(slip), 0)
		if bend < 0 && left+bend < min(s.contacts.gaps[i], 0)-turnShare*smaller(a, b) {
			return false
		}
	}
	return true
}

// commit lets the kick found be the one that has been.
func (w *World) commit(h float64) {
	p := &w.system.problem
	for _, i := range w.awake {
		b := w.moved[i]
		if b.moves() {
			w.given.count(b, p.v[i], p.omega[i], h)
			w.calmed(i, p.v[i], p.omega[i], h)
			b.V = p.v[i]
			if b.Solo == nil {
				b.W = unrotate(b.Q, p.omega[i])
			}
		}
	}
	for _, g := range w.hands {
		g.pull(h)
	}
	w.remember()
	if w.tooDeep(w.ahead) {
		w.separate()
	}
	w.settle()
}
