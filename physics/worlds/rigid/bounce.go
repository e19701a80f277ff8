package rigid

import (
	"math"
	"slices"
)

// Blows. Within a kick the forces and the impulses act in rounds. With the impulses of the rounds before, and without
// the forces, a contact has the relative velocity U-; a round's impulses r >= 0 bring it to U+, which takes in the
// forces h F. T+ - T- is then, over the whole step, h F.(v+ + v-)/2 and the sum of r.(U+ + U-)/2 over the rounds. The
// weights' part is exact (see World), so that blows lose and give what their own law says, whatever the step, the gap
// at which they are found, and what else goes on:
//
//	strike: U_n+ >= -e U_n-    Newton's law; with e = 1 and no friction r.(U+ + U-) is 0
//	return: U_n+ >= -U_n-      what left and is brought back within the step: a flight that
//	                           no step resolves ends as fast as it began
//	rest:   U_n+ >= -gap/h     without restitution, and what has come to rest
//
// each with r_n (...) = 0, r_n >= 0, and Coulomb's law for (U_t+, r_t).
//
// Simultaneous or one after the other? All that closes of itself in a round is solved at once: a box that falls flat
// rebounds flat. What closes only because of a round's impulses is struck after it, by what these have made of its
// velocity: in a row of balls as many leave as arrive, where a simultaneous law lets the row rebound as one body.
//
// Rest: by the law bounces end, the sum of all flights after a rebound e u under a is 2 e u/(a (1 - e)). Where that is
// less than the step the contact has come to rest within it. a h is what forces close of the contact in a step, or, of
// one that was loaded in the last step, of any in the island: a stack's weight reaches its inner contacts through the
// others only. For e = 1 nothing ever comes to rest but what is at rest.
//
// Newton's law and Coulomb's together may give energy: where a contact slips and comes to slip the other way during the
// blow (Kane, Levinson, Dynamics, 1985, 5). Where impulses of a pair of bodies do, they get the share of their
// restitution with which they give none. Of balls, and of whatever does not turn by a blow, Newton's, Poisson's and
// Stronge's law are one; of others Stronge's would need the course of each impulse in time, which blows at several
// places have none of.

// role is the law of a contact in a round.
type role uint8

const (
	rests   role = iota
	strikes      //
	returns      //
	leftOut      // it does not close of itself in this round
)

// bounces is an island's state between rounds.
type bounces struct {
	part   []contactConstraint // those of a round, where not all take part
	index  []int32             // of them in the island; empty: all take part
	rounds int
	most   int     // rounds, at most
	share  float64 // the least of a contact's restitution
	bouncy bool    // some contact has one
	// m/s: the most that the forces of the step close of a contact, and the fastest strike
	pressed, speed float64
}

// number is the contact's place in the island.
func (k *island) number(i int) int {
	if len(k.index) > 0 {
		i = int(k.index[i])
	}
	return k.contacts + i
}

// solveIsland finds the impulses of an island: velocities change from those without.
func (w *World) solveIsland(k *island, h float64) {
	s := &w.system
	k.sweeps, k.gain, k.worked, k.led, k.rounds, k.share, k.speed = 0, 0, 0, 0, 0, 1, 0
	for i := range k.joints {
		at := int(k.first) + i
		s.joints.pulled[at] = [6]float64{}
		w.rows(&k.problem.joints[i], &s.joints.driven[at])
		for n := range s.joints.driven[at] {
			s.joints.driven[at][n] -= s.joints.was[at][n]
		}
	}
	for more := true; more; k.rounds++ {
		struck := w.cast(k, h)
		w.gatherRound(k, h)
		w.impulses(k)
		w.settleJoints(k, h)
		if struck {
			w.spare(k, h)
			w.balance(k)
		}
		w.endRound(k)
		more = k.bouncy && w.follows(k, h)
	}
	for i := range k.all {
		k.all[i].r = s.contacts.total[k.contacts+i]
	}
	for i := range k.joints {
		k.problem.joints[i].r = s.joints.pulled[int(k.first)+i]
	}
}

// cast gives the contacts of an island their roles in the next round, and tells whether any strikes.
func (w *World) cast(k *island, h float64) (struck bool) {
	s := &w.system
	if k.most = mostRounds; k.problem.late != nil && w.late { // the last one
		k.most = k.rounds
	}
	if !k.bouncy || k.rounds == k.most {
		clear(s.contacts.roles[k.contacts:][:len(k.all)]) // all rest
		return false
	}
	fastest, moving := 0.0, false
	for i := range k.all {
		at := k.contacts + i
		s.contacts.roles[at] = w.roleOf(at, h, k.pressed)
		s.contacts.shares[at], s.contacts.spared[at] = 1, false
		moving = moving || s.contacts.roles[at] == strikes || s.contacts.roles[at] == returns
		if s.contacts.roles[at] == strikes {
			fastest = max(fastest, -s.contacts.before[at][0])
		}
	}
	k.speed = max(k.speed, fastest)
	for i := range k.all {
		at := k.contacts + i
		u := math.Abs(s.contacts.before[at][0])
		if s.contacts.roles[at] >= strikes && u < noise*fastest {
			s.contacts.roles[at] = leftOut
		}
		// Where forces alone act, they do on all at once that touches.
		if !moving && k.rounds == 0 && s.contacts.gaps[at] <= s.contacts.slops[at] && u <= noise*k.pressed {
			s.contacts.roles[at] = rests
		}
	}
	return fastest > 0
}

