package tissue

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// Shadow is what a second solver (Params.Shadow) made of the contact problem of a recent step, beside what the step's
// own solver made of it. The second one starts from its own forces, never touches the simulation, and leaves out the
// problems that come while it is busy.
type Shadow struct {
	Solver   string // "" where there is none
	Step     uint64 // whose problem it was; 0 before the first
	Contacts int    // of the problem; those left out of it are open for both

	Result   contact.Result // of the second solver
	Force    mgl64.Vec3     // resultant on the driven body, world, N
	Statuses [3]int         // contacts by contact.Status

	First         contact.Result // of the step's own solver, on the same problem
	FirstForce    mgl64.Vec3     //
	FirstStatuses [3]int         //

	// How far the second solver's forces are from the first's: |F2 - F1| / |F1| of the resultants and |r2 - r1| / |r1|
	// of all contact forces. 0 where both vanish. Differing counts the contacts whose statuses are not the same.
	ForceDifference, Difference float64
	Differing                   int

	Solved, Skipped uint64 // problems, since the solver was chosen
	Curve           Curve  // empty unless Params.Curve
}

// shadowing hands contact problems to a second solver in the background. Only one problem is under way at a time, so
// that an idle solver gets the newest.
type shadowing struct {
	background[shadowOrder, Shadow]

	// of the physics goroutine
	solver  string
	run     uint64 // which comparison this is: forces of an earlier one are no start for it
	skipped uint64
}

// shadowOrder is one contact problem and what the first solver made of it.
type shadowOrder struct {
	solver   string
	run      uint64
	step     uint64
	curve    bool
	options  contact.Options
	problem  contact.Problem
	contacts []shadowContact // of the problem
	open     int             // contacts that the problem leaves out
	r        []float64       // 3 a contact, N
	status   []contact.Status
	result   contact.Result
}

// shadowContact is what of a contact its forces' start and sum need.
type shadowContact struct {
	id   uint64
	sign float64 // of its force on the driven body; 0: that is not part of it
	axes
}

// forget makes the second solver start from nothing. Physics goroutine.
func (d *shadowing) forget() { d.run++ }

// offer hands the problem of the step just made to the second solver if that is idle. It takes the same short time
// whatever the second solver does. Physics goroutine.
func (d *shadowing) offer(w *World) {
	if name := w.params.Shadow; name != d.solver {
		d.solver, d.skipped = name, 0
		d.run++
	}
	if d.solver == "" {
		return
	}
	if d.busy.Load() {
		d.skipped++
		return
	}
	o := d.orders.Back()
	o.solver, o.run, o.step, o.curve = d.solver, d.run, w.last.step, w.params.Curve
	w.setOptions(&o.options)
	o.result = w.solving.result
	o.r = append(o.r[:0], w.set.r...)
	o.status = o.status[:0]
	o.contacts = o.contacts[:0]
	o.open = len(w.contacts) - len(w.set.kept)
	for _, i := range w.set.kept {
		c := &w.contacts[i]
		o.status = append(o.status, w.solving.status[i])
		sign, _ := w.onStylus(c)
		o.contacts = append(o.contacts, shadowContact{c.id, sign, c.axes})
	}
	p, q := &o.problem, w.posed.read()
	p.N = q.N
	p.W = append(p.W[:0], q.W...)
	p.Q = append(p.Q[:0], q.Q...)
	p.Mu = append(p.Mu[:0], q.Mu...)
	p.ID = append(p.ID[:0], q.ID...)
	d.post()
}

// collect puts the newest comparison into s. Physics goroutine.
func (d *shadowing) collect(w *World, s *Snapshot) {
	values := s.Shadow.Curve.Values[:0]
	s.Shadow = Shadow{Solver: w.params.Shadow}
	if newest, _ := d.results.Get(); newest.Solver != "" && newest.Solver == w.params.Shadow {
		s.Shadow = *newest
		values = append(values, newest.Curve.Values...)
	}
	s.Shadow.Curve.Values = values
	s.Shadow.Skipped = d.skipped
}

// shadowHand is the second solver with its memory. Its goroutine owns it.
type shadowHand struct {
	name     string
	solver   contact.Solver
	run      uint64
	solved   uint64
	recorder recorder
	r        []float64 // 3 a contact, N
	status   []contact.Status
	memory   identities[mgl64.Vec3] // each contact's last force, world, N
}

// solve compares the two solvers on one problem.
func (h *shadowHand) solve(o *shadowOrder, s *Shadow) bool {
	if o.run != h.run {
		h.run, h.solved = o.run, 0
		h.memory.clear()
	}
	if o.solver != h.name {
		solver, err := contact.New(o.solver)
		if err != nil {
			return false // SetParams let no such name through
		}
		h.name, h.solver, h.recorder.traits = o.solver, solver, contact.Describe(o.solver).Traits
	}
	h.warmStart(o)
	result := h.recorder.solve(h.solver, &o.problem, h.r, &o.options, o.curve)
	h.solved++
	values := s.Curve.Values
	*s = Shadow{Solver: o.solver, Step: o.step, Contacts: o.problem.N, Result: result, First: o.result, Solved: h.solved}
	s.Curve.Values = values
	h.recorder.curve(&s.Curve)
	h.compare(o, s)
	h.remember(o)
	return true
}

// warmStart begins with the second solver's own last forces, as World.warmStart does with the first's.
func (h *shadowHand) warmStart(o *shadowOrder) {
	h.r = num.Grow(h.r, len(o.r))
	for i := range o.contacts {
		c := &o.contacts[i]
		var f mgl64.Vec3
		if m := h.memory.get(c.id); m != nil {
			f = *m
		}
		h.r[3*i], h.r[3*i+1], h.r[3*i+2] = c.parts(f)
	}
}

// compare fills in forces, statuses and differences.
func (h *shadowHand) compare(o *shadowOrder, s *Shadow) {
	h.status = num.Grow(h.status, len(o.status))
	contact.Statuses(h.status, h.r, o.problem.Mu)
	s.Statuses[contact.Open], s.FirstStatuses[contact.Open] = o.open, o.open
	apart := 0.0
	for i := range o.contacts {
		c := &o.contacts[i]
		s.Statuses[h.status[i]]++
		s.FirstStatuses[o.status[i]]++
		if h.status[i] != o.status[i] {
			s.Differing++
		}
		for k := 3 * i; k < 3*i+3; k++ {
			d := h.r[k] - o.r[k]
			apart += d * d
		}
		s.Force = s.Force.Add(c.force(h.r[3*i:]).Mul(c.sign))
		s.FirstForce = s.FirstForce.Add(c.force(o.r[3*i:]).Mul(c.sign))
	}
	s.Difference = ratio(math.Sqrt(apart), num.Norm(o.r))
	s.ForceDifference = ratio(s.Force.Sub(s.FirstForce).Len(), s.FirstForce.Len())
}

// remember keeps the forces for the next start, and forgets those of features that are in contact no longer.
func (h *shadowHand) remember(o *shadowOrder) {
	h.memory.clear()
	for i := range o.contacts {
		c := &o.contacts[i]
		*h.memory.put(c.id) = c.force(h.r[3*i:])
	}
}

// ratio is a/b, with 0/0 = 0.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}
