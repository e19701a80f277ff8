package tissue

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
)

// A support is not rigid. Where a tool is pressed on nodes that are held, W says that nothing moves, and the force
// could be any. So all contacts with a body together are no stiffer there than so many cubes of its tissue side by
// side, each as large as the longest edge of the surface.
const supports = 5

// Nor does tissue bear any force: a tool that is forced into a clamp, or ploughs through a thin shelf, sinks in. To
// press a tool into a body takes about Young's modulus times depth times the tool's width: 0.7 to 1.3 times that on
// organs, up to 2.3 where a layer is thin, a blade lies on it or a box is pushed over an edge (with bears 2 it is found
// 1.2 mm inside). What it is deeper than wide is bending, or tissue that is dragged along: the mean pressure is bears
// times Young's modulus at most, as at large strains. Beyond that, and beyond what presses a cube as wide as the tool
// flat, the step's problem is another: its W is so many times larger that the tissue bears its forces. All of them are
// smaller by that share then, those inside the bodies, too, and so are the bodies' displacements: no facet is
// compressed by more. The tool is found inside the tissue by what is missing. The same happens where a facet would turn
// over in spite of its limit, as when a body snaps or a deadline ends the solve.
const (
	bears = 2.5
	flat  = 1.05 // of Young's modulus times the face of that cube
	// A force beyond that grows by no more than this in a step: a tool that is swept into a clamp sinks in, and does
	// not first feel what a slow press would.
	quicker = 1.25
	// No facet that is looked at is compressed to less than this after a step.
	turning = 0.02
)

// soften raises what W has too little of: the compliance of strain limits, that of contacts at a support, and that of
// all contacts under a great force. How much a contact gives way when all that carry are pressed alike is the sum of
// its row.
func (w *World) soften(p *contact.Problem) {
	if !(w.strainLimit > 0) {
		return
	}
	s, n := &w.set, 3*p.N
	for k, i := range s.kept {
		c := &w.contacts[i]
		row := p.W[3*k*n : (3*k+1)*n]
		_, a, b := w.direction(c.direction)
		if c.kind == strainLimit {
			row[3*k] += stiffens * max(row[3*k], b.leastCompliance())
			continue
		}
		more := 0.0
		if held := max(a.held(&c.p), b.held(&c.q)); held > 0 {
			each := max(a.leastCompliance(), b.leastCompliance())
			sum, least := row[3*k], each
			for j := range s.kept {
				if j != k && s.r[3*j] != 0 && w.contacts[s.kept[j]].kind != strainLimit {
					sum += math.Abs(row[3*j])
					least += each
				}
			}
			more += max(0, least*held-sum)
		}
		for d := 3 * k; d < 3*k+3; d++ {
			p.W[d*n+d] += more
		}
	}
}

// yield lets the tool sink in where a body would have to bear too much.
func (w *World) yield() {
	if !(w.strainLimit > 0) {
		return
	}
	share := 1.0
	for i, b := range w.bodies {
		if b.flexibility.elastic() {
			force, most := w.pressed(i)
			if most = min(most, max(flat*b.young*b.cube*b.cube, quicker*b.borne)); !(force <= most) {
				share = min(share, most/force)
			}
			b.borne = force
		}
	}
	if !(share >= 1) {
		w.sink(share)
	}
}

// unfold makes sure that no facet around what carries forces has turned over: the bodies' stretches are linear in the
// forces, and 1 without.
func (w *World) unfold() {
	if !(w.strainLimit > 0) {
		return
	}
	share := 1.0
	for _, b := range w.bodies {
		if b.flexibility.elastic() {
			least := b.leastOf(b.strains.queue)
			for _, node := range b.deformed.now.nodes {
				least = min(least, b.leastOf(b.normals.around[node]))
			}
			share = min(share, (1-turning)/(1-least))
		}
	}
	if !(share >= 1) { // displacements that are no numbers, too
		w.sink(share)
		for _, b := range w.bodies {
			b.adopt()
		}
	}
}

// leastOf is the smallest stretch of some facets, where one is below turning. What it sees is not remembered: the bound
// of how far nodes have come may be lowered yet.
func (b *body) leastOf(facets []int32) float64 {
	least := turning
	for _, f := range facets {
		if !(b.stretchBound(f) > turning) {
			now, _ := stretches(b.gradient(f, present))
			least = min(least, now)
		}
	}
	return least
}

