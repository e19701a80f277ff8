package finitestrain

import (
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/fem/equilibrium"
)

// Step is a step with the hand at a pose, and the tool on a spring in it, or where it is. What it comes to is shown,
// whether it is in equilibrium or not: nothing in it crosses. Where nothing is new, and all is as near to equilibrium as it
// comes, there is nothing to do.
func (l *Live) Step(hand frame.Pose, spring physics.Coupling) LiveReport {
	h, r := &l.tool, &l.report
	l.steps++
	again := hand == h.hand && spring == h.spring && slices.Equal(l.Load, l.load)
	if again && l.rest.resting {
		r.Corrections, r.Fresh, r.Shows = 0, false, false
		if !l.rest.validated { // here is time for it
			l.rest.validated = true
			if l.Validate() != Valid {
				l.rest.invalid++
			}
		}
		if l.tangents.working || !l.tangents.newest { // the hand's model gets the tangent of where it rests
			if l.swap(); r.Fresh {
				l.refit()
				l.Shown.take(&l.state)
				r.Shows = true
			}
		}
		r.Age = l.steps - l.tangents.now.step
		return *r
	}
	*r = LiveReport{Bound: 1}
	l.rest.validated = false
	if hand != h.hand { // another problem
		l.correction.strict, l.correction.share = false, 1
	}
	h.hand, h.spring, h.drag, h.over, h.took = hand, spring, 0, [2]bool{}, true
	copy(l.load, l.Load)
	l.hardly = missed*l.past.inert + sagged*equilibrium.Norm(l.load) + l.Options.Accept*l.Pull
	l.collect()
	l.float()
	l.swap()
	untouched := len(l.constraints) == 0 && h.at == hand && l.balance(l.force) <= l.nothing()
	if !untouched {
		l.settle(again)
	}
	l.judge()
	left := math.Hypot(r.Residual, l.misses().size()) + r.Broken
	stalls := again && left > l.rest.left/2 // the same step once more has brought it no nearer
	l.rest.left = left
	l.rest.resting = r.Reached && l.relaxing == nil && !l.Options.Motion.moves() && (untouched || stalls && l.good(l.tolerates()))
	if r.Settled {
		l.correction.strict, l.correction.share = false, 1
		h.was, l.scale = h.at, math.Max(l.scale, r.Pressed)
		l.pass()
		l.committed.take(&l.state)
		l.review()
	}
	l.Shown.take(&l.state)
	r.Shows = true
	return *r
}

// Wake tells that something that Step does not look at has changed: a law, a friction, a grip.
func (l *Live) Wake() { l.rest.resting = false }

// settle corrects the equilibrium until it is good enough, or time is up. Under a hand that moves, what counts as an
// equilibrium is; under one that rests it comes nearer.
func (l *Live) settle(rests bool) {
	p := &l.problem
	p.laws.Tolerance = math.Min(coarsestLaw, finerLaw*l.Options.Tolerance)
	if p.laws.Watch = nil; l.Deadline != nil {
		p.laws.Watch = &p.watch
	}
	l.correction.rests = rests
	for last := math.Inf(1); ; last = l.report.Residual {
		from := time.Now()
		taken := l.correct()
		l.report.Corrections++
		l.look()
		if taken && l.relaxes() && l.report.Residual > l.enough() && l.relax() {
			l.look()
		}
		l.tool.drag = 0
		l.pay(last)
		l.correction.cost = max(time.Since(from), l.correction.cost-l.correction.cost/16) // decides nothing but through the deadline
		if l.good(l.enough()) || !taken && l.report.Corrections > 1 || l.report.Corrections >= l.Options.Corrections {
			return
		}
		if l.Deadline.Late(l.correction.cost) {
			l.report.Late = true
			return
		}
	}
}

// look finds where the contacts are after what has moved, and what is missing to equilibrium.
func (l *Live) look() {
	l.renewed()
	l.report.Residual = l.balance(l.force)
	l.measure()
}

// pay looks at whether a correction and its relaxation were better than those before.
func (l *Live) pay(last float64) {
	switch now := l.report.Residual; {
	case now > last && l.correction.strict:
		l.correction.share = math.Max(leastAverage, l.correction.share/2)
	case now > pays*last:
		l.correction.strict = true
	}
	if l.report.Residual <= last {
		l.correction.share = math.Min(1, again*l.correction.share)
	}
}

