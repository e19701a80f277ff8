package finitestrain

import (
	"math"

	"hapco/physics/numerics/fem/equilibrium"
)

// A grip holds nodes to the tool both ways: what a grasper or a suction cup does. The law of a gripped node is
// Signorini's and Coulomb's, shifted by the strength s that the grip has there, N:
//
//	x_n >= 0,  r_n + s >= 0,  x_n (r_n + s) = 0,  |r_t| <= mu (r_n + s)
//
// So it is held until it is pulled with s, and slides sooner the harder it is pulled. With r' = r + s n the law is that
// of a contact again, and q becomes q - W s n: the same solvers serve. A node that has come off in an equilibrium is
// let go for good.
type grip struct {
	wanted   bool
	strength float64 // of all nodes together, N
	each     float64 // of one, N
	reach    float64 // nodes with a smaller gap are gripped, m
	nodes    map[int32]bool
	held     int // contacts of a tool that hangs on the hand
	lost     int // let go since the grip closed
}

// gripFriction is Coulomb's coefficient in a grip: its jaws are rough.
const gripFriction = 1.0

// Grip closes the grip in the next equilibrium: it holds the nodes that touch the tool or are nearer than reach, m, and
// lets go above strength, N, of all of them together. While none is near it waits.
func (l *Live) Grip(strength, reach float64) {
	if !(strength > 0) {
		l.Release()
		return
	}
	g := &l.grip
	if len(g.nodes)+g.held > 0 {
		g.each *= strength / g.strength
	}
	g.wanted, g.reach, g.strength = true, reach, strength
}

// Release opens the grip.
func (l *Live) Release() {
	l.grip.wanted, l.grip.lost, l.grip.held = false, 0, 0
	clear(l.grip.nodes)
	if l.contacts.set != nil {
		for i := range l.contacts.set.Contacts {
			l.contacts.set.Contacts[i].Held = false
		}
	}
}

// Gripped is how many nodes the grip holds, and how many have come off since it closed.
func (l *Live) Gripped() (nodes, lost int) { return len(l.grip.nodes) + l.grip.held, l.grip.lost }

// hold is the strength at a node, 0 where it is not gripped, and at other spots.
func (g *grip) hold(s *spot) float64 {
	if len(g.nodes) > 0 && s.isNode() && g.nodes[s.nodes[0]] {
		return g.each
	}
	return 0
}

// review closes the grip on what is near, in an equilibrium, and lets go of what has come off. Once something has come
// off, nothing is gripped before the grip has been opened: tissue that peels off stays off.
func (l *Live) review(tool equilibrium.Obstacle) {
	g := &l.grip
	if l.hung.on {
		l.reviewHung()
		return
	}
	for i := range l.rows {
		r := &l.rows[i]
		if !r.isNode() {
			continue
		}
		node, force := r.nodes[0], r.force
		gap, normal := tool.Gap(r.of(l.X), l.share)
		switch {
		case g.nodes[node]:
			if gap > 1e-3*l.Options.Reach && -force.Dot(normal) >= (1-1e-3)*g.each {
				delete(g.nodes, node)
				g.lost++
			}
		case g.wanted && g.lost == 0 && (gap < g.reach || force.Dot(normal) > 0):
			g.nodes[node] = true
		}
	}
	if n := len(g.nodes); n > 0 && g.lost == 0 {
		g.each = g.strength / float64(n)
	}
}

// reviewHung is the same of the contacts of a tool that hangs on the hand.
func (l *Live) reviewHung() {
	g := &l.grip
	g.held = 0
	for i := range l.rows {
		r := &l.rows[i]
		if r.own {
			continue
		}
		n := r.force.Dot(r.frame[0])
		switch held := &l.contacts.set.Contacts[r.contact].Held; {
		case *held && r.gap > 1e-3*l.Options.Reach && -n >= (1-1e-3)*g.each:
			*held = false
			g.lost++
		case g.wanted && g.lost == 0 && (r.gap+r.thick < g.reach || n > 0):
			*held = true
		}
		if r.held = l.contacts.set.Contacts[r.contact].Held; r.held {
			g.held++
		}
	}
	if g.held > 0 && g.lost == 0 {
		g.each = g.strength / float64(g.held)
	}
}

// grippedFirst orders rows: what is gripped must stay among them.
func (g *grip) grippedFirst(a, b *liveRow) int {
	switch x, y := g.hold(&a.spot) > 0, g.hold(&b.spot) > 0; {
	case x && !y:
		return -1
	case y && !x:
		return 1
	case a.gap < b.gap:
		return -1
	case a.gap > b.gap:
		return 1
	}
	return 0
}

// shift states the problem for r' = r + s n, and back with -1 what is solved for.
func (l *Live) shift(sign float64) {
	if len(l.grip.nodes)+l.grip.held == 0 {
		return
	}
	m := 3 * len(l.rows)
	for i := range l.rows {
		s := l.rows[i].hold
		if s == 0 {
			continue
		}
		l.r[3*i] += sign * s
		if sign > 0 {
			for k := range m {
				l.problem.Q[k] -= l.problem.W[k*m+3*i] * s
			}
		}
	}
}

// near lets nothing but what is gripped be a row beyond the reach.
func (g *grip) near(node int32, gap, reach float64) bool {
	return gap <= reach || len(g.nodes) > 0 && g.nodes[node] && gap < math.Inf(1)
}
