package finitestrain

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/num"
	"hapco/physics/worlds/tissue/touch"
)

// A tool that hangs on the hand by a spring has its pose T among the unknowns of the step:
//
//	K_s (hand - T) = sum of the contact forces on the body,  K_s = K min(1, F_max / K |hand - T|)
//
// with the same for the turn, as twice the vector part of its quaternion. The spring saturates, so each step has an
// answer whatever the hand does: a tool that cannot follow stays behind, with F_max on it. Contacts live in a soft layer
// of thickness d on the tissue, r = k d (d/g - 1) at a gap g: g = d - c r with the secant c = d / (k d + r), which is the
// compliance of a contact in the problem, in all three directions. Coulomb's law is exact on it.
type hung struct {
	on     bool
	spring physics.Coupling // at the engine's E
	lever  float64          // by which a turn counts as a way, m
	aim    func(was, at frame.Pose) equilibrium.Obstacle
	hand   frame.Pose
	at     frame.Pose // of the tool under way
	was    frame.Pose // and in the last equilibrium
	begin  frame.Pose // where the correction began
	seen   frame.Pose // where the contacts were measured
	drag   float64    // of the tool about begin, N/m: so that it goes no farther in a correction than it may
	way    six        // of the correction
	took   bool       // the last correction was taken, wholly or in part
	tool   float64    // what the tool misses to equilibrium with the hand, N
}

// six is a way and a turn times the lever, m; or a force and a moment over the lever, N.
type six [6]float64

func (a six) dot(b six) (s float64) {
	for c := range a {
		s += a[c] * b[c]
	}
	return s
}

func (a six) add(b six, by float64) six {
	for c := range a {
		a[c] += by * b[c]
	}
	return a
}

func (a six) size() float64 { return math.Sqrt(a.dot(a)) }

// aimed is the tool where it is now.
func (l *Live) aimed(tool equilibrium.Obstacle) equilibrium.Obstacle {
	if h := &l.hung; h.on {
		return h.aim(h.was, h.at)
	}
	return tool
}

// lead is the force or direction f on a tool at an arm from its origin.
func (h *hung) lead(arm, f mgl64.Vec3) six {
	if !h.turns() {
		return six{f[0], f[1], f[2]}
	}
	m := arm.Cross(f).Mul(1 / h.lever)
	return six{f[0], f[1], f[2], m[0], m[1], m[2]}
}

// goes is how far the tool moves at an arm, of a way.
func (h *hung) goes(arm mgl64.Vec3, way six) mgl64.Vec3 {
	w := mgl64.Vec3(way[:3])
	if h.turns() {
		w = w.Add(mgl64.Vec3(way[3:]).Mul(1 / h.lever).Cross(arm))
	}
	return w
}

// turns tells that the spring turns the tool; else it is turned as the hand is.
func (h *hung) turns() bool { return h.spring.Angle > 0 && h.lever > 0 }

// between is the way from a pose to another.
func (h *hung) between(a, b frame.Pose) (e six) {
	d := b.Position.Sub(a.Position)
	copy(e[:], d[:])
	if h.turns() {
		q := b.Rotation.Mul(a.Rotation.Conjugate())
		by := math.Copysign(2*h.lever, q.W)
		for c, x := range q.V {
			e[3+c] = by * x
		}
	}
	return e
}

// parts are the way and the turn, rad, of a way.
func (h *hung) parts(way six) (goes, turn mgl64.Vec3) {
	if goes = mgl64.Vec3(way[:3]); h.turns() {
		turn = mgl64.Vec3(way[3:]).Mul(1 / h.lever)
	}
	return goes, turn
}

// moved is a pose after a way.
func (h *hung) moved(p frame.Pose, way six) frame.Pose {
	var m touch.Motion
	m.Way, m.Turn = h.parts(way)
	return m.At(p, 1)
}

