package rigid

import (
	"math"

	"hapco/physics"
)

// given is what has moved the bodies since the start, J: forces, the hands' tools by contact, and joints. In a kick
//
//	T+ - T- = h F.(v+ + v-)/2 + h M.(w+ + w-)/2 + r.(U+ + U-)/2
//
// with the impulses r and the velocities U of the rows of contacts and joints. Contacts give nothing
// but what the tools give, which are bodies, too: of an impulse p on it a tool gives -p.(u+ + u-)/2. In a blow u- is
// the velocity that it had before the hand gave it another one, since restitution is measured by that. A contact that
// rests takes what the hand does in the step into its law, and r.(U+ + U-)/2 is 0 or less with the velocity U- that the
// hand gave the tool: led is the difference. Joints give what it takes to draw together what a hand has torn apart, and
// take friction. So kinetic energy beyond given is an error of the step's. Bodies
// that turn by an integrator of their own are left out: their energy is its affair.
type given struct {
	begun bool
	sum   float64
	moved float64 // the sum of its parts' sizes
}

// kinetic is the energy that is accounted for, J.
func (w *World) kinetic() (sum float64) {
	for _, b := range w.moved {
		if b.Solo == nil {
			sum += b.kinetic()
		}
	}
	return sum
}

func (a *given) add(x float64) {
	a.sum += x
	a.moved += math.Abs(x)
}

// isTool tells whether a hand moves one of the bodies that move; -1 is the ground.
func (w *World) isTool(i int32) bool { return i >= 0 && w.moved[i].hand != nil }

// led is by how much the hand has changed a tool's velocity at an arm, m/s; 0 of other bodies.
func (w *World) led(i int32, arm vec3) vec3 {
	if !w.isTool(i) {
		return vec3{}
	}
	b, was := w.moved[i], &w.moved[i].hand.was
	return b.V.Sub(was.v).Add(rotate(b.Q, b.W.Sub(was.w)).Cross(arm))
}

// count adds the work on a body in a kick that takes its velocities to v and omega.
func (a *given) count(b *Body, v, omega vec3, h float64) {
	w := rotate(b.Q, b.W)
	switch {
	case b.hand != nil:
		inertia, was := 1/b.hand.toolInertia().At(0, 0), &b.hand.was
		a.add(toolMass * b.V.Sub(v).Dot(v.Add(was.v)) / 2)
		a.add(inertia * w.Sub(omega).Dot(omega.Add(rotate(b.Q, was.w))) / 2)
	case b.invMass > 0 && b.Solo == nil:
		a.add(h / 2 * (b.force.Dot(b.V.Add(v)) + b.moment.Dot(w.Add(omega))))
	}
}

// Account is what tells whether the laws hold.
func (l *live) Account(bool) (out []physics.Entry) {
	w := l.world
	out = append(out, physics.Entry{Name: physics.PutBack, Value: l.lost})
	// Places of bodies among the instances of a frame. One that turns by itself touches nothing, and so does a ghost.
	place, apart := map[int32]int{}, [][2]int{}
	for i := range l.parts {
		if p := &l.parts[i]; p.surface < 0 {
			n := len(place)
			place[p.body.id] = n
			if p.body.Solo != nil || p.body.Form.Kind == FormNone {
				apart = append(apart, [2]int{n, -1})
			}
		}
	}
	for k, g := range w.hands {
		for _, b := range append(g.left, g.held) {
			if b == nil {
				continue
			}
			if n, ok := place[b.id]; ok {
				apart = append(apart, [2]int{n, physics.ApartTool(k)})
			}
		}
	}
	for key := range w.apart {
		a, ok := place[int32(key>>32)]
		b, both := place[int32(uint32(key))]
		if ok && both {
			apart = append(apart, [2]int{a, b})
		}
	}
	out = append(out, physics.Entry{Name: physics.Apart, Value: apart})
	if !w.given.begun {
		return out
	}
	fall := 0.0 // what bodies that touch within a step may gain of their weight in it
	for _, b := range w.moved {
		if b.invMass > 0 {
			v := w.Config.Gravity.Len() * w.Config.Step
			fall += b.Mass * v * v / 2
		}
	}
	return append(out,
		physics.Entry{Name: physics.EnergyUnexplained, Value: w.kinetic() - w.kinetic0 - w.given.sum - fall},
		physics.Entry{Name: physics.EnergyMoved, Value: w.kinetic0 + w.given.moved})
}
