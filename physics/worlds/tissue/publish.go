package tissue

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/local"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// Force is the resultant of the contact forces on the driven body, and their
// moment about the stylus's origin; world axes, N and N m.
func (w *World) Force() (force, torque mgl64.Vec3) {
	d := w.bodies[w.driven]
	for i := range w.contacts {
		c := &w.contacts[i]
		sign, at := w.onStylus(c)
		if sign == 0 {
			continue
		}
		f := c.force(w.r[3*i : 3*i+3]).Mul(sign)
		force = force.Add(f)
		torque = torque.Add(d.pointOf(at).Sub(d.pose.Position).Cross(f))
	}
	return force, torque
}

// Stats sums up the last step.
func (w *World) Stats() Stats {
	s := Stats{Solve: w.solving.result, Solved: len(w.set.kept), Rounds: w.set.rounds, Reduction: w.set.reduced.bound, Late: w.clock.late, Compression: w.last.compression, Released: w.adhesion.released, Timing: w.last.timing}
	for i, status := range w.solving.status {
		if w.contacts[i].kind == strainLimit {
			if status != contact.Open {
				s.Limited++
			}
			continue
		}
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
	for i, r := range w.r { // r W r / 2, and x = W r + q
		s.Energy += r * (w.x[i] - w.free[i]) / 2
	}
	felt, loaded := w.felt()
	single, lumped := local.Room(len(felt), loaded, local.Capacity)
	s.HandLeftOut, s.HandLumped = len(felt)-single, lumped
	return s
}

// RNorm is |r|, the Euclidean norm of all contact forces of the last step, N.
func (w *World) RNorm() float64 { return num.Norm(w.r) }

// Bodies describes the bodies; the slice is fresh, its contents do not change.
func (w *World) Bodies() (infos []physics.SurfaceInfo) {
	for _, b := range w.bodies {
		infos = append(infos, b.info)
	}
	return infos
}

// Nodes are how many the meshes of the soft bodies have together.
func (w *World) Nodes() (n int) {
	for _, b := range w.bodies {
		if !b.info.Rigid {
			n += len(b.mesh.Nodes)
		}
	}
	return n
}

// Snapshot fills s with the state at the end of the last step, reusing its
// memory. Stresses, rates and messages are the Runner's to add.
func (w *World) Snapshot(s *Snapshot) {
	if len(s.Surfaces) != len(w.bodies) {
		s.Surfaces = make([]physics.Surface, len(w.bodies))
	}
	for i, b := range w.bodies {
		at := &s.Surfaces[i].Vertices
		if len(*at) != len(b.rest) {
			*at = make([]mgl64.Vec3, len(b.rest))
		}
		b.fill(*at, &w.fillWork)
		s.Surfaces[i].Scalar = s.Surfaces[i].Scalar[:0]
	}
	w.fillContacts(s)
}

// fillContacts fills all of s but the bodies.
func (w *World) fillContacts(s *Snapshot) {
	s.Step = w.last.step
	s.Stylus = w.bodies[w.driven].pose
	s.Contacts = s.Contacts[:0]
	for i := range w.contacts {
		c := &w.contacts[i]
		if c.kind == strainLimit {
			continue
		}
		_, a, b := w.direction(c.direction)
		r, x := w.r[3*i:3*i+3], w.x[3*i:3*i+3]
		s.Contacts = append(s.Contacts, physics.Contact{
			ID: c.id, Node: c.node, Edges: c.kind == edgeEdge,
			P: a.pointOf(&c.p), Q: b.pointOf(&c.q),
			N: c.n, T1: c.t1, T2: c.t2,
			Force: c.force(r), R: [3]float64(r), X: [3]float64(x),
			Mu: c.mu, Status: w.solving.status[i], Residual: [3]float64(w.solving.residual[3*i : 3*i+3]),
		})
	}
	s.Force, s.Torque = w.Force()
	s.Stats = w.Stats()
	w.solving.recorder.curve(&s.Curve)
}

// Coulomb is by how much of its force a contact of the last step leaves the cone of the friction
// that is set for it, at most; how far the mu that one was solved with is from that; and how far
// the forces are from the laws of contact with that friction, over what the tolerance allows of the scaled
// error. A force that is inside the cone of a contact that slides is as far from them as one outside. It is
// 0 where no solution is claimed.
func (w *World) Coulomb() (violation, lag, off float64) {
	for i := range w.contacts {
		c := &w.contacts[i]
		if c.kind == strainLimit {
			continue
		}
		mu, r := w.frictionOf(&w.directions[c.direction]), w.r[3*i:3*i+3]
		violation = max(violation, contact.ConeViolation(mu, r[0], math.Hypot(r[1], r[2])))
		lag = max(lag, math.Abs(w.mu[i]-mu))
	}
	if !w.solving.result.Converged || w.clock.late || len(w.set.kept) == 0 {
		return violation, lag, 0
	}
	set := *w.posed.read() // but for its friction
	set.Mu = make([]float64, set.N)
	for k, i := range w.set.kept {
		if c := &w.contacts[i]; c.kind != strainLimit {
			set.Mu[k] = w.frictionOf(&w.directions[c.direction])
		}
	}
	_, allowed := w.solving.options.Allowed(w.solving.result.RhoMin, num.Norm(w.set.r))
	if off = set.Errors(w.set.r, w.set.x).Scaled; off != 0 {
		off /= allowed
	}
	return violation, lag, off
}

// RhoMin is the rho_min of the last step's Delassus operator (3.1), N/m; 0
// without contacts.
func (w *World) RhoMin() float64 {
	return w.posed.read().RhoMin()
}
