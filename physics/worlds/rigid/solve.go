package rigid

import (
	"math"
	"slices"
	"time"

	"hapco/physics/machinery/unionfind"
	"hapco/physics/numerics/contact"
)

// system is the contact problem of a step: all contacts and joints, in the order of the islands, which are bodies that
// touch each other or hang together. Each island is a problem of its own.
type system struct {
	problem problem
	islands []island
	// the first islands and contacts are those that sleep; those after fresh are solved
	sleeping, fresh, asleep int
	pusher                  pusher

	// contacts, in the order of the problem's.
	contacts struct {
		touch  []int32 // of the search
		keys   []uint64
		pairs  [][2]int32
		spots  []vec3 // where it is on the first body: see lever
		gaps   []float64
		slops  []float64    // m: see slop
		rest   []float64    // restitution
		deep   []bool       // the bodies are to be moved apart there
		loaded []bool       // the two bodies pressed each other in the last step
		before [][3]float64 // relative velocity, of this step without its forces: see bounce.go
		forced [][3]float64 // what the forces of the step add to it
		roles  []role
		spared []bool       // those of them that get a share of their restitution
		shares []float64    // of the restitution that is left where the whole of it would give energy
		total  [][3]float64 // impulses of all rounds
	}

	// joints, in the order of the problem's.
	joints struct {
		list   []*Joint
		pulled [][6]float64 // impulses, of all rounds
		was    [][6]float64 // velocities of their rows, of this step without its forces
		driven [][6]float64 // what the forces of the step add to them
	}

	// bodies that may move.
	bodies struct {
		startV, startW []vec3 // velocities without impulses
		saved          []placed
		begun          []placed  // at the start of the step
		turns, ways    []float64 // until the next kick, rad and m, of the farthest point
	}

	// groups are what joins bodies to islands.
	groups struct {
		union unionfind.Sets // of moved bodies
		local []int32        // of each moved body its place in its island's sweeper
		order []int32        // of each moved body its island, or -1
		homes []int32        // of one that sleeps
	}
}

// placed is the state of one body; x and v are those of the centre of mass.
type placed struct {
	x vec3
	q quat
	v vec3
	w vec3 // body frame
}

// island is bodies that touch each other or hang together.
type island struct {
	problem        problem             // parts of the system's, or of the last round
	all            []contactConstraint // of the system's
	contacts       int                 // the first
	count, jointed int32               // contacts and joints
	loaded         int                 // of the contacts
	joints         []*Joint
	first          int32 // of joints
	result         result
	sweeps         int
	gain, worked   float64 // by contacts and joints, J
	led            float64 // by tools that came to rest against bodies, beside their mean velocities, J
	dense          *dense  // nil until it is needed
	sweeper        sweeper
	bounces
}

// dense is what it takes where sweeps fail on a small problem. Each island has its own,
// since a solve may go on from the last one.
type dense struct {
	solver  contact.Solver
	options contact.Options
	problem contact.Problem
}

func newDense() *dense {
	solver, err := contact.New("auto")
	if err != nil {
		panic("rigid: " + err.Error()) // it is linked in
	}
	d := &dense{solver: solver, options: contact.DefaultOptions(), problem: contact.Problem{ID: []uint64{}}}
	d.options.Criterion, d.options.MaxIterations = contact.Scaled, 2000
	return d
}

// room makes room for n bodies that move.
func (s *system) room(n int) {
	p := &s.problem
	p.invMass, p.invInertia = make([]float64, n), make([]mat3, n)
	p.v, p.omega = make([]vec3, n), make([]vec3, n)
	s.bodies.startV, s.bodies.startW, s.bodies.saved = make([]vec3, n), make([]vec3, n), make([]placed, n)
	s.bodies.begun, s.bodies.turns, s.bodies.ways = make([]placed, n), make([]float64, n), make([]float64, n)
	s.pusher.bodies = make([]pushedBody, n+1)
	s.groups.union, s.groups.order = unionfind.New(n), make([]int32, n)
	s.groups.homes, s.groups.local = make([]int32, n), make([]int32, n)
}

