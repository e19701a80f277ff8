package finitestrain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/flex"
	"hapco/physics/numerics/num"
	"hapco/physics/worlds/tissue/touch"
)

// surfacePoint is a place of the body's surface: a node, or between those of an edge or a
// triangle; or the way from one place of it to another. Its nodes name it from step to step.
type surfacePoint struct {
	nodes [4]int32   // -1: none
	share [4]float64 // of each
}

// of is where the spot is when the nodes are at x, m.
func (s *surfacePoint) of(x []float64) (p mgl64.Vec3) {
	for k, n := range s.nodes {
		if n < 0 {
			break
		}
		for c := range 3 {
			p[c] += s.share[k] * x[3*int(n)+c]
		}
	}
	return p
}

// id tells a spot at the tool from others, in a body of up to two million nodes.
func (s *surfacePoint) id() (id uint64) {
	for _, n := range s.nodes[:3] {
		id = id<<21 | uint64(n+1)
	}
	return id
}

// load adds a force at the spot to those of the free unknowns.
func (s *surfacePoint) load(dst []float64, k *fem.Matrix, force mgl64.Vec3) {
	for m, n := range s.nodes {
		if n < 0 {
			return
		}
		if i := k.Index[n]; i >= 0 {
			for c := range 3 {
				dst[3*int(i)+c] += s.share[m] * force[c]
			}
		}
	}
}

// contactConstraint is a spot at the tool, or at another part of the body.
type contactConstraint struct {
	surfacePoint
	contact       int           // place of the contact that it is of
	key           touch.Key     // of that
	turned        bool          // the contact's force on P acts on the tool
	own           bool          // the bodies touch themselves or each other: the spot is the way from the other part
	other         bool          // each other
	mu            float64       // Coulomb's friction, and
	hold          float64       // by how much a grip shifts its law, N; see frictionLaw
	held          bool          // it is gripped
	thick         float64       // of its layer, m
	firm          float64       // what that bears at half its thickness, N
	gap           float64       // above the layer, or from where it is gripped, m
	apart         float64       // gap from the surface, m
	from          mgl64.Vec3    // where the spot was then
	arm           mgl64.Vec3    // from the tool's origin
	soft          float64       // secant compliance of the layer, m/N
	frame         [3]mgl64.Vec3 // n, t1, t2
	slot          [4]int        // of the nodes in the compliance, -1: held
	force         mgl64.Vec3    // on the body, N
	old           [3]float64    // the same before the correction, in the frame
	base          [3]mgl64.Vec3 // the frame before the correction, at the end of which it is frame
	bends         float64       // what a round tool's curvature adds to its gap in it, m
	creep         mgl64.Vec3    // how far the spot goes along the tool's material in it, m
	off           float64       // and how far off its layer it comes, m
	goes, framed  mgl64.Vec3    // and along a round tool's shape; the same as the frame has it, m
	lean          mgl64.Vec3    // how far its layer leant in the last equilibrium, m
	give          float64       // what the body gives way here, m/N
	bears, slides bool          // in the patch that is relaxed
}

// world is a vector of the row's frame.
func (r *contactConstraint) world(v []float64) (f mgl64.Vec3) {
	for d := range 3 {
		f = f.Add(r.frame[d].Mul(v[d]))
	}
	return f
}

// pressing are the normal force that the contact obeys Coulomb's law with, and the tangential one, N.
func (r *contactConstraint) pressing() (n, t float64) {
	return r.force.Dot(r.frame[0]) + r.hold, math.Hypot(r.force.Dot(r.frame[1]), r.force.Dot(r.frame[2]))
}

// obey puts a force into the row's cone.
func (r *contactConstraint) obey(f []float64) {
	n := math.Max(0, f[0]+r.hold)
	f[0] = n - r.hold
	if size := math.Hypot(f[1], f[2]); size > r.mu*n {
		f[1], f[2] = f[1]*r.mu*n/size, f[2]*r.mu*n/size
	}
}

// yield is the secant compliance of a row's layer at what it bears: what is gripped it holds back as it holds off.
func (r *contactConstraint) yield() {
	r.soft = r.thick / (r.firm + math.Max(0, r.force.Dot(r.frame[0])))
}