// pull is the spring's secant stiffness, N/m, and its force on the tool.
func (h *hung) pull() (k, f six) {
	e := h.between(h.at, h.hand)
	parts := 1
	if h.turns() {
		parts = 2
	}
	for part := range parts {
		stiff, of := h.spring.Stiffness, e[3*part:3*part+3]
		if part == 1 {
			stiff = h.spring.Angle / (h.lever * h.lever)
		}
		if long := mgl64.Vec3(of).Len(); h.spring.Limit > 0 && stiff*long > h.spring.Limit {
			stiff = h.spring.Limit / long
		}
		for c, x := range of {
			k[3*part+c], f[3*part+c] = stiff, stiff*x
		}
	}
	return k, f
}

// misses is what the tool misses to equilibrium with the hand.
func (l *Live) misses() six {
	h := &l.hung
	_, f := h.pull()
	f = f.add(h.between(h.begin, h.at), -h.drag)
	for i := range l.rows {
		if r := &l.rows[i]; !r.own {
			f = f.add(h.lead(r.arm, r.force), -1)
		}
	}
	return f
}

// addSpring adds the tool, eliminated, to the contact problem: what it gives way by, and how far it would go by itself.
func (l *Live) addSpring() {
	h, m := &l.hung, 3*len(l.rows)
	k, free := h.pull()
	var give six
	for c := range k {
		if k[c] > 0 {
			give[c] = 1 / (k[c] + h.drag)
			free[c] *= give[c]
		}
	}
	l.leads = num.Grow(l.leads, m)
	for i := range l.rows {
		for d, f := range l.rows[i].frame {
			l.leads[3*i+d] = h.lead(l.rows[i].arm, f)
		}
	}
	for i := range m {
		if l.rows[i/3].own {
			continue
		}
		a := l.leads[i]
		l.problem.Q[i] -= a.dot(free)
		for c := range a {
			a[c] *= give[c]
		}
		for j := range m {
			if !l.rows[j/3].own {
				l.problem.W[i*m+j] += a.dot(l.leads[j])
			}
		}
	}
}

// goesFar finds how far the tool goes in the correction, and where that is too far raises the drag: then the problem is
// to be solved again. The problem is shortened and not the correction, so that what the contacts bear and where the
// nodes come to belong to each other.
func (l *Live) goesFar(round int) (again bool) {
	h := &l.hung
	k, f := h.pull()
	for i := range l.rows {
		if r := &l.rows[i]; !r.own {
			f = f.add(h.lead(r.arm, r.force), -1)
		}
	}
	for c := range f {
		if h.way[c] = 0; k[c] > 0 {
			h.way[c] = f[c] / (k[c] + h.drag)
		}
	}
	most := farthest * l.Options.Reach
	far := h.way.size()
	if round == mostDrags || far <= 1.05*most {
		return false
	}
	h.drag = (k[0]+h.drag)*far/most - k[0]
	return true
}

// slip is how far a row's spot has gone along what it touches since the last equilibrium, m.
func (l *Live) slip(r *liveRow) mgl64.Vec3 {
	at := r.of(l.X)
	if h := &l.hung; !r.own { // the tool's material there, as it was then
		at = h.was.Point(h.at.InversePoint(at))
	}
	return at.Sub(r.of(l.committed))
}

