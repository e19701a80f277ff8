package rigid

import (
	"context"
	"errors"
	"math"

	"hapco/physics/frame"
	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/num"
)

// A motion is bodies under smooth forces and ideal joints, integrated by C1 refined until nothing changes. One step of
// C1, all of its forces and joint reactions taken in the middle of the step, is symmetric in time, so that its error is
// a series in h^2: steps of H/2, H/4, H/6, ... over the same interval H are extrapolated to h = 0 [Hairer, Lubich,
// Wanner, Geometric Numerical Integration, II.9]. Where a contact opens or closes the forces have a kink: the interval
// ends there.
type motion struct {
	bodies []member
	// force adds the loads in the state s at time t.
	force func(t float64, s *state, loads []load)
	// joints lists the rows of the joints; nil: none.
	joints func(s *state, rows []row) []row
	// heights are those of the contact points, m: a point is closed below 0. nil: none.
	heights func(s *state, dst []float64)
	closed  []bool  // of each contact point
	longest float64 // interval, s, within which no contact opens and closes unseen; 0: any
	// modal drives modal coordinates; nil: none.
	modal *modal
	// correct projects a state onto the joints; nil: none.
	correct func(s *state)

	events []event

	t        float64
	state    state
	step     float64                   // of the next interval, s
	columns  [2][refinements][]float64 // two rows of the extrapolation
	from     state
	trial    state
	micro    []microHeights
	rows     []row
	kkt      []float64 // of the joints, one row after the other
	reaction []float64
	loads    []load
	alpha    []vec3
	accel    []vec3
}

// member is a body of a motion.
type member struct {
	mass   float64
	j, inv mat3 // about the frame's origin; inv is 0 for a body that does not turn
	// pivot: the body turns about a fixed point, arm is its centre of mass from there in the body's frame. j is then
	// about that point.
	pivot *vec3
	arm   vec3
}

// load is what acts on a body: a force at its centre of mass, and the moment about its frame's origin, in space.
type load struct{ force, moment vec3 }

// placed is the state of one body; x and v are those of the centre of mass.
type placed struct {
	x vec3
	q quat
	v vec3
	w vec3 // body frame
}

type state struct {
	body []placed
	qm   []float64 // modal coordinates
	pm   []float64 // and their rates
}

type event struct {
	t      float64
	point  int
	closed bool
}

// row is one row of a joint: lin.a + ang.alpha of the bodies + bias = 0 in terms of accelerations, space frame. body -1
// is the ground.
type row struct {
	body     [2]int
	lin, ang [2]vec3
	bias     float64
	// drag is a force on the first body per reaction of this row: friction.
	drag vec3
}

// modal are uncoupled oscillators loaded by the motion of a body.
type modal struct {
	omega []float64
	zeta  float64
	// load is Q at time t for a body's rate w and its rate a.
	load func(t float64, s *state, a vec3, dst []float64)
	q    []float64
}

type microHeights struct {
	t float64
	z []float64
}

func (p *placed) omega() vec3          { return frame.Rotate(p.q, p.w) }
func (p *placed) point(b vec3) vec3    { return p.x.Add(frame.Rotate(p.q, b)) }
func (p *placed) velocity(b vec3) vec3 { return p.v.Add(frame.Rotate(p.q, p.w.Cross(b))) }

// follow puts the centre of mass of a body with a fixed point where its attitude has it.
func (m *member) follow(p *placed) {
	if m.pivot != nil {
		p.x = m.pivot.Add(frame.Rotate(p.q, m.arm))
		p.v = frame.Rotate(p.q, p.w.Cross(m.arm))
	}
}

// push adds a force at a point of the body, b in its frame.
func (l *load) push(m *member, p *placed, f, b vec3) {
	l.force = l.force.Add(f)
	l.moment = l.moment.Add(frame.Rotate(p.q, b.Add(m.arm)).Cross(f))
}

// weigh adds a force at the centre of mass.
func (l *load) weigh(m *member, p *placed, f vec3) { l.push(m, p, f, vec3{}) }

// Errors of a motion are measured against 1 m, 1 m/s and 1 rad/s where its own are smaller: it serves the reference
// cases only, whose sizes are of that order. No scene moves by it.
const (
	refinements = 7     // steps of H/2 to H/14
	goal        = 1e-14 // of an interval, relative to 1 + |state|
)

