package grain

import (
	"cmp"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/team"
)

// World is a simulation. It serves one goroutine; several of its own share a step.
type World struct {
	model     model
	dt        float64 // s
	obstacles []Shape
	mover     mover

	grains
	force []float64 // of the pairs, and a zero, N: four numbers each
	ready bool      // it is that of the present places
	place []int32   // index of the grain with a number
	spare grains    // of the last order, reused for the next

	sorting  sorting
	listing  listing
	tasks    []task
	schedule schedule
	jobs     jobs
	kernel   kernel

	grip    grip
	clock   clock
	report  Report
	impulse impulse
}

// model is what acts on the grains.
type model struct {
	Interaction // of two grains
	fluid       Fluid
	drag        Drag
	buoyancy    bool
	solid       bool
	gravity     mgl64.Vec3 // m/s^2
}

// weighs is the mass of a grain that gravity acts on, kg.
func (m *model) weighs(mass, radius float64) float64 {
	if m.buoyancy {
		mass -= m.fluid.Density * sphere(radius)
	}
	return mass
}

// mover is the obstacle that moves.
type mover struct {
	obstacle int     // -1: none does
	slack    float64 // how far it may move before who is near obstacles is listed anew, m
	gone     float64 // how far any of its points has gone since the start, at most, m
	listedAt float64 // and when who is near obstacles was listed
}

// way is how far it has gone since who is near it was listed, at most, m.
func (m *mover) way() float64 { return m.gone - m.listedAt }

// slackOf is how far an obstacle may move before it is looked at again, m.
func (m *mover) slackOf(obstacle int) float64 {
	if obstacle == m.obstacle {
		return m.slack
	}
	return 0
}

// grains are sorted by cell. Four numbers each: place and a zero; velocity and mass. So the inner loop takes a place at
// once.
type grains struct {
	pos, vel []float64
	radius   []float64
	id       []int32 // number that the caller knows it by
}

func newGrains(room int) grains {
	return grains{make([]float64, 4*(room+fences)), make([]float64, 4*room), make([]float64, room), make([]int32, room)}
}

// resize makes them n, within the room that there is, and puts the fences after their places.
func (g *grains) resize(n int, sigma float64) {
	g.pos, g.vel, g.radius, g.id = g.pos[:4*(n+fences)], g.vel[:4*n], g.radius[:n], g.id[:n]
	for i := 4 * n; i < len(g.pos); i++ {
		g.pos[i] = 0
		if i%4 != 3 {
			g.pos[i] = fencePlace * sigma
		}
	}
}

// take makes grain i what another one is.
func (g *grains) take(i int, from *grains, j int) {
	*(*[4]float64)(g.pos[4*i:]) = [4]float64(from.pos[4*j:])
	*(*[4]float64)(g.vel[4*i:]) = [4]float64(from.vel[4*j:])
	g.radius[i], g.id[i] = from.radius[j], from.id[j]
}

// sorting is what it takes to sort the grains.
type sorting struct {
	grid        grid
	cell, order []int32
	boxes       [][2][3]float64 // of each share of the grains
}

// listing is how neighbours are listed, and how long that serves.
type listing struct {
	skin  float64      // how much farther than the cut-off, m
	at    [3][]float64 // where a grain was then: x, y, z, m
	stale bool         // somebody has moved half the skin since
	sift  bool         // neighbours are sifted for those that may act soon
	went  float64      // how far a grain may have gone since they were, m
}

// schedule is how tasks follow each other.
type schedule struct {
	rows   [][2]int32 // rows of cells of each task
	pairOf []int32    // of plan: the task that has each block's pairs
	moved  []bool     // and whether its grains are moved
	epoch  uint32
	pass   pass
}

// jobs are what goroutines share.
type jobs struct {
	team                                *team.Team
	task, box, cell, gather, list, near func(i int)
}

// kernel holds the constants of the inner loops.
type kernel struct {
	law  [24]float64 // four times each: sigma^2, reach^2, k, 2 k, jump, and how near who may act soon is
	fall [40]float64 // of moveFour
}

