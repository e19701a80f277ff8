package finitestrain

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/num"
	"hapco/physics/worlds/tissue/touch"
)

// spot is a place of the body's surface: a node, or between those of an edge or a
// triangle; or the way from one place of it to another. Its nodes name it from step to step.
type spot struct {
	nodes [4]int32   // -1: none
	share [4]float64 // of each
}

func nodeSpot(n int32) spot { return spot{[4]int32{n, -1, -1, -1}, [4]float64{1}} }

// of is where the spot is when the nodes are at x, m.
func (s *spot) of(x []float64) (p mgl64.Vec3) {
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

// isNode tells that the spot is its first node.
func (s *spot) isNode() bool { return s.nodes[1] < 0 }

// id tells a spot at the tool from others, in a body of up to two million nodes.
func (s *spot) id() (id uint64) {
	for _, n := range s.nodes[:3] {
		id = id<<21 | uint64(n+1)
	}
	return id
}

// load adds a force at the spot to those of the free unknowns.
func (s *spot) load(dst []float64, k *fem.Matrix, force mgl64.Vec3) {
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

// liveRow is a spot at the tool, or at another part of the body.
type liveRow struct {
	spot
	own           bool          // the bodies touch themselves or each other: the spot is the way from the other part
	other         bool          // each other
	mu            float64       // Coulomb's friction, and
	hold          float64       // by how much a grip shifts its law, N; see frictionLaw
	sink          float64       // how far the tool may be inside here, m
	gap           float64       // m
	from          mgl64.Vec3    // where the spot was then
	soft          float64       // what a support gives way here, m/N
	frame         [3]mgl64.Vec3 // n, t1, t2
	slot          [4]int        // of the nodes in the compliance, -1: held
	force         mgl64.Vec3    // on the body, N
	arm           mgl64.Vec3    // from the origin of a tool that hangs on the hand
	give          float64       // what the body gives way here, m/N
	bears, slides bool          // in the patch that is relaxed
	old           [3]float64    // the same before the correction, in the frame
	key           touch.Key     // of a tool that hangs on the hand: of its contact,
	contact       int           // its place,
	held          bool          // and it is gripped
	bends         float64       // what a round tool's curvature adds to its gap in the correction, m
	turned        bool          // the contact's force on P acts on the tool
	thick         float64       // of its layer, m
	firm          float64       // what that bears at half its thickness, N
	sides         int           // triangles whose closest point it is
	faces         bool          // the tool is before one of them
}

// world is a vector of the row's frame.
func (r *liveRow) world(v []float64) (f mgl64.Vec3) {
	for d := range 3 {
		f = f.Add(r.frame[d].Mul(v[d]))
	}
	return f
}

// keep takes a force over from before a correction.
func (r *liveRow) keep(force mgl64.Vec3) {
	r.force = force
	for d := range 3 {
		r.old[d] = force.Dot(r.frame[d])
	}
}

// pressing are the normal force that the contact obeys Coulomb's law with, and the tangential one, N.
func (r *liveRow) pressing() (n, t float64) {
	return r.force.Dot(r.frame[0]) + r.hold, math.Hypot(r.force.Dot(r.frame[1]), r.force.Dot(r.frame[2]))
}

// detect finds the nearest spots in reach, and their frames and old forces.
func (l *Live) detect(tool equilibrium.Obstacle) {
	l.around(tool)
	if len(l.near) > l.Options.Contacts {
		slices.SortFunc(l.near, func(a, b liveRow) int { return l.grip.grippedFirst(&a, &b) })
		l.near = l.near[:l.Options.Contacts]
	}
	l.near = l.meet(l.near)
	l.rows, l.near = l.near, l.rows
	l.near = slices.DeleteFunc(l.near, func(r liveRow) bool { return r.force == (mgl64.Vec3{}) })
	for i := range l.rows {
		r := &l.rows[i]
		r.orient(l.X)
		l.bear(r)
		for j := range l.near { // what is out of reach carries nothing any more
			if l.near[j].nodes == r.nodes {
				r.keep(l.near[j].force)
			}
		}
	}
}

// around fills near with the spots in the tool's reach.
func (l *Live) around(tool equilibrium.Obstacle) {
	l.near = l.near[:0]
	for _, n := range l.nodes {
		gap, normal := tool.Gap(mgl64.Vec3(l.X[3*n:3*n+3]), l.share)
		l.facets.gaps[n] = gap
		if l.grip.near(n, gap, l.Options.Reach) {
			l.near = append(l.near, liveRow{spot: nodeSpot(n), gap: gap, frame: [3]mgl64.Vec3{normal}})
		}
	}
	for _, n := range l.facets.still {
		gap, normal := tool.Gap(mgl64.Vec3(l.X[3*n:3*n+3]), l.share)
		l.facets.gaps[n] = gap
		if l.grip.near(n, gap, l.Options.Reach/4) {
			l.near = append(l.near, liveRow{spot: nodeSpot(n), gap: gap, frame: [3]mgl64.Vec3{normal}})
		}
	}
	l.near, _ = l.facets.detect(l, tool, l.near)
}

// Free tells that nothing is in reach of a tool at the end of its way. The next way begins there.
func (l *Live) Free(tool equilibrium.Obstacle) bool {
	share := l.share
	l.share = 1
	l.around(tool)
	l.share = share
	if len(l.near) > 0 || l.facets.nearest < l.Options.Reach {
		return false
	}
	l.facets.keep()
	return true
}

// bear fills in what of a row does not depend on places.
func (l *Live) bear(r *liveRow) {
	r.hold, r.mu = l.frictionLaw(r)
	if !r.own {
		r.soft = l.supportOf(&r.spot)
	}
}

// orient completes the frame of a row with a normal, and keeps where it is at x.
func (r *liveRow) orient(x []float64) {
	r.from = r.of(x)
	n := r.frame[0]
	k := 0
	for a := range 3 {
		if math.Abs(n[a]) < math.Abs(n[k]) {
			k = a
		}
	}
	var side mgl64.Vec3
	side[k] = 1
	r.frame[1] = n.Cross(side).Normalize()
	r.frame[2] = n.Cross(r.frame[1])
}

// renew finds the rows anew; or, where many corrections have not led to equilibrium, follows
// those it has: their gaps along the frames they have. The closest places of coarse triangles
// on an edge of the tool jump with each correction, and there is no equilibrium for them all;
// for those of one place there is: a wedge drawn over cells of its own size took 4 steps at
// most for 1 mm, and hung for more than 300 before. As rows that are followed may not be the
// right ones they are found anew for the corrections of a step after those of 1, 3, 7, 15...
// A ball drawn off a block's edge came to rest with each of 40 lags of the tangent so; 4 of 40
// hung where rows were never followed, 6 where in every second step. Where it is the deadline
// that leaves equilibrium for later, rows that are found anew lead there sooner.
func (l *Live) renew(tool equilibrium.Obstacle) {
	if jumps := 2*l.whole >= l.Options.Tries || l.backs > 0 && l.snaps(); jumps {
		l.renewals++
	} else {
		l.renewals = 0
	}
	steps := (l.renewals - 1) / l.Options.Corrections
	if l.followed = l.renewals > 0 && (steps == 0 || steps&(steps+1) != 0); !l.followed {
		l.detect(tool)
		return
	}
	for i := range l.rows {
		r := &l.rows[i]
		at := r.of(l.X)
		r.gap += at.Sub(r.from).Dot(r.frame[0])
		r.from = at
		l.bear(r)
		r.keep(r.force)
	}
}

// deeper adds to rows that have been followed those where the tool, or another body, is too
// deep by now, and tells whether there are any; one that has moved along its edge or triangle, or
// out of the plane that it was followed in, takes its own place. Else what is followed may be in
// equilibrium, with the tool 3 mm inside, for a hundred steps. facets.look has found those of the
// surface's triangles and edges at the tool; all nodes are looked at here.
func (l *Live) deeper(tool equilibrium.Obstacle) bool {
	if !l.followed {
		return false
	}
	for _, n := range l.nodes {
		if gap := l.facets.gaps[n]; gap < -tooDeep*l.Options.Reach {
			_, normal := tool.Gap(mgl64.Vec3(l.X[3*n:3*n+3]), l.share)
			l.near = append(l.near, liveRow{spot: nodeSpot(n), gap: gap, frame: [3]mgl64.Vec3{normal}})
		}
	}
	l.looks = 0
	l.near = l.meet(l.near)
	for i := range l.near {
		l.bear(&l.near[i])
	}
	found := false
	for i := range l.near {
		r := &l.near[i]
		most := tooDeep * l.Options.Reach
		if r.own && !r.other {
			most = tooFolded * l.Options.Reach
		}
		if r.gap > -most {
			continue
		}
		room, same := l.Options.Contacts, -1
		for j := range l.rows {
			if o := &l.rows[j]; o.own == r.own {
				room--
				if o.nodes == r.nodes {
					same = j
				}
			}
		}
		if same >= 0 && l.rows[same].share == r.share {
			if o := &l.rows[same]; r.gap+o.soft*o.force.Dot(o.frame[0]) > -most {
				continue
			}
		}
		found = true
		r.orient(l.X)
		if same >= 0 { // it has moved along the edge or the triangle, or out of the plane that it is followed in
			r.keep(l.rows[same].force)
			l.rows[same] = *r
			continue
		}
		if room <= 0 { // in the place of one that carries nothing
			k := slices.IndexFunc(l.rows, func(o liveRow) bool { return o.own == r.own && o.gap > 0 && o.force == mgl64.Vec3{} })
			if k < 0 {
				continue
			}
			l.rows = slices.Delete(l.rows, k, k+1)
		}
		l.rows = append(l.rows, *r)
	}
	return found
}

// leant is how far the support under a spot had given way to its force in the last equilibrium, m:
// along the tool that is no slip, and it comes back.
func (l *Live) leant(r *liveRow) (by mgl64.Vec3) {
	if r.soft == 0 {
		return by
	}
	for i := range l.goodRows {
		if o := &l.goodRows[i]; o.nodes == r.nodes && o.key == r.key {
			return o.force.Mul(o.soft)
		}
	}
	return by
}

// across is the compliance between two rows, in the world's frame.
func (l *Live) across(a, b *liveRow) (w [9]float64) {
	for i, from := range a.slot {
		for j, to := range b.slot {
			if from < 0 || to < 0 || a.nodes[i] < 0 || b.nodes[j] < 0 {
				continue
			}
			share := a.share[i] * b.share[j]
			for k, v := range &l.now.comp[from*l.now.most+to] {
				w[k] += share * v
			}
		}
	}
	return w
}

// delassus is the compliance between the rows, in their frames.
func (l *Live) delassus() {
	m := len(l.rows)
	l.problem.Resize(m)
	for i := range l.rows {
		a := &l.rows[i]
		for j := range i + 1 {
			b := &l.rows[j]
			w := l.across(a, b)
			for e := range 3 {
				v := &b.frame[e]
				u := mgl64.Vec3{w[0]*v[0] + w[1]*v[1] + w[2]*v[2], w[3]*v[0] + w[4]*v[1] + w[5]*v[2], w[6]*v[0] + w[7]*v[1] + w[8]*v[2]}
				for d := range 3 {
					v := a.frame[d].Dot(u)
					l.problem.W[(3*i+d)*3*m+3*j+e], l.problem.W[(3*j+e)*3*m+3*i+d] = v, v
				}
			}
		}
	}
}

// touch states and solves the contact problem.
func (l *Live) touch(tool equilibrium.Obstacle) {
	l.delassus()
	m := len(l.rows)
	for i := range l.rows {
		r := &l.rows[i]
		p := r.of(l.X)
		slip := p.Sub(r.of(l.committed))
		if !r.own {
			slip = slip.Sub(tool.Moved(p, 0, l.share))
		}
		leant := l.leant(r)
		for d := range 3 {
			q := r.frame[d].Dot(mgl64.Vec3(l.at[3*i : 3*i+3]))
			if d == 0 {
				q += r.gap
			} else {
				q += r.frame[d].Dot(slip.Sub(leant))
			}
			for j := range l.rows {
				for e := range 3 {
					q -= l.problem.W[(3*i+d)*3*m+3*j+e] * l.rows[j].old[e]
				}
			}
			l.problem.Q[3*i+d] = q
			l.r[3*i+d] = r.old[d]
		}
		l.problem.Mu[i] = r.mu
	}
	for i := range l.rows {
		for d := 3 * i; d < 3*i+3; d++ {
			l.problem.W[d*3*m+d] += l.rows[i].soft
		}
	}
	l.compliance = l.problem.W
	l.shift(1)
	l.Deadline.Allow(leastBudget)
	l.solver.Solve(&l.problem, l.r, &l.laws)
	l.shift(-1)
	for _, v := range l.r {
		if !num.Finite(v) {
			clear(l.r)
			break
		}
	}
}

// broken is how far the contacts are from Signorini's and Coulomb's laws at the mu that each has, N:
//
//	|r - P_K(r - u/w)| over all, u = (x_n + mu |x_t|, x_t)
//
// with x the gap and the slip since the last equilibrium as they have come out, w the mean of a
// contact's own compliances and P_K the projection on its cone. 0 where each is open and bears
// nothing, sticks within its cone, or slides against its friction.
func (l *Live) broken(tool equilibrium.Obstacle) float64 {
	m, sum := 3*len(l.rows), 0.0
	for i := range l.rows {
		r := &l.rows[i]
		p := r.of(l.X)
		slip := p.Sub(r.of(l.committed)).Add(r.force.Mul(r.soft)).Sub(l.leant(r))
		if !r.own {
			slip = slip.Sub(tool.Moved(p, 0, l.share))
		}
		trace := 0.0
		for d := 3 * i; d < 3*i+3; d++ {
			trace += l.compliance[d*m+d]
		}
		if !(trace > 0) {
			continue
		}
		by := 3 / trace
		n, t1, t2 := r.force.Dot(r.frame[0])+r.hold, r.force.Dot(r.frame[1]), r.force.Dot(r.frame[2])
		x1, x2 := slip.Dot(r.frame[1]), slip.Dot(r.frame[2])
		gap := r.gap + p.Sub(r.from).Dot(r.frame[0]) + r.soft*(n-r.hold) + r.mu*math.Hypot(x1, x2)
		a, b, c := contact.ProjectCone(r.mu, n-by*gap, t1-by*x1, t2-by*x2)
		sum += (n-a)*(n-a) + (t1-b)*(t1-b) + (t2-c)*(t2-c)
	}
	return math.Sqrt(sum)
}

// measure fills in what the report says of the contacts.
func (l *Live) measure(tool equilibrium.Obstacle) {
	l.report.Contacts, l.report.Pressed, l.report.Force, l.report.Deepest, l.report.Folded = 0, 0, mgl64.Vec3{}, 0, 0
	for i := range l.rows {
		r := &l.rows[i]
		if l.hung.on {
			l.report.Pressed += r.force.Len()
			if !r.own && r.force != (mgl64.Vec3{}) {
				l.report.Contacts++
				l.report.Force = l.report.Force.Add(r.force)
			}
			continue
		}
		if r.own {
			l.report.Pressed += r.force.Len()
			if r.other {
				l.report.Deepest = math.Max(l.report.Deepest, -r.of(l.X).Dot(r.frame[0])-r.sink)
			} else { // the correction has turned its triangle, too
				at := func(k int) mgl64.Vec3 { return mgl64.Vec3(l.X[3*r.nodes[k] : 3*r.nodes[k]+3]) }
				l.report.Folded = math.Max(l.report.Folded, -r.of(l.X).Dot(collision.FaceNormal(at(1), at(2), at(3))))
			}
			continue
		}
		gap, _ := tool.Gap(r.of(l.X), l.share)
		l.report.Deepest = math.Max(l.report.Deepest, -gap-r.sink-r.soft*r.force.Dot(r.frame[0]))
		if r.force != (mgl64.Vec3{}) {
			l.report.Contacts++
			l.report.Force = l.report.Force.Add(r.force)
			l.report.Pressed += r.force.Len()
		}
	}
}
