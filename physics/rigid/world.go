package rigid

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/contact"
	"hapco/physics/contact/exact"
	_ "hapco/physics/contact/solvers"
)

// World is bodies that fall, touch, stick, slide and hang on joints. One step of h
// is
//
//	drift  h/2: places move on, attitudes by C1 without torque
//	kick   h  : forces, and the impulses of contacts and joints, at the places reached
//	drift  h/2
//
// which is symmetric in time and of second order. Attitudes, masses and directions
// do not change within the kick, so that its energy is that of the impulses,
//
//	T+ - T- = h F.(v+ + v-)/2 + r.(U+ + U-)/2,
//
// and that of a constant weight is exact. r and the relative velocities U at the
// contacts obey Signorini's and Coulomb's laws with Newton's restitution, all at
// once: x = W r + q, W = H M^-1 H^T, x_n = U_n+ + e U_n- where bodies strike, and
// U_n+ + gap/h where they come near. The gap is that to the places of the next
// kick: nothing gets through.
type World struct {
	Config Config

	bodies   []*Body
	moved    []*Body // those that move
	ids      []int32 // of each body its place among moved, or -1
	joints   []*Joint
	laws     []Law
	sweep    *collision.Sweep
	planes   []int32 // bodies that are planes
	apart    map[uint64]bool
	problem  exact.Bodies
	dense    contact.Problem
	force    []float64 // of a dense solve
	solver   contact.Solver
	options  contact.Options
	keys     []uint64 // of each contact
	pairs    [][2]int32
	gaps     []float64
	warm     map[uint64][3]float64
	touches  []touch
	before   [][3]float64 // relative velocity at each contact before the kick
	struck   bool         // some contact rebounds in this step
	kept     []exact.BodyContact
	rest     []float64 // of each contact, restitution
	startV   []vec3
	startW   []vec3
	saved    []placed
	grip     grip
	toolRows []toolRow
	tool     *Body

	vibrations []*Vibration

	time  float64
	steps int
	stats Stats
}

// Config says how a world moves. DefaultConfig fills it.
type Config struct {
	Step        float64 // h, s
	Gravity     vec3    // m/s^2
	Tolerance   float64 // of both errors of the contact problem
	Sweeps      int     // at most, in a step
	Dense       int     // up to so many contacts, without joints, "auto" solves the problem with W formed
	StrikeSpeed float64 // m/s; slower contacts do not rebound
	Slop        float64 // m; bodies that are deeper in each other are moved apart
	PushSpeed   float64 // m/s at which they are
}

// DefaultConfig is for bodies of centimetres to metres at 1 kHz.
func DefaultConfig() Config {
	return Config{Step: 1e-3, Gravity: vec3{0, -9.81, 0}, Tolerance: 1e-8, Sweeps: 200, Dense: 24, StrikeSpeed: 0.03, Slop: 1e-5, PushSpeed: 0.5}
}

func (c *Config) check() error {
	switch {
	case !(c.Step > 0 && c.Step <= 0.1):
		return fmt.Errorf("rigid: a step of %g s (cure: above 0, at most 0.1)", c.Step)
	case !finite(c.Gravity[:]...):
		return fmt.Errorf("rigid: gravity %v m/s^2 (cure: finite numbers)", c.Gravity)
	case !(c.Tolerance > 0) || c.Sweeps < 1 || c.Dense < 0:
		return fmt.Errorf("rigid: tolerance %g, %d sweeps, dense %d (cure: above 0, 1 or more, 0 or more)", c.Tolerance, c.Sweeps, c.Dense)
	case !(c.StrikeSpeed >= 0 && c.Slop > 0 && c.PushSpeed >= 0):
		return fmt.Errorf("rigid: strike speed %g m/s, slop %g m, push speed %g m/s (cure: 0 or more, slop above 0)", c.StrikeSpeed, c.Slop, c.PushSpeed)
	}
	return nil
}