// leant is how far the layer under a spot had given way to its force in the last equilibrium, m:
// along the tool that is no slip, and it comes back.
func (l *Live) leant(r *contactConstraint) (by mgl64.Vec3) {
	for i := range l.committed.constraints {
		if o := &l.committed.constraints[i]; o.nodes == r.nodes && o.key == r.key {
			return o.force.Mul(o.soft)
		}
	}
	return by
}

// slip is how far a row's spot has gone along what it touches since the last equilibrium, m.
func (l *Live) slip(r *contactConstraint) mgl64.Vec3 {
	at := r.of(l.X)
	if h := &l.tool; !r.own { // the tool's material there, as it was then
		at = h.was.Point(h.at.InversePoint(at))
	}
	return at.Sub(r.of(l.committed.X))
}

// across is the compliance between two rows, in the world's frame.
func (l *Live) across(a, b *contactConstraint) (w [9]float64) {
	for i, from := range a.slot {
		for j, to := range b.slot {
			if from < 0 || to < 0 || a.nodes[i] < 0 || b.nodes[j] < 0 {
				continue
			}
			share := a.share[i] * b.share[j]
			for k, v := range &l.tangents.now.comp[from*l.tangents.now.most+to] {
				w[k] += share * v
			}
		}
	}
	return w
}

// between finds the compliance between the rows in the world's axes.
func (l *Live) between() {
	n := 3 * len(l.constraints)
	l.problem.world = num.Grow(l.problem.world, n*n)
	for i := range l.constraints {
		for j := i; j < len(l.constraints); j++ {
			w := l.across(&l.constraints[i], &l.constraints[j])
			at := l.problem.world[3*i*n+3*j:]
			copy(at[:3], w[:3])
			copy(at[n:n+3], w[3:6])
			copy(at[2*n:2*n+3], w[6:])
		}
	}
}

// layered is the compliance of the contacts and their layers, in their frames.
func (l *Live) layered() {
	p := &l.problem
	n := 3 * len(l.constraints)
	p.compliance, p.frames, p.rows = num.Grow(p.compliance, n*n), num.Grow(p.frames, 3*n), num.Grow(p.rows, 3*n)
	for i := range l.constraints {
		for d, f := range l.constraints[i].frame {
			copy(p.frames[9*i+3*d:], f[:])
		}
	}
	flex.Turn(p.compliance, p.world, p.frames, p.rows)
	for i := range l.constraints {
		for d := 3 * i; d < 3*i+3; d++ {
			p.compliance[d*n+d] += l.constraints[i].soft
		}
	}
}

// addTool adds the tool, eliminated, to the contact problem: what it gives way by, and how far it would go by itself.
func (l *Live) addTool() {
	p := &l.problem
	h, n := &l.tool, 3*len(l.constraints)
	h.yields(l.Options.Reach)
	p.leads, p.gives = num.Grow(p.leads, 6*n), num.Grow(p.gives, 6*n)
	for i := range l.constraints {
		r := &l.constraints[i]
		for d, f := range r.frame {
			var lead six
			if !r.own {
				lead = h.lead(r.arm, f)
			}
			give := h.give.times(lead)
			for c := range lead {
				p.leads[c*n+3*i+d], p.gives[c*n+3*i+d] = lead[c], give[c]
			}
			p.Q[3*i+d] -= lead.dot(h.free)
		}
	}
	flex.AddProduct(p.W, p.gives, p.leads, 6)
}