// solveContacts solves the contact problem of the bodies, their layers and the tool.
func (l *Live) solveContacts() {
	m := 3 * len(l.rows)
	l.delassus()
	for i := range l.rows {
		r := &l.rows[i]
		u, slip := mgl64.Vec3(l.at[3*i:3*i+3]), l.slip(r).Sub(l.leant(r))
		for d := range 3 {
			q := r.frame[d].Dot(u)
			if d == 0 {
				q += r.gap
			} else {
				q += r.frame[d].Dot(slip)
			}
			for j := range l.rows {
				for e := range 3 {
					q -= l.problem.W[(3*i+d)*m+3*j+e] * l.rows[j].old[e]
				}
			}
			l.problem.Q[3*i+d] = q
			l.r[3*i+d] = r.old[d]
		}
		l.problem.Mu[i], r.bends = r.mu, 0
		for d := 3 * i; d < 3*i+3; d++ {
			l.problem.W[d*m+d] += r.soft
		}
	}
	l.bare = append(l.bare[:0], l.problem.W...)
	l.compliance = l.bare
	l.addSpring()
	l.shift(1)
	for n := range secants {
		l.Deadline.Allow(leastBudget)
		l.solver.Solve(&l.problem, l.r, &l.laws)
		for _, v := range l.r {
			if !num.Finite(v) {
				clear(l.r)
				break
			}
		}
		change := 0.0
		for i := range l.rows {
			r := &l.rows[i]
			bends := l.bends(i)
			if n == secants-1 {
				bends = r.bends
			}
			was := r.soft
			r.soft = r.thick / (r.firm + math.Max(0, l.r[3*i]-r.hold))
			if n == secants-1 {
				continue
			}
			change = math.Max(change, math.Max(math.Abs(r.soft-was)/was, math.Abs(bends-r.bends)/r.thick))
			for d := 3 * i; d < 3*i+3; d++ {
				l.problem.W[d*m+d] += r.soft - was
				l.bare[d*m+d] += r.soft - was
			}
			l.problem.Q[3*i] += bends - r.bends - (r.soft-was)*r.hold
			r.bends = bends
		}
		if change < 0.05 {
			break
		}
	}
	l.shift(-1)
	for i := range l.rows { // a solver that has not converged may leave it
		l.rows[i].obey(l.r[3*i : 3*i+3])
	}
}

// obey puts a force into the row's cone.
func (r *liveRow) obey(f []float64) {
	n := math.Max(0, f[0]+r.hold)
	f[0] = n - r.hold
	if size := math.Hypot(f[1], f[2]); size > r.mu*n {
		f[1], f[2] = f[1]*r.mu*n/size, f[2]*r.mu*n/size
	}
}

// shorten raises the drag so that the tool goes no farther than a share of its way: what binds it among its contacts is
// their curvature, which falls with the square of the way.
func (h *hung) shorten(share float64) bool {
	k, _ := h.pull()
	h.drag = (k[0]+h.drag)/math.Max(share, halfway/4) - k[0]
	return h.way.size() > 0
}

// bends is by how much a spot that goes along a round tool leaves it in the correction, m, as the problem's last solution
// has it: the square of the way over twice the radius. No more than half the gap: what comes nearer at first and leaves
// later would meet on the way.
func (l *Live) bends(i int) float64 {
	r, round := &l.rows[i], l.contacts.set.Tool.Round
	if r.own || round == 0 {
		return 0
	}
	m := 3 * len(l.rows)
	slip := l.slip(r).Sub(l.leant(r))
	var way mgl64.Vec3
	for d := 1; d < 3; d++ {
		k := 3*i + d
		y := l.problem.Q[k] - r.frame[d].Dot(slip) - r.soft*l.r[k]
		for j, f := range l.r {
			y += l.problem.W[k*m+j] * f
		}
		way = way.Add(r.frame[d].Mul(y))
	}
	gap := r.gap + r.thick
	return math.Min(l.contacts.across(r, way).LenSqr()/(2*(round+gap)), gap/2)
}

// hold lets the rows bear what they did before the correction.
func (l *Live) hold() {
	for i := range l.rows {
		r := &l.rows[i]
		copy(l.r[3*i:3*i+3], r.old[:])
		r.force = r.world(r.old[:])
	}
}

// correctHung makes one correction of the bodies and the tool; false where none of it could be taken. What binds it joins
// it, and it goes no farther than nothing crosses.
func (l *Live) correctHung() bool {
	quick, h := l.now.quick, &l.hung
	h.drag, h.begin = 0, h.at
	l.contacts.place(l.X, h.at)
	l.columns()
	l.balance(l.force)
	quick.First(l.residual)
	quick.Keep()
	bound := 1.0
	for drags, joins, shorter := 0, 0, 0; ; {
		l.columns()
		l.halfway()
		l.solveContacts()
		for i := range l.rows {
			l.rows[i].force = l.rows[i].world(l.r[3*i : 3*i+3])
		}
		if l.goesFar(drags) {
			drags++
			l.hold()
			continue
		}
		for i := range l.rows {
			r := &l.rows[i]
			f := r.force.Sub(r.world(r.old[:]))
			for k, slot := range r.slot {
				if slot >= 0 {
					quick.Join(&l.now.half[slot], f.Mul(r.share[k]))
				}
			}
		}
		quick.Second(l.du)
		l.trust()
		l.along(1)
		bound = l.bound(l.trial, h.way)
		switch {
		case bound < 1 && joins < mostJoins && l.join():
			joins++
		case bound < halfway && shorter < mostShorter && h.shorten(bound):
			shorter++
			l.hold()
		default:
			return l.take(bound)
		}
		quick.Back()
	}
}

