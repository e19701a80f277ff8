package floe

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"

	"hapco/physics/machinery/team"
	"hapco/physics/numerics/num"
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

	tool       bool // what the hand holds
	seen       bool // counted already in a sum over contacts
	before     Vec2 // velocity before the forces of this step
	beforeRate float64
	accel      float64 // how fast its outline's fastest point is accelerated, m/s^2
	held       float64 // nominal stress that it held lately, Pa; see Fracture.Hurried
	sheet      *Plate  // mesh and factors for its stresses, once it was loaded
	unbroken   bool    // no mesh can be made of it
	travel     float64 // way that its points have gone at most since neighbours were listed, m
	margin     float64 // as far as they may go until they are listed again, m
}

// speed bounds that of its points, m/s.
func (b *body) speed() float64 { return length(b.v) + math.Abs(b.rate)*b.Radius }

// Energy accounts for the kinetic energy since the start, J. What drives the floes counts above 0, what is lost too;
// Kinetic = Start + Wind + Water + Body + Coriolis + Tool - Impact - Friction - Fracture to round-off.
type Energy struct {
	Kinetic, Start float64
	Wind, Water    float64 // work of the air, and of the water, which takes more than it gives
	Body           float64 // work of the body acceleration
	Coriolis       float64 // what explicit Euler makes of a force that does no work
	Impact         float64 // lost along the normals of contacts
	Friction       float64 // lost along their tangents
	Tool           float64 // given by the hand
	Fracture       float64 // lost to cracks: next to nothing, fragments keep the velocity field
}

// Report counts what happened.
type Report struct {
	Steps      int // of time
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

	config  Config // without floes; what it leaves open is chosen
	time    float64
	started bool
	dt      float64 // of the step, s
	euler   euler
	hand    *hand
	grip    grip

	near     neighbours
	contacts []Contact
	memory   []recalled
	groups   clusters
	impacts  impacts
	breaking breaking
	jobs     jobs

	energy Energy
	report Report
	err    error
}

// jobs are what several goroutines share. Jobs have a size of their own, whatever the number of threads, and their
// results are added in order: sums come out the same to the last bit.
type jobs struct {
	team     *team.Team
	free     chan int // solvers and ways that no goroutine uses
	solvers  []collider
	ways     []scratch
	found    [][]Contact // by chunk of pairs
	outcomes []outcome   // by cluster
	works    []work      // by chunk of floes
	forces   bool        // a move is of velocities
	places   bool        // and of places

	inspect func(list []int32) // sees a cluster's contacts before its collision; with one thread only

	find, collide, move, time func(i int)
}

// work of the forces on the floes of a chunk, J.
type work struct{ wind, water, coriolis, body, hand float64 }

// add adds what is counted in clusters.
func (r *Report) add(o *Report) {
	r.Collisions += o.Collisions
	r.Pivots += o.Pivots
	r.Sweeps += o.Sweeps
	r.Again += o.Again
	r.Swept += o.Swept
	r.Largest = max(r.Largest, o.Largest)
}

// scratch is what one goroutine needs to look for impacts.
type scratch struct{ a, b moving }

