package tissue

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/numerics/num"
)

// hung is a tool that hangs on the hand by a spring. Its pose T is an unknown of the step:
//
//	K_s (hand - T) + J^T r = 0,   K_s = K min(1, F_max / (K |hand - T|))
//
// and the same for the turn, with J as in local.Model. Eliminated, it is one more compliance of the contact problem,
//
//	x = (W + J K_s^-1 J^T) r + q + J (hand - T_0),
//
// where q is x_free in the pose T_0 that the problem is stated about. The spring saturates, so each step has an answer
// whatever the hand does: a tool that cannot follow stays behind, with F_max on it. Where it would go farther than an
// increment may, a drag about where it was is part of the problem; it only holds back, so that contacts never bear more
// than the spring.
//
// Two things are known of contact that a tool without a spring does not need, and the benches of the thesis do not have.
// Tissue gives way by a layer on it, so that W is definite where nodes are held, too. And Signorini's law of a linear
// body is one about its undeformed shape: see inexact.
type hung struct {
	on      bool
	hangs   bool // in the last problem
	spring  physics.Coupling
	hand    frame.Pose
	begin   frame.Pose // where the tool was before the increment
	allowed float64    // way of a point of the tool in an increment, m
	drag    float64    // about begin, N/m
	stiff   six        // K_s, N/m
	free    six        // way that the tool would go by itself from T_0
	leads   []six      // of the problem's directions: how the tool meets them
	bare    []float64  // W without the tool
}

// six is a way and a turn times the lever, m; or a force and a moment over the lever, N.
type six [6]float64

func (a *six) dot(b *six) float64 {
	return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3] + a[4]*b[4] + a[5]*b[5]
}

func (a *six) add(b six) {
	for c := range a {
		a[c] += b[c]
	}
}

func (a *six) size() float64 { return math.Sqrt(a.dot(a)) }

const (
	mostHung  = 4    // solves in which spring and drag are found
	nearLimit = 0.01 // to which the spring's force is found, of it
	// F_max is what presses a cube of the softest tissue, as wide as the tool, flat: linear elasticity ends long before.
	flat = 1.0
	// The layer is so thin that it is so much stiffer than a cube of tissue with the longest edge of the surface.
	layerStiff = 20.0
)

// StepHung is Step for a tool that hangs on the hand.
func (w *World) StepHung(hand frame.Pose, spring physics.Coupling) (reached bool) {
	h := &w.hung
	h.on, h.hand, h.spring = finitePose(hand) && spring.Stiffness > 0, hand, spring
	h.hand.Rotation = hand.Rotation.Normalize()
	if most := w.bearable(); spring.Limit == 0 || most < spring.Limit {
		h.spring.Limit = most
	}
	reached = w.Step(hand)
	h.on = false
	return reached
}

// bearable is F_max of the tissue, N.
func (w *World) bearable() float64 {
	young := math.Inf(1)
	for _, b := range w.bodies {
		if b.flexibility.elastic() {
			young = min(young, b.young)
		}
	}
	return flat * young * w.width * w.width
}

// turns tells that the spring turns the tool; else it is turned as the hand is.
func (w *World) turns() bool { return w.hung.spring.Angle > 0 && w.Lever() > 0 }

// Lever by which a turn counts as a way, m.
func (w *World) Lever() float64 { return w.bodies[w.driven].radius }

// wayTo is the way from a pose to another.
func (w *World) wayTo(a, b frame.Pose) (e six) {
	d := b.Position.Sub(a.Position)
	copy(e[:], d[:])
	if w.turns() {
		q := b.Rotation.Mul(a.Rotation.Conjugate())
		by := math.Copysign(2*w.Lever(), q.W)
		for c, x := range q.V {
			e[3+c] = by * x
		}
	}
	return e
}

// after is a pose after a way.
func (w *World) after(p frame.Pose, way six) frame.Pose {
	p.Position = p.Position.Add(mgl64.Vec3(way[:3]))
	if w.turns() {
		half := mgl64.Vec3(way[3:]).Mul(0.5 / w.Lever())
		if n := half.Len(); n > 0.9 { // farther than a quaternion's vector part says
			half = half.Mul(0.9 / n)
		}
		p.Rotation = (mgl64.Quat{W: math.Sqrt(1 - half.LenSqr()), V: half}).Mul(p.Rotation).Normalize()
	}
	return p
}

