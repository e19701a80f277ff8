package finitestrain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/num"
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
	drag   float64    // of the tool about begin, N/m: so that it goes no farther in a correction than it may
	way    six        // of the correction
	follow float64    // how far that is, in reaches
	// The last equilibrium has surfaces that cross. It is gone back from, for shorter ways; where these lead there, too, it
	// is borne, and not shown, until the surfaces have parted: a tool that waited would be held for ever.
	crosses bool
	took    bool    // the last correction was taken, wholly or in part
	tool    float64 // what the tool misses to equilibrium with the hand, N
}

const (
	layerThick = 0.1 // of the layer, in reaches
	layerShear = 1.0 // its modulus over that of the tissue under it
	farthest   = 2.0 // a tool goes in a correction, in reaches; a crossing halves it, down to
	shortest   = 1. / 128
	mostDrags  = 4   // rounds in which a drag is found
	leastShare = 0.1 // of its det F that an element keeps in a correction
	recovers   = 1.5 // a tool goes farther after each equilibrium
)

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

// moved is a pose after a way.
func (h *hung) moved(p frame.Pose, way six) frame.Pose {
	p.Position = p.Position.Add(mgl64.Vec3(way[:3]))
	if h.turns() {
		half := mgl64.Vec3(way[3:]).Mul(0.5 / h.lever)
		if n := half.Len(); n > 0.9 {
			half = half.Mul(0.9 / n)
		}
		p.Rotation = (mgl64.Quat{W: math.Sqrt(1 - half.LenSqr()), V: half}).Mul(p.Rotation).Normalize()
	}
	return p
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

// layers puts the rows into their layers, and says where the tool holds them. On which side of each other parts of a
// body are is what it was one correction ago, in equilibrium or not: what snaps may swing round meanwhile.
func (l *Live) layers() {
	for i := range l.itself {
		l.itself[i].keep()
	}
	d := layerThick * l.Options.Reach
	for i := range l.rows {
		r := &l.rows[i]
		r.gap -= d
		r.arm = r.from.Sub(l.hung.at.Position)
		k := 0.0
		for i, n := range r.nodes {
			if n >= 0 {
				k += math.Abs(r.share[i]) * layerShear * l.firm[n] / d
			}
		}
		r.soft = d / (k*d + math.Max(0, r.force.Dot(r.frame[0])))
	}
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
	most := h.follow * l.Options.Reach
	far := h.way.size()
	if round == mostDrags || far <= 1.05*most {
		return false
	}
	h.drag = (k[0]+h.drag)*far/most - k[0]
	for i := range l.rows { // as before the correction
		l.rows[i].keep(l.rows[i].world(l.rows[i].old[:]))
	}
	return true
}

// clear tells that no contact is deeper than may be shown, or than it was.
func (l *Live) clear(deep, folded float64) bool {
	l.measure(l.aimed(nil))
	return l.report.Deepest <= max(deep, tooDeep*l.Options.Reach) && l.report.Folded <= max(folded, tooFolded*l.Options.Reach)
}

// Hang lets a tool hang on the hand from now on, at a pose; aim gives what the body meets of it on its way from one to
// another. Nil: it is where Step is told that it is.
func (l *Live) Hang(lever float64, at frame.Pose, aim func(was, at frame.Pose) equilibrium.Obstacle) {
	l.goBack()
	l.tries, l.whole, l.backs, l.limit = 0, 0, 0, 1
	l.hung = hung{on: aim != nil, lever: lever, aim: aim, at: at, was: at, follow: farthest}
}

// StepHung is a step with the hand at a pose. Settled says that the bodies are in equilibrium with the tool where it
// stands, and Reached that the tool is with the hand, too.
func (l *Live) StepHung(hand frame.Pose, spring physics.Coupling) LiveReport {
	h, r := &l.hung, &l.report
	*r = LiveReport{}
	l.steps++
	h.hand, h.spring, l.share, l.looks = hand, spring, 1, 0
	if !h.turns() {
		h.at.Rotation = hand.Rotation
	}
	h.drag, h.begin = 0, h.at
	copy(l.load, l.Load)
	l.hardly = missed*l.past.inert + sagged*equilibrium.Norm(l.load)
	l.float()
	tool := h.aim(h.was, h.at)
	l.detect(tool)
	l.swap(tool)
	if len(l.rows) == 0 && h.at == hand && l.balance(l.force) <= l.nothing() {
		r.Residual, l.skipped = equilibrium.Norm(l.residual), false // at rest
	} else {
		l.settle(tool)
	}
	tool = h.aim(h.was, h.at)
	r.Age, r.Tool, r.LeastJ = l.steps-l.now.step, tool, l.least
	h.drag = 0
	l.balance(l.force)
	r.Residual, h.tool = equilibrium.Norm(l.residual), l.misses().size()
	l.measure(tool)
	accept := l.Options.Accept*r.Pressed + l.nothing()
	if r.Settled = !l.skipped && r.Residual <= accept; r.Settled {
		pierced := l.facets.look(l, tool)
		r.Broken = l.broken(tool)
		r.BrokenShare = r.Broken / accept
		r.Settled = r.BrokenShare <= 1 && r.Deepest <= tooDeep*l.Options.Reach && r.Folded <= tooFolded*l.Options.Reach
		crosses := r.Settled && (pierced || !l.apart() || l.crossed())
		if h.crosses = crosses && (h.crosses || h.follow <= shortest); h.crosses {
			h.follow = farthest
		}
		r.Back = crosses && !h.crosses
		r.Settled = r.Settled && !r.Back
	}
	switch {
	case r.Settled:
		r.Share, l.scale = 1, math.Max(l.scale, r.Pressed)
		h.was, h.follow = h.at, math.Min(farthest, recovers*h.follow)
		r.Reached, r.Shows = h.tool <= accept, !h.crosses
		l.pass()
		l.keep()
		if r.Shows {
			l.show()
		}
		l.facets.keep()
		for i := range l.itself {
			l.itself[i].keep()
		}
		l.review(tool)
	case r.Back:
		l.goBack()
		h.at, h.follow = h.was, math.Max(shortest, h.follow/2)
	}
	return *r
}

// float lets a tool that nothing is near go to the hand, in ways on which it can meet nothing unseen.
func (l *Live) float() {
	h := &l.hung
	for range mostFree {
		if len(l.rows) > 0 || h.at == h.hand {
			return
		}
		next := h.hand
		way := h.between(h.at, h.hand)
		if far, most := way.size(), l.Options.Reach/2; far > most {
			for c := range way {
				way[c] *= most / far
			}
			next = h.moved(h.at, way)
		}
		if !l.Free(h.aim(h.at, next)) {
			return
		}
		h.at, h.was, h.begin = next, next, next
	}
}