// solveContacts solves the contact problem of the bodies, their layers and the tool, again and again with what the last
// solution says of the layers and of where the spots come to on the tool: there are the arms and, on a round tool, the
// normals. A layer that bears more than it was thought to would be gone through: then it goes on, unless that takes more
// force than there is.
func (l *Live) solveContacts() {
	p := &l.problem
	round := l.contacts.set.Tool.Round
	for i := range l.constraints {
		r := &l.constraints[i]
		l.turn(r, round)
		for d, f := range r.frame {
			p.r[3*i+d] = f.Dot(r.force)
		}
		r.lean = l.leant(r)
	}
	l.between()
	for n := 1; ; n++ {
		l.formulate()
		l.shift(1)
		l.Deadline.Allow(leastBudget)
		p.solver.Solve(&p.Problem, p.r, &p.laws)
		for _, v := range p.r {
			if !num.Finite(v) {
				clear(p.r)
				break
			}
		}
		for i := range l.constraints {
			r := &l.constraints[i]
			r.creep, r.off = l.creep(i)
		}
		l.shift(-1)
		change, pressed, through := l.renew(round)
		done := n >= secants || change <= l.Options.Accept/4*pressed
		if n == mostSecants || done && (!through || !l.possible() || l.Deadline.Late(0)) {
			break
		}
		for i := range l.constraints {
			l.turn(&l.constraints[i], round)
		}
	}
	for i := range l.constraints { // a solver that has not converged may leave it
		r := &l.constraints[i]
		r.obey(p.r[3*i : 3*i+3])
		r.force = r.world(p.r[3*i : 3*i+3])
	}
}

// formulate states the contact problem of the bodies, their layers and the tool, with the rows' frames and layers as they
// are.
func (l *Live) formulate() {
	p := &l.problem
	p.Resize(len(l.constraints))
	l.layered()
	copy(p.W, p.compliance)
	p.less = num.Grow(p.less, len(p.Q))
	for i := range l.constraints {
		r := &l.constraints[i]
		u, slip := mgl64.Vec3(p.at[3*i:3*i+3]), l.slip(r).Sub(r.lean)
		q := [3]float64{r.frame[0].Dot(u) + r.gap + r.bends, r.frame[1].Dot(u) + r.frame[1].Dot(slip), r.frame[2].Dot(u) + r.frame[2].Dot(slip)}
		for d, old := range r.old { // the first half has what bodies do under the old forces, and not what layers do
			p.Q[3*i+d], p.less[3*i+d] = q[d]+r.soft*old, -old
		}
		p.Mu[i] = r.mu
	}
	for i := range l.constraints {
		q := p.Q[3*i : 3*i+3]
		q[0], q[1], q[2] = p.DisplacementsAt(i, p.less)
	}
	l.addTool()
}

// creep is how far a row's spot goes along the tool's material in the correction, m, as the problem's last solution has
// it, and how far off its layer it comes.
func (l *Live) creep(i int) (way mgl64.Vec3, off float64) {
	r := &l.constraints[i]
	off, x1, x2 := l.problem.DisplacementsAt(i, l.problem.r)
	if r.own {
		return way, off
	}
	slip := l.slip(r).Sub(r.lean)
	for t, x := range [2]float64{x1, x2} {
		axis := r.frame[1+t]
		way = way.Add(axis.Mul(x - axis.Dot(slip) - r.soft*l.problem.r[3*i+1+t]))
	}
	return way, off
}

// renew lets layers be as the last solution has them, and finds how far the spots go along the shape of a round tool, which
// rolls under its material where that turns. It tells what the new layers and frames would change of the forces, N, and
// the sum of their sizes; and whether a layer would be gone through.
func (l *Live) renew(round float64) (change, pressed float64, through bool) {
	h, m := &l.tool, 3*len(l.constraints)
	for i := range l.constraints {
		r := &l.constraints[i]
		r.force = r.world(l.problem.r[3*i : 3*i+3])
	}
	h.way = h.free.add(h.give.times(l.presses()), 1)
	for i := range l.constraints {
		r := &l.constraints[i]
		was, bears := r.soft, math.Max(0, l.problem.r[3*i])
		r.yield()
		through = through || was*bears >= r.thick
		gap, turn := (r.soft-was)*bears, 0.0
		if !r.own && round > 0 {
			from := round + r.apart
			r.goes = l.contacts.across(r, r.creep.Add(h.way.part(1).Mul(1/h.lever).Cross(r.base[0].Mul(from))))
			gap += (r.framed.LenSqr() - r.goes.LenSqr()) / (2 * from)
			turn = r.goes.Sub(r.framed).Len() / from
		}
		if bears == 0 { // what is off its layer bears from there on
			gap = math.Min(0, gap+r.off)
		}
		size := r.force.Len()
		change = math.Hypot(change, math.Hypot(gap/l.problem.compliance[3*i*m+3*i], turn*size))
		pressed += size
	}
	return change, pressed, through
}