// trust shortens a correction to what its tangent is good for: no node goes farther than the reach. What lies beyond is
// not gone, so nothing is looked for there.
func (l *Live) trust() {
	far := 0.0
	for _, u := range l.du {
		far = math.Max(far, math.Abs(u))
	}
	if share := l.Options.Reach / far; share < 1 {
		for i := range l.du {
			l.du[i] *= share
		}
		l.hung.way = six{}.add(l.hung.way, share)
	}
}

// along puts the nodes a share of a correction on.
func (l *Live) along(share float64) {
	copy(l.trial, l.X)
	for i, n := range l.k.FreeNode {
		for c := range 3 {
			l.trial[3*int(n)+c] += share * l.du[3*i+c]
		}
	}
}

// take goes along a correction, no farther than to what binds, where that brings bodies and tool nearer to equilibrium or
// goes down in energy: a correction d goes down where d (residual) > 0, and not too far where at its end that is more than
// minus half of what it was.
func (l *Live) take(bound float64) (taken bool) {
	h, begin, length := &l.hung, l.hung.begin, 1.0
	if bound < 1 {
		length = nearly * bound
	}
	before := l.balance(l.force)
	slope := equilibrium.Inner(l.du, l.residual) + h.way.dot(l.misses())
	most := 1 + 1e-9
	if l.relaxes() {
		most = 10
	}
	least := leastShare * l.least
	for range mostShares {
		l.along(length)
		j := l.forces(l.trialF, l.trial)
		h.at = l.contacts.motion.At(begin, length)
		after := l.balance(l.trialF)
		down := h.way.dot(l.misses()) + equilibrium.Inner(l.du, l.residual)
		if j > least && num.Finite(after) && (after < most*before || slope > 0 && down > -slope/2) {
			l.X, l.trial = l.trial, l.X
			l.force, l.trialF = l.trialF, l.force
			l.least, taken = j, true
			break
		}
		length /= 3
		l.report.Shortened++
	}
	if h.took = taken; !taken {
		h.at = begin
		l.hold()
	}
	return taken
}

// settleHung corrects the equilibrium until it is good enough, or time is up.
func (l *Live) settleHung() {
	if l.laws.Watch = nil; l.Deadline != nil {
		l.laws.Watch = &l.watch
	}
	if l.skipped = !l.skipped && l.Deadline.Late(l.cost); l.skipped {
		l.report.Late = true
		return
	}
	for {
		from := time.Now()
		taken := l.correctHung()
		l.report.Corrections++
		for k := 0; ; k++ {
			l.renewed()
			l.report.Residual = l.balance(l.force)
			l.measure(nil)
			if k == 2 || !taken || !l.relaxes() || l.report.Residual <= l.tolerates() || l.Deadline.Late(0) || !l.relax(nil, l.Options.Patch) {
				break
			}
		}
		l.hung.drag = 0
		l.cost = max(time.Since(from), l.cost-l.cost/16) // decides nothing but through the deadline
		if l.goodHung() || !taken && l.report.Corrections > 1 || l.report.Corrections >= l.Options.Corrections {
			return
		}
		if l.Deadline.Late(l.cost) {
			l.report.Late = true
			return
		}
	}
}

// tolerates is what may be missing where no more corrections are needed, N.
func (l *Live) tolerates() float64 {
	return l.Options.Tolerance*l.report.Pressed + still*l.stiff*l.Options.Reach + l.hardly/10
}

func (l *Live) goodHung() bool {
	return l.report.Residual <= l.tolerates() && l.brokenHung() <= l.tolerates()
}

