package rigid

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/local"
	"hapco/physics/numerics/num"
)

// toolInertia is the inverse inertia that goes with it, the same about all axes, 1/(kg m^2).
func (g *hand) toolInertia() mat3 {
	r := max(g.Tool.Form.reach, toolLeast)
	return mgl64.Ident3().Mul(1 / (0.4 * toolMass * r * r))
}

// hand is what a hand does: the tool that it moves, where the stylus is, and what it holds.
type hand struct {
	Tool *Body // that the stylus moves: nothing else does

	w      *World
	target placed
	was    placed  // its velocity before it was given the present one
	held   *Body   // by the clutch; nil: nothing
	left   []*Body // that it did not touch and is still in: they meet once it is out, for that would be a blow
	swings bool    // what it holds turns freely about the point
	at     vec3    // in the body's frame
	on     vec3    // in the tool's
	rel    quat    // the body's attitude in the tool's frame

	k, c, kr, cr float64 // of the spring
	pulls, twist vec3    // of the clutch on what it holds, in the kick under way, N, N m
	arm          vec3    // and the point of the tool on which they act, from its origin, m
	reaction     reaction
	ahead        float64 // s, from the start of the part of a step under way to the kick after the next step's
	rows         []toolRow
}

// reaction is what bodies did to the tool in the last step, N s and N m s about its origin, and the
// part of it that is the clutch's.
type reaction struct{ force, moment, spring, twist vec3 }

// addTool takes in a body that a stylus of its own moves, and returns that stylus's hand.
// Its Mass and Inertia are not read.
func (w *World) addTool(b *Body) (*hand, error) {
	b.Fixed = true
	if err := w.Add(b); err != nil {
		return nil, err
	}
	if b.Form.Kind == FormPlane {
		return nil, fmt.Errorf("rigid: a plane is no tool")
	}
	g := &hand{Tool: b, w: w, target: placed{x: b.X, q: b.Q}}
	b.hand = g
	w.hands = append(w.hands, g)
	w.ready()
	return g, nil
}

// move says where the stylus is: the tool goes there within the next two
// steps, or as far on the way as it may go and contacts let it. A pose that is no pose is ignored.
func (g *hand) move(x vec3, q quat) {
	l := q.Len()
	if !num.AllFinite(x[0], x[1], x[2], l) || !(l > 0) {
		return
	}
	g.target.x, g.target.q = x, q.Scale(1/l)
}

// aim gives the tool the velocity that takes it to its target until the next step's kick; the
// present one is in the middle of h s.
func (g *hand) aim(h float64) {
	b := g.Tool
	h = g.ahead - h/2
	g.was.v, g.was.w = b.V, b.W
	slow := func(v vec3, arm float64) vec3 {
		if s := v.Len() * arm; s > toolSpeed {
			return v.Mul(toolSpeed / s)
		}
		return v
	}
	b.V = slow(g.target.x.Sub(b.X).Mul(1/h), 1)
	b.W = slow(rotationVector(b.Q.Conjugate().Mul(g.target.q)).Mul(1/h), max(b.Form.reach, handArm))
}

// rotationVector of a unit quaternion, the shorter way round.
func rotationVector(q quat) vec3 {
	if q.W < 0 {
		q = q.Scale(-1)
	}
	s := q.V.Len()
	if s == 0 {
		return vec3{}
	}
	return q.V.Mul(2 * math.Atan2(s, q.W) / s)
}

// grab joins the body nearest to the tool, if any is within reach m of its surface, to
// the stylus by a spring. It returns the body, or nil.
func (g *hand) grab(reach float64) *Body {
	t := g.Tool
	var best *Body
	near := reach + t.Form.reach
	var at vec3
	for _, b := range g.w.bodies {
		if b.invMass == 0 || b.Form.solid == nil {
			continue
		}
		p := unrotate(b.Q, t.X.Sub(b.X))
		q, _, d := b.Form.solid.Closest(p)
		if d < near {
			near, best, at = d, b, q
			if d < 0 { // the tool's centre is inside: hold it there
				at = p
			}
		}
	}
	if best != nil {
		g.take(best, at)
	}
	return best
}