// Body is one body of a world. Position and attitude are those of its centre of
// mass and its frame.
type Body struct {
	Name        string
	Mass        float64 // kg; not read of a fixed body
	Inertia     mat3    // about the centre of mass, body frame, kg m^2
	Form        *Form
	Fixed       bool    // never moves
	Friction    float64 // two bodies touch with the root of the product of their coefficients
	Restitution float64 // and rebound with the larger of theirs, 0 to 1

	X vec3 // m
	Q quat
	V vec3 // m/s
	W vec3 // angular velocity, body frame, 1/s

	// Strike, where given, is told each impulse on the body at a contact, N s, world
	// axes, and the point in the body's frame.
	Strike func(impulse, at vec3)

	// Solo, where given, integrates the attitude to the letter of one of the
	// integrators. Such a body touches nothing and hangs on no joint.
	Solo *Solo

	rotor   Rotor
	invMass float64
	driven  bool // moved by the stylus
	id      int32
	force   vec3 // of this step's laws
	moment  vec3
	r       mat3
}

// Solo is how a body turns by itself.
type Solo struct {
	Algorithm Algorithm
	Rule      TorqueRule
	Pivot     *vec3 // it turns about this point of the world, under its weight; nil: about its centre of mass
	Arm       vec3  // the centre of mass from there, body frame, m

	weight Weight
}

// start makes the rotor of a body that turns by itself.
func (s *Solo) start(b *Body, g vec3) error {
	if !s.Algorithm.Suits(s.Rule) {
		return fmt.Errorf("%s has no torque rule %q", s.Algorithm, s.Rule)
	}
	j := b.Inertia
	if s.Pivot != nil {
		j = j.Add(pointInertia(b.Mass, s.Arm))
		s.weight = Weight{Arm: s.Arm, Force: g.Mul(b.Mass)}
	}
	b.rotor = NewRotor(j, b.Q, b.W, &s.weight)
	s.follow(b)
	return nil
}

func (s *Solo) follow(b *Body) {
	if s.Pivot != nil {
		b.X = s.Pivot.Add(rotate(b.Q, s.Arm))
		b.V = rotate(b.Q, b.W.Cross(s.Arm))
	}
}

// step turns the body on by h.
func (s *Solo) step(b *Body, h float64) {
	b.rotor.Step(s.Algorithm, s.Rule, h, &s.weight)
	b.Q, b.W = b.rotor.R, b.rotor.W
	s.follow(b)
}

// Omega is the angular velocity in the world, 1/s.
func (b *Body) Omega() vec3 { return rotate(b.Q, b.W) }

// Point is a point of the body in the world, m.
func (b *Body) Point(at vec3) vec3 { return b.X.Add(rotate(b.Q, at)) }

// PointVelocity is its velocity, m/s.
func (b *Body) PointVelocity(at vec3) vec3 { return b.V.Add(rotate(b.Q, b.W.Cross(at))) }

// Push adds a force at a point in the world, for the step under way: laws call it.
func (b *Body) Push(force, at vec3) {
	b.force = b.force.Add(force)
	b.moment = b.moment.Add(at.Sub(b.X).Cross(force))
}

// Twist adds a moment, N m.
func (b *Body) Twist(moment vec3) { b.moment = b.moment.Add(moment) }

// Kinetic is the kinetic energy, J.
func (b *Body) Kinetic() float64 {
	if b.invMass == 0 {
		return 0
	}
	return b.Mass*b.V.Dot(b.V)/2 + b.W.Dot(b.Inertia.Mul3x1(b.W))/2
}

// Spin is the angular momentum about the centre of mass, world axes.
func (b *Body) Spin() vec3 { return rotate(b.Q, b.Inertia.Mul3x1(b.W)) }

// Law is a force law. Forces are asked for in the middle of the step, where v and w
// are those before the kick.
type Law interface {
	Apply(w *World)
	Energy(w *World) float64 // potential, J
}