// join makes one union of the bodies i and j among those that move; -1 is the ground.
func (s *system) join(i, j int32) {
	if i >= 0 && j >= 0 {
		s.groups.union.Join(i, j)
	}
}

// ends are the places of two bodies among those that move.
func (w *World) ends(a, b *Body) (i, j int32) {
	if i, j = w.ids[a.id], -1; b != nil {
		j = w.ids[b.id]
	}
	return i, j
}

// gather writes the contacts and joints found to the problem, island after island.
func (w *World) gather(h float64) {
	s, f := &w.system, &w.search
	s.groups.union = s.groups.union.Reset(len(s.groups.union))
	for i := range s.groups.order {
		s.groups.order[i] = -1
	}
	total := int32(0)
	lists := [2][]pair{w.rest.pairs, f.pairs}
	touches := [2][]touch{w.rest.touches, f.touches}
	if w.rest.gathered {
		lists[0], total = nil, int32(s.asleep)
	} else {
		s.sleeping = 0
	}
	each := func(list int, visit func(p *pair)) { // the pairs that touch
		for i := range lists[list] {
			if p := &lists[list][i]; p.to > p.from {
				visit(p)
			}
		}
	}
	for list := range lists {
		each(list, func(p *pair) { s.join(w.ends(w.bodies[p.a], w.bodies[p.b])) })
	}
	for _, j := range w.joints {
		s.join(w.ends(j.A, j.B))
	}
	s.islands = s.islands[:s.sleeping]
	member := func(i, j int32) int32 { // the island of two bodies
		if i < 0 {
			i = j
		}
		r := s.groups.union.Find(i)
		if s.groups.order[r] < 0 {
			s.groups.order[r] = int32(len(s.islands))
			s.islands = grown(s.islands, len(s.islands)+1) // with the memory that it has
			k := &s.islands[s.groups.order[r]]
			k.count, k.jointed, k.pressed, k.bouncy = 0, 0, 0, false
		}
		return s.groups.order[r]
	}
	s.fresh = s.sleeping
	for list := range lists {
		each(list, func(p *pair) {
			p.island = member(w.ends(w.bodies[p.a], w.bodies[p.b]))
			s.islands[p.island].count += p.to - p.from
			total += p.to - p.from
		})
		if list == 0 && !w.rest.gathered {
			s.sleeping, s.asleep = len(s.islands), int(total)
		}
	}
	for _, j := range w.joints {
		j.island = member(w.ends(j.A, j.B))
		s.islands[j.island].jointed++
	}
	s.size(int(total), len(w.joints))
	p := &s.problem
	at, joint := int32(0), int32(0)
	for i := range s.islands {
		k := &s.islands[i]
		k.contacts = int(at)
		q := &k.problem
		if i < s.fresh { // as it is, in its place
			n := int32(len(k.all))
			k.all = p.contacts[at : at+n]
			at += n
			continue
		}
		q.invMass, q.invInertia, q.v, q.omega = p.invMass, p.invInertia, p.v, p.omega
		k.all = p.contacts[at : at+k.count]
		q.joints, k.first = p.joints[joint:joint+k.jointed], joint
		k.joints = s.joints.list[joint : joint+k.jointed]
		q.moved = q.moved[:0]
		at, joint = at+k.count, joint+k.jointed
		k.count, k.jointed = 0, 0
	}
	for i := range s.groups.union {
		if k := s.groups.order[s.groups.union.Find(int32(i))]; k >= 0 {
			q := &s.islands[k].problem
			q.moved = append(q.moved, int32(i))
			s.groups.homes[i] = k
		}
	}
	for list := range lists {
		each(list, func(p *pair) { w.fill(p, touches[list], &s.islands[p.island]) })
	}
	for _, j := range w.joints {
		k := &s.islands[j.island]
		k.joints[k.jointed] = j
		r := &k.problem.joints[k.jointed]
		w.joint(j, r, h)
		w.rows(r, &s.joints.was[k.first+k.jointed])
		k.jointed++
	}
	w.stats.Contacts, w.stats.Islands = int(total), len(s.islands)
}