// New makes a world. Floes that overlap are refused.
//
// Floes are kept in an order of their own, by place, so that results do not depend on the order in which they come.
func New(c Config) (*World, error) {
	w, err := newWorld(c)
	if err != nil {
		return nil, err
	}
	w.list()
	for _, p := range w.near.pairs {
		if a, b := &w.bodies[p.a], &w.bodies[p.b]; overlap(&a.placed, &b.placed) {
			i, j := w.number[p.a], w.number[p.b]
			w.Close()
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
	w := &World{config: c}
	w.config.Floes = nil
	w.config.Law, w.config.Accuracy = cmp.Or(c.Law, LawLCP), cmp.Or(c.Accuracy, accurate)
	if c.Tool != nil {
		f, err := c.Tool.floe()
		if err != nil {
			return nil, err
		}
		c.Floes = append(slices.Clip(c.Floes), f)
	}
	if c.Fracture != nil {
		if err := c.Fracture.Check(); err != nil {
			return nil, err
		}
		f := *c.Fracture
		w.config.Fracture = &f
	}
	all := make([]body, len(c.Floes))
	for i := range c.Floes {
		var err error
		if all[i], err = c.Floes[i].body(); err != nil {
			return nil, fmt.Errorf("floe: floe %d: %w", i, err)
		}
	}
	w.arrange(all)
	if c.Tool != nil {
		w.hold(c.Tool)
	}
	switch radius := w.medianRadius(); {
	case c.Collision == 0:
		w.config.Collision = touches * radius
	case len(all) > 0 && c.Collision > radius:
		return nil, fmt.Errorf("floe: collision distance %g m (cure: no more than the median radius, %.3g m)", c.Collision, radius)
	}
	threads := min(cmp.Or(c.Threads, runtime.GOMAXPROCS(0)), 1+len(all)/bodyChunk)
	w.jobs = jobs{free: make(chan int, threads), solvers: make([]collider, threads), ways: make([]scratch, threads),
		find: w.find, collide: w.cluster, move: w.moveSome, time: w.timeSome}
	for i := range threads {
		if err := w.jobs.solvers[i].init(w.config.Law); err != nil {
			return nil, err
		}
		w.jobs.free <- i
	}
	w.jobs.team = team.New(threads)
	w.energy.Start = w.Kinetic()
	return w, nil
}

func (w *World) medianRadius() float64 {
	radii := w.near.radii[:0]
	for i := range w.bodies {
		if !w.bodies[i].fixed {
			radii = append(radii, w.bodies[i].Radius)
		}
	}
	w.near.radii = radii
	if len(radii) == 0 {
		return 1
	}
	slices.Sort(radii)
	return radii[len(radii)/2]
}

// Close ends the world's goroutines. The world must not be used afterwards.
func (w *World) Close() { w.jobs.team.Close() }

// count is the number of floes, obstacles included.
func (w *World) count() int { return len(w.bodies) }

// Time is the time since the start, s.
func (w *World) Time() float64 { return w.time }

// Err is why the world stands still: a contact problem without solution. Moving obstacles that crush a floe make one.
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
	return w.bodies[w.order[i]].state()
}

func (b *body) state() State { return State{b.g, b.angle, b.v, b.rate} }

// outline appends the vertices of floe i, in the world, to dst.
func (w *World) outline(i int, dst []Vec2) []Vec2 { return append(dst, w.bodies[w.order[i]].at...) }

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

// momentum is that of the floes without obstacles, kg m/s, and their angular momentum about the origin, kg m^2/s.
func (w *World) momentum() (linear Vec2, angular float64) {
	for i := range w.bodies {
		if b := &w.bodies[i]; !b.fixed {
			linear = linear.Add(b.v.Mul(b.mass))
			angular += b.mass*cross(b.g, b.v) + b.inertia*b.rate
		}
	}
	return linear, angular
}

// Step goes on by one step: at most limit seconds, at most what explicit Euler bears, and at most to the next impact.
// It returns its length. Where Err is not nil it does nothing.
func (w *World) Step(limit float64) float64 {
	if w.err != nil || !(limit > 0) {
		return 0
	}
	if w.config.Window > 0 {
		return w.stepWindow(limit)
	}
	w.begin()
	w.euler.bound = w.eulerBound()
	w.list()
	dt := w.freeTime(min(limit, w.euler.bound))
	w.move(dt, true, true)
	w.time += dt
	w.report.Steps++
	w.touch()
	w.felt(dt)
	w.breakUp(dt)
	return dt
}

// begin lets floes that touch at the start collide.
func (w *World) begin() {
	if !w.started {
		w.started = true
		w.list()
		w.euler.bound = w.eulerBound()
		w.touch()
	}
}

// Advance goes on by a length of time, and returns how much of it was done: all, unless Err is not nil or steps steps
// were not enough.
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

// closing bounds how fast points of two floes approach each other, m/s.
func closing(a, b *body) float64 {
	return length(a.v.Sub(b.v)) + math.Abs(a.rate)*a.Radius + math.Abs(b.rate)*b.Radius
}

// move is one step of explicit Euler: places from the old velocities, velocities from the forces at the old places.
// Either may be left out.
func (w *World) move(dt float64, forces, places bool) {
	w.dt, w.jobs.forces, w.jobs.places = dt, forces, places
	chunks := (len(w.bodies) + bodyChunk - 1) / bodyChunk
	w.jobs.works = num.Grow(w.jobs.works, chunks)
	w.jobs.team.Spread(chunks, &w.jobs.move)
	for _, x := range w.jobs.works {
		w.energy.Wind += x.wind
		w.energy.Water += x.water
		w.energy.Coriolis += x.coriolis
		w.energy.Body += x.body
		w.energy.Tool += x.hand
	}
}

func (w *World) moveSome(chunk int) {
	dt := w.dt
	sum := &w.jobs.works[chunk]
	*sum = work{}
	for i := chunk * bodyChunk; i < min((chunk+1)*bodyChunk, len(w.bodies)); i++ {
		b := &w.bodies[i]
		b.before, b.beforeRate = b.v, b.rate
		v, rate := b.v, b.rate
		if w.jobs.forces && !b.fixed {
			w.push(b, dt, sum)
		}
		if !w.jobs.places {
			continue
		}
		b.travel += dt * (length(v) + math.Abs(rate)*b.Radius)
		b.angle += dt * rate
		b.put(&b.plate, b.g.Add(v.Mul(dt)), b.angle)
	}
}

// push adds the forces of a step to the velocities, and their work to the account.
func (w *World) push(b *body, dt float64, sum *work) {
	if b.tool {
		w.drive(b, dt)
		return
	}
	e := &w.config.Environment
	var air, water Vec2 // accelerations
	torque := 0.0
	areal := b.density * b.thickness
	if k := e.Air.Density * e.Air.Drag; k > 0 {
		u := e.Air.at(w.time)
		air = u.Mul(k * length(u) / areal)
	}
	if k := e.Water.Density * e.Water.Drag; k > 0 {
		axes := rotation(b.angle) // of the outline
		f, t := b.drag(axes.Transpose().Mul2x1(e.Water.at(w.time).Sub(b.v)), b.rate)
		water = axes.Mul2x1(f).Mul(k * b.invMass)
		torque = k * t
	}
	turn := Vec2{b.v[1], -b.v[0]}.Mul(e.Coriolis)
	total := air.Add(water).Add(turn).Add(e.Body)
	v, rate := b.v.Add(total.Mul(dt)), b.rate+dt*torque*b.invInertia
	mean := b.v.Add(v).Mul(b.mass * dt / 2)
	sum.wind += air.Dot(mean)
	sum.water += water.Dot(mean) + torque*dt*(b.rate+rate)/2
	sum.coriolis += turn.Dot(mean)
	sum.body += e.Body.Dot(mean)
	b.v, b.rate = v, rate
	b.accel = length(total) + math.Abs(torque)*b.invInertia*b.Radius
	if g := &w.grip; g.on && b == &w.bodies[w.order[g.floe]] {
		w.draw(b, dt, sum)
	}
}
