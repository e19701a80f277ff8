package finitestrain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/num"
)

// Reason says what is wrong with a state that is shown.
type Reason uint8

// In the order in which they are looked for.
const (
	Valid     Reason = iota
	NotFinite        // a place or a force is no number
	Inverted         // an element is turned over
	Crossed          // surfaces go through each other, or the tool through one
	OutOfCone        // a contact's force leaves Coulomb's cone, by more than 1e-6 of it
	Pulls            // one pulls that is not gripped
)

func (r Reason) String() string {
	return [...]string{"valid", "no number", "an element is turned over", "surfaces go through each other", "a force leaves its cone", "a contact pulls"}[r]
}

// Validate asserts what no step breaks, of the state that is shown: by exact predicates where triangles are. It is slow,
// and allocates.
func (l *Live) Validate() Reason {
	for _, x := range l.Shown.X {
		if !num.Finite(x) {
			return NotFinite
		}
	}
	if least, _ := l.body.MinJ(l.Shown.X); !(least > 0) {
		return Inverted
	}
	l.contacts.place(l.Shown.X, l.tool.at)
	crosses := l.contacts.set.Crosses()
	l.contacts.place(l.X, l.tool.at)
	if crosses {
		return Crossed
	}
	for i := range l.Shown.constraints {
		r := &l.Shown.constraints[i]
		n, t := r.pressing()
		switch {
		case !num.Finite(n) || !num.Finite(t):
			return NotFinite
		case n < -1e-12*math.Hypot(n, t) || r.hold == 0 && r.force.Dot(r.frame[0]) < 0 && r.force != (mgl64.Vec3{}):
			return Pulls
		case r.outOfCone() > 1e-6:
			return OutOfCone
		}
	}
	return Valid
}
