// What only tests ask.

package rigid

import "hapco/physics/frame"

// Opening is how far the points of the joint are from where they belong, m.
func (j *Joint) Opening() float64 {
	d := j.A.point(j.PA).Sub(j.pointB())
	switch j.Kind {
	case RodJoint:
		return d.Len() - j.length
	case SliderJoint:
		a := j.axis()
		return d.Sub(a.Mul(a.Dot(d))).Len()
	}
	return d.Len()
}

// Vibrations lists the bodies that vibrate.
func (w *World) Vibrations() []*vibration { return w.vibrations }

// Steps since the start.
func (w *World) Steps() int { return w.steps }

func expQuat(theta vec3) quat { return frame.Exp(theta) }
