package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/contact"
)

// Force is the resultant of the contact forces on the driven body, and their
// moment about the stylus's origin; world axes, N and N m.
func (w *World) Force() (force, torque mgl64.Vec3) {
	d := w.bodies[w.driven]
	for i := range w.contacts {
		c := &w.contacts[i]
		p := &w.pairs[c.pair]
		if p.impactor != w.driven {
			continue
		}
		r := w.r[3*i : 3*i+3]
		f := c.n.Mul(r[0]).Add(c.t1.Mul(r[1])).Add(c.t2.Mul(r[2]))
		force = force.Add(f)
		torque = torque.Add(d.position[c.node].Sub(d.pose.Position).Cross(f))
	}
	return force, torque
}

// Stats sums up the last step.
func (w *World) Stats() Stats {
	s := Stats{Solve: w.result, NewtonIterations: w.newton, Timing: w.timing}
	for i, status := range w.status {
		switch status {
		case contact.Open:
			s.Open++
		case contact.Stick:
			s.Stick++
		case contact.Slip:
			s.Slip++
		}
		s.Penetration = max(s.Penetration, -w.x[3*i])
	}
	return s
}

// RNorm is |r|, the Euclidean norm of all contact forces of the last step, N.
func (w *World) RNorm() float64 {
	var s float64
	for _, r := range w.r {
		s += r * r
	}
	return math.Sqrt(s)
}

// Bodies describes the bodies; the slice is fresh, its contents do not change.
func (w *World) Bodies() []BodyInfo {
	infos := make([]BodyInfo, len(w.bodies))
	for i, b := range w.bodies {
		infos[i] = b.info
	}
	return infos
}

// Snapshot fills s with the state at the end of the last step, reusing its
// memory. Stresses, rates and messages are the Runner's to add.
func (w *World) Snapshot(s *Snapshot) {
	s.Step = w.step
	if len(s.Bodies) != len(w.bodies) {
		s.Bodies = make([]BodyState, len(w.bodies))
	}
	for i, b := range w.bodies {
		s.Bodies[i].Positions = append(s.Bodies[i].Positions[:0], b.position...)
		s.Bodies[i].VonMises = s.Bodies[i].VonMises[:0]
	}
	s.Stylus = w.bodies[w.driven].pose
	s.Contacts = s.Contacts[:0]
	for i := range w.contacts {
		c := &w.contacts[i]
		p := &w.pairs[c.pair]
		r, x := w.r[3*i:3*i+3], w.x[3*i:3*i+3]
		s.Contacts = append(s.Contacts, ContactState{
			Node: c.node, Triangle: c.triangle,
			P: w.bodies[p.impactor].position[c.node], Q: w.bodies[p.obstacle].at(c.triangle, c.weights),
			N: c.n, T1: c.t1, T2: c.t2,
			Force: c.n.Mul(r[0]).Add(c.t1.Mul(r[1])).Add(c.t2.Mul(r[2])),
			R:     [3]float64{r[0], r[1], r[2]}, X: [3]float64{x[0], x[1], x[2]},
			Mu: c.mu, Status: w.status[i], Residual: [3]float64(w.residual[3*i : 3*i+3]),
		})
	}
	s.Force, s.Torque = w.Force()
	s.Stats = w.Stats()
	w.recorder.curve(&s.Curve)
}

// Model fills m with the contact problem of the last step, as the haptic loop
// needs it. Contacts of pairs that the stylus is not the impactor of are left
// out. Stamp, period and tick are the Runner's to add.
func (w *World) Model(m *contact.Model) {
	d := w.bodies[w.driven]
	m.SetN(len(w.contacts))
	m.Origin, m.Rotation, m.Sequence = d.pose.Position, d.pose.Rotation, w.step
	n, full := m.N, 3*len(w.contacts)
	for i := range n {
		c := &w.contacts[i]
		m.Mu[i] = c.mu
		m.Frame[i] = [3]mgl64.Vec3{c.n, c.t1, c.t2}
		m.Arm[i] = d.position[c.node].Sub(d.pose.Position)
		for k := 3 * i; k < 3*i+3; k++ {
			m.Free[k], m.R[k] = w.problem.Q[k], w.r[k]
			copy(m.W[3*n*k:3*n*(k+1)], w.problem.W[full*k:full*k+3*n])
		}
	}
	m.FillRigid()
}

// RhoMin is the rho_min of the last step's Delassus operator (3.1), N/m; 0
// without contacts.
func (w *World) RhoMin() float64 {
	if w.problem.N == 0 {
		return 0
	}
	return w.problem.RhoMin()
}
