package thesis

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// BlackBox is a deformable body of which the Multiple Contact Friction Solver (section 4.2) knows nothing but the
// answer to one question: where are these points under these forces? Points are numbered by the body.
type BlackBox interface {
	// Points is how many points the body has.
	Points() int
	// Positions writes to dst where the points asked for are, m, in the equilibrium under the forces f (N, one per
	// point of the body, global axes) and the body's own loads and supports. It must not keep the slices.
	Positions(dst []mgl64.Vec3, points []int32, f []mgl64.Vec3)
	// Stiffness estimates the least stiffness of a point at the surface, N/m; 0: unknown, the solver then tries the
	// points in contact with a force.
	Stiffness() float64
}

// Anchor is a point of a body: a point of its own, or one interpolated on a triangle. A point of weight 0 is not asked
// for.
type Anchor struct {
	Points  [3]int32
	Weights [3]float64
}

// NodeAnchor is the anchor at a body's own point.
func NodeAnchor(point int32) Anchor {
	return Anchor{Points: [3]int32{point, point, point}, Weights: [3]float64{1, 0, 0}}
}

// Joint is one contact between two black boxes: P of body A may not enter body B at Q.
type Joint struct {
	A, B   int           // bodies; P belongs to A, Q to B
	P, Q   Anchor        //
	Frame  [3]mgl64.Vec3 // n (from Q's body to P's), t1, t2
	Offset [2]float64    // tangential x at the start of the increment, taken off, m
	Mu     float64       // friction coefficient, -
}

// Generic is the Multiple Contact Friction Solver: Uzawa global, bi-potential, without a Delassus operator (4.3). With
// the same rho_min it makes the same iterates as Uzawa on W, for x = W r + q is what the bodies answer. The zero value
// is ready; an instance keeps its workspace and serves one goroutine.
type Generic struct {
	// Jacobi asks each body once a sweep, for all points at the forces of the last sweep (algorithm 4.1), where
	// Gauss-Seidel asks for each contact anew. It suits bodies whose answer costs the same for one point or for all,
	// and needs a smaller rho: the inverse of W's largest eigenvalue, found by the power method on the bodies.
	Jacobi bool

	// Queries counts the calls of Positions in the last solve, Answers the points that were asked for.
	Queries, Answers int

	bodies  []BlackBox
	joints  []Joint
	force   [][]mgl64.Vec3 // per body, per point, N
	ask     [][]int32      // per body: points in contact, each once
	at      [][]mgl64.Vec3 // per body: their positions
	slot    [][]int32      // per body, per point: index in ask, -1 else
	x       []float64      // 3N
	q       []float64      // 3N: x without contact forces
	prev    []float64      // 3N: work of the power method
	weight  []float64      // N: w_c, m/N
	mu      []float64      // N
	rho     float64        // N/m
	sweeps  contact.Sweeps
	problem contact.Problem // without W: Errors answers in its place
	points  [3]int32
	where   [3]mgl64.Vec3
}

// Solve improves the contact forces r (3N; n, t1, t2 per joint, N) and reports. It leaves the bodies' answer as the
// only knowledge of them, so w_c in the scaled error is an estimate: trace(W_cc)/3 where the contacts were tried with a
// force (a body's Stiffness is 0 and Options.Rho too), else 1/rho_min.
func (g *Generic) Solve(bodies []BlackBox, joints []Joint, r []float64, opt *contact.Options) contact.Result {
	g.sweeps.Start(opt)
	if len(r) != 3*len(joints) {
		panic("contact: 3 forces a joint are needed")
	}
	g.bind(bodies, joints)
	g.load(nil)
	g.all(g.q)
	g.rho = g.stiffness(opt)
	contact.Admit(r, g.mu)
	g.load(r)
	g.problem = contact.Problem{N: len(joints), Mu: g.mu}
	return g.sweeps.Run(g, &g.problem, r, opt, g.rho)
}

// Displacements returns x of each joint (3N) under the forces of the last solve. The slice is the solver's own.
func (g *Generic) Displacements() []float64 { return g.x }

// bind lists the points in contact and makes room.
func (g *Generic) bind(bodies []BlackBox, joints []Joint) {
	n := len(joints)
	g.bodies, g.joints = bodies, joints
	g.Queries, g.Answers = 0, 0
	g.x, g.q, g.prev = num.Grow(g.x, 3*n), num.Grow(g.q, 3*n), num.Grow(g.prev, 3*n)
	g.weight, g.mu = num.Grow(g.weight, n), num.Grow(g.mu, n)
	for len(g.force) < len(bodies) {
		g.force, g.ask = append(g.force, nil), append(g.ask, nil)
		g.at, g.slot = append(g.at, nil), append(g.slot, nil)
	}
	for b, body := range bodies {
		m := body.Points()
		g.force[b] = num.Grow(g.force[b], m)
		g.slot[b] = num.Grow(g.slot[b], m)
		g.ask[b] = num.Grow(g.ask[b], m)[:0]
		g.at[b] = num.Grow(g.at[b], m)
		clear(g.force[b])
		for i := range g.slot[b] {
			g.slot[b][i] = -1
		}
	}
	for c := range joints {
		j := &joints[c]
		g.mu[c] = j.Mu
		g.note(j.A, &j.P)
		g.note(j.B, &j.Q)
	}
}