// clock counts steps.
type clock struct {
	steps int
	since float64 // time at which the step was changed last, s
	mark  int     // steps until then
}

// pass says which tasks a run does.
type pass uint8

const (
	pairPass pass = 1 << iota
	movePass
)

// New makes a world. Grains inside each other's core are refused: they would be flung apart, or stay inside each other.
func New(c Config) (*World, error) {
	w, err := Overlapping(c)
	if err != nil {
		return nil, err
	}
	if i, j, ok := w.overlap(); ok {
		w.Close()
		return nil, fmt.Errorf("grain: grains %d and %d lie %.3g sigma from each other, inside the core (cure: at least 1 sigma apart)",
			i, j, w.Position(i).Sub(w.Position(j)).Len()/c.Interaction.Sigma)
	}
	return w, nil
}

// Overlapping is New for grains that may start inside each other's core.
func Overlapping(c Config) (*World, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c.Skin = cmp.Or(c.Skin, skin)
	if c.Step == 0 {
		c.Step = c.StableStep()
	}
	n, room := len(c.Grains), max(len(c.Grains), c.Room)
	w := &World{
		model: model{c.Interaction, c.Fluid, c.Drag, c.Buoyancy, c.Solid, c.Gravity}, dt: c.Step, obstacles: c.Obstacles, mover: mover{obstacle: -1},
		grains: newGrains(room), force: make([]float64, 4*(room+fences)), place: make([]int32, room), spare: newGrains(room),
		sorting: sorting{cell: make([]int32, room), order: make([]int32, room), boxes: make([][2][3]float64, (room+share-1)/share)},
		listing: listing{skin: c.Skin * c.Interaction.Sigma},
	}
	for k := range w.listing.at {
		w.listing.at[k] = make([]float64, room+4) // the inner loop of the lists reads four at a time
	}
	w.resize(n)
	for i := range c.Grains {
		w.put(i, &c.Grains[i])
	}
	w.setLaw()
	w.impulse.obstacle = make([]push, len(w.obstacles))
	w.jobs = jobs{team.New(threads(c.Threads, room)), w.task, w.box, w.cells, w.gather, w.neighbours, w.nearObstacles}
	w.impulse.start = w.Momentum()
	return w, nil
}

// put makes grain i what is given.
func (w *World) put(i int, g *Grain) {
	copy(w.pos[4*i:4*i+3], g.Position[:])
	copy(w.vel[4*i:4*i+3], g.Velocity[:])
	w.pos[4*i+3], w.vel[4*i+3], w.radius[i] = 0, sphere(g.Radius)*g.Density, g.Radius
	w.id[i], w.place[i] = int32(i), int32(i)
}

// setLaw fills the constants of the inner loops.
func (w *World) setLaw() {
	s, k := w.model.Sigma, 24*w.model.Epsilon/(w.model.Sigma*w.model.Sigma)
	const soonReach = (CutOff + soonSkin) * (1 + 1e-9) // places are rounded
	for c, x := range [6]float64{s * s, CutOff * CutOff * s * s, k, 2 * k, 0, soonReach * soonReach * s * s} {
		if c == 4 && w.model.Shifted {
			x = k * f2
		}
		for lane := range 4 {
			w.kernel.law[4*c+lane] = x
		}
	}
	w.setFall()
}

// forget has the lists made anew before the next step, and the forces found that somebody may have
// looked at already: so it does not matter whether anybody has.
func (w *World) forget() {
	clear(w.force)
	w.listing.stale, w.ready = true, false
}

// resize makes the state that of n grains. What forces were known are forgotten.
func (w *World) resize(n int) {
	w.forget()
	w.force, w.place = w.force[:4*(n+fences)], w.place[:n]
	w.grains.resize(n, w.model.Sigma)
	w.spare.resize(n, w.model.Sigma)
	w.sorting.cell, w.sorting.order = w.sorting.cell[:n], w.sorting.order[:n]
	w.sorting.boxes = w.sorting.boxes[:(n+share-1)/share]
	for k := range w.listing.at {
		w.listing.at[k] = w.listing.at[k][:n+4]
	}
	clear(w.force)
}

