package rigid

import "math"

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
		if largest(b.W)*h < 1e-8 { // of C1 rounding leaves no more than this
			w1 := b.W.Add(rot.A.Mul(h))
			b.Q, b.W = turned(b.Q, b.W.Add(w1).Mul(h/2)), w1
		} else if rot.Step(C1, HalfRotation, h, none{}) {
			b.Q, b.W = rot.R, rot.W
		} else { // more than half a turn in the step: momentum is kept, the rest is noise
			l := b.Spin()
			b.Q = turned(b.Q, b.W.Mul(h))
			b.W = rot.Inv.Mul3x1(unrotate(b.Q, l))
		}
	}
}

// Step advances by the step of the configuration. It allocates nothing once all
// contacts have been seen.
func (w *World) Step() {
	h := w.Config.Step
	w.stats = Stats{Deepest: math.Inf(1)}
	if !w.given.begun { // one that goes on for another with other bodies has steps already
		w.kinetic0, _ = w.Energy()
		w.given.begun = true
	}
	for _, b := range w.moved {
		w.stats.Caution = max(w.stats.Caution, b.W.Len()*h)
		w.drift(b, h/2)
	}
	w.kick(h)
	for _, b := range w.moved {
		w.drift(b, h/2)
		if b.Solo != nil {
			b.Solo.step(b, h)
		}
		b.r = matrixOf(b.Q)
	}
	for _, v := range w.vibrations {
		v.step(h)
	}
	w.steps++
	w.time += h
}

// kick changes the velocities.
func (w *World) kick(h float64) {
	p := &w.system.problem
	for _, g := range w.hands {
		g.aim(h)
	}
	for _, b := range w.moved {
		b.r = matrixOf(b.Q)
		b.force, b.moment = w.Config.Gravity.Mul(b.Mass), vec3{}
	}
	for _, l := range w.laws {
		l.Apply(w)
	}
	for _, g := range w.hands {
		g.hold()
	}
	for i, b := range w.moved {
		p.InvMass[i] = b.invMass
		p.V[i], p.Omega[i] = b.V, rotate(b.Q, b.W)
		switch {
		case b.invMass > 0:
			p.InvInertia[i] = b.r.Mul3(b.rotor.Inv).Mul3(b.r.Transpose())
		case b.hand != nil:
			p.InvMass[i], p.InvInertia[i] = 1/toolMass, b.hand.toolInertia()
			p.V[i], p.Omega[i] = b.hand.was.v, rotate(b.Q, b.hand.was.w)
		default:
			p.InvInertia[i] = mat3{}
		}
	}
	w.detect(h)
	w.gather(h)
	for i, b := range w.moved {
		if b.invMass > 0 {
			p.V[i] = p.V[i].Add(b.force.Mul(h * b.invMass))
			p.Omega[i] = p.Omega[i].Add(p.InvInertia[i].Mul3x1(b.moment).Mul(h))
		} else if b.hand != nil { // the hand's forces are what takes it to its target
			p.V[i], p.Omega[i] = b.V, rotate(b.Q, b.W)
		}
	}
	w.system.start()
	w.solve(h)
	for i, b := range w.moved {
		if b.invMass > 0 || b.hand != nil {
			w.given.count(b, p.V[i], p.Omega[i], h)
			b.V = p.V[i]
			if b.Solo == nil {
				b.W = unrotate(b.Q, p.Omega[i])
			}
		}
	}
	w.remember(h)
	if w.tooDeep(h) {
		w.separate(h)
	}
}
