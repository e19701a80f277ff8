package rigid

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// JointKind is what a joint leaves free.
type JointKind uint8

// The joints.
const (
	BallJoint   JointKind = iota // a point of each: all rotations
	HingeJoint                   // and an axis of each: the turn about it
	SliderJoint                  // the way along an axis, with friction
	RodJoint                     // a distance between two points
)

// Joint holds body A on body B, or on the ground where B is nil. Points and the axis are in the bodies' frames, or the
// world's. Its rows are bilateral rows of the contact problem; they hold at the places of the next kick, so that joints
// do not drift open.
type Joint struct {
	Kind   JointKind
	A, B   *Body
	PA, PB vec3 // m
	Axis   vec3 // of a hinge or slider, in B's frame, or the world's
	// Friction of a slider: along the axis it bears at most so much times the reaction across.
	Friction float64

	axisA  vec3 // the axis in A's frame
	rel    quat // A's attitude in B's frame
	length float64
	size   float64 // of what hangs on it, m: its arm, or how far its mass is spread
	now    [3]vec3 // directions of the rows in this step

	impulse [6]float64 // of its rows in the last step
	island  int32
}

// AddJoint joins bodies as they are now.
func (w *World) AddJoint(j *Joint) error {
	if j.A == nil || j.A.invMass == 0 || j.A.Solo != nil {
		return fmt.Errorf("rigid: a joint of nothing that moves (cure: its body A moves)")
	}
	if j.B != nil {
		w.ignore(j.A, j.B)
	}
	qb := j.turnB()
	if j.Kind == HingeJoint || j.Kind == SliderJoint {
		l := j.Axis.Len()
		if !(l > 0) {
			return fmt.Errorf("rigid: a joint of %q has no axis", j.A.Name)
		}
		j.Axis = j.Axis.Mul(1 / l)
		j.axisA = unrotate(j.A.Q, rotate(qb, j.Axis))
	}
	if !(j.Friction >= 0) {
		return fmt.Errorf("rigid: a joint of %q has friction %g (cure: 0 or more)", j.A.Name, j.Friction)
	}
	j.rel = qb.Conjugate().Mul(j.A.Q)
	j.length = j.A.point(j.PA).Sub(j.pointB()).Len()
	if j.Kind == RodJoint && !(j.length > 0) {
		return fmt.Errorf("rigid: a rod at %q has no length", j.A.Name)
	}
	spread := j.A.Inertia.Trace() / (2 * j.A.Mass)
	j.size = max(j.PA.Len(), math.Sqrt(spread))
	w.joints = append(w.joints, j)
	return nil
}

func (j *Joint) pointB() vec3 {
	if j.B == nil {
		return j.PB
	}
	return j.B.point(j.PB)
}

// turnB is the attitude of body B.
func (j *Joint) turnB() quat {
	if j.B == nil {
		return mgl64.QuatIdent()
	}
	return j.B.Q
}

// axis in the world, by body B.
func (j *Joint) axis() vec3 {
	if j.B == nil {
		return j.Axis
	}
	return rotate(j.B.Q, j.Axis)
}

// misses writes how far the rows are from 0, in m and rad, at the bodies' present
// places, with the directions e of the rows.
func (j *Joint) misses(e *[3]vec3) (g [5]float64, n int) {
	d := j.A.point(j.PA).Sub(j.pointB())
	switch j.Kind {
	case RodJoint:
		g[0] = d.Dot(e[0]) - j.length
		return g, 1
	case SliderJoint:
		g[0], g[1] = d.Dot(e[1]), d.Dot(e[2])
		q := j.A.Q.Mul(j.turnB().Mul(j.rel).Conjugate())
		if q.W < 0 {
			q = q.Scale(-1)
		}
		turn := q.V.Mul(2)
		copy(g[2:], turn[:])
		return g, 5
	}
	copy(g[:], d[:])
	if j.Kind == BallJoint {
		return g, 3
	}
	turn := j.axis().Cross(rotate(j.A.Q, j.axisA))
	g[3], g[4] = turn.Dot(e[1]), turn.Dot(e[2])
	return g, 5
}

