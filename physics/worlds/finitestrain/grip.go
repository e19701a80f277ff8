package finitestrain

import (
	"math"
	"slices"
)

// A grip holds places of the surface to the tool both ways: what a grasper or a suction cup does. The law of a gripped contact is
// Signorini's and Coulomb's, shifted by the strength s that the grip has there, N:
//
//	x_n >= 0,  r_n + s >= 0,  x_n (r_n + s) = 0,  |r_t| <= mu (r_n + s)
//
// with x_n from where it was gripped. So it is held there until it is pulled with s, and slides sooner the harder it is pulled. With r' = r + s n the law is that
// of a contact again, and q becomes q - W s n: the same solvers serve. What has come off in an equilibrium is
// let go for good.
type grip struct {
	wanted   bool
	strength float64 // of all together, N
	each     float64 // of one, N
	reach    float64 // what has a smaller gap is gripped, m
	held     int     // contacts that are gripped
	lost     int     // let go since the grip closed
}

// gripFriction is Coulomb's coefficient in a grip: its jaws are rough.
const gripFriction = 1.0

// Grip closes the grip in the next equilibrium: it holds what touches the tool or is nearer than reach, m, and
// lets go above strength, N, of all of them together. While none is near it waits.
func (l *Live) Grip(strength, reach float64) {
	if !(strength > 0) {
		l.Release()
		return
	}
	g := &l.grip
	if g.held > 0 {
		g.each *= strength / g.strength
	}
	g.wanted, g.reach, g.strength = true, reach, strength
	l.Wake()
}

// Release opens the grip.
func (l *Live) Release() {
	l.Wake()
	l.grip.wanted, l.grip.lost, l.grip.held = false, 0, 0
	for i := range l.contacts.set.Contacts {
		l.contacts.set.Contacts[i].Held, l.contacts.set.Contacts[i].Rest = false, 0
	}
}

// Gripped is how many contacts the grip holds, and how many have come off since it closed.
func (l *Live) Gripped() (held, lost int) { return l.grip.held, l.grip.lost }

// review closes the grip on what is near, in an equilibrium, and lets go of what has come off. Once something has come
// off, nothing is gripped before the grip has been opened: tissue that peels off stays off.
func (l *Live) review() {
	g := &l.grip
	g.held = 0
	for i := range l.constraints {
		r := &l.constraints[i]
		if r.own {
			continue
		}
		n, c := r.force.Dot(r.frame[0]), &l.contacts.set.Contacts[r.contact]
		switch {
		case c.Held && r.gap > 1e-3*l.Options.Reach && -n >= (1-1e-3)*g.each:
			c.Held, c.Rest = false, 0
			g.lost++
		case !c.Held && g.wanted && g.lost == 0 && (c.Gap < g.reach || n > 0) && l.apart(r):
			c.Held, c.Rest = true, math.Max(0, r.gap)
		}
		if r.held = c.Held; r.held {
			g.held++
		}
	}
	if g.held > 0 && g.lost == 0 {
		g.each = g.strength / float64(g.held)
	}
}

// shift states the problem for r' = r + s n, and back with -1 what is solved for.
func (l *Live) shift(sign float64) {
	if l.grip.held == 0 {
		return
	}
	m := 3 * len(l.constraints)
	for i := range l.constraints {
		s := l.constraints[i].hold
		if s == 0 {
			continue
		}
		l.problem.r[3*i] += sign * s
		if sign > 0 {
			for k := range m {
				l.problem.Q[k] -= l.problem.W[k*m+3*i] * s
			}
		}
	}
}

// apart tells that no place with a node in common with a row's is gripped: what moves together is held once.
func (l *Live) apart(r *contactConstraint) bool {
	for i := range l.constraints {
		o := &l.constraints[i]
		if o.own || !l.contacts.set.Contacts[o.contact].Held {
			continue
		}
		for _, n := range o.nodes {
			if n >= 0 && slices.Contains(r.nodes[:], n) {
				return false
			}
		}
	}
	return true
}