// Add puts one more grain into the world and tells whether there was room: within Config.Room, and no other grain or
// obstacle nearer than sigma. It gets the number N()-1. It allocates nothing; the next step lists neighbours anew, so
// add many at a time.
func (w *World) Add(g Grain) (bool, error) {
	n := len(w.id)
	if err := g.check(n); err != nil {
		return false, err
	}
	if n == cap(w.id) || w.occupied(g.Position) {
		return false, nil
	}
	w.resize(n + 1)
	w.put(n, &g)
	w.impulse.source.add(g.Velocity.Mul(w.Mass(n)))
	return true, nil
}

// occupied tells whether p lies in the core of a grain or an obstacle.
func (w *World) occupied(p mgl64.Vec3) bool {
	s2 := w.model.Sigma * w.model.Sigma
	for i := range w.id {
		if p.Sub(mgl64.Vec3(w.pos[4*i:][:3])).LenSqr() < s2 {
			return true
		}
	}
	for _, o := range w.obstacles {
		if k, ok := o.Closest(p); ok && p.Sub(k).LenSqr() < s2 {
			return true
		}
	}
	return false
}

// Remove takes grain i out of the world; the last grain gets its number. It allocates nothing.
func (w *World) Remove(i int) {
	w.impulse.source.add(w.Velocity(i).Mul(-w.Mass(i)))
	n := len(w.id) - 1
	switch w.grip.grain {
	case i + 1:
		w.grip = grip{}
	case n + 1:
		w.grip.grain = i + 1
	}
	hole := int(w.place[i])
	w.take(hole, &w.grains, n)
	w.place[w.id[hole]] = int32(hole)
	if i != n {
		w.place[i] = w.place[n]
		w.id[w.place[i]] = int32(i)
	}
	w.resize(n)
}

// Change takes over step, gravity, fluid, epsilon and the switches of c; the rest of
// c does not count. An error changes nothing.
func (w *World) Change(c Config) error {
	c.Grains, c.Obstacles, c.Interaction.Sigma = nil, nil, w.model.Sigma
	if err := c.check(); err != nil {
		return err
	}
	if c.Step == 0 {
		c.Step = w.dt
		for i := range w.id {
			v := mgl64.Vec3(w.vel[4*i:][:3])
			dt := c.stepOf(w.radius[i], w.vel[4*i+3]/sphere(w.radius[i]), v.Len())
			if i == 0 || dt < c.Step {
				c.Step = dt
			}
		}
	}
	w.clock.since, w.clock.mark = w.Time(), w.clock.steps
	w.dt, w.model = c.Step, model{c.Interaction, c.Fluid, c.Drag, c.Buoyancy, w.model.solid, c.Gravity}
	w.setLaw()
	w.setSpring()
	w.resize(len(w.id))
	return nil
}

// Close ends the world's goroutines. The world must not be used afterwards.
func (w *World) Close() { w.jobs.team.Close() }

// N is the number of grains.
func (w *World) N() int { return len(w.id) }

// Dt is the time step, s.
func (w *World) Dt() float64 { return w.dt }

// Time is the time since the start, s.
func (w *World) Time() float64 { return w.clock.since + float64(w.clock.steps-w.clock.mark)*w.dt }

// Position of grain i, m.
func (w *World) Position(i int) mgl64.Vec3 { return mgl64.Vec3(w.pos[4*w.place[i]:][:3]) }

// Velocity of grain i, m/s.
func (w *World) Velocity(i int) mgl64.Vec3 { return mgl64.Vec3(w.vel[4*w.place[i]:][:3]) }

// Mass of grain i, kg.
func (w *World) Mass(i int) float64 { return w.vel[4*w.place[i]+3] }

// Step advances by n time steps.
func (w *World) Step(n int) {
	for range n {
		passes := movePass
		if !w.ready {
			passes |= pairPass
		}
		w.listNear()
		w.run(passes)
		w.ready = false
		w.collect()
		w.clock.steps++
	}
}

// forces fills force with the pair forces at the present places.
func (w *World) forces() {
	w.listNear()
	if !w.ready {
		w.run(pairPass)
		w.ready = true
	}
}

