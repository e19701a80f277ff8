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
	model     Interaction
	fluid     Fluid
	drag      Drag
	buoyancy  bool
	solid     bool
	gravity   mgl64.Vec3
	dt        float64 // s
	skin      float64 // m
	obstacles []Shape
	moving    int     // obstacle that moves; -1: none does
	slack     float64 // how far it may move before who is near obstacles is listed anew, m
	gone      float64 // how far any of its points has gone since the start, at most, m
	listedAt  float64 // and when who is near obstacles was listed

	// The grains, sorted by cell. Four numbers each: place and a zero; velocity and mass; force of the pairs and a zero.
	// So the inner loop takes a place, or changes a force, at once. listed is where a grain was when neighbours were
	// listed.
	pos, vel, force []float64
	radius          []float64
	listed          [3][]float64 // x, y, z
	id              []int32      // number that the caller knows it by
	place           []int32      // index of the grain with a number

	spare struct { // of the last order, reused for the next
		pos, vel, radius []float64
		id               []int32
	}
	cell, order []int32
	boxes       [][2][3]float64 // of each share of the grains

	grid  grid
	tasks []task
	rows  [][2]int32 // rows of cells of each task

	// of plan: the task that has each block's pairs, and whether its grains are moved
	pairOf []int32
	moved  []bool
	epoch  uint32
	pass   pass
	law    [24]float64 // constants of the inner loop, four times each: sigma^2, reach^2, k, 2 k, jump, and how near who may act soon is
	fall   [40]float64 // constants of moveFour

	team                                            *team.Team
	doTask, doBox, doCell, doGather, doList, doNear func(i int)

	stale  bool    // somebody has moved half the skin since neighbours were listed
	sift   bool    // neighbours are sifted for those that may act soon
	went   float64 // how far a grain may have gone since, m
	grip   grip
	ready  bool // force holds the pair forces of the present places
	steps  int
	since  float64 // time at which the step was changed last, s
	mark   int     // steps until then
	report Report
	start  mgl64.Vec3 // momentum at the start
	impulse
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
		model: c.Interaction, fluid: c.Fluid, drag: c.Drag, buoyancy: c.Buoyancy, solid: c.Solid, gravity: c.Gravity,
		dt: c.Step, skin: c.Skin * c.Interaction.Sigma, obstacles: c.Obstacles, moving: -1, stale: true,
		pos: make([]float64, 4*(room+fences)), vel: make([]float64, 4*room), force: make([]float64, 4*(room+fences)),
		radius: make([]float64, room), id: make([]int32, room), place: make([]int32, room), cell: make([]int32, room), order: make([]int32, room),
		boxes: make([][2][3]float64, (room+share-1)/share),
	}
	w.spare.pos, w.spare.vel = make([]float64, 4*(room+fences)), make([]float64, 4*room)
	w.spare.radius, w.spare.id = make([]float64, room), make([]int32, room)
	for k := range w.listed {
		w.listed[k] = make([]float64, room+4) // the inner loop of the lists reads four at a time
	}
	w.resize(n)
	for i := range c.Grains {
		g := &c.Grains[i]
		copy(w.pos[4*i:], g.Position[:])
		copy(w.vel[4*i:], g.Velocity[:])
		w.radius[i] = g.Radius
		w.vel[4*i+3] = sphere(g.Radius) * g.Density
		w.id[i], w.place[i] = int32(i), int32(i)
	}
	w.setLaw()
	w.setFall()
	w.impulse.obstacle = make([]push, len(w.obstacles))
	w.doTask, w.doBox, w.doCell, w.doGather, w.doList, w.doNear = w.task, w.box, w.cells, w.gather, w.neighbours, w.nearObstacles
	w.team = team.New(threads(c.Threads, room))
	w.start = w.Momentum()
	return w, nil
}

// setLaw fills the constants of the inner loop.
func (w *World) setLaw() {
	s, k := w.model.Sigma, 24*w.model.Epsilon/(w.model.Sigma*w.model.Sigma)
	const soonReach = (CutOff + soonSkin) * (1 + 1e-9) // places are rounded
	for c, x := range [6]float64{s * s, CutOff * CutOff * s * s, k, 2 * k, 0, soonReach * soonReach * s * s} {
		if c == 4 && w.model.Shifted {
			x = k * f2
		}
		for lane := range 4 {
			w.law[4*c+lane] = x
		}
	}
}

