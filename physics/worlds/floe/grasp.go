package floe

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/local"
)

// grip is the spring and damper by which a hand draws at a point of a floe.
type grip struct {
	on    bool
	floe  int     // the caller's number
	at    Vec2    // of the floe, in the axes of its outline, from its centroid, m
	to    Vec2    // where it is drawn, m
	k, c  float64 // N/m, N s/m
	force Vec2    // on the floe in the last step, N
	split int     // cracks there were when the floe was looked for
}

// graspDamp is the damper's share of critical: the floe comes to rest without a swing.
const graspDamp = 0.7

// point of a floe in the world, from one in the axes of its outline.
func (b *body) point(p Vec2) Vec2 {
	return b.g.Add(rotation(b.angle).Mul2x1(p))
}

// grab takes hold of the floe at a place, or else of the one whose edge is nearest within near, m: where the tool is
// none can be. It would swing on the spring hz times a second. false: none is there.
func (w *World) grab(at Vec2, near, hz float64) bool {
	g := &w.grip
	*g = grip{}
	best, on := -1, at
	for i := range w.bodies {
		b := &w.bodies[i]
		if b.fixed || b.tool || b.g.Sub(at).Len() > b.Radius+near {
			continue
		}
		q := at
		if !contains(b.placed.at, at) {
			q = onOutline(b.placed.at, at)
		}
		if d := q.Sub(at).Len(); d <= near {
			best, on, near = i, q, d
		}
	}
	if best < 0 {
		return false
	}
	b := &w.bodies[best]
	r := on.Sub(b.g)
	mass, omega := 1/(b.invMass+r.LenSqr()*b.invInertia), 2*math.Pi*hz
	*g = grip{on: true, floe: w.number[best], at: rotation(b.angle).Transpose().Mul2x1(r), to: on,
		k: mass * omega * omega, c: 2 * graspDamp * mass * omega, split: w.report.Cracks}
	return true
}

// held is where the point is that is held.
func (w *World) held() Vec2 { return w.bodies[w.order[w.grip.floe]].point(w.grip.at) }

// follow finds the part again that is held, after a crack.
func (w *World) follow() {
	g := &w.grip
	if !g.on || g.split == w.report.Cracks {
		return
	}
	g.split = w.report.Cracks
	if was := *g; !contains(w.bodies[w.order[g.floe]].placed.at, w.held()) {
		if w.grab(w.held(), w.hand.size, 1) {
			g.to, g.k, g.c = was.to, was.k, was.c
		}
	}
}

// draw is a step of implicit Euler of spring and damper on the floe that is held: with the inverse mass N at the point,
//
//	(1 + (dt c + dt^2 k) N) J = dt (k (to - x - dt v) - c v)
//
// so that no step is too long for them. It adds the work to the account.
func (w *World) draw(b *body, dt float64, sum *work) {
	g := &w.grip
	x := b.point(g.at)
	r := x.Sub(b.g)
	v := b.v.Add(Vec2{-r[1], r[0]}.Mul(b.rate))
	s := dt*g.c + dt*dt*g.k
	n11, n12, n22 := 1+s*(b.invMass+r[1]*r[1]*b.invInertia), -s*r[0]*r[1]*b.invInertia, 1+s*(b.invMass+r[0]*r[0]*b.invInertia)
	pull := g.to.Sub(x).Sub(v.Mul(dt)).Mul(g.k).Sub(v.Mul(g.c)).Mul(dt)
	impulse := Vec2{n22*pull[0] - n12*pull[1], n11*pull[1] - n12*pull[0]}.Mul(1 / (n11*n22 - n12*n12))
	g.force = impulse.Mul(1 / dt)
	speed := b.v.Add(impulse.Mul(b.invMass / 2))
	rate := b.rate + cross(r, impulse)*b.invInertia/2
	sum.hand += impulse.Dot(speed) + cross(r, impulse)*rate
	b.v, b.rate = b.v.Add(impulse.Mul(b.invMass)), b.rate+cross(r, impulse)*b.invInertia
	b.accel += (impulse.Len()*b.invMass + math.Abs(cross(r, impulse))*b.invInertia*b.Radius) / dt
}

// take takes hold of what another grasp says, or lets go.
func (l *live) take(g *physics.Grasp) {
	if g.Number == l.grasp {
		return
	}
	l.grasp, l.world.grip.on = g.Number, false
	if g.Number != 0 && l.world.grab(l.atSea(g.At), 2*l.world.hand.size, physics.GraspHz/l.now.Pace) {
		at := l.onTable(l.world.grip.to, g.At[1])
		l.end = l.stylus.InversePoint(at)
	}
}

// reaction is what spring and damper of a grasp give the hand, N, and N m about the stylus's origin.
func (l *live) reaction() (force, torque mgl64.Vec3) {
	g := &l.world.grip
	f := g.force.Mul(-1 / l.newtons())
	force = mgl64.Vec3{f[0], 0, -f[1]}
	return force, l.pulled.Vector(l.end).Cross(force)
}

// feelGrasp is the hand's model while something is held.
func (l *live) feelGrasp(m *local.Model) {
	force, torque := l.reaction()
	m.Field.On = true
	copy(m.Field.Force[:3], force[:])
	copy(m.Field.Force[3:], torque[:])
	k := l.world.grip.k * l.now.Scale / l.newtons()
	arm := l.pulled.Vector(l.end)
	m.Field.Spring(mgl64.Diag3(mgl64.Vec3{k, 0, k}), arm)
	m.Length = max(arm.Len(), l.world.hand.size/l.now.Scale)
}

// drawHeld shows the spring.
func (l *live) drawHeld(f *physics.Frame) {
	if !l.world.grip.on {
		return
	}
	force, _ := l.reaction()
	height := l.pulled.Point(l.end)[1]
	f.Held = physics.Held{On: true, At: l.onTable(l.world.held(), height), To: l.pulled.Point(l.end), Force: force.Mul(-1)}
}