// Stats are of the last step.
type Stats struct {
	Contacts int
	Loaded   int // of them
	Sweeps   int // 0 where the problem was solved with W formed
	Errors   contact.Errors
	Solved   bool    // both errors are below the tolerance
	Deepest  float64 // m, below 0 where bodies are in each other
	Caution  float64 // rad, largest |W| h: above CautionAngle attitudes are inexact
	Gain     float64 // J, by which contacts changed the energy in this step: below 0 but for a touch within the step, m (g h)^2/2
}

// NewWorld makes a world without bodies.
func NewWorld(c Config) (*World, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	solver, err := contact.New("auto")
	if err != nil {
		return nil, err
	}
	w := &World{Config: c, apart: map[uint64]bool{}, warm: map[uint64][3]float64{}, solver: solver, options: contact.DefaultOptions()}
	w.options.Criterion, w.options.MaxIterations = contact.Scaled, 2000
	return w, nil
}

// Add takes a body in. Its mass and inertia are checked: one line says what no body
// can have.
func (w *World) Add(b *Body) error {
	fail := func(format string, a ...any) error {
		return fmt.Errorf("rigid: body %q: "+format, append([]any{b.Name}, a...)...)
	}
	if b.Form == nil {
		b.Form = &Form{}
	}
	if err := b.Form.prepare(); err != nil {
		return fail("%w", err)
	}
	if b.Form.Kind == FormPlane && !b.Fixed {
		return fail("a plane has no mass (cure: fixed)")
	}
	if !finite(b.X[:]...) || !finite(b.V[:]...) || !finite(b.W[:]...) || !finite(b.Q.W, b.Q.V[0], b.Q.V[1], b.Q.V[2]) {
		return fail("its place or velocity is no finite number")
	}
	if l := b.Q.Len(); l == 0 {
		b.Q = mgl64.QuatIdent()
	} else {
		b.Q = b.Q.Scale(1 / l)
	}
	if !(b.Friction >= 0) || math.IsInf(b.Friction, 0) {
		return fail("friction %g (cure: 0 or more)", b.Friction)
	}
	if !(b.Restitution >= 0 && b.Restitution <= 1) {
		return fail("restitution %g (cure: 0 to 1)", b.Restitution)
	}
	b.invMass = 0
	if !b.Fixed {
		if !(b.Mass > 0) || math.IsInf(b.Mass, 0) {
			return fail("mass %g kg (cure: above 0, or a fixed body)", b.Mass)
		}
		if err := checkBody(b.Inertia); err != nil {
			return fail("%w", err)
		}
		b.invMass = 1 / b.Mass
		b.rotor = Rotor{J: b.Inertia, Inv: b.Inertia.Inv()}
		if b.Solo != nil {
			if err := b.Solo.start(b, w.Config.Gravity); err != nil {
				return fail("%w", err)
			}
		}
	}
	b.id = int32(len(w.bodies))
	w.bodies = append(w.bodies, b)
	w.ready()
	return nil
}

// ready makes room for the bodies there are.
func (w *World) ready() {
	w.sweep = collision.NewSweep(len(w.bodies))
	w.moved, w.planes, w.ids = w.moved[:0], w.planes[:0], w.ids[:0]
	for i, b := range w.bodies {
		b.r = matrixOf(b.Q)
		id := int32(-1)
		if b.invMass > 0 || b.driven {
			id = int32(len(w.moved))
			w.moved = append(w.moved, b)
		}
		w.ids = append(w.ids, id)
		if b.Form.Kind == FormPlane {
			w.planes = append(w.planes, int32(i))
		}
	}
	n := len(w.moved)
	p := &w.problem
	p.InvMass, p.InvInertia = make([]float64, n), make([]mat3, n)
	p.V, p.Omega = make([]vec3, n), make([]vec3, n)
	w.startV, w.startW, w.saved = make([]vec3, n), make([]vec3, n), make([]placed, n)
}

// Bodies lists the bodies.
func (w *World) Bodies() []*Body { return w.bodies }

// Vibrations lists the bodies that vibrate.
func (w *World) Vibrations() []*Vibration { return w.vibrations }