func (g *Generic) note(body int, a *Anchor) {
	for k, i := range a.Points {
		if a.Weights[k] != 0 && g.slot[body][i] < 0 {
			g.slot[body][i] = int32(len(g.ask[body]))
			g.ask[body] = append(g.ask[body], i) // within the capacity that bind made
		}
	}
}

// load sets the bodies' forces to those of r, or to none.
func (g *Generic) load(r []float64) {
	for b := range g.bodies {
		for _, i := range g.ask[b] {
			g.force[b][i] = mgl64.Vec3{}
		}
	}
	if r == nil {
		return
	}
	for c := range g.joints {
		g.push(c, r[3*c], r[3*c+1], r[3*c+2])
	}
}

// push adds a force in the frame of contact c to both bodies.
func (g *Generic) push(c int, n, t1, t2 float64) {
	j := &g.joints[c]
	f := j.Frame[0].Mul(n).Add(j.Frame[1].Mul(t1)).Add(j.Frame[2].Mul(t2))
	g.pull(j.A, &j.P, f)
	g.pull(j.B, &j.Q, f.Mul(-1))
}

// pull adds a force at an anchor of a body.
func (g *Generic) pull(body int, a *Anchor, f mgl64.Vec3) {
	for k, i := range a.Points {
		if w := a.Weights[k]; w != 0 {
			g.force[body][i] = g.force[body][i].Add(f.Mul(w))
		}
	}
}

// all asks each body once and writes x of every contact.
func (g *Generic) all(x []float64) {
	for b, body := range g.bodies {
		if len(g.ask[b]) > 0 {
			body.Positions(g.at[b][:len(g.ask[b])], g.ask[b], g.force[b])
			g.Queries++
			g.Answers += len(g.ask[b])
		}
	}
	for c := range g.joints {
		j := &g.joints[c]
		x[3*c], x[3*c+1], x[3*c+2] = j.relative(g.answered(j.A, &j.P), g.answered(j.B, &j.Q))
	}
}

// answered is where an anchor is by the body's last answer to all.
func (g *Generic) answered(body int, a *Anchor) (p mgl64.Vec3) {
	for k, i := range a.Points {
		if w := a.Weights[k]; w != 0 {
			p = p.Add(g.at[body][g.slot[body][i]].Mul(w))
		}
	}
	return p
}

// one asks the two bodies of contact c for its points alone.
func (g *Generic) one(c int) (xn, xt1, xt2 float64) {
	j := &g.joints[c]
	return j.relative(g.anchor(j.A, &j.P), g.anchor(j.B, &j.Q))
}

func (g *Generic) anchor(body int, a *Anchor) (p mgl64.Vec3) {
	m := 0
	for k, w := range a.Weights {
		if w != 0 {
			g.points[m] = a.Points[k]
			m++
		}
	}
	g.bodies[body].Positions(g.where[:m], g.points[:m], g.force[body])
	g.Queries++
	g.Answers += m
	m = 0
	for _, w := range a.Weights {
		if w != 0 {
			p = p.Add(g.where[m].Mul(w))
			m++
		}
	}
	return p
}

// relative is x of the joint for P at p and Q at q.
func (j *Joint) relative(p, q mgl64.Vec3) (xn, xt1, xt2 float64) {
	d := p.Sub(q)
	return j.Frame[0].Dot(d), j.Frame[1].Dot(d) - j.Offset[0], j.Frame[2].Dot(d) - j.Offset[1]
}

func (g *Generic) Sweep(_ *contact.Problem, r []float64, _ int, clock *contact.Clock) bool {
	if g.Jacobi {
		g.all(g.x)
	}
	rho := g.rho
	for c := range g.joints {
		f := r[3*c : 3*c+3 : 3*c+3]
		xn, xt1, xt2 := g.x[3*c], g.x[3*c+1], g.x[3*c+2]
		if !g.Jacobi {
			xn, xt1, xt2 = g.one(c)
		}
		mu := g.mu[c]
		n, t1, t2 := contact.ProjectCone(mu, f[0]-rho*(xn+mu*math.Sqrt(xt1*xt1+xt2*xt2)), f[1]-rho*xt1, f[2]-rho*xt2)
		if !g.Jacobi {
			g.push(c, n-f[0], t1-f[1], t2-f[2])
		}
		f[0], f[1], f[2] = n, t1, t2
		if clock.Expired() {
			return false
		}
	}
	// The forces are summed anew, so that the roundoff of the increments does not pile up over the sweeps.
	g.load(r)
	return true
}

// Errors implements Judge: both errors of r, from the bodies' answer to it.
func (g *Generic) Errors(r []float64) contact.Errors {
	g.load(r)
	g.all(g.x)
	var s contact.ErrorSums
	for c := range g.joints {
		s.Add(g.mu[c], g.weight[c], r[3*c:3*c+3], g.x[3*c:3*c+3], g.q[3*c:3*c+3])
	}
	return s.Errors()
}