// directions of the rows at the present places.
func (j *Joint) directions() (e [3]vec3) {
	switch j.Kind {
	case RodJoint:
		d := j.A.point(j.PA).Sub(j.pointB())
		e[0] = d.Mul(1 / d.Len())
	case HingeJoint, SliderJoint:
		e[0] = j.axis()
		t1, t2 := frameOf(of(e[0]))
		e[1], e[2] = t1.vec(), t2.vec()
	}
	return e
}

// joint writes the rows of a joint to the problem.
func (w *World) joint(j *Joint, r *jointConstraint, h float64) {
	r.a, r.b = w.ends(j.A, j.B)
	r.r = j.impulse
	ra := rotate(j.A.Q, j.PA)
	var rb vec3
	if j.B != nil {
		// Arms of B are those of the same point: A's, where a slider's moves.
		rb = j.A.X.Add(ra).Sub(j.B.X)
		if j.Kind != SliderJoint {
			rb = rotate(j.B.Q, j.PB)
		}
	}
	e := j.directions()
	point := func(k int, d vec3) { r.rows[k].d, r.rows[k].a, r.rows[k].b = d, ra.Cross(d), rb.Cross(d) }
	turn := func(k int, d vec3) { r.rows[k].d, r.rows[k].a, r.rows[k].b = vec3{}, d, d }
	r.mu = 0
	switch j.Kind {
	case RodJoint:
		point(0, e[0])
	case SliderJoint:
		point(0, e[1])
		point(1, e[2])
		for k := range 3 {
			turn(2+k, mgl64.Ident3().Col(k))
		}
		point(5, e[0])
		r.mu = j.Friction
	default:
		for k := range 3 {
			point(k, mgl64.Ident3().Col(k))
		}
		if j.Kind == HingeJoint {
			turn(3, e[1])
			turn(4, e[2])
		}
	}
	g, n := j.misses(&e)
	r.n = n
	if r.mu > 0 {
		r.n++
	}
	r.q = [6]float64{}
	for k := range n {
		r.q[k] = j.closing(k, g[k], h)
	}
}

// unit of a row, m, or 1 where it holds an angle.
func (j *Joint) unit(row int) float64 {
	if j.Kind == SliderJoint && row >= 2 || j.Kind == HingeJoint && row >= 3 {
		return 1
	}
	return j.size
}

// closing is the velocity that takes back a miss of a row within a step, as far as it may.
func (j *Joint) closing(row int, miss, h float64) float64 {
	most := jointClosing * j.unit(row)
	return min(max(miss, -most), most) / h
}

// settleJoints corrects the rows for the curvature of the way to the next kick: the joints then hold there, to third
// order of the step. [SHAKE: Ryckaert, Ciccotti, Berendsen 1977]
func (w *World) settleJoints(k *island, h float64) {
	p, saved := &k.problem, w.system.bodies.saved
	if len(k.joints) == 0 {
		return
	}
	for range jointRounds {
		// Where the bodies will be at the next kick, in place; then back.
		for _, i := range p.moved {
			b := w.moved[i]
			saved[i] = b.placed()
			if b.invMass > 0 {
				b.V, b.W = p.v[i], unrotate(b.Q, p.omega[i])
			}
		}
		for _, j := range k.joints {
			j.now = j.directions()
		}
		for _, i := range p.moved {
			w.drift(w.moved[i], w.h/2)
			w.drift(w.moved[i], h-w.h/2)
		}
		worst := 0.0
		for i, j := range k.joints {
			g, n := j.misses(&j.now)
			for k := range n {
				p.joints[i].q[k] += j.closing(k, g[k], h)
				worst = max(worst, math.Abs(g[k])/j.unit(k))
			}
		}
		for _, i := range p.moved {
			w.moved[i].put(&saved[i])
		}
		if worst < jointRounding {
			return
		}
		w.system.again(k)
		w.impulses(k)
	}
}