// Time since the start, s.
func (w *World) Time() float64 { return w.time }

// Steps since the start.
func (w *World) Steps() int { return w.steps }

// Stats of the last step.
func (w *World) Stats() *Stats { return &w.stats }

// AddLaw adds a force law.
func (w *World) AddLaw(l Law) { w.laws = append(w.laws, l) }

// Ignore keeps two bodies from touching each other.
func (w *World) Ignore(a, b *Body) { w.apart[pairKey(a.id, b.id)] = true }

func pairKey(a, b int32) uint64 {
	if a > b {
		a, b = b, a
	}
	return uint64(a)<<32 | uint64(b)
}

// Energy is the kinetic energy, that of the weights, and that of the force laws, J.
func (w *World) Energy() (kinetic, potential float64) {
	for _, b := range w.moved {
		kinetic += b.Kinetic()
		if b.invMass > 0 {
			potential -= b.Mass * w.Config.Gravity.Dot(b.X)
		}
	}
	for _, l := range w.laws {
		potential += l.Energy(w)
	}
	return kinetic, potential
}

// Momentum is the linear momentum, and the angular one about the origin.
func (w *World) Momentum() (linear, angular vec3) {
	for _, b := range w.moved {
		if b.invMass > 0 {
			p := b.V.Mul(b.Mass)
			linear = linear.Add(p)
			angular = angular.Add(b.X.Cross(p)).Add(b.Spin())
		}
	}
	return linear, angular
}

// drift moves a body on for half a step without forces.
func (w *World) drift(b *Body, h float64) {
	b.X = b.X.Add(b.V.Mul(h))
	switch {
	case b.Solo != nil: // in one piece, at the end of the step
	case b.W == (vec3{}):
	case b.driven:
		b.Q = turned(b.Q, b.W.Mul(h))
	default:
		rot := &b.rotor
		rot.R, rot.W, rot.T = b.Q, b.W, 0
		rot.A = rot.rate(vec3{})
		if rot.Step(C1, HalfRotation, h, none{}) {
			b.Q, b.W = rot.R, rot.W
		} else { // more than half a turn in the step: momentum is kept, the rest is noise
			l := b.Spin()
			b.Q = turned(b.Q, b.W.Mul(h))
			b.W = rot.Inv.Mul3x1(unrotate(b.Q, l))
		}
	}
}

// Step advances by the step of the configuration. It allocates nothing once all
// contacts have been seen.
func (w *World) Step() {
	h := w.Config.Step
	w.stats = Stats{Deepest: math.Inf(1)}
	for _, b := range w.moved {
		w.stats.Caution = max(w.stats.Caution, b.W.Len()*h)
		w.drift(b, h/2)
	}
	w.kick(h)
	for _, b := range w.moved {
		w.drift(b, h/2)
		if b.Solo != nil {
			b.Solo.step(b, h)
		}
		b.r = matrixOf(b.Q)
	}
	for _, v := range w.vibrations {
		v.step(h)
	}
	w.steps++
	w.time += h
}