// brokenHung is broken of a tool that hangs on the hand: with the layers, at the gaps of now.
func (l *Live) brokenHung() float64 {
	m, sum := 3*len(l.rows), 0.0
	for i := range l.rows {
		r := &l.rows[i]
		trace := 0.0
		for d := 3 * i; d < 3*i+3; d++ {
			trace += l.compliance[d*m+d]
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

// Hang lets the tool hang on the hand from now on, at a pose; aim gives what the body meets of it on its way from one to
// another. Nil: it is where Step is told that it is.
func (l *Live) Hang(lever float64, at frame.Pose, aim func(was, at frame.Pose) equilibrium.Obstacle) {
	l.goBack()
	l.tries, l.whole, l.backs, l.limit = 0, 0, 0, 1
	l.hung = hung{on: aim != nil, lever: lever, aim: aim, at: at, was: at}
	l.contacts.set.Reset()
}

// StepHung is a step with the hand at a pose. Settled says that the bodies are in equilibrium with the tool where it
// stands, and Reached that the tool is with the hand, too. What a step has come to is shown, whether it is in equilibrium
// or not: nothing in it crosses.
func (l *Live) StepHung(hand frame.Pose, spring physics.Coupling) LiveReport {
	h, r := &l.hung, &l.report
	*r = LiveReport{Bound: 1}
	l.steps++
	h.hand, h.spring, l.share, l.tool = hand, spring, 1, nil
	h.drag, h.begin, h.took = 0, h.at, true
	copy(l.load, l.Load)
	l.hardly = missed*l.past.inert + sagged*equilibrium.Norm(l.load) + l.Options.Accept*l.Pull
	l.collect()
	l.float()
	l.swap(l.aimed(nil))
	rests := len(l.rows) == 0 && h.at == hand && l.balance(l.force) <= l.nothing()
	if rests {
		l.skipped = false
	} else {
		l.settleHung()
	}
	r.Age, r.LeastJ = l.steps-l.now.step, l.least
	r.Residual, h.tool = l.balance(l.force), l.misses().size()
	r.Residual = equilibrium.Norm(l.residual)
	l.measure(l.aimed(nil))
	accept := l.Options.Accept*r.Pressed + l.nothing()
	if r.Settled = !l.skipped && r.Residual <= accept; r.Settled {
		r.Broken = l.brokenHung()
		r.BrokenShare = r.Broken / accept
		r.Settled = r.BrokenShare <= 1
	}
	if r.Settled {
		r.Reached, l.scale = h.tool <= accept, math.Max(l.scale, r.Pressed)
		h.was = h.at
		l.pass()
		l.keep()
		l.review(l.aimed(nil))
	}
	if r.Share, r.Shows = 1, !l.skipped; r.Shows {
		l.show()
	}
	return *r
}

// float lets a tool that nothing is near go to the hand, or as far as it meets something.
func (l *Live) float() {
	h := &l.hung
	way := h.all(h.at, h.hand)
	if len(l.rows) > 0 && h.turns() || h.at == h.hand {
		return
	}
	if len(l.rows) > 0 { // it is turned as the hand is
		way[0], way[1], way[2] = 0, 0, 0
	}
	c := &l.contacts
	c.motion.Way, c.motion.Turn = mgl64.Vec3(way[:3]), mgl64.Vec3(way[3:])
	switch share := l.boundTo(l.X); {
	case share < 1:
		h.at = c.motion.At(h.at, nearly*share)
	case len(l.rows) > 0:
		h.at.Rotation = h.hand.Rotation
	default:
		h.at = h.hand
	}
	h.begin = h.at
	if len(l.rows) == 0 {
		h.was = h.at
	}
	l.collect()
}

// all is the way from a pose to another, and the turn, rad.
func (h *hung) all(a, b frame.Pose) (e six) {
	d := b.Position.Sub(a.Position)
	copy(e[:], d[:])
	q := b.Rotation.Mul(a.Rotation.Conjugate())
	if sin := q.V.Len(); sin > 0 {
		by := 2 * math.Atan2(math.Copysign(sin, q.W), math.Abs(q.W)) / sin
		for c, x := range q.V {
			e[3+c] = by * x
		}
	}
	return e
}