// listNear lists who is near obstacles: anew where grains have come, gone or moved, or where the obstacle that moves
// has gone far. Forces depend on no list.
func (w *World) listNear() {
	w.list()
	if w.mover.way() > w.mover.slack {
		w.mover.listedAt = w.mover.gone
		w.jobs.team.Run(len(w.tasks), &w.jobs.near)
	}
}

func (w *World) run(p pass) {
	w.schedule.pass = p
	if p&pairPass != 0 {
		if w.listing.sift = !(2*w.listing.went <= soonSkin*w.model.Sigma); w.listing.sift {
			w.listing.went = 0
		}
	}
	w.schedule.epoch++
	w.jobs.team.Run(len(w.tasks), &w.jobs.task)
}

func (w *World) task(i int) {
	t := &w.tasks[i]
	if t.lo < t.hi {
		if t.move {
			if w.schedule.pass&movePass != 0 {
				w.await(t.after)
				w.move(t)
			}
		} else if w.schedule.pass&pairPass != 0 {
			w.await(t.after)
			w.pairs(t)
		}
	}
	t.done.Store(w.schedule.epoch)
}

// move is one step of the grains of a task, by the scheme of Euler and Cromer:
// the new velocity from the forces, then the new place from the new velocity. The drag takes no more of
// a velocity than there is of it: a drag that turned it round would drive a grain.
func (w *World) move(t *task) {
	s := &t.sums
	s.reset()
	t.before = t.before[:0]
	for _, at := range t.near {
		if at.beyond > w.mover.way() {
			continue
		}
		i := int(at.grain)
		p := mgl64.Vec3(w.pos[4*i:][:3])
		f, point, depth := w.touch(int(at.obstacle), p)
		if w.model.solid {
			t.remember(w, at, p, point, depth)
		}
		w.force[4*i] += f[0]
		w.force[4*i+1] += f[1]
		w.force[4*i+2] += f[2]
		if f == (mgl64.Vec3{}) {
			continue
		}
		o := &s.obstacle[at.obstacle]
		o.force.add(f)
		o.moment.add(point.Cross(f))
		if depth {
			s.near++
		}
	}
	w.pull(t)
	done := w.moveFour(t)
	w.moveGo(t, int(t.lo)+done)
	w.bounce(t)
}

// braking is lambda of the grain at a place in the order that goes at v, kg/s: the drag is no more than stops it in a
// step.
func (w *World) braking(i int, v mgl64.Vec3) float64 {
	return min(w.model.fluid.Coefficient(w.model.drag, w.radius[i], v.Len()), w.vel[4*i+3]/w.dt)
}

// moveGo moves the grains of a task from one on.
func (w *World) moveGo(t *task, from int) {
	dt := w.dt
	g, fluid := w.model.gravity, w.model.fluid
	stokes := 6 * math.Pi * fluid.Viscosity
	newton := 9 * math.Pi / 40 * fluid.Density
	eta80, rho3 := 80*fluid.Viscosity, 3*fluid.Density
	vacuum := fluid == Fluid{}
	s := &t.sums
	for i := from; i < int(t.hi); i++ {
		p := (*[4]float64)(w.pos[4*i:])
		v := (*[4]float64)(w.vel[4*i:])
		f := (*[4]float64)(w.force[4*i:])
		r, m := w.radius[i], v[3]
		lambda := 0.0
		if !vacuum {
			speed := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
			switch {
			case w.model.drag != StokesNewton:
				lambda = fluid.Coefficient(w.model.drag, r, speed)
			case rho3*r*speed < eta80:
				lambda = stokes * r
			default:
				lambda = newton * r * r * speed
			}
			lambda = min(lambda, m/dt)
		}
		weight := w.model.weighs(m, r)
		h := dt / m
		speed2, work := 0.0, 0.0
		for k := range 3 {
			a := lambda * v[k]
			s.force[k] += f[k]
			s.drag[k] += a
			work += a * v[k]
			v[k] += h * (f[k] + weight*g[k] - a)
			work += a * v[k]
			speed2 += v[k] * v[k]
			f[k] = 0
		}
		s.weight += weight
		s.speed2 = max(s.speed2, speed2)
		if speed2 <= math.MaxFloat64 {
			s.work += work / 2
		} else {
			v[0], v[1], v[2] = 0, 0, 0
			s.lost++
		}
		far := 0.0
		for k := range 3 {
			p[k] += dt * v[k]
			e := p[k] - w.listing.at[k][i]
			far += e * e
		}
		s.stale = s.stale || !(far <= w.listing.skin*w.listing.skin/4)
	}
}