// pull finds the spring's secant stiffness with the tool at a pose, and returns its force on the tool.
func (w *World) pull(at frame.Pose) (f six) {
	h := &w.hung
	e := w.wayTo(at, h.hand)
	for part := range 2 {
		stiff, of := h.spring.Stiffness, mgl64.Vec3(e[3*part:3*part+3])
		if part == 1 && w.turns() {
			stiff = h.spring.Angle / (w.Lever() * w.Lever())
		}
		if long := of.Len(); h.spring.Limit > 0 && stiff*long > h.spring.Limit {
			stiff = h.spring.Limit / long
		}
		for c, x := range of {
			h.stiff[3*part+c], f[3*part+c] = stiff, stiff*x
		}
	}
	return f
}

// move takes the stylus towards the target as far as an increment goes; one that hangs, to where it would be with the
// contact forces of the last step, N and N m.
func (w *World) move(target frame.Pose, force, torque mgl64.Vec3) (reached bool) {
	h, b := &w.hung, w.bodies[w.driven]
	if !h.on {
		pose, reached := w.limit(target)
		b.place(pose)
		return reached
	}
	h.begin, h.drag = b.pose, 0
	if !w.turns() {
		h.begin.Rotation = h.hand.Rotation
	}
	way := w.pull(h.begin)
	way.add(w.wrench(force, torque))
	way.add(w.wrench(w.grasp.Reaction(h.begin)))
	for c := range way {
		way[c] /= h.stiff[c]
	}
	pose, reached := w.limit(w.after(h.begin, way))
	if !reached { // a drag that holds it there
		made := w.wayTo(h.begin, pose)
		h.drag = h.stiff[0] * (way.size()/max(made.size(), 1e-6*way.size()) - 1)
	}
	b.place(pose)
	return reached
}

// wrench is a force and a moment on the tool.
func (w *World) wrench(force, torque mgl64.Vec3) (f six) {
	copy(f[:3], force[:])
	if w.turns() {
		torque = torque.Mul(1 / w.Lever())
		copy(f[3:], torque[:])
	}
	return f
}

// hang adds the tool and the layer to the contact problem.
func (w *World) hang() {
	h, p := &w.hung, &w.posed.problem
	if h.hangs = h.on; !h.on {
		return
	}
	n, d := 3*p.N, w.bodies[w.driven]
	w.swing()
	h.leads = num.Grow(h.leads, n)
	for k, i := range w.set.kept {
		c := &w.contacts[i]
		pair := &w.directions[c.direction]
		soft := max(w.bodies[pair.impactor].layer(), w.bodies[pair.obstacle].layer())
		sign, at := w.onStylus(c)
		arm := at.Sub(d.deformed.now.origin)
		for a, axis := range [3]mgl64.Vec3{c.n, c.t1, c.t2} {
			axis = axis.Mul(sign)
			h.leads[3*k+a] = w.wrench(axis, arm.Cross(axis))
			p.W[(3*k+a)*(n+1)] += soft
		}
	}
	h.bare = append(h.bare[:0], p.W...)
	give := w.gives()
	for i := range h.leads {
		l := h.leads[i]
		if l == (six{}) {
			continue
		}
		p.Q[i] += l.dot(&h.free)
		for c := range l {
			l[c] *= give[c]
		}
		row := p.W[i*n : (i+1)*n]
		for j := range h.leads {
			row[j] += l.dot(&h.leads[j])
		}
	}
}

// layer is the compliance of the layer on a body, m/N.
func (b *body) layer() float64 {
	if !b.flexibility.elastic() {
		return 0
	}
	return 1 / (layerStiff * b.longest * b.young)
}

// gives is the compliance of spring and drag, m/N.
func (w *World) gives() (g six) {
	for c, k := range w.hung.stiff {
		if k += w.hung.drag; k > 0 && (c < 3 || w.turns()) {
			g[c] = 1 / k
		}
	}
	return g
}

