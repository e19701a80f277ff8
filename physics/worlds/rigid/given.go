package rigid

import (
	"math"

	"hapco/physics"
)

// given is what has moved the bodies since the start, J: forces, and the hands' tools by contact.
// Contacts give nothing: in a kick
//
//	T+ - T- <= h F.(v+ + v-)/2 + h M.(w+ + w-)/2 + what the tools lose of their own
//
// so that kinetic energy beyond given is an error of the step's.
type given struct {
	begun bool
	sum   float64
	moved float64 // the sum of its parts' sizes
}

func (a *given) add(x float64) {
	a.sum += x
	a.moved += math.Abs(x)
}

// count adds the work on a body in a kick that takes its velocities to v and omega.
func (a *given) count(b *Body, v, omega vec3, h float64) {
	w := rotate(b.Q, b.W)
	switch {
	case b.hand != nil:
		inertia := 1 / b.hand.toolInertia().At(0, 0)
		a.add((toolMass*(b.V.LenSqr()-v.LenSqr()) + inertia*(w.LenSqr()-omega.LenSqr())) / 2)
	case b.invMass > 0:
		a.add(h / 2 * (b.force.Dot(b.V.Add(v)) + b.moment.Dot(w.Add(omega))))
	}
}

// Account is what tells whether the laws hold. The energy of bodies that turn by an integrator
// of their own is its affair, and joints give some where they draw bodies together again that
// have come apart: then nothing is said of it.
func (l *live) Account(bool) (out []physics.Entry) {
	w := l.world
	out = append(out, physics.Entry{Name: physics.PutBack, Value: l.lost})
	// Places of bodies among the instances of a frame. One that turns by itself touches nothing,
	// and so does a ghost.
	place, apart, solo := map[int32]int{}, [][2]int{}, false
	for i := range l.parts {
		if p := &l.parts[i]; p.surface < 0 {
			n := len(place)
			place[p.body.id] = n
			if p.body.Solo != nil || p.body.Form.Kind == FormNone {
				apart, solo = append(apart, [2]int{n, -1}), solo || p.body.Solo != nil
			}
		}
	}
	for k, g := range w.hands {
		if g.held != nil {
			if n, ok := place[g.held.id]; ok {
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
	if solo || len(w.joints) > 0 || !w.given.begun {
		return out
	}
	kinetic, _ := w.Energy()
	fall := 0.0 // what bodies that touch within a step may gain of their weight in it
	for _, b := range w.moved {
		if b.invMass > 0 {
			v := w.Config.Gravity.Len() * w.Config.Step
			fall += b.Mass * v * v / 2
		}
	}
	return append(out,
		physics.Entry{Name: physics.EnergyUnexplained, Value: kinetic - w.kinetic0 - w.given.sum - fall},
		physics.Entry{Name: physics.EnergyMoved, Value: w.kinetic0 + w.given.moved})
}