// kick changes the velocities.
func (w *World) kick(h float64) {
	p := &w.problem
	w.aim(h)
	for _, b := range w.moved {
		b.r = matrixOf(b.Q)
		b.force, b.moment = w.Config.Gravity.Mul(b.Mass), vec3{}
	}
	for _, l := range w.laws {
		l.Apply(w)
	}
	w.hold()
	for i, b := range w.moved {
		p.InvMass[i] = b.invMass
		p.V[i], p.Omega[i] = b.V, rotate(b.Q, b.W)
		switch {
		case b.invMass > 0:
			p.InvInertia[i] = b.r.Mul3(b.rotor.Inv).Mul3(b.r.Transpose())
		case b.driven:
			p.InvMass[i], p.InvInertia[i] = 1/toolMass, w.toolInertia()
		default:
			p.InvInertia[i] = mat3{}
		}
	}
	w.detect(h)
	w.strikes()
	for i, b := range w.moved {
		if b.invMass > 0 {
			p.V[i] = p.V[i].Add(b.force.Mul(h * b.invMass))
			p.Omega[i] = p.Omega[i].Add(p.InvInertia[i].Mul3x1(b.moment).Mul(h))
		}
	}
	copy(w.startV, p.V)
	copy(w.startW, p.Omega)
	w.aimContacts(h, 1)
	w.joint(h)
	w.solve()
	w.settleJoints(h)
	// Newton's restitution at several contacts with friction may create energy: then
	// there is less of it.
	for share := 0.5; w.stats.Gain > 0 && w.struck && len(p.Joints) == 0; share /= 2 {
		if share < 0.2 {
			share = 0
		}
		copy(p.V, w.startV)
		copy(p.Omega, w.startW)
		w.aimContacts(h, share)
		w.solve()
		if share == 0 {
			break
		}
	}
	for i, b := range w.moved {
		if b.invMass > 0 || b.driven {
			b.V = p.V[i]
			if b.Solo == nil {
				b.W = unrotate(b.Q, p.Omega[i])
			}
		}
	}
	w.remember(h)
	if w.stats.Deepest < -w.Config.Slop {
		w.separate(h)
	}
}

// detect finds the contacts at the present places.
func (w *World) detect(h float64) {
	p := &w.problem
	p.Contacts, w.keys, w.rest, w.gaps, w.pairs = p.Contacts[:0], w.keys[:0], w.rest[:0], w.gaps[:0], w.pairs[:0]
	for i, b := range w.bodies {
		if b.Form.Kind == FormPlane || b.Form.Kind == FormNone {
			// out of the way: planes are looked at one by one
			far := vec3{math.Inf(1), math.Inf(1), math.Inf(1)}
			w.sweep.Set(i, far, far)
			continue
		}
		lo, hi := b.Form.bounds(b.X, &b.r)
		reach := w.reach(b, h)
		m := vec3{reach, reach, reach}
		w.sweep.Set(i, lo.Sub(m), hi.Add(m))
	}
	for _, i := range w.planes {
		for _, b := range w.moved {
			w.touch(b, w.bodies[i], h)
		}
	}
	for _, ij := range w.sweep.Overlaps(0) {
		w.touch(w.bodies[ij[0]], w.bodies[ij[1]], h)
	}
}

// reach is how far a body's surface may come in a step.
func (w *World) reach(b *Body, h float64) float64 {
	if b.invMass == 0 && !b.driven {
		return 0
	}
	size := b.Form.reach
	if math.IsInf(size, 0) {
		size = 0
	}
	return 1.5*h*(b.V.Len()+b.W.Len()*size) + 2*h*h*w.Config.Gravity.Len() + 1e-3*size
}

// touch adds the contacts of two bodies.
func (w *World) touch(a, b *Body, h float64) {
	if !a.driven && !b.driven && a.invMass == 0 && b.invMass == 0 || a.Solo != nil || b.Solo != nil || a.Form.Kind == FormNone || b.Form.Kind == FormNone {
		return
	}
	pair := pairKey(a.id, b.id)
	if len(w.apart) > 0 && w.apart[pair] || w.grip.keepsApart(a, b) {
		return
	}
	pa, pb := posed{a.Form, a.X, a.r}, posed{b.Form, b.X, b.r}
	w.touches = near(w.touches[:0], &pa, &pb, w.reach(a, h)+w.reach(b, h))
	mu, e := math.Sqrt(a.Friction*b.Friction), max(a.Restitution, b.Restitution)
	p := &w.problem
	for i := range w.touches {
		t := &w.touches[i]
		if len(p.Contacts) == cap(p.Contacts) {
			p.Contacts = append(p.Contacts, exact.BodyContact{})
		} else {
			p.Contacts = p.Contacts[:len(p.Contacts)+1]
		}
		c := &p.Contacts[len(p.Contacts)-1]
		c.A, c.B, c.Mu = w.ids[a.id], w.ids[b.id], mu
		t1, t2 := frameOf(t.normal)
		ra, rb := t.at.Sub(a.X), t.at.Sub(b.X)
		for k, d := range [3]vec3{t.normal, t1, t2} {
			c.Rows[k] = exact.Row{D: d, A: ra.Cross(d), B: rb.Cross(d)}
		}
		key := pair<<32 ^ pair>>24<<40 ^ uint64(t.feature)
		c.R = w.warm[key]
		w.keys = append(w.keys, key)
		w.rest = append(w.rest, e)
		w.gaps = append(w.gaps, t.gap)
		w.pairs = append(w.pairs, [2]int32{a.id, b.id})
		w.stats.Deepest = min(w.stats.Deepest, t.gap)
	}
	w.stats.Contacts = len(p.Contacts)
}