// rows writes the velocities of a joint's rows.
func (w *World) rows(r *jointConstraint, x *[6]float64) {
	for n := range r.n {
		x[n] = w.system.problem.velocity(&r.rows[n], r.a, r.b)
	}
}

// size makes room for so many contacts and joints.
func (s *system) size(contacts, joints int) {
	p, c, j := &s.problem, &s.contacts, &s.joints
	p.contacts, p.joints = grown(p.contacts, contacts), grown(p.joints, joints)
	c.touch, c.keys, c.pairs = grown(c.touch, contacts), grown(c.keys, contacts), grown(c.pairs, contacts)
	c.spots, c.gaps, c.slops, c.rest = grown(c.spots, contacts), grown(c.gaps, contacts), grown(c.slops, contacts), grown(c.rest, contacts)
	c.before, c.forced, c.total = grown(c.before, contacts), grown(c.forced, contacts), grown(c.total, contacts)
	c.loaded, c.deep = grown(c.loaded, contacts), grown(c.deep, contacts)
	c.roles, c.shares, c.spared = grown(c.roles, contacts), grown(c.shares, contacts), grown(c.spared, contacts)
	j.list, j.pulled = grown(j.list, joints), grown(j.pulled, joints)
	j.was, j.driven = grown(j.was, joints), grown(j.driven, joints)
}

// grown is a slice of n, whose values are left from before.
func grown[T any](x []T, n int) []T {
	return slices.Grow(x[:cap(x)], max(0, n-cap(x)))[:n]
}

// fill writes the contacts of a pair to its island.
func (w *World) fill(p *pair, touches []touch, k *island) {
	s := &w.system
	a, b := w.bodies[p.a], w.bodies[p.b]
	mu, e := math.Sqrt(a.Friction*b.Friction), max(a.Restitution, b.Restitution)
	i, j := w.ends(a, b)
	slop := w.slop(a, b)
	lever := w.lever(i, j)
	loaded := false
	for t := p.from; t < p.to; t++ {
		loaded = loaded || touches[t].impulse[0] > 0
	}
	key := uint64(p.a)<<48 ^ uint64(p.b)<<32
	before, after := s.motion(i, j, s.problem.v, s.problem.omega), s.motion(i, j, s.bodies.startV, s.bodies.startW)
	xa, xb := of(a.X), of(b.X)
	var n, t1, t2 xyz
	for t := p.from; t < p.to; t++ {
		from := &touches[t]
		at := k.contacts + int(k.count)
		c := &s.problem.contacts[at]
		c.a, c.b, c.mu, c.r = i, j, mu, from.impulse
		if of(from.normal) != n {
			n = of(from.normal)
			t1, t2 = frameOf(n)
		}
		spot := of(from.at).plus(n.times(lever * from.gap))
		ra, rb := spot.minus(xa), spot.plus(of(from.slip)).minus(xb)
		ra.put(&c.arm[0])
		rb.put(&c.arm[1])
		u, v := before.slip(ra, rb), after.slip(ra, rb)
		was, forced := &s.contacts.before[at], &s.contacts.forced[at]
		row := func(i int, d xyz) {
			d.put(&c.d[i])
			was[i] = d.dot(u)
			forced[i] = d.dot(v) - was[i]
		}
		row(0, n)
		row(1, t1)
		row(2, t2)
		s.contacts.total[at] = [3]float64{}
		k.pressed = max(k.pressed, -forced[0])
		s.contacts.touch[at], s.contacts.keys[at], s.contacts.pairs[at] = t, key^uint64(from.id), [2]int32{p.a, p.b}
		s.contacts.gaps[at], s.contacts.slops[at], s.contacts.rest[at] = from.gap, slop, e
		spot.put(&s.contacts.spots[at])
		s.contacts.loaded[at] = loaded
		k.count++
	}
	k.bouncy = k.bouncy || e > 0
}