// sink makes everything softer, so that the forces are a share of what they were, and solves again.
func (w *World) sink(share float64) {
	p, s := w.posed.change(), &w.set
	if share > 0 {
		w.posed.softer /= share
		for i := range p.W {
			p.W[i] /= share
		}
		for i := range s.r {
			s.r[i] *= share
		}
		for _, b := range w.bodies {
			b.borne *= share
		}
	} else { // forces that are no numbers
		clear(s.r)
		for _, b := range w.bodies {
			b.borne = 0
		}
	}
	w.solveAgain()
	w.applyForces()
}

// footprint is where the tool presses on a body, at rest, and how much.
type footprint struct {
	force     float64 // sum of the contacts', N
	low, high mgl64.Vec3
	sum       mgl64.Vec3 // of the places, weighted with their forces
	square    float64    // of their squares, likewise
}

func (f *footprint) add(x mgl64.Vec3, r float64) {
	if f.force == 0 {
		f.low, f.high = x, x
	}
	for d := range 3 {
		f.low[d], f.high[d] = min(f.low[d], x[d]), max(f.high[d], x[d])
	}
	f.force += r
	f.sum = f.sum.Add(x.Mul(r))
	f.square += r * x.LenSqr()
}

// width of the load, m: that of an even one with its deviation, 2 sqrt(3) of it, and at most as far as the contacts are
// apart. A shaft that touches all along and is carried at one end is as wide as what carries.
func (f *footprint) width() float64 {
	if !(f.force > 0) {
		return 0
	}
	middle := f.sum.Mul(1 / f.force)
	even := math.Sqrt(12 * max(0, f.square/f.force-middle.LenSqr()))
	return min(even, f.high.Sub(f.low).Len())
}

// bearable is what a body bears of a tool that is so deep in it, and wide, m; in N.
func (b *body) bearable(deep, wide float64) float64 {
	wide = max(b.cube, wide)
	return b.young * max(bears*min(deep, wide)*wide, flat*b.cube*b.cube)
}

// pressed is the force of the tool on a body and what the body bears, N: no less than what presses a cube flat, which
// is all that counts where the force is not larger.
func (w *World) pressed(index int) (force, most float64) {
	b := w.bodies[index]
	for k := range w.set.kept {
		if w.feels(index, k) != nil {
			force += w.set.r[3*k]
		}
	}
	if most = b.bearable(0, 0); force <= most {
		return force, most
	}
	deep := 0.0
	var under footprint
	for k := range w.set.kept {
		if at := w.feels(index, k); at != nil {
			under.add(b.freeOf(at), w.set.r[3*k])
			deep = max(deep, b.pressedIn(at))
		}
	}
	size := b.high.Sub(b.low)
	deep = min(deep, size[0], size[1], size[2]) // the rest is bending
	return force, b.bearable(deep, under.width())
}

// feels is where a body feels a contact of the active set between the tool and another one, nil where it does not.
func (w *World) feels(index, k int) *side {
	c := &w.contacts[w.set.kept[k]]
	pair := &w.directions[c.direction]
	switch {
	case w.set.r[3*k] == 0 || (pair.impactor == w.driven) == (pair.obstacle == w.driven):
	case pair.impactor == index:
		return &c.p
	case pair.obstacle == index:
		return &c.q
	}
	return nil
}

// pressedIn is how far contact forces move a point into the shape at rest, m.
func (b *body) pressedIn(s *side) (deep float64) {
	for k := range s.count {
		node, most := s.node[k], 0.0
		e := mgl64.Vec3(b.deformed.coming[3*node:][:3])
		for _, f := range b.normals.around[node] {
			most = max(most, -b.strains.rest[f].normal.Dot(e))
		}
		deep += s.weight[k] * most
	}
	return deep
}

// giveWay softens all contacts by what a support gives way. Much friction may wedge a tool between contacts: then no
// forces obey both laws, and what a solver ends with grows without bound.
func (w *World) giveWay() {
	p := w.posed.change()
	n := 3 * p.N
	for k, i := range w.set.kept {
		c := &w.contacts[i]
		if c.kind == strainLimit {
			continue
		}
		_, a, b := w.direction(c.direction)
		each := max(a.leastCompliance(), b.leastCompliance())
		for d := 3 * k; d < 3*k+3; d++ {
			p.W[d*n+d] += each
		}
	}
}

// held is the share of a contact point that the body's support holds.
func (b *body) held(s *side) (share float64) {
	if b.flexibility.elastic() {
		for k := range s.count {
			if b.info.Fixed[s.node[k]] {
				share += s.weight[k]
			}
		}
	}
	return share
}

// leastCompliance of all contacts on the body together, m/N.
func (b *body) leastCompliance() float64 {
	if !b.flexibility.elastic() {
		return 0
	}
	return 1 / (supports * b.longest * b.young)
}
