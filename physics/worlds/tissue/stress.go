package tissue

import (
	"math"
	"time"

	"hapco/physics"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/num"
)

const (
	// stressPeriod is how often stresses are renewed: they are for the eye only.
	stressPeriod = 40 * time.Millisecond
	// strainPeriod is how often strains are, where no stresses are asked for, and strainShare the share of a processor
	// that this takes at most.
	strainPeriod = 250 * time.Millisecond
	strainShare  = 0.05
	// countable is the number of nodes up to which K is factorised for the strains.
	countable = 5000
)

// The fields that a surface can be coloured by; their numbers are places in this list, from 1.
const (
	vonMisesField = 1 + iota
	pressureField
	displacementField
	strainField
	beyondField
)

var shownFields = []physics.Field{
	{Name: "von Mises stress", Unit: "Pa", About: "How far the stress is from a pressure alike on all sides, sqrt(3/2 s:s): what makes materials yield."},
	{Name: "pressure", Unit: "Pa", Signed: true, About: "Mean of the three normal stresses, compression above 0: -tr(stress)/3."},
	{Name: "displacement", Unit: "m", About: "How far each point has moved from where the undeformed body would have it."},
	{Name: "largest strain", About: "Largest principal strain, by amount: 0.1 is a line that is longer or shorter by a tenth. Linear elasticity is honest up to about that."},
	{Name: "beyond linear limit", About: "1 at elements that are strained by more than a tenth: there a linear body is no longer honest. A scene such as liver, kind = \"finite-strain\", is."},
}

// straining computes strains, and a field for display, in the background. They need the displacements inside the body
// too, a solve with all of K, which has no place in a 1 kHz step.
type straining struct {
	background[stressOrder, stressResult]
	last  time.Time
	pause time.Duration // until the next strains, at least
}

// stressOrder is what strains and fields follow from.
type stressOrder struct {
	field  int // 0: strains alone
	bodies []bodyLoad
}

type bodyLoad struct {
	nodes       []int32   // surface nodes that carry contact forces
	force       []float64 // 3 a node, body frame, divided by E, m
	gravity     [3]float64
	flexibility flexibility
	material    fem.Material
	body        *body // for what does not change
}

type stressResult struct {
	field    int
	surface  [][]float64   // by body: the field at the surface nodes; empty where there is none
	inverted int           // elements turned over
	beyond   int           // elements strained beyond fem.LinearLimit
	strain   float64       // largest principal strain
	took     time.Duration //
}

func (d *straining) prepare(w *World) {
	d.init(func(o *stressOrder) { o.bodies = make([]bodyLoad, len(w.bodies)) },
		func(r *stressResult) { r.surface = make([][]float64, len(w.bodies)) })
}

// exchange orders stresses for the present state when the last are old, and puts the newest ready ones into s. Physics
// goroutine.
func (d *straining) exchange(w *World, s *Snapshot) {
	period := max(strainPeriod, d.pause)
	if w.params.Field != 0 {
		period = stressPeriod
	}
	if now := time.Now(); now.Sub(d.last) >= period {
		d.last = now
		order := d.orders.Back()
		order.field = w.params.Field
		for i, b := range w.bodies {
			order.bodies[i].of(b)
		}
		d.post()
	}
	result, _ := d.results.Get()
	d.pause = time.Duration(float64(result.took) / strainShare)
	s.Inverted, s.Beyond, s.Strain, s.Field = result.inverted, result.beyond, result.strain, 0
	if w.params.Field != 0 { // the one asked for before, until the newest is there
		s.Field = result.field
	}
	for i := range s.Surfaces {
		s.Surfaces[i].Scalar = s.Surfaces[i].Scalar[:0]
		if s.Field != 0 {
			s.Surfaces[i].Scalar = append(s.Surfaces[i].Scalar, result.surface[i]...)
		}
	}
}

// fieldNow puts the field that is asked for on all surfaces: of a world without helpers, as libraries have it.
func (w *World) fieldNow(s *Snapshot) {
	s.Field = w.params.Field
	for i, b := range w.bodies {
		var o bodyLoad
		if o.of(b); !b.flexibility.elastic() {
			continue
		}
		if w.fillWork.inside(&o, b.flexibility.factor.solveNow) { // else no support holds it
			s.Surfaces[i].Scalar = w.fillWork.field(s.Surfaces[i].Scalar, &o, s.Field)
		}
	}
}

