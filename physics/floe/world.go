package floe

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
)

// body is the state of a floe. Its placed holds centroid, velocities and outline.
type body struct {
	plate
	placed
	angle               float64
	thickness, density  float64
	mass, inertia       float64
	invMass, invInertia float64 // 0 of obstacles
	fixed               bool
	repair              Repair

	before     Vec2 // velocity before the forces of this step
	beforeRate float64
	accel      float64 // how fast its outline's fastest point is accelerated, m/s^2
	travel     float64 // way that its points have gone at most since neighbours were listed, m
}

// Energy accounts for the kinetic energy since the start, J. What drives the floes
// counts above 0, what is lost too; Kinetic = Start + Wind + Water + Body +
// Coriolis - Impact - Friction to round-off.
type Energy struct {
	Kinetic, Start float64
	Wind, Water    float64 // work of the air, and of the water, which takes more than it gives
	Body           float64 // work of the body acceleration
	Coriolis       float64 // what explicit Euler makes of a force that does no work
	Impact         float64 // lost along the normals of contacts
	Friction       float64 // lost along their tangents
	Tool           float64 // given by the hand
	Fracture       float64 // lost to cracks: 0, fragments keep the velocity field
}

// Report counts what happened.
type Report struct {
	Steps      int // of time
	Listings   int // of neighbours
	Collisions int // clusters of floes that collided
	Contacts   int // now within the collision distance
	Clusters   int // of touching floes now
	Largest    int // contacts of the largest cluster solved so far
	Pivots     int
	Sweeps     int
	Again      int // inelastic problems that CloseAgain added
	Swept      int // clusters that were swept because pivots would have been too dear, or failed
	Short      int // steps that an impact ended
	Cracks     int
}

// World is a field of floes. One goroutine uses it at a time.
type World struct {
	bodies []body
	order  []int // index of bodies by the caller's number
	number []int // the caller's number by index of bodies

	env         Environment
	friction    float64
	restitution float64
	xi          float64
	repairs     Repairs
	law         string
	maxStep     float64
	accuracy    float64
	threads     int

	time    float64
	started bool
	bound   float64 // longest step of explicit Euler at present, s

	near     neighbours
	way      []scratch
	contacts []Contact
	groups   clusters
	solver   collider
	energy   Energy
	report   Report
	err      error
}

// scratch is what one goroutine needs to look for impacts.
type scratch struct{ a, b moving }

// New makes a world. Floes that overlap are refused.
//
// Floes are kept in an order of their own, by place, so that results do not depend
// on the order in which they come.
func New(c Config) (*World, error) {
	w, err := newWorld(c)
	if err != nil {
		return nil, err
	}
	w.list()
	for _, p := range w.near.pairs {
		if a, b := &w.bodies[p.a], &w.bodies[p.b]; overlap(&a.placed, &b.placed) {
			i, j := w.number[p.a], w.number[p.b]
			return nil, fmt.Errorf("floe: floes %d and %d overlap at the start (cure: move them apart)", min(i, j), max(i, j))
		}
	}
	return w, nil
}

// newWorld is New for floes that may overlap.
func newWorld(c Config) (*World, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	w := &World{env: c.Environment, friction: c.Friction, restitution: c.Restitution, xi: c.Collision, repairs: c.Repairs,
		law: c.Law, maxStep: c.MaxStep, accuracy: c.Accuracy, threads: c.Threads}
	if w.law == "" {
		w.law = LawLCP
	}
	if w.accuracy == 0 {
		w.accuracy = 0.05
	}
	if w.threads == 0 {
		w.threads = runtime.GOMAXPROCS(0)
	}
	n := len(c.Floes)
	all := make([]body, n)
	for i := range c.Floes {
		b, err := c.Floes[i].body()
		if err != nil {
			return nil, fmt.Errorf("floe: floe %d: %w", i, err)
		}
		all[i] = b
	}
	w.number = make([]int, n)
	for i := range w.number {
		w.number[i] = i
	}
	slices.SortFunc(w.number, func(i, j int) int {
		a, b := &all[i], &all[j]
		return cmp.Or(cmp.Compare(a.g[0], b.g[0]), cmp.Compare(a.g[1], b.g[1]), cmp.Compare(a.Area, b.Area), cmp.Compare(i, j))
	})
	w.bodies, w.order = make([]body, n), make([]int, n)
	for k, i := range w.number {
		w.bodies[k], w.order[i] = all[i], k
	}
	if w.xi == 0 {
		w.xi = 1e-4 * w.medianRadius()
	}
	if err := w.solver.init(w.law); err != nil {
		return nil, err
	}
	w.way = make([]scratch, 1)
	w.energy.Start = w.Kinetic()
	return w, nil
}