// strikes notes the velocities at the contacts before the kick.
func (w *World) strikes() {
	p := &w.problem
	w.before = w.before[:0]
	for i := range p.Contacts {
		c := &p.Contacts[i]
		var u [3]float64
		for k := range u {
			u[k] = p.Velocity(&c.Rows[k], c.A, c.B)
		}
		w.before = append(w.before, u)
	}
}

// aimContacts sets what each contact's velocity is measured against: a share of
// its restitution where it strikes within the step, else its gap.
func (w *World) aimContacts(h, share float64) {
	p := &w.problem
	w.struck = false
	for i := range p.Contacts {
		c := &p.Contacts[i]
		// What is nearer than half the slop touches: to close gaps of rounding would
		// keep a stack in motion.
		gap := max(w.gaps[i]-w.Config.Slop/2, 0)
		c.Q = [3]float64{gap / h, 0, 0}
		if u, e := w.before[i][0], w.rest[i]*share; e > 0 && u < -w.Config.StrikeSpeed && gap+h*u < 0 {
			c.Q[0] = e * u
			w.struck = true
		}
		if share < 1 {
			c.R = w.warm[w.keys[i]]
		}
	}
}

// solve finds the impulses: velocities in the problem change from those without.
func (w *World) solve() {
	p := &w.problem
	n := len(p.Contacts)
	if n == 0 && len(p.Joints) == 0 {
		w.stats.Solved, w.stats.Gain = true, 0
		return
	}
	if n > 0 && n <= w.Config.Dense && len(p.Joints) == 0 {
		w.solveDense()
	} else {
		res := p.Solve(w.Config.Tolerance, 0.01, w.Config.Sweeps)
		w.stats.Sweeps, w.stats.Errors, w.stats.Solved = w.stats.Sweeps+res.Sweeps, res.Errors, res.Converged
	}
	// r.(U+ + U-)/2: with the work of the weights this is all that energy changes by
	gain := 0.0
	loaded := 0
	for i := range p.Contacts {
		c := &p.Contacts[i]
		if c.R[0] > 0 {
			loaded++
		}
		for k := range 3 {
			gain += c.R[k] * (c.X[k] - c.Q[k] + w.before[i][k]) / 2
		}
	}
	w.stats.Gain, w.stats.Loaded = gain, loaded
}

func (w *World) solveDense() {
	p := &w.problem
	p.Prepare()
	p.Dense(&w.dense)
	n := len(p.Contacts)
	if cap(w.force) < 3*n {
		w.force = make([]float64, 3*n, 6*n)
	}
	r := w.force[:3*n]
	for i := range p.Contacts {
		copy(r[3*i:3*i+3], p.Contacts[i].R[:])
	}
	if w.dense.ID == nil {
		w.dense.ID = []uint64{}
	}
	w.dense.ID = append(w.dense.ID[:0], w.keys...)
	w.options.Tolerance = w.Config.Tolerance
	res := w.solver.Solve(&w.dense, r, &w.options)
	w.stats.Errors = res.Errors
	w.stats.Solved = res.Errors.Natural <= w.Config.Tolerance && res.Errors.Scaled <= w.Config.Tolerance
	p.Take(r)
}