// roleOf a contact by its velocities; pressed is the most that the forces of the step close of one in its island, m/s.
func (w *World) roleOf(at int, h, pressed float64) role {
	s := &w.system
	e, u, forced := s.contacts.rest[at], s.contacts.before[at][0], s.contacts.forced[at][0]
	if e == 0 {
		return rests
	}
	own := max(0, -forced)
	if s.contacts.loaded[at] {
		own = pressed
	}
	switch {
	case own > 0 && math.Abs(u) <= own*((1-e)/(2*e)+noise):
		return rests
	case s.contacts.gaps[at]+h*(u+forced) >= 0 || math.Abs(u) <= noise*pressed:
		return leftOut
	case u < 0:
		return strikes
	}
	return returns
}

// gatherRound writes the contacts of a round to the island's problem.
func (w *World) gatherRound(k *island, h float64) {
	s := &w.system
	k.index, k.part = k.index[:0], k.part[:0]
	if k.rounds == 0 && !slices.Contains(s.contacts.roles[k.contacts:][:len(k.all)], leftOut) {
		k.problem.contacts = k.all
	} else {
		for i := range k.all {
			if s.contacts.roles[k.contacts+i] != leftOut {
				k.part, k.index = append(k.part, k.all[i]), append(k.index, int32(i))
			}
		}
		k.problem.contacts = k.part
	}
	if k.rounds > 0 {
		for i := range k.part {
			k.part[i].r = [3]float64{}
		}
		for i := range k.joints {
			k.problem.joints[i].r = [6]float64{}
		}
		for _, i := range k.problem.moved {
			s.bodies.startV[i], s.bodies.startW[i] = s.problem.v[i], s.problem.omega[i]
		}
	}
	w.aimContacts(k, h)
}

// aimContacts sets what each contact's velocity is measured against, by its role.
func (w *World) aimContacts(k *island, h float64) {
	s := &w.system
	for i := range k.problem.contacts {
		at := k.number(i)
		u := s.contacts.before[at][0]
		q := max(s.contacts.gaps[at]-s.contacts.slops[at]/2, 0) / h
		switch s.contacts.roles[at] {
		case strikes:
			q = s.contacts.shares[at] * s.contacts.rest[at] * u
		case returns:
			q = u
		}
		k.problem.contacts[i].q = q
	}
}

// work is what the impulses of a contact in a round give to the bodies, J, beside the forces', if it obeys its normal
// law to the letter; turned is how much they turn over.
func (w *World) work(k *island, i int) (gain, turned float64) {
	c, u := &k.problem.contacts[i], &w.system.contacts.before[k.number(i)]
	for n, r := range c.r {
		after := c.x[n]
		if n == 0 {
			after = -c.q
		}
		gain += r * (after + u[n]) / 2
		turned += math.Abs(r) * (math.Abs(after) + math.Abs(u[n])) / 2
	}
	return gain, turned
}

// spare finds the share of their restitution with which pairs of bodies give no energy that would give some with the
// whole of it. The gain is a square of the share as long as no contact changes between sticking, slipping and opening:
// its root is kept in a bracket.
func (w *World) spare(k *island, h float64) {
	for range spareLists {
		if !w.causes(k) {
			return
		}
		lo, hi := 0.0, 1.0
		below, above := w.try(k, h, 0), 0.0
		if below < 0 {
			above = w.try(k, h, 1)
		}
		for n := 0; below < 0 && above > 0 && n < spareTries; n++ {
			x := lo + (hi-lo)*below/(below-above)
			if !(x > lo && x < hi) || n%4 == 3 {
				x = (lo + hi) / 2
			}
			if gain := w.try(k, h, x); gain > 0 {
				hi, above = x, gain
			} else {
				lo, below = x, gain
			}
		}
		w.try(k, h, lo)
		k.share = min(k.share, lo)
	}
}

// causes adds to those contacts of a round that get a share of their restitution those between bodies whose contacts,
// taken together, give energy: what the contacts of a flat box have of an impulse is not determined. It tells whether
// any were added.
func (w *World) causes(k *island) (more bool) {
	s := &w.system
	n := len(k.problem.contacts)
	for from, to := 0, 0; from < n; from = to {
		gain, turned, spared := 0.0, 0.0, true
		for to = from; to < n && s.contacts.pairs[k.number(to)] == s.contacts.pairs[k.number(from)]; to++ {
			g, t := w.work(k, to)
			gain, turned = gain+g, turned+t
			at := k.number(to)
			spared = spared && (s.contacts.roles[at] != strikes || s.contacts.spared[at])
		}
		if spared || gain <= exactly*turned {
			continue
		}
		for i := from; i < to; i++ {
			at := k.number(i)
			s.contacts.spared[at] = s.contacts.roles[at] == strikes
		}
		more = true
	}
	return more
}