// swing finds the way that the tool would go by itself from where it is.
func (w *World) swing() {
	h, b := &w.hung, w.bodies[w.driven]
	f, back := w.pull(b.pose), w.wayTo(b.pose, h.begin)
	f.add(w.wrench(w.grasp.Reaction(b.pose)))
	for c, g := range w.gives() {
		h.free[c] = g * (f[c] + h.drag*back[c])
	}
}

// follow puts the tool to where the forces let it be. It is true where the problem is to be stated anew: the spring is
// another than was thought, or the tool goes too far.
func (w *World) follow(round int) (again bool) {
	h, b := &w.hung, w.bodies[w.driven]
	if !h.on {
		return false
	}
	way, give := h.free, w.gives()
	for i := range h.leads {
		if r := w.set.r[i]; r != 0 {
			for c := range way {
				way[c] += give[c] * h.leads[i][c] * r
			}
		}
	}
	b.place(w.after(b.pose, way))
	w.assembleFree()
	if round >= mostHung {
		return false
	}
	was := h.stiff
	pull, made := w.pull(b.pose), w.wayTo(h.begin, b.pose)
	switch far := made.size(); {
	case made.dot(&pull) < 0: // the tissue pushes it back: what it meets there it has met
		again = h.drag > 0
		h.drag = 0
	case far > 1.05*h.allowed:
		h.drag = (was[0]+h.drag)*far/h.allowed - was[0]
		again = true
	}
	for c := range was {
		again = again || math.Abs(h.stiff[c]-was[c]) > nearLimit*was[c]
	}
	if !again {
		h.stiff = was
	}
	return again
}

// bare is W of the last problem without the tool: the bodies', and the layer's.
func (w *World) bare() []float64 {
	if w.hung.hangs {
		return w.hung.bare
	}
	return w.posed.read().W
}

// inexact is how much more a contact's undeformed points overlap along its normal, by q < 0, than its undeformed bodies
// do. The displacements that undo an overlap are of first order in it, and so are the turns of normals: where normals
// are those of surfaces that bend and fold far, contact forces would have to undo what is none. So what a contact forbids
// is no more than the overlap of the bodies: the distance from P to the other's undeformed surface. It follows that a
// tool that is clear of the undeformed tissue is free, with the tissue at rest, wherever that was.
func (w *World) inexact(c *contactPoint, q float64) float64 {
	if c.stated || !(q < w.hung.allowed) { // it cannot close in this increment
		return c.excess
	}
	c.stated = true
	p := &w.directions[c.direction]
	a, b := w.bodies[p.impactor], w.bodies[p.obstacle]
	out := 0.0 // a body does not overlap itself
	switch {
	case p.impactor == p.obstacle:
	case b.flexibility.elastic():
		out = b.undeformed(a.freeOf(&c.p), c.q.node[0]) - b.loaded(&c.q)
	default:
		out = a.undeformed(b.freeOf(&c.q), c.p.node[0]) - a.loaded(&c.p)
	}
	c.excess = max(0, out-q)
	return c.excess
}

// loaded is how far weight and a grasp move a point, m: contact has to undo that, too.
func (b *body) loaded(s *side) float64 {
	if b.grasp == nil && b.load == (mgl64.Vec3{}) {
		return 0
	}
	var x mgl64.Vec3
	for k := range s.count {
		x = x.Add(b.rest[s.node[k]].Mul(s.weight[k]))
	}
	return b.freeOf(s).Sub(b.pose.Point(x)).Len()
}

// undeformed is how far a point, world, is from the undeformed surface, m, below 0 inside. It lies near a node.
func (b *body) undeformed(x mgl64.Vec3, node int32) float64 {
	at := b.pose.InverseVector(x.Sub(b.pose.Position))
	hint := int32(-1)
	if around := b.normals.around[node]; len(around) > 0 {
		hint = around[0]
	}
	hit, ok := b.undeformedTree.Closest(b.rest, at, math.Inf(1), hint)
	if !ok {
		return math.Inf(-1)
	}
	var q, n mgl64.Vec3
	for k, v := range &b.facets.triangles[hit.Triangle] {
		q = q.Add(b.rest[v].Mul(hit.Weights[k]))
		n = n.Add(b.outward[v].Mul(hit.Weights[k]))
	}
	if d := at.Sub(q); d.Dot(n) > 0 {
		return d.Len()
	}
	return -math.Sqrt(hit.Dist2)
}