func (s *state) copyFrom(o *state) {
	s.body = append(s.body[:0], o.body...)
	s.qm = append(s.qm[:0], o.qm...)
	s.pm = append(s.pm[:0], o.pm...)
}

func (s *state) flat(dst []float64) []float64 {
	dst = dst[:0]
	for i := range s.body {
		p := &s.body[i]
		dst = append(dst, p.x[0], p.x[1], p.x[2], p.q.W, p.q.V[0], p.q.V[1], p.q.V[2],
			p.v[0], p.v[1], p.v[2], p.w[0], p.w[1], p.w[2])
	}
	dst = append(dst, s.qm...)
	return append(dst, s.pm...)
}

func (s *state) unflat(y []float64) {
	for i := range s.body {
		p := &s.body[i]
		k := y[13*i : 13*i+13]
		p.x = vec3(k[0:3])
		p.q = quat{W: k[3], V: vec3(k[4:7])}.Normalize()
		p.v = vec3(k[7:10])
		p.w = vec3(k[10:13])
	}
	y = y[13*len(s.body):]
	copy(s.qm, y)
	copy(s.pm, y[len(s.qm):])
}

// prepare finds which contacts are closed at the start.
func (m *motion) prepare() {
	m.loads = make([]load, len(m.bodies))
	m.accel = make([]vec3, len(m.bodies))
	m.alpha = make([]vec3, len(m.bodies))
	if m.modal != nil {
		m.modal.q = make([]float64, len(m.modal.omega))
	}
	if m.heights == nil {
		return
	}
	z := make([]float64, len(m.closed))
	m.heights(&m.state, z)
	for i := range z {
		m.closed[i] = z[i] < 0
	}
}

// accelerate finds the accelerations of the frames' origins and the moments about them, joint reactions included.
func (m *motion) accelerate(t float64, s *state) {
	clear(m.loads)
	if m.force != nil {
		m.force(t, s, m.loads)
	}
	m.resolve(s)
	if m.joints == nil {
		return
	}
	m.rows = m.joints(s, m.rows[:0])
	n := len(m.rows)
	m.kkt, m.reaction = num.Grow(m.kkt, n*n), num.Grow(m.reaction, n)
	for i := range m.rows {
		ri := &m.rows[i]
		for k := range m.rows {
			rk := &m.rows[k]
			sum := 0.0
			for e, b := range ri.body {
				for f, c := range rk.body {
					if b != c || b < 0 {
						continue
					}
					lin := rk.lin[f]
					if f == 0 {
						lin = lin.Add(rk.drag)
					}
					sum += ri.lin[e].Dot(lin)/m.bodies[b].mass + ri.ang[e].Dot(m.turnRate(s, b, rk.ang[f]))
				}
			}
			m.kkt[i*n+k] = sum
		}
		sum := ri.bias
		for e, b := range ri.body {
			if b >= 0 {
				sum += ri.lin[e].Dot(m.accel[b]) + ri.ang[e].Dot(m.alpha[b])
			}
		}
		m.reaction[i] = -sum
	}
	num.Solve(m.kkt, m.reaction)
	for i := range m.rows {
		r := &m.rows[i]
		lambda := m.reaction[i]
		r.bias = lambda // the reaction, for whoever asks
		for e, b := range r.body {
			if b < 0 {
				continue
			}
			f := r.lin[e]
			if e == 0 {
				f = f.Add(r.drag)
			}
			m.loads[b].force = m.loads[b].force.Add(f.Mul(lambda))
			m.loads[b].moment = m.loads[b].moment.Add(r.ang[e].Mul(lambda))
		}
	}
	m.resolve(s)
}

// turnRate is the angular acceleration of a body per moment, space frame.
func (m *motion) turnRate(s *state, b int, moment vec3) vec3 {
	p := &s.body[b]
	return frame.Rotate(p.q, m.bodies[b].inv.Mul3x1(frame.Unrotate(p.q, moment)))
}