// try solves the round with a share of the restitution, and returns what the contacts that get it then give, J; 0 where
// it is rounding, or no more than the error of a round that was not solved.
func (w *World) try(k *island, h, share float64) (gain float64) {
	s := &w.system
	for i := range k.all {
		if at := k.contacts + i; s.contacts.spared[at] {
			s.contacts.shares[at] = share
		}
	}
	w.system.again(k)
	for i := range k.problem.contacts {
		c := &k.problem.contacts[i]
		c.r = [3]float64{}
		if k.rounds == 0 {
			c.r = w.search.touches[s.contacts.touch[k.number(i)]].impulse
		}
	}
	w.aimContacts(k, h)
	w.impulses(k)
	turned := 0.0
	for i := range k.problem.contacts {
		if s.contacts.spared[k.number(i)] {
			g, t := w.work(k, i)
			gain, turned = gain+g, turned+t
		}
	}
	unsure := exactly / 2
	if !k.result.converged {
		unsure = max(unsure, k.result.errors.Scaled)
	}
	if math.Abs(gain) <= unsure*turned {
		return 0
	}
	return gain
}

// balance takes from the energy what the solver's tolerance has left: all impulses are multiplied by what makes the sum
// of r_n (U_n+ + q_n) the 0 that it is at the solution. They stay in their cones.
func (w *World) balance(k *island) {
	if len(k.joints) > 0 {
		return // whose impulses are no part of the sum
	}
	p := &k.problem
	free, moved := 0.0, 0.0
	for i := range p.contacts {
		c := &p.contacts[i]
		free += c.r[0] * c.free[0]
		moved += c.r[0] * (c.x[0] - c.free[0])
	}
	f := -free / moved
	if !(math.Abs(f-1) < 0.01) {
		return // nothing strikes, or the solve has failed
	}
	for _, i := range p.moved {
		p.v[i] = w.system.bodies.startV[i].Add(p.v[i].Sub(w.system.bodies.startV[i]).Mul(f))
		p.omega[i] = w.system.bodies.startW[i].Add(p.omega[i].Sub(w.system.bodies.startW[i]).Mul(f))
	}
	for i := range p.contacts {
		c := &p.contacts[i]
		for n := range 3 {
			c.r[n] *= f
			c.x[n] = c.free[n] + f*(c.x[n]-c.free[n])
		}
	}
}

// endRound adds a round's impulses up and keeps what the contacts know.
func (w *World) endRound(k *island) {
	s := &w.system
	for i := range k.problem.contacts {
		c, at := &k.problem.contacts[i], k.number(i)
		led := s.contacts.roles[at] == rests && (w.isTool(c.a) || w.isTool(c.b))
		q := [3]float64{c.q}
		for n, r := range c.r {
			s.contacts.total[at][n] += r
			k.gain += r * (c.x[n] - q[n] + s.contacts.before[at][n]) / 2
			if led {
				k.led -= r * c.d[n].Dot(w.led(c.a, c.arm[0]).Sub(w.led(c.b, c.arm[1]))) / 2
			}
		}
		if len(k.index) > 0 {
			k.all[k.index[i]] = *c
		}
	}
	for i := range k.joints {
		j, at := &k.problem.joints[i], int(k.first)+i
		for n := range j.n {
			r, after := j.r[n], s.problem.velocity(&j.rows[n], j.a, j.b)
			s.joints.pulled[at][n] += r
			k.worked += r * (after + s.joints.was[at][n]) / 2
			s.joints.was[at][n] = after - s.joints.driven[at][n]
		}
	}
}

// follows tells whether contacts close because of the impulses found, and makes what these have left of the velocities
// those before the next round.
func (w *World) follows(k *island, h float64) (more bool) {
	s := &w.system
	bound := noise * max(k.speed, k.pressed)
	for i := range k.all {
		c, at := &k.all[i], k.contacts+i
		m := s.motion(c.a, c.b, s.problem.v, s.problem.omega)
		slip := m.slip(of(c.arm[0]), of(c.arm[1])).vec()
		var after [3]float64
		for n := range 3 {
			after[n] = c.d[n].Dot(slip)
			s.contacts.before[at][n] = after[n] - s.contacts.forced[at][n]
		}
		if s.contacts.roles[at] == leftOut && s.contacts.total[at] == ([3]float64{}) {
			c.q = max(s.contacts.gaps[at], 0) / h
			c.x = [3]float64{after[0] + c.q, after[1], after[2]}
		}
		if s.contacts.rest[at] == 0 || s.contacts.gaps[at]+h*after[0] >= 0 {
			continue
		}
		u := s.contacts.before[at][0]
		switch {
		case s.contacts.roles[at] == rests && after[0] >= -max(s.contacts.gaps[at]-s.contacts.slops[at]/2, 0)/h-bound:
		case u < 0:
			more = more || after[0]+s.contacts.rest[at]*u < -bound
		default:
			more = more || after[0]+u < -bound
		}
	}
	return more && k.rounds < k.most
}