// grabAt joins the body whose surface is nearest to a point to the stylus there, by a spring that leaves it free to
// turn about the point, and is stretched by its weight as much wherever that is. A body that never moves cannot be
// held.
func (g *hand) grabAt(x vec3) {
	var best *Body
	near := math.Inf(1)
	var at vec3
	for _, b := range g.w.bodies {
		if b.Form.solid == nil || b.hand != nil {
			continue
		}
		if q, _, d := b.Form.solid.Closest(unrotate(b.Q, x.Sub(b.X))); math.Abs(d) < near {
			near, best, at = math.Abs(d), b, q
		}
	}
	if best != nil && best.invMass > 0 {
		g.take(best, at)
		g.swings = true
		g.stiffen()
	}
}

// heldMass is the least mass of a body at a point of its frame: what is held far from its centre yields more easily.
func (b *Body) heldMass(at vec3) float64 {
	moments, _ := principal(b.Inertia)
	return 1 / (1/b.Mass + at.Dot(at)/moments[0])
}

// take joins a body to the stylus at a point of its frame, by a spring that holds its attitude, too.
func (g *hand) take(b *Body, at vec3) {
	t := g.Tool
	g.held, g.at, g.swings = b, at, false
	g.on = unrotate(t.Q, b.point(at).Sub(t.X))
	g.rel = t.Q.Conjugate().Mul(b.Q)
	g.stiffen()
}

// stiffen finds the stiffness and the damping of the spring. At long steps it is softer: so it is stable for every
// body.
func (g *hand) stiffen() {
	b, most := g.held, 0.25/g.w.Config.Step
	mass := b.heldMass(g.at)
	if g.swings {
		omega := 2 * math.Pi * physics.GraspHz
		g.k = min(b.Mass*omega*omega, mass*most*most)
		g.c = 2 * gripDamp * math.Sqrt(g.k*mass)
		g.kr, g.cr = 0, 0
		return
	}
	omega := min(2*math.Pi*gripHz, most)
	moments, _ := principal(b.Inertia)
	g.k, g.c = mass*omega*omega, 2*gripDamp*mass*omega
	g.kr, g.cr = moments[0]*omega*omega, 2*gripDamp*moments[0]*omega
}

// goOn takes up what a hand did in the world before, whose bodies have the same places in the list. It may be in a body
// that turned by itself there and touched nothing.
func (g *hand) goOn(old *hand) {
	w := g.w
	g.target = old.target
	for _, b := range old.left {
		g.left = append(g.left, w.bodies[b.id])
	}
	for i, b := range old.w.bodies {
		if b.Solo != nil && w.bodies[i].Solo == nil {
			g.left = append(g.left, w.bodies[i])
		}
	}
	if old.held != nil {
		g.held, g.at, g.on, g.rel, g.swings = w.bodies[old.held.id], old.at, old.on, old.rel, old.swings
		g.stiffen()
	}
}

// Release lets go of what is held: it flies on with the velocity that it has.
func (g *hand) Release() {
	if g.held != nil && !slices.Contains(g.left, g.held) {
		g.left = append(g.left, g.held)
	}
	g.held = nil
}

// leaves tells that one of two bodies is a tool that is still in the other, of which it has let go; gap is the least of
// their touches, m.
func leaves(a, b *Body, gap float64) bool {
	for _, g := range [2]*hand{a.hand, b.hand} {
		if g == nil {
			continue
		}
		for i, of := range g.left {
			if of != a && of != b {
				continue
			}
			if gap < 0 {
				return true
			}
			g.left = slices.Delete(g.left, i, i+1)
			break
		}
	}
	return false
}

// joined tells whether two bodies are a tool and what its hand holds.
func joined(a, b *Body) bool {
	return a.hand != nil && a.hand.held == b || b.hand != nil && b.hand.held == a
}

// hold applies the spring of the clutch.
func (g *hand) hold() {
	t, b := g.Tool, g.held
	if b == nil {
		return
	}
	at, to := b.point(g.at), t.point(g.on)
	g.pulls = to.Sub(at).Mul(g.k).Add(t.pointVelocity(g.on).Sub(b.pointVelocity(g.at)).Mul(g.c))
	b.Push(g.pulls, at)
	g.twist = rotationVector(t.Q.Mul(g.rel).Mul(b.Q.Conjugate())).Mul(g.kr).Add(t.omega().Sub(b.omega()).Mul(g.cr))
	b.twist(g.twist)
	g.arm = to.Sub(t.X)
}