// touch is the force of an obstacle on a grain at p, and the closest point of its surface; deep tells that the grain is
// inside the core of the obstacle.
func (w *World) touch(obstacle int, p mgl64.Vec3) (f, k mgl64.Vec3, deep bool) {
	k, ok := w.obstacles[obstacle].Closest(p)
	if !ok {
		return f, mgl64.Vec3{}, false
	}
	e := k.Sub(p)
	d := e.Len()
	return w.model.push(e), k, d > 0 && d < w.model.Sigma
}

// list makes the lists of neighbours anew where somebody has moved too far.
func (w *World) list() {
	if !w.listing.stale {
		return
	}
	w.listing.stale = false
	w.report.Listings++
	n := len(w.id)
	width := CutOff*w.model.Sigma + w.listing.skin
	w.jobs.team.Run(len(w.sorting.boxes), &w.jobs.box)
	lo, hi := [3]float64{}, [3]float64{}
	for i, b := range w.sorting.boxes {
		for k := range lo {
			if i == 0 || b[0][k] < lo[k] {
				lo[k] = b[0][k]
			}
			if i == 0 || b[1][k] > hi[k] {
				hi[k] = b[1][k]
			}
		}
	}
	if w.sorting.grid.fit(lo, hi, width*(1+1e-9), n) {
		w.plan()
	}
	w.jobs.team.Run(len(w.sorting.boxes), &w.jobs.cell)
	start := w.sorting.grid.start
	clear(start)
	for _, c := range w.sorting.cell {
		start[c]++
	}
	sum := int32(0)
	for c, k := range start {
		start[c] = sum
		sum += k
	}
	for i, c := range w.sorting.cell { // start[c] moves to the end of cell c
		w.sorting.order[start[c]] = int32(i)
		start[c]++
	}
	copy(start[1:], start[:len(start)-1])
	start[0] = 0
	w.jobs.team.Run(len(w.sorting.boxes), &w.jobs.gather)
	w.grains, w.spare = w.spare, w.grains
	w.bound()
	w.schedule.pass = 0
	w.mover.listedAt, w.listing.went = w.mover.gone, math.Inf(1)
	w.jobs.team.Run(len(w.tasks), &w.jobs.list)
	w.jobs.team.Run(len(w.tasks), &w.jobs.near)
	w.report.Listed = 0
	for i := range w.tasks {
		w.report.Listed += len(w.tasks[i].list)
	}
}

// box, cells and gather are the jobs of sorting, a share of the grains each.
func (w *World) box(i int) {
	first, last := i*share, min((i+1)*share, len(w.id))
	b := &w.sorting.boxes[i]
	b[0] = [3]float64(w.pos[4*first:])
	b[1] = b[0]
	for j := first; j < last; j++ {
		for k := range 3 {
			x := w.pos[4*j+k]
			b[0][k] = min(b[0][k], x)
			b[1][k] = max(b[1][k], x)
		}
	}
}

func (w *World) cells(i int) {
	for j := i * share; j < min((i+1)*share, len(w.id)); j++ {
		w.sorting.cell[j] = w.sorting.grid.cellOf(w.pos[4*j], w.pos[4*j+1], w.pos[4*j+2])
	}
}

func (w *World) gather(i int) {
	for j := i * share; j < min((i+1)*share, len(w.id)); j++ {
		w.spare.take(j, &w.grains, int(w.sorting.order[j]))
		p := w.spare.pos[4*j : 4*j+3]
		w.listing.at[0][j], w.listing.at[1][j], w.listing.at[2][j] = p[0], p[1], p[2]
		w.place[w.spare.id[j]] = int32(j)
	}
}