// remember keeps the impulses for the next step, and tells who wants to know.
func (w *World) remember(h float64) {
	p := &w.problem
	clear(w.warm)
	for i := range p.Contacts {
		c := &p.Contacts[i]
		if c.R[0] > 0 {
			w.warm[w.keys[i]] = c.R
		}
	}
	for i := range p.Contacts {
		c := &p.Contacts[i]
		a, b := w.bodies[w.pairs[i][0]], w.bodies[w.pairs[i][1]]
		if c.R[0] == 0 || a.Strike == nil && b.Strike == nil && !a.driven && !b.driven {
			continue
		}
		f := c.Rows[0].D.Mul(c.R[0]).Add(c.Rows[1].D.Mul(c.R[1])).Add(c.Rows[2].D.Mul(c.R[2]))
		at := w.contactPoint(i)
		if a.Strike != nil {
			a.Strike(f, unrotate(a.Q, at.Sub(a.X)))
		}
		if b.Strike != nil {
			b.Strike(f.Mul(-1), unrotate(b.Q, at.Sub(b.X)))
		}
		if a.driven {
			w.grip.feel(f.Mul(1/h), at.Sub(a.X))
		}
		if b.driven {
			w.grip.feel(f.Mul(-1/h), at.Sub(b.X))
		}
	}
}

// contactPoint is where contact i is: from its rows, x_A + n x (r x n) and the same
// for a tangent.
func (w *World) contactPoint(i int) vec3 {
	c := &w.problem.Contacts[i]
	a := w.bodies[w.pairs[i][0]]
	n, t := c.Rows[0].D, c.Rows[1].D
	an, at := c.Rows[0].A, c.Rows[1].A
	// r x n and r x t give all of r: n x (r x n) is r without its part along n.
	r := n.Cross(an)
	return a.X.Add(r).Add(n.Mul(t.Cross(at).Dot(n)))
}

// separate moves bodies that are in each other apart, at no more than PushSpeed,
// without giving them velocity: sweeps over frictionless contacts in displacements.
func (w *World) separate(h float64) {
	p := &w.problem
	w.kept = append(w.kept[:0], p.Contacts...)
	defer func() { copy(p.Contacts, w.kept) }()
	for i := range w.moved {
		w.startV[i], w.startW[i] = vec3{}, vec3{}
	}
	p.V, w.startV = w.startV, p.V
	p.Omega, w.startW = w.startW, p.Omega
	joints := p.Joints
	p.Joints = p.Joints[:0]
	for i := range p.Contacts {
		c := &p.Contacts[i]
		c.Mu, c.R = 0, [3]float64{}
		c.Q = [3]float64{max(0.2*(w.gaps[i]+w.Config.Slop)/h, -w.Config.PushSpeed), 0, 0}
		if w.gaps[i] > 0 {
			c.Q[0] = w.gaps[i] / h
		}
	}
	p.Solve(1e-3, 1, 20)
	p.Joints = joints
	for i, b := range w.moved {
		if b.invMass > 0 {
			b.X = b.X.Add(p.V[i].Mul(h))
			spin := b.Spin()
			b.Q = turned(b.Q, unrotate(b.Q, p.Omega[i].Mul(h)))
			b.W = b.rotor.Inv.Mul3x1(unrotate(b.Q, spin))
		}
	}
	p.V, w.startV = w.startV, p.V
	p.Omega, w.startW = w.startW, p.Omega
}

// Problem is the contact problem of the last step with W formed, and the impulses
// found, as contact.WriteFC3D takes them. It allocates: (3N)^2 numbers.
func (w *World) Problem() (*contact.Problem, []float64) {
	b := &w.problem
	out := &contact.Problem{}
	v, omega := b.V, b.Omega
	b.V, b.Omega = w.startV, w.startW
	b.Dense(out)
	b.V, b.Omega = v, omega
	r := make([]float64, 3*len(b.Contacts))
	for i := range b.Contacts {
		copy(r[3*i:3*i+3], b.Contacts[i].R[:])
	}
	return out, r
}