// pull counts what the spring has done in a part of a step of h s.
func (g *hand) pull(h float64) {
	b := g.held
	if b == nil {
		return
	}
	if s := b.Solo; s != nil { // a body that turns by itself gets it as a kick
		arm := b.point(g.at).Sub(b.X)
		if s.Pivot != nil {
			arm = b.point(g.at).Sub(*s.Pivot)
		}
		b.W = b.W.Add(b.rotor.Inv.Mul3x1(unrotate(b.Q, arm.Cross(g.pulls).Add(g.twist))).Mul(h))
		b.rotor.W = b.W
		b.rotor.A = b.rotor.rate(s.weight.Moment(0, b.Q))
	}
	f, m := g.pulls.Mul(-h), g.twist.Mul(-h)
	g.feel(f, g.arm)
	r := &g.reaction
	r.moment = r.moment.Add(m)
	r.spring = r.spring.Add(f)
	r.twist = r.twist.Add(g.arm.Cross(f)).Add(m)
}

// feel adds an impulse on the tool at an arm from its origin.
func (g *hand) feel(f, arm vec3) {
	g.reaction.force = g.reaction.force.Add(f)
	g.reaction.moment = g.reaction.moment.Add(arm.Cross(f))
}

// force is the mean force on the tool in the last step, N, and the moment about its origin, N m, world axes.
func (g *hand) force() (force, moment vec3) {
	h := g.w.Config.Step
	return g.reaction.force.Mul(1 / h), g.reaction.moment.Mul(1 / h)
}

// fillModel writes what the hand may feel until the next step: the tool's contacts with the effective inverse inertia
// of the bodies there and of the tool, as the displacement until the next kick per newton, h^2 H M^-1 H^T; and the
// spring of the clutch. Forces are those at the stylus's pose of the step. It allocates nothing. Poses, Sequence and
// the times are the caller's to complete.
func (g *hand) fillModel(m *local.Model) {
	w, t := g.w, g.Tool
	m.Field = local.Field{}
	m.Origin, m.Rotation = g.target.x, g.target.q
	h, ahead := w.h, w.ahead
	p := &w.system.problem
	g.rows = g.rows[:0]
	for i := w.system.asleep; i < len(p.contacts); i++ { // the tool never is
		switch pair := w.system.contacts.pairs[i]; t {
		case w.bodies[pair[0]]:
			g.rows = append(g.rows, toolRow{i, 0, 1})
		case w.bodies[pair[1]]:
			g.rows = append(g.rows, toolRow{i, 1, -1}) // forces are those on the tool
		}
	}
	m.SetN(len(g.rows))
	n := m.N
	g.rows = g.rows[:n]
	for i, a := range g.rows {
		c := &p.contacts[a.contact]
		m.Mu[i], m.Arm[i] = c.mu, c.arm[a.end]
		for k := range 3 {
			m.Frame[i][k] = c.d[k].Mul(a.side)
			m.R[3*i+k] = c.r[k] / h
		}
	}
	m.FillRigid()
	var block [9]float64
	for i, a := range g.rows {
		for j, b := range g.rows {
			p.couple(&block, &p.contacts[a.contact], &p.contacts[b.contact])
			for r := range 3 {
				for s := range 3 {
					m.W[(3*i+r)*3*n+3*j+s] = ahead * h * a.side * b.side * block[3*r+s]
				}
			}
		}
	}
	// At the model's pose the forces found are those that its laws give: x is the
	// gap left, and 0 along the surface where the contact sticks.
	for i, a := range g.rows {
		c := &p.contacts[a.contact]
		for r := range 3 {
			x := c.x[r] * ahead
			if r == 0 {
				x = max(x, 0)
			}
			for s := range 3 * n {
				x -= m.W[(3*i+r)*3*n+s] * m.R[s]
			}
			m.Free[3*i+r] = x
		}
	}
	if g.held != nil {
		m.Field.On = true
		spring, twist := g.reaction.spring.Mul(1/w.Config.Step), g.reaction.twist.Mul(1/w.Config.Step)
		copy(m.Field.Force[:3], spring[:])
		copy(m.Field.Force[3:], twist[:])
		m.Field.Spring(mgl64.Ident3().Mul(g.k), rotate(t.Q, g.on))
		for r := 3; r < 6; r++ {
			m.Field.K[7*r] += g.kr
		}
		m.Length = max(m.Length, t.Form.reach)
	}
}

// toolRow is a contact of the tool; side is 1 where the tool is its first body, and else -1.
type toolRow struct {
	contact, end int
	side         float64
}