// resolve turns loads into accelerations.
func (m *motion) resolve(s *state) {
	for i := range m.bodies {
		b, p := &m.bodies[i], &s.body[i]
		m.accel[i] = m.loads[i].force.Mul(1 / b.mass)
		body := frame.Unrotate(p.q, m.loads[i].moment).Sub(p.w.Cross(b.j.Mul3x1(p.w)))
		m.alpha[i] = frame.Rotate(p.q, b.inv.Mul3x1(body))
	}
}

// small makes one step of C1 from s, in place; mid is workspace.
func (m *motion) small(t, h float64, s, mid *state) bool {
	mid.copyFrom(s)
	m.accelerate(t, s) // a first guess
	type ends struct{ v, w, theta vec3 }
	var few [4]ends
	end := few[:]
	if len(s.body) > len(few) {
		end = make([]ends, len(s.body))
	}
	for i := range s.body {
		end[i].v = s.body[i].v.Add(m.accel[i].Mul(h))
		end[i].w = s.body[i].w.Add(frame.Unrotate(s.body[i].q, m.alpha[i]).Mul(h))
	}
	last := math.Inf(1)
	for range 100 {
		for i := range s.body {
			p, q, e := &s.body[i], &mid.body[i], &end[i]
			e.theta = p.w.Add(e.w).Mul(h / 2)
			q.q = frame.Turned(p.q, e.theta.Mul(0.5))
			q.w = p.w.Add(e.w).Mul(0.5)
			q.v = p.v.Add(e.v).Mul(0.5)
			q.x = p.x.Add(q.v.Mul(h / 2))
			m.bodies[i].follow(q)
		}
		m.accelerate(t+h/2, mid)
		change := 0.0
		for i := range s.body {
			p, e, b := &s.body[i], &end[i], &m.bodies[i]
			v := p.v.Add(m.accel[i].Mul(h))
			w := p.w
			if b.inv != (mat3{}) {
				w = solve(&b.j, &b.inv, frame.Unturn(e.theta, b.j.Mul3x1(p.w).Add(frame.Unrotate(p.q, m.loads[i].moment).Mul(h))))
			}
			if b.pivot == nil {
				change = max(change, num.MaxAbs(v.Sub(e.v))/(1+num.MaxAbs(v)))
			}
			change = max(change, num.MaxAbs(w.Sub(e.w))/(1+num.MaxAbs(w)))
			e.v, e.w = v, w
		}
		if change <= 1e-16 || change <= 1e-13 && change >= last {
			last = 0
			break
		}
		if math.IsNaN(change) {
			return false
		}
		last = change
	}
	if last > 1e-13 {
		return false
	}
	if o := m.modal; o != nil {
		a := frame.Unrotate(mid.body[0].q, m.alpha[0])
		o.load(t+h/2, mid, a, o.q)
		for i, w := range o.omega {
			// The midpoint rule of a linear oscillator, solved.
			q, p := s.qm[i], s.pm[i]
			acc := (o.q[i] - 2*o.zeta*w*p - w*w*(q+h/2*p)) / (1 + o.zeta*w*h + w*w*h*h/4)
			s.pm[i] = p + h*acc
			s.qm[i] = q + h*(p+s.pm[i])/2
		}
	}
	for i := range s.body {
		p, e := &s.body[i], &end[i]
		p.x = p.x.Add(p.v.Add(e.v).Mul(h / 2))
		p.q = frame.Turned(p.q, e.theta)
		p.v, p.w = e.v, e.w
		m.bodies[i].follow(p)
	}
	return true
}

// interval integrates from m.state over h into m.trial, and returns the error of the extrapolation relative to the
// goal.
func (m *motion) interval(h float64) float64 {
	var mid state
	m.micro = m.micro[:0]
	row, before := &m.columns[0], &m.columns[1]
	for j := range refinements {
		n := 2 * (j + 1)
		m.from.copyFrom(&m.state)
		for k := range n {
			if !m.small(m.t+h*float64(k)/float64(n), h/float64(n), &m.from, &mid) {
				return math.Inf(1)
			}
			if m.heights != nil && j == refinements-1 {
				z := make([]float64, len(m.closed))
				m.heights(&m.from, z)
				m.micro = append(m.micro, microHeights{h * float64(k+1) / float64(n), z})
			}
		}
		// Neville's scheme in h^2: row[k] has the first k+1 powers removed.
		row, before = before, row
		row[0] = m.from.flat(row[0])
		for k := range j {
			ratio := float64(j+1) / float64(j-k)
			f := 1 / (ratio*ratio - 1)
			row[k+1] = row[k+1][:0]
			for i, y := range row[k] {
				row[k+1] = append(row[k+1], y+f*(y-before[k][i]))
			}
		}
	}
	worst := 0.0
	best, second := row[refinements-1], row[refinements-2]
	for i := range best {
		worst = max(worst, math.Abs(best[i]-second[i])/(1+math.Abs(best[i])))
	}
	m.trial.copyFrom(&m.state)
	m.trial.unflat(best)
	for i := range m.bodies {
		m.bodies[i].follow(&m.trial.body[i])
	}
	if !(worst >= 0) {
		return math.Inf(1)
	}
	return worst / goal
}