func (w *World) medianRadius() float64 {
	r := make([]float64, 0, len(w.bodies))
	for i := range w.bodies {
		if !w.bodies[i].fixed {
			r = append(r, w.bodies[i].Radius)
		}
	}
	if len(r) == 0 {
		return 1
	}
	slices.Sort(r)
	return r[len(r)/2]
}

// N is the number of floes, obstacles included.
func (w *World) N() int { return len(w.bodies) }

// Time is the time since the start, s.
func (w *World) Time() float64 { return w.time }

// Err is why the world stands still: a contact problem without solution. Moving
// obstacles that crush a floe make one.
func (w *World) Err() error { return w.err }

// Report tells what happened so far.
func (w *World) Report() Report { return w.report }

// State is where a floe is and how it moves.
type State struct {
	Position Vec2    // of the centroid, m
	Angle    float64 // rad
	Velocity Vec2    // m/s
	Rate     float64 // rad/s
}

// State of floe i.
func (w *World) State(i int) State {
	b := &w.bodies[w.order[i]]
	return State{b.g, b.angle, b.v, b.rate}
}

// Contacts of now, between floes by number. The slice is valid until the next step.
func (w *World) Contacts() []Contact { return w.contacts }

// Kinetic is the kinetic energy of the floes without obstacles, J.
func (w *World) Kinetic() float64 {
	sum := 0.0
	for i := range w.bodies {
		if b := &w.bodies[i]; !b.fixed {
			sum += (b.mass*b.v.LenSqr() + b.inertia*b.rate*b.rate) / 2
		}
	}
	return sum
}

// Energy accounts for the kinetic energy.
func (w *World) Energy() Energy {
	e := w.energy
	e.Kinetic = w.Kinetic()
	return e
}

// Momentum is that of the floes without obstacles, kg m/s, and their angular
// momentum about the origin, kg m^2/s.
func (w *World) Momentum() (linear Vec2, angular float64) {
	for i := range w.bodies {
		if b := &w.bodies[i]; !b.fixed {
			linear = linear.Add(b.v.Mul(b.mass))
			angular += b.mass*cross(b.g, b.v) + b.inertia*b.rate
		}
	}
	return linear, angular
}

// Step goes on by one step: at most limit seconds, at most what explicit Euler
// bears, and at most to the next impact. It returns its length. Where Err is not
// nil it does nothing.
func (w *World) Step(limit float64) float64 {
	if w.err != nil || !(limit > 0) {
		return 0
	}
	w.begin()
	w.bound = w.eulerBound()
	w.list()
	dt := w.freeTime(min(limit, w.bound))
	w.move(dt)
	w.time += dt
	w.report.Steps++
	w.touch()
	return dt
}

// begin lets floes that touch at the start collide.
func (w *World) begin() {
	if !w.started {
		w.started = true
		w.list()
		w.bound = w.eulerBound()
		w.touch()
	}
}

// Advance goes on by a length of time, and returns how much of it was done: all,
// unless Err is not nil or steps steps were not enough.
func (w *World) Advance(seconds float64, steps int) float64 {
	done := 0.0
	end := w.time + seconds
	for done < seconds && steps > 0 && w.err == nil {
		left := seconds - done
		dt := w.Step(left)
		if dt >= left { // no round-off in the time at which samples are taken
			w.time = end
			return seconds
		}
		done += dt
		steps--
	}
	return done
}

