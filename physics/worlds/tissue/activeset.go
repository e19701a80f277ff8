package tissue

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// activeSet are the contacts that a step's problem is assembled and solved for. Most contacts within reach are open and
// stay so: with r = 0 they are no part of anybody's equilibrium, and all they need is that their gap is looked at
// afterwards. Where one turns out to be closed it joins and the problem is solved again, so that in the end Signorini's
// law holds at all of them: the solution is that of the whole problem.
type activeSet struct {
	kept         []int32   // contacts, ascending
	in           []bool    // by contact
	r            []float64 // forces of the kept ones, 3 each, N
	x            []float64 // their relative displacements, m
	rounds       int       // solves that the last step took
	share, steps float64   // marginShare, marginSteps
	all          bool      // leave none out, ever
	unreduced    bool      // the solver is to have all contacts
	reduced      reduction
}

const (
	// tightest is the tolerance from which on the problem is solved whole: there the answer is for comparison with
	// others, iteration by iteration.
	tightest = 1e-10
	// Open contacts stay in the set while their gap, predicted for this step, is below marginShare of the DDC
	// tolerance, or marginSteps times the way of the stylus in this step. The set is the contact model of the hand,
	// too, which moves on for some milliseconds without us: contacts that it may close in that time have to be known to
	// it, so that it feels them close. From rest, at 50 m/s^2, a hand comes 0.1 mm far in 2 ms; the default share is
	// 0.25 mm.
	marginShare = 0.05
	marginSteps = 3
	// maxRounds is how often a step adds contacts before it takes them all.
	maxRounds = 6
)

// choose picks the active set, from the forces of the last step (w.r) and the gaps that there would be if forces stayed
// as they are.
func (w *World) choose() {
	s := &w.set
	n := len(w.contacts)
	s.kept = s.kept[:0]
	s.in = num.Grow(s.in, n)
	clear(s.in)
	unreduced := s.all || s.unreduced || !(w.params.Tolerance > tightest)
	for _, b := range w.bodies {
		b.deformed.watched.reset()
	}
	least := s.share * w.params.DDCTolerance
	margin := max(least, s.steps*w.last.way)
	for i := range n {
		if i == w.touching {
			margin = least // strain limits are no part of the hand's model
		}
		gap := w.gap(i, present) // looks at the contact's nodes, which are followed from then on
		if unreduced || w.r[3*i] != 0 || !(gap > margin) {
			s.kept = append(s.kept, int32(i))
			s.in[i] = true
		}
	}
	s.reduced.active, s.reduced.bound = false, 0
	if !unreduced {
		w.reduce()
	}
	for _, b := range w.bodies {
		b.follow()
	}
}

// list makes kept the contacts that are in.
func (s *activeSet) list() {
	s.kept = s.kept[:0]
	for i, in := range s.in {
		if in {
			s.kept = append(s.kept, int32(i))
		}
	}
}

// when says which displacements by contact forces are meant.
type when bool

const (
	present when = false // those of the last step
	coming  when = true  // those of the last iteration
)

// gap of a contact in the present pose: x_n of (2.61).
func (w *World) gap(i int, t when) float64 {
	c := &w.contacts[i]
	_, a, b := w.direction(c.direction)
	return w.free[3*i] + a.along(&c.p, c.n, t) - b.along(&c.q, c.n, t) + w.held.shifts(int32(i), 0)
}

// along is the part of a contact point's displacement by contact forces along an axis of the world, in the present
// pose.
func (b *body) along(s *side, axis mgl64.Vec3, t when) float64 {
	if !b.flexibility.elastic() {
		return 0
	}
	c := &b.deformed
	var u [3]float64
	for k := range s.count {
		weight, node := s.weight[k], s.node[k]
		if weight == 0 {
			continue
		}
		from := c.coming
		if t == present {
			b.watch(node)
			from = c.elastic
		}
		e := from[3*node : 3*node+3]
		u[0] += weight * e[0]
		u[1] += weight * e[1]
		u[2] += weight * e[2]
	}
	r := &b.rotation
	return axis[0]*(r[0]*u[0]+r[3]*u[1]+r[6]*u[2]) +
		axis[1]*(r[1]*u[0]+r[4]*u[1]+r[7]*u[2]) +
		axis[2]*(r[2]*u[0]+r[5]*u[1]+r[8]*u[2])
}

// gather takes the start of the solve from w.r.
func (s *activeSet) gather(r []float64) {
	s.r, s.x = num.Grow(s.r, 3*len(s.kept)), num.Grow(s.x, 3*len(s.kept))
	for k, i := range s.kept {
		copy(s.r[3*k:3*k+3], r[3*i:3*i+3])
	}
}

// scatter writes the forces of the set to those of all contacts.
func (s *activeSet) scatter(r []float64) {
	clear(r)
	for k, i := range s.kept {
		copy(r[3*i:3*i+3], s.r[3*k:3*k+3])
	}
}

// extend adds the contacts that were left out and turn out to be closed. It is false where there are none.
func (w *World) extend(round int) bool {
	s := &w.set
	if len(s.kept) == len(w.contacts) {
		return false
	}
	if s.reduced.active {
		return w.join(round)
	}
	before := len(s.kept)
	for i := range w.contacts {
		if !s.in[i] && (round >= maxRounds || !(w.gap(i, coming) >= 0)) {
			s.in[i] = true
			before--
		}
	}
	if before == len(s.kept) {
		return false
	}
	s.scatter(w.r)
	s.list()
	s.gather(w.r)
	return true
}

// measure computes x = W r + q, the statuses and the residuals of all contacts.
func (w *World) measure() {
	s := &w.set
	w.posed.read().Displacements(s.x, s.r)
	s.scatter(w.r)
	for k, i := range s.kept {
		copy(w.x[3*i:3*i+3], s.x[3*k:3*k+3])
	}
	if len(s.kept) < len(w.contacts) {
		for i, in := range s.in {
			if in {
				continue
			}
			c := &w.contacts[i]
			_, a, b := w.direction(c.direction)
			for k, axis := range [3]mgl64.Vec3{c.n, c.t1, c.t2} {
				w.x[3*i+k] = w.free[3*i+k] + a.along(&c.p, axis, coming) - b.along(&c.q, axis, coming) + w.held.shifts(int32(i), k)
			}
		}
	}
	w.solving.residual = num.Grow(w.solving.residual, len(w.r))
	all := contact.Problem{N: len(w.contacts), Mu: w.mu}
	all.Residual(w.solving.residual, w.r, w.x)
	contact.Statuses(w.solving.status, w.r, w.mu)
}