// forget has the lists made anew before the next step, and the forces found that somebody may have
// looked at already: so it does not matter whether anybody has.
func (w *World) forget() {
	clear(w.force)
	w.stale, w.ready = true, false
}

// resize makes the state that of n grains, within the room that there is, and puts
// the fences after their places. What forces were known are forgotten.
func (w *World) resize(n int) {
	w.forget()
	w.force, w.vel = w.force[:4*(n+fences)], w.vel[:4*n]
	w.radius, w.id, w.place, w.cell, w.order = w.radius[:n], w.id[:n], w.place[:n], w.cell[:n], w.order[:n]
	w.spare.vel, w.spare.radius, w.spare.id = w.spare.vel[:4*n], w.spare.radius[:n], w.spare.id[:n]
	w.boxes = w.boxes[:(n+share-1)/share]
	for k := range w.listed {
		w.listed[k] = w.listed[k][:n+4]
	}
	for _, pos := range []*[]float64{&w.pos, &w.spare.pos} {
		*pos = (*pos)[:4*(n+fences)]
		for i := 4 * n; i < len(*pos); i++ {
			(*pos)[i] = 0
			if i%4 != 3 {
				(*pos)[i] = fencePlace * w.model.Sigma
			}
		}
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
	copy(w.pos[4*n:4*n+3], g.Position[:])
	copy(w.vel[4*n:4*n+3], g.Velocity[:])
	w.pos[4*n+3], w.vel[4*n+3], w.radius[n] = 0, sphere(g.Radius)*g.Density, g.Radius
	w.id[n], w.place[n] = int32(n), int32(n)
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
	copy(w.pos[4*hole:], w.pos[4*n:4*n+4])
	copy(w.vel[4*hole:], w.vel[4*n:4*n+4])
	w.radius[hole], w.id[hole] = w.radius[n], w.id[n]
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
	w.since, w.mark = w.Time(), w.steps
	w.dt, w.model, w.fluid, w.drag, w.buoyancy, w.gravity = c.Step, c.Interaction, c.Fluid, c.Drag, c.Buoyancy, c.Gravity
	w.setLaw()
	w.setFall()
	w.setSpring()
	w.resize(len(w.id))
	return nil
}

// Close ends the world's goroutines. The world must not be used afterwards.
func (w *World) Close() { w.team.Close() }

// N is the number of grains.
func (w *World) N() int { return len(w.id) }

// Dt is the time step, s.
func (w *World) Dt() float64 { return w.dt }

// Time is the time since the start, s.
func (w *World) Time() float64 { return w.since + float64(w.steps-w.mark)*w.dt }

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
		w.steps++
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

// way is how far the obstacle that moves has gone since who is near it was listed, at most, m.
func (w *World) way() float64 { return w.gone - w.listedAt }

// listNear lists who is near obstacles: anew where grains have come, gone or moved, or where the obstacle that moves
// has gone far. Forces depend on no list.
func (w *World) listNear() {
	w.list()
	if w.way() > w.slack {
		w.listedAt = w.gone
		w.team.Run(len(w.tasks), &w.doNear)
	}
}

func (w *World) run(p pass) {
	w.pass = p
	if p&pairPass != 0 {
		if w.sift = !(2*w.went <= soonSkin*w.model.Sigma); w.sift {
			w.went = 0
		}
	}
	w.epoch++
	w.team.Run(len(w.tasks), &w.doTask)
}

func (w *World) task(i int) {
	t := &w.tasks[i]
	if t.lo < t.hi {
		if t.move {
			if w.pass&movePass != 0 {
				w.await(t.after)
				w.move(t)
			}
		} else if w.pass&pairPass != 0 {
			w.await(t.after)
			w.pairs(t)
		}
	}
	t.done.Store(w.epoch)
}

// move is one step of the grains of a task, by the scheme of Euler and Cromer:
// the new velocity from the forces, then the new place from the new velocity. The drag takes no more of
// a velocity than there is of it: a drag that turned it round would drive a grain.
func (w *World) move(t *task) {
	s := &t.sums
	s.reset()
	t.before = t.before[:0]
	for _, at := range t.near {
		if at.beyond > w.way() {
			continue
		}
		i := int(at.grain)
		p := mgl64.Vec3(w.pos[4*i:][:3])
		f, point, depth := w.touch(int(at.obstacle), p)
		if w.solid {
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
	return min(w.fluid.Coefficient(w.drag, w.radius[i], v.Len()), w.vel[4*i+3]/w.dt)
}

// moveGo moves the grains of a task from one on.
func (w *World) moveGo(t *task, from int) {
	dt := w.dt
	g := w.gravity
	stokes := 6 * math.Pi * w.fluid.Viscosity
	newton := 9 * math.Pi / 40 * w.fluid.Density
	eta80, rho3 := 80*w.fluid.Viscosity, 3*w.fluid.Density
	vacuum := w.fluid == Fluid{}
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
			case w.drag != StokesNewton:
				lambda = w.fluid.Coefficient(w.drag, r, speed)
			case rho3*r*speed < eta80:
				lambda = stokes * r
			default:
				lambda = newton * r * r * speed
			}
			lambda = min(lambda, m/dt)
		}
		weight := m
		if w.buoyancy {
			weight -= w.fluid.Density * sphere(r)
		}
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
			e := p[k] - w.listed[k][i]
			far += e * e
		}
		s.stale = s.stale || !(far <= w.skin*w.skin/4)
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
	if !w.stale {
		return
	}
	w.stale = false
	w.report.Listings++
	n := len(w.id)
	width := CutOff*w.model.Sigma + w.skin
	w.team.Run(len(w.boxes), &w.doBox)
	lo, hi := [3]float64{}, [3]float64{}
	for i, b := range w.boxes {
		for k := range lo {
			if i == 0 || b[0][k] < lo[k] {
				lo[k] = b[0][k]
			}
			if i == 0 || b[1][k] > hi[k] {
				hi[k] = b[1][k]
			}
		}
	}
	if w.grid.fit(lo, hi, width*(1+1e-9), n) {
		w.plan()
	}
	w.team.Run(len(w.boxes), &w.doCell)
	start := w.grid.start
	clear(start)
	for _, c := range w.cell {
		start[c]++
	}
	sum := int32(0)
	for c, k := range start {
		start[c] = sum
		sum += k
	}
	for i, c := range w.cell { // start[c] moves to the end of cell c
		w.order[start[c]] = int32(i)
		start[c]++
	}
	copy(start[1:], start[:len(start)-1])
	start[0] = 0
	w.team.Run(len(w.boxes), &w.doGather)
	w.pos, w.spare.pos = w.spare.pos, w.pos
	w.vel, w.spare.vel = w.spare.vel, w.vel
	w.radius, w.spare.radius = w.spare.radius, w.radius
	w.id, w.spare.id = w.spare.id, w.id
	w.bound()
	w.pass = 0
	w.listedAt, w.went = w.gone, math.Inf(1)
	w.team.Run(len(w.tasks), &w.doList)
	w.team.Run(len(w.tasks), &w.doNear)
	w.report.Listed = 0
	for i := range w.tasks {
		w.report.Listed += len(w.tasks[i].list)
	}
}

// box, cells and gather are the jobs of sorting, a share of the grains each.
func (w *World) box(i int) {
	first, last := i*share, min((i+1)*share, len(w.id))
	b := &w.boxes[i]
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
		w.cell[j] = w.grid.cellOf(w.pos[4*j], w.pos[4*j+1], w.pos[4*j+2])
	}
}

func (w *World) gather(i int) {
	for j := i * share; j < min((i+1)*share, len(w.id)); j++ {
		o := int(w.order[j])
		p := w.pos[4*o : 4*o+4 : 4*o+4]
		*(*[4]float64)(w.spare.pos[4*j:]) = [4]float64(p)
		*(*[4]float64)(w.spare.vel[4*j:]) = [4]float64(w.vel[4*o:])
		w.listed[0][j], w.listed[1][j], w.listed[2][j] = p[0], p[1], p[2]
		w.spare.radius[j] = w.radius[o]
		id := w.id[o]
		w.spare.id[j] = id
		w.place[id] = int32(j)
	}
}