// motion are the velocities of two bodies.
type motion struct{ va, wa, vb, wb xyz }

// motion of the bodies i and j; -1 is the ground.
func (s *system) motion(i, j int32, v, omega []vec3) (m motion) {
	if i >= 0 {
		m.va, m.wa = of(v[i]), of(omega[i])
	}
	if j >= 0 {
		m.vb, m.wb = of(v[j]), of(omega[j])
	}
	return m
}

// slip is the velocity of the first body at an arm relative to that of the second.
func (m *motion) slip(ra, rb xyz) xyz {
	return m.va.plus(m.wa.cross(ra)).minus(m.vb).minus(m.wb.cross(rb))
}

// lever says where between two surfaces the impulse of a contact acts, from their middle on,
// in gaps: at the surface of the body that yields, if the other one does not, as a blow does
// that comes when they meet. Between bodies that both move one place keeps their angular
// momentum, and the one that yields more has it nearer. Along the surface each is struck at its own place, as when they
// meet: so a blow spins bodies as it does then, however far they move in a step. The angular momentum of two that both
// move is off by the impulse times the slip then, which is their way to each other.
func (w *World) lever(i, j int32) float64 {
	a, b := 0.0, 0.0
	if i >= 0 {
		a = w.system.problem.invMass[i]
	}
	if j >= 0 {
		b = w.system.problem.invMass[j]
	}
	return a/(a+b) - 0.5
}

// start gives the problem the velocities without impulses; those of what sleeps are of when it fell asleep.
func (w *World) start() {
	s := &w.system
	for i, b := range w.moved {
		if !b.asleep || !w.rest.gathered {
			s.problem.v[i], s.problem.omega[i] = s.bodies.startV[i], s.bodies.startW[i]
		}
	}
}

// again gives the bodies of an island the velocities without impulses.
func (s *system) again(k *island) {
	for _, i := range k.problem.moved {
		s.problem.v[i], s.problem.omega[i] = s.bodies.startV[i], s.bodies.startW[i]
	}
}

// solve finds the impulses, island by island: which goroutine solves one changes nothing.
func (w *World) solve(h float64) {
	islands := w.system.islands[w.system.fresh:]
	total, largest := int32(0), int32(0)
	for i := range islands {
		n := islands[i].count + islands[i].jointed
		total, largest = total+n, max(largest, n)
	}
	begin := time.Now()
	parallel := w.Team != nil && total-largest >= shared
	var asks func() bool
	if w.late = false; w.Deadline != nil { // answers have an order: those who share islands cannot ask
		if parallel = parallel && w.Deadline.Fits(2*w.cost); !parallel {
			if w.asks == nil {
				w.asks = func() bool { w.late = w.late || w.Deadline.Late(0); return w.late }
			}
			asks = w.asks
		}
	}
	w.system.problem.late = asks
	for i := range islands {
		islands[i].problem.late = asks
	}
	if parallel {
		if w.job == nil {
			w.job = func(i int) { w.solveIsland(&w.system.islands[w.system.fresh+i], w.ahead) }
		}
		w.Team.Run(len(islands), &w.job)
	} else {
		for i := range islands {
			w.solveIsland(&islands[i], h)
		}
	}
	w.cost = time.Since(begin) // decides nothing but through the deadline
	w.rest.gathered = true
	st := &w.stats
	st.Late, st.Loaded = st.Late || w.late, 0
	for i := range w.system.islands {
		k := &w.system.islands[i]
		if i < w.system.fresh {
			k.gain, k.worked, k.led = 0, 0, 0
		} else {
			k.loaded = 0
			for c := range k.all {
				if k.all[c].r[0] > 0 {
					k.loaded++
				}
			}
		}
		st.Rounds, st.Restitution = max(st.Rounds, k.rounds), min(st.Restitution, k.share)
		st.Sweeps = max(st.Sweeps, k.sweeps)
		st.Errors.Natural, st.Errors.Scaled = max(st.Errors.Natural, k.result.errors.Natural), max(st.Errors.Scaled, k.result.errors.Scaled)
		st.Solved = st.Solved && k.result.converged
		st.Gain += k.gain
		st.Joints += k.worked
		st.Led += k.led
		st.Loaded += k.loaded
	}
}