// inside finds the displacements of all nodes of a body under a load; false where that cannot be done.
func (ws *fillWork) inside(o *bodyLoad, solve func(u, load []float64) bool) bool {
	n := 3 * len(o.body.mesh.Nodes)
	ws.load, ws.all = num.Grow(ws.load, n), num.Grow(ws.all, n)
	o.fill(ws.load)
	return solve(ws.all, ws.load)
}

// field appends a field at the surface nodes, from the displacements that inside has found.
func (ws *fillWork) field(dst []float64, o *bodyLoad, field int) []float64 {
	ws.nodal = num.Grow(ws.nodal, len(o.body.mesh.Nodes))
	fillField(ws.nodal, field, o.flexibility.factor.recovery(), o.material, ws.all)
	for _, node := range o.body.surface {
		dst = append(dst, ws.nodal[node])
	}
	return dst
}

// of takes the load that a body bears now.
func (o *bodyLoad) of(b *body) {
	o.body, o.flexibility, o.material = b, b.flexibility, b.material()
	o.nodes = append(o.nodes[:0], b.active.nodes...)
	o.force = append(o.force[:0], b.force[:min(len(b.force), 3*len(o.nodes))]...)
	o.gravity = b.pose.InverseVector(b.gravity)
}

// Strains tells how many elements of all bodies linear elasticity has turned over in the last step, how many are strained
// beyond what it is honest for, and the largest principal strain. It solves with all of K, which takes milliseconds, and
// at first factorises it: for tables, not for loops.
func (w *World) Strains() (inverted, beyond int, largest float64) {
	var o bodyLoad
	for _, b := range w.bodies {
		if !b.flexibility.elastic() || len(b.active.nodes) == 0 && b.flexibility.weight[0] == nil {
			continue
		}
		o.of(b)
		if !w.fillWork.inside(&o, b.flexibility.factor.solveNow) {
			continue // no support that holds it: no displacements inside
		}
		turned, over, strain := b.flexibility.factor.recovery().Strains(w.fillWork.all)
		inverted, beyond, largest = inverted+turned, beyond+over, max(largest, strain)
	}
	return inverted, beyond, largest
}

// strainer is the work, with its memory.
func strainer() func(*stressOrder, *stressResult) bool {
	var ws fillWork
	return func(order *stressOrder, result *stressResult) bool {
		start := time.Now()
		result.inverted, result.beyond, result.strain, result.field = 0, 0, 0, order.field
		for i := range order.bodies {
			o := &order.bodies[i]
			result.surface[i] = result.surface[i][:0]
			s := o.flexibility.factor
			if !o.flexibility.elastic() || order.field == 0 && !s.ready() && len(o.body.mesh.Nodes) > countable {
				continue
			}
			if !ws.inside(o, s.solve) {
				continue
			}
			inverted, beyond, strain := s.recovery().Strains(ws.all)
			result.inverted, result.beyond, result.strain = result.inverted+inverted, result.beyond+beyond, max(result.strain, strain)
			if order.field != 0 {
				result.surface[i] = ws.field(result.surface[i], o, order.field)
			}
		}
		result.took = time.Since(start)
		return true
	}
}

// fillField writes a field at all nodes, from their displacements u.
func fillField(nodal []float64, field int, recovery *fem.Stress, material fem.Material, u []float64) {
	switch field {
	case vonMisesField:
		recovery.VonMises(nodal, material, u)
	case pressureField:
		recovery.Pressure(nodal, material, u)
	case strainField:
		recovery.Largest(nodal, u)
	case beyondField:
		recovery.Beyond(nodal, u)
	case displacementField:
		for n := range nodal {
			nodal[n] = math.Sqrt(u[3*n]*u[3*n] + u[3*n+1]*u[3*n+1] + u[3*n+2]*u[3*n+2])
		}
	}
}

// fill writes the nodal loads divided by E, so that a solve at E = 1 Pa gives the true displacements.
func (o *bodyLoad) fill(load []float64) {
	clear(load)
	if o.flexibility.weight[0] != nil {
		s := o.material.Density / o.material.Young
		fem.BodyForce(load, o.body.mesh, [3]float64{s * o.gravity[0], s * o.gravity[1], s * o.gravity[2]})
	}
	for k, node := range o.nodes {
		at := load[3*o.body.surface[node]:][:3]
		at[0] += o.force[3*k]
		at[1] += o.force[3*k+1]
		at[2] += o.force[3*k+2]
	}
}