// judge tells whether what a step has come to is an equilibrium.
func (l *Live) judge() {
	r := &l.report
	r.Age, r.LeastJ, r.Tool = l.steps-l.tangents.now.step, l.least, l.tool.at
	r.Residual = equilibrium.Norm(l.correction.residual)
	l.measure()
	accept := l.accepts()
	if r.Pressed == 0 { // what moves a node by such a share of a layer shows no more than what presses does
		r.Settled = r.Residual <= l.Options.Accept*l.Options.Accept*l.stiff*layerThick*l.Options.Reach
	}
	if r.Residual > accept {
		return
	}
	r.Broken = l.broken()
	r.BrokenShare = r.Broken / accept
	r.Settled = r.BrokenShare <= 1
	r.Reached = r.Settled && l.misses().size() <= accept && l.tool.arrived()
}

// measure fills in what the report says of the contacts.
func (l *Live) measure() {
	m := &l.report
	m.Contacts, m.Pressed, m.Force = 0, 0, mgl64.Vec3{}
	for i := range l.constraints {
		r := &l.constraints[i]
		m.Pressed += r.force.Len()
		if !r.own && r.force != (mgl64.Vec3{}) {
			m.Contacts++
			m.Force = m.Force.Add(r.force)
		}
	}
}

// relaxes tells whether corrections are followed by a relaxation. In a small body they
// would cost as much. Where a correction and its relaxation have not paid, it is strict until the next equilibrium (the
// watchdog of Chamberlain and others, 1982): each correction has to be better at once, and none is relaxed, for a
// relaxation may lead back to where the correction came from. Damping by the
// stiffness at rest is not in a patch's own tangent: with beta = 2 ms a relaxation left 65 of 179
// steps settled, of 3375 nodes, in the place of 68; with none it is 122 in the place of 82.
func (l *Live) relaxes() bool {
	return !l.correction.strict && l.Options.Patch > 0 && l.Options.Motion.Beta == 0 && len(l.k.FreeNode) > 2*l.Options.Patch
}

// good tells that no more corrections are needed where so much may be missing, N.
func (l *Live) good(enough float64) bool {
	return l.report.Residual <= enough && (l.tool.over != [2]bool{} || l.tool.arrived()) && l.broken() <= enough
}

// enough is what may be missing where a step need not go on, N: what counts as an equilibrium, and less under a hand that
// rests.
func (l *Live) enough() float64 {
	if l.correction.rests {
		return l.tolerates()
	}
	return l.accepts()
}

// accepts is what may be missing in an equilibrium, N.
func (l *Live) accepts() float64 { return l.Options.Accept*l.report.Pressed + l.nothing() }

// tolerates is what may be missing where no more corrections are needed, N.
func (l *Live) tolerates() float64 {
	return l.Options.Tolerance*l.report.Pressed + still*l.stiff*l.Options.Reach + l.hardly/10
}

// nothing is what a residual may be where no contact force is its measure, N.
func (l *Live) nothing() float64 { return still*(l.stiff*l.Options.Reach+l.scale) + l.hardly }

// adopt lets contacts of what is shown obey the friction that is set by now, where their
// forces do already. Others keep what they were found with until the next step.
func (l *Live) adopt() {
	for i := range l.Shown.constraints {
		r := &l.Shown.constraints[i]
		hold, mu := l.frictionLaw(r)
		n, t := r.pressing()
		if hold == r.hold && t <= mu*n {
			r.mu = mu
		}
	}
}

// frictionLag is how far the mu that a contact obeys is from the one that
// is set, at most: 0 but between a change and the first step after it.
func (l *Live) frictionLag() (lag float64) {
	for i := range l.Shown.constraints {
		r := &l.Shown.constraints[i]
		if hold, mu := l.frictionLaw(r); hold == r.hold {
			lag = math.Max(lag, math.Abs(r.mu-mu))
		}
	}
	return lag
}

// coneViolation is by how much of its force a contact leaves Coulomb's cone, at most.
func (l *Live) coneViolation() (most float64) {
	for i := range l.Shown.constraints {
		most = math.Max(most, l.Shown.constraints[i].outOfCone())
	}
	return most
}

// outOfCone is by how much of its force a contact leaves Coulomb's cone. What a grip adds is part of that force: the sum
// of both is rounded.
func (r *contactConstraint) outOfCone() float64 {
	n, t := r.pressing()
	v := contact.ConeViolation(r.mu, n, t)
	if size := math.Hypot(n, t); v != 0 {
		v *= size / (size + r.hold)
	}
	return v
}