var errStuck = errors.New("the motion cannot be resolved")

// advance integrates up to time to.
func (m *motion) advance(ctx context.Context, to float64) {
	for m.t < to {
		refusal.Need(ctx.Err())
		h := to - m.t
		next := m.step
		if m.longest > 0 && !(next > 0 && next < m.longest) {
			next = m.longest
		}
		if next > 0 && next < h {
			h = next
			if to-m.t < 2*h {
				h = (to - m.t) / 2
			}
		}
		e := m.interval(h)
		grow := 0.9 * math.Pow(max(e, 1e-10), -1/float64(2*refinements-1))
		if e > 1 && h > 1e-9*(1+to) {
			m.step = h * min(0.7, max(0.1, grow))
			continue
		}
		refusal.If(e > 1e3, "input: %w at %.6g s: forces or joints are singular there", errStuck, m.t)
		if m.heights != nil {
			if m.meet(h) {
				continue
			}
		}
		m.step = max(m.step, h) * min(2, max(0.3, grow))
		if h < m.step/4 { // a short last interval says little
			m.step = max(m.step, h)
		}
		m.accept(h)
		if to-m.t <= 1e-15*(1+to) {
			m.t = to
		}
	}
}

func (m *motion) accept(h float64) {
	m.state, m.trial = m.trial, m.state
	m.t += h
	if m.correct != nil {
		m.correct(&m.state)
	}
}

// meet looks for the first contact that opens or closes within the interval that has just been integrated; then it ends
// the interval there, and says so.
func (m *motion) meet(h float64) (over bool) {
	// phi is how far the points are from opening or closing, the least of them.
	phi := func(z []float64) (least float64, which int) {
		least = math.Inf(1)
		for i := range z {
			d := z[i]
			if m.closed[i] {
				d = -d
			}
			if d < least {
				least, which = d, i
			}
		}
		return least, which
	}
	const zero = 1e-15 // m
	lo, hi := 0.0, math.NaN()
	for _, u := range m.micro {
		if d, _ := phi(u.z); d < -zero {
			hi = u.t
			break
		}
		lo = u.t
	}
	if math.IsNaN(hi) {
		return false
	}
	z := make([]float64, len(m.closed))
	at := func(h float64) (float64, int) {
		if h == 0 {
			m.trial.copyFrom(&m.state)
		} else {
			m.interval(h)
		}
		m.heights(&m.trial, z)
		return phi(z)
	}
	flo, _ := at(lo)
	fhi, which := at(hi)
	side := 0
	for missed := fhi; hi-lo > 1e-15*(1+m.t) && math.Abs(missed) > zero/4; {
		x := (lo + hi) / 2
		if flo > 0 && fhi < 0 {
			x = (lo*(-fhi) + hi*flo) / (flo - fhi)
		}
		if !(x > lo && x < hi) {
			x = (lo + hi) / 2
		}
		f, w := at(x)
		if f < 0 {
			hi, fhi, missed, which = x, f, f, w
			if side == 1 {
				flo /= 2 // Illinois
			}
			side = 1
		} else {
			lo, flo = x, f
			if side == -1 {
				fhi /= 2
			}
			side = -1
		}
	}
	at(hi)
	m.accept(hi)
	m.closed[which] = !m.closed[which]
	m.events = append(m.events, event{m.t, which, m.closed[which]})
	refusal.If(len(m.events) > 100000, "input: %w: contacts open and close without end near %.6g s", errStuck, m.t)
	return true
}