// turn turns a row's frame and its arm to where its spot is after it has gone along a tool of a radius, and finds what
// its gap g is then beside the change along that normal,
//
//	|(R + g) n + way| - R - n' way,  n' = (R + g) n + way, normalised.
//
// What comes nearer at first and leaves later would meet on the way: a way that bends by more than half the gap is cut.
func (l *Live) turn(r *contactConstraint, round float64) {
	force := r.world(r.old[:])
	h, n, gap := &l.tool, r.base[0], r.apart
	way := r.goes.Sub(n.Mul(n.Dot(r.goes)))
	if most := gap * (round + gap); way.LenSqr() > most {
		way = way.Mul(math.Sqrt(most) / way.Len())
	}
	to := n.Mul(round + gap).Add(way)
	r.frame, r.bends, r.framed = r.base, 0, r.goes
	if way != (mgl64.Vec3{}) {
		long := to.Len()
		r.frame[0] = to.Mul(1 / long)
		for d := 1; d < 3; d++ {
			t := r.base[d]
			r.frame[d] = t.Sub(n.Add(r.frame[0]).Mul(t.Dot(r.frame[0]) / (1 + n.Dot(r.frame[0]))))
		}
		r.bends = long - round - gap - r.frame[0].Dot(way)
	}
	for d := range 3 {
		r.old[d] = r.frame[d].Dot(force)
	}
	r.arm = r.of(l.X).Sub(h.at.Position)
	if r.creep != (mgl64.Vec3{}) {
		r.arm = r.arm.Add(r.creep).Add(h.way.part(1).Mul(1 / h.lever).Cross(r.arm))
	}
}

// broken is how far the contacts are from Signorini's and Coulomb's laws on their layers, at the mu that each has, N:
//
//	|r - P_K(r - u/w)| over all, u = (x_n + mu |x_t|, x_t)
//
// with x the gap and the slip since the last equilibrium as they have come out, w the mean of a
// contact's own compliances and P_K the projection on its cone. 0 where each is open and bears
// nothing, sticks within its cone, or slides against its friction.
func (l *Live) broken() float64 {
	m, sum := 3*len(l.constraints), 0.0
	for i := range l.constraints {
		r := &l.constraints[i]
		trace := 0.0
		for d := 3 * i; d < 3*i+3; d++ {
			trace += l.problem.compliance[d*m+d]
		}
		by := 3 / trace
		slip := l.slip(r).Add(r.force.Mul(r.soft)).Sub(l.leant(r))
		n, t1, t2 := r.force.Dot(r.frame[0])+r.hold, r.force.Dot(r.frame[1]), r.force.Dot(r.frame[2])
		x1, x2 := slip.Dot(r.frame[1]), slip.Dot(r.frame[2])
		gap := r.gap + r.soft*(n-r.hold) + r.mu*math.Hypot(x1, x2)
		a, b, c := contact.ProjectCone(r.mu, n-by*gap, t1-by*x1, t2-by*x2)
		sum += (n-a)*(n-a) + (t1-b)*(t1-b) + (t2-c)*(t2-c)
	}
	return math.Sqrt(sum)
}

// frictionLaw is the law of friction that the scene sets for a row: Coulomb's mu, and by how much
// a grip shifts it, N. Nothing else has a say in what it obeys.
func (l *Live) frictionLaw(r *contactConstraint) (hold, mu float64) {
	switch {
	case !r.own:
		mu = l.orScenes(l.surfaces.skins[l.surfaces.whose[r.nodes[0]]].Friction)
		if r.held {
			hold, mu = l.grip.each, math.Max(mu, gripFriction)
		}
	case !r.other:
		mu = l.Options.Friction
	default:
		a, b := int(l.surfaces.whose[r.nodes[0]]), int(l.surfaces.whose[r.nodes[3]])
		for i := range l.surfaces.met {
			if m := &l.surfaces.met[i]; m.A == a && m.B == b || m.A == b && m.B == a {
				mu = l.orScenes(m.Friction)
			}
		}
	}
	return hold, mu
}

func (l *Live) orScenes(mu float64) float64 {
	if math.IsNaN(mu) {
		return l.Options.Friction
	}
	return mu
}