func (w *World) impulses(k *island) {
	p := &k.problem
	small := len(p.contacts) <= w.Config.Dense && len(p.joints) == 0
	sweeps := w.Config.Sweeps
	if w.steps == 0 {
		sweeps *= firstSweeps
	}
	if small {
		sweeps = min(sweeps, fewSweeps)
	}
	at := &k.sweeper
	at.take(p, w.system.groups.local)
	k.result = at.solve(p, w.Config.Tolerance, sweeps)
	k.sweeps += k.result.sweeps
	if small && !k.result.converged && !k.result.late {
		if k.dense == nil {
			k.dense = newDense()
		}
		d := k.dense
		d.problem.ID = d.problem.ID[:0]
		for i := range p.contacts {
			d.problem.ID = append(d.problem.ID, w.system.contacts.keys[k.number(i)])
		}
		k.result = at.dense(p, d, w.Config.Tolerance)
	}
	at.give(p)
}

// remember keeps the impulses for the next step, and tells who wants to know.
func (w *World) remember() {
	s := &w.system
	for i := s.asleep; i < len(s.problem.contacts); i++ {
		c := &s.problem.contacts[i]
		w.search.touches[s.contacts.touch[i]].learn(c.r)
		a, b := w.bodies[s.contacts.pairs[i][0]], w.bodies[s.contacts.pairs[i][1]]
		if c.r[0] == 0 || a.Strike == nil && b.Strike == nil && a.hand == nil && b.hand == nil {
			continue
		}
		f := c.d[0].Mul(c.r[0]).Add(c.d[1].Mul(c.r[1])).Add(c.d[2].Mul(c.r[2]))
		arms := &c.arm
		if a.Strike != nil {
			a.Strike(f, unrotate(a.Q, arms[0]))
		}
		if b.Strike != nil {
			b.Strike(f.Mul(-1), unrotate(b.Q, arms[1]))
		}
		if a.hand != nil {
			a.hand.feel(f, arms[0])
		}
		if b.hand != nil {
			b.hand.feel(f.Mul(-1), arms[1])
		}
	}
	for i := range s.problem.joints {
		s.joints.list[i].impulse = s.problem.joints[i].r
	}
}

// learn takes in the impulse of a step, from which the next starts. One that served for
// several steps was a little off in each, and what that added up to is in the new one.
func (t *touch) learn(r [3]float64) {
	if r == t.impulse {
		t.age = min(t.age+1, longest)
		return
	}
	for k := range r {
		t.impulse[k] += (r[k] - t.impulse[k]) / float64(1+t.age)
	}
	t.age = 0
}

// Problems calls f with the contact problem of each island of the last step that has no joints, W formed, and the
// impulses found, as contact.WriteFC3D takes them, until f returns false. It allocates (3N)^2 numbers, and of more than
// contact.MaxContacts contacts tells their number N alone. Both are f's to keep.
func (w *World) Problems(f func(p *contact.Problem, r []float64) bool) {
	s := &w.system
	var at sweeper
	for i := range s.islands {
		k := &s.islands[i]
		b := k.problem // with the velocities without impulses
		if len(b.contacts) == 0 || len(b.joints) > 0 {
			continue
		}
		out := &contact.Problem{N: len(b.contacts)}
		if out.N > contact.MaxContacts {
			if !f(out, nil) {
				return
			}
			continue
		}
		b.v, b.omega = s.bodies.startV, s.bodies.startW
		at.take(&b, s.groups.local)
		b.dense(out)
		r := make([]float64, 0, 3*len(b.contacts))
		for c := range b.contacts {
			r = append(r, b.contacts[c].r[:]...)
		}
		if !f(out, r) {
			return
		}
	}
}