// eulerBound is the longest step that the forces allow.
func (w *World) eulerBound() float64 {
	dt := math.Inf(1)
	if w.maxStep > 0 {
		dt = w.maxStep
	}
	for i := range w.bodies { // neighbours are listed for so far
		b := &w.bodies[i]
		if speed := b.v.Len() + math.Abs(b.rate)*b.Radius; speed > 0 {
			dt = min(dt, w.near.skin/4/speed)
		}
	}
	e := &w.env
	fastest := math.Abs(e.Coriolis)
	if k := e.Water.Density * e.Water.Drag; k > 0 {
		u := e.Water.At(w.time)
		thinnest := math.Inf(1)
		for i := range w.bodies {
			b := &w.bodies[i]
			if b.fixed {
				continue
			}
			areal := b.density * b.thickness
			thinnest = min(thinnest, areal)
			fastest = max(fastest, 2*k/areal*(u.Sub(b.v).Len()+math.Abs(b.rate)*b.Radius))
		}
		air := e.Air.At(w.time).Len()
		if !math.IsInf(thinnest, 1) && (air > 0 && e.Air.Density*e.Air.Drag > 0 || u.Len() > 0) {
			// What the floes come to rest at, even where they are slow now.
			b := e.StepBounds(thinnest, []float64{air}, []float64{u.Len()})
			dt = min(dt, b.Max)
			fastest = max(fastest, 2*k/thinnest*b.KMax)
		}
	}
	if fastest > 0 {
		dt = min(dt, w.accuracy/fastest)
	}
	return dt
}

// freeTime is the time, up to most, in which no two floes meet.
func (w *World) freeTime(most float64) float64 {
	s := &w.way[0]
	least := most
	for k := range w.near.pairs {
		p := &w.near.pairs[k]
		a, b := &w.bodies[p.a], &w.bodies[p.b]
		if discGap(&a.placed, &b.placed) > w.xi && discTime(&a.placed, &b.placed, w.xi) >= least {
			continue
		}
		s.a.start(&a.placed, &a.plate, a.angle)
		s.b.start(&b.placed, &b.plate, b.angle)
		least = min(least, timeOfImpact(&s.a, &s.b, w.xi, least))
	}
	if least < most {
		w.report.Short++
	}
	return least
}

// move is one step of explicit Euler: places from the old velocities, velocities
// from the forces at the old places.
func (w *World) move(dt float64) {
	for i := range w.bodies {
		b := &w.bodies[i]
		b.before, b.beforeRate = b.v, b.rate
		v, rate := b.v, b.rate
		if !b.fixed {
			w.push(b, dt)
		}
		b.travel += dt * (v.Len() + math.Abs(rate)*b.Radius)
		b.angle += dt * rate
		b.put(&b.plate, b.g.Add(v.Mul(dt)), b.angle)
	}
}

// push adds the forces of a step to the velocities, and their work to the account.
func (w *World) push(b *body, dt float64) {
	e := &w.env
	var air, water Vec2 // accelerations
	torque := 0.0
	areal := b.density * b.thickness
	if k := e.Air.Density * e.Air.Drag; k > 0 {
		u := e.Air.At(w.time)
		air = u.Mul(k * u.Len() / areal)
	}
	if k := e.Water.Density * e.Water.Drag; k > 0 {
		// In the frame of the outline, which is turned by the angle.
		sin, cos := math.Sincos(b.angle)
		u := e.Water.At(w.time).Sub(b.v)
		f, t := b.drag(Vec2{cos*u[0] + sin*u[1], cos*u[1] - sin*u[0]}, b.rate)
		water = Vec2{cos*f[0] - sin*f[1], sin*f[0] + cos*f[1]}.Mul(k * b.invMass)
		torque = k * t
	}
	turn := Vec2{b.v[1], -b.v[0]}.Mul(e.Coriolis)
	total := air.Add(water).Add(turn).Add(e.Body)
	v, rate := b.v.Add(total.Mul(dt)), b.rate+dt*torque*b.invInertia
	mean := b.v.Add(v).Mul(b.mass * dt / 2)
	w.energy.Wind += air.Dot(mean)
	w.energy.Water += water.Dot(mean) + torque*dt*(b.rate+rate)/2
	w.energy.Coriolis += turn.Dot(mean)
	w.energy.Body += e.Body.Dot(mean)
	b.v, b.rate = v, rate
	b.accel = total.Len() + math.Abs(torque)*b.invInertia*b.Radius
}
