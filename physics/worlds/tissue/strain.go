package tissue

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// Linear elasticity holds for strains of some percent. A hand goes far beyond: then facets of the surface fold over,
// their normals point inward, and a contact that should push pulls: the organ hooks onto the tool. A limit keeps the
// linear body within what it can show. It is continuous, part of the contact problem before it is solved, and does not
// act at small strains: the surface stiffens. With k_max = contact.strain_limit, no facet is compressed, in the plane in
// which it lies at rest, to less than 1 - k_max of its length in any direction. Each facet near that gives a row to the
// contact problem, with a force inside the body as its unknown: a unilateral constraint like Signorini's, solved with
// the contacts (limitStrain). What cannot be compressed further takes its neighbours along, as stretched fibres do.
const (
	// A contact on nodes that are held is no stiffer than so many cubes of tissue side by side, each as large as the
	// longest edge of the surface: W alone says that nothing moves there, and any force would do.
	supports = 5
	// watched is how much more than the limit a facet may be stretched and still have its row: more than a step brings.
	watched = 0.6
	// patrolled is how many facets are looked at in a step wherever they are, of those that stand for their neighbours; no
	// more than nodes bear forces.
	patrolled = 8
	// limitAxes in a facet's plane have rows, evenly spread from the one in which it is the most compressed: that one
	// turns in a step, and then lies between two. By half their angle off them, a facet that is limited to L along both
	// and stretched by s across is not compressed to less than L - 0.17 (s - L).
	limitAxes = 4
)

// strains are those of a body's surface.
type strains struct {
	direction int32       // the body with itself, for the rows of its strain limits
	rest      []restFacet // of the facets
	least     []float64   // smaller stretch of each facet when it was last looked at
	seen      []float64   // deformed.travel at that time; below 0: not yet

	queue  []int32 // workspace of limitStrain: facets to look at
	short  []int32 // those of them that get rows
	queued marks
	beat   []int32 // facets that patrol looks at: each other has a corner of one of them
	next   int     // where patrol goes on
	faces  []int32 // of patrol
	nodes  []int32 // of patrol
}

// restFacet is how a facet lies at rest.
type restFacet struct {
	axis     [2]mgl64.Vec3 // orthonormal, in its plane, body frame
	gradient [3][2]float64 // of the corners' shape functions, along the axes, 1/m
	slope    float64       // sum of their lengths: no stretch changes by more for a way of the corners, 1/m
}

func newStrains(f *facets, rest []mgl64.Vec3) strains {
	n := len(f.triangles)
	s := strains{rest: make([]restFacet, n), least: make([]float64, n), seen: make([]float64, n), queued: newMarks(n)}
	s.forget()
	for i, t := range f.triangles {
		x := [3]mgl64.Vec3{rest[t[0]], rest[t[1]], rest[t[2]]}
		n := x[1].Sub(x[0]).Cross(x[2].Sub(x[0]))
		r := &s.rest[i]
		if !(n.LenSqr() > 0) {
			continue // a facet without area has no strain: its gradients are zero
		}
		r.axis[0] = x[1].Sub(x[0]).Normalize()
		r.axis[1] = n.Normalize().Cross(r.axis[0])
		for k := range 3 {
			g := n.Cross(x[(k+2)%3].Sub(x[(k+1)%3])).Mul(1 / n.LenSqr())
			r.gradient[k] = [2]float64{g.Dot(r.axis[0]), g.Dot(r.axis[1])}
			r.slope += g.Len()
		}
	}
	taken := make([]bool, len(rest))
	for i, t := range f.triangles {
		if !taken[t[0]] && !taken[t[1]] && !taken[t[2]] {
			taken[t[0]], taken[t[1]], taken[t[2]] = true, true, true
			s.beat = append(s.beat, int32(i))
		}
	}
	s.faces, s.nodes = make([]int32, 0, len(s.beat)), make([]int32, 0, 3*len(s.beat))
	return s
}

// forget makes all facets be looked at anew.
func (s *strains) forget() {
	for i := range s.seen {
		s.seen[i] = -1
	}
}

// stretches are the eigenvalues of a gradient.
func stretches(f11, f22, f12 float64) (least, most float64) {
	mean, half := (f11+f22)/2, (f11-f22)/2
	d := math.Sqrt(half*half + f12*f12)
	return mean - d, mean + d
}

// gradient is what stretch finds the eigenvalues of, in the facet's own axes.
func (b *body) gradient(facet int32) (f11, f22, f12 float64) {
	var x [3]mgl64.Vec3
	for k, node := range &b.facets.triangles[facet] {
		b.find(node)
		x[k] = b.displacement(node)
	}
	return b.gradientOf(facet, &x)
}

// gradientOf is gradient where the corners are displaced by x, body frame: 1 and what these do.
func (b *body) gradientOf(facet int32, x *[3]mgl64.Vec3) (f11, f22, f12 float64) {
	r := &b.strains.rest[facet]
	a, c := &r.axis[0], &r.axis[1]
	f11, f22 = 1, 1
	for k := range x {
		u, g := &x[k], &r.gradient[k]
		p, q := u[0]*a[0]+u[1]*a[1]+u[2]*a[2], u[0]*c[0]+u[1]*c[1]+u[2]*c[2]
		f11 += p * g[0]
		f22 += q * g[1]
		f12 += (p*g[1] + q*g[0]) / 2
	}
	return f11, f22, f12
}

// leastStretch of a facet: 1 at rest, 0 where it is about to turn over. Above enough it may be some lower bound that is
// above enough, too: a facet that was long enough when it was last looked at is still so while no node has come far
// since.
func (b *body) leastStretch(facet int32, enough float64) float64 {
	s := &b.strains
	if bound := b.stretchBound(facet); bound > enough {
		return bound
	}
	if s.seen[facet] != b.deformed.travel {
		for _, node := range &b.facets.triangles[facet] {
			b.locate(node)
		}
		b.look(facet)
	}
	return s.least[facet]
}

// stretchBound is what a facet's least stretch is not below.
func (b *body) stretchBound(facet int32) float64 {
	s := &b.strains
	if s.seen[facet] < 0 {
		return math.Inf(-1)
	}
	return s.least[facet] - s.rest[facet].slope*(b.deformed.travel-s.seen[facet])
}

// look finds a facet's least stretch.
func (b *body) look(facet int32) {
	f11, f22, f12 := b.gradient(facet)
	b.note(facet, f11, f22, f12)
}

// note remembers a facet's least stretch.
func (b *body) note(facet int32, f11, f22, f12 float64) {
	b.strains.least[facet], _ = stretches(f11, f22, f12)
	b.strains.seen[facet] = b.deformed.travel
}

// limitStrains adds to the contacts of this step the strain limits of all bodies.
func (w *World) limitStrains() {
	w.last.compression = 0
	if !(w.strainLimit > 0) {
		return
	}
	for _, b := range w.bodies {
		if b.flexibility.elastic() && len(b.deformed.now.nodes) > 0 {
			w.limitStrain(b)
		}
	}
}

// limitStrain looks at the facets around the nodes that carry forces, onward from those that are compressed, and at
// what patrol finds. A facet's least stretch along an axis a of its plane is
//
//	a F a = sum over corners of (x.a)(grad N.a) >= 1 - k_max
//
// linear in the displacements. Its row is that, times a length so that the greatest weight of a corner is 1: x_n = W
// r + q in metres, r the force along a that the corners exert on each other, N.
func (w *World) limitStrain(b *body) {
	s := &b.strains
	limit := 1 - w.strainLimit
	w.last.compression = max(w.last.compression, b.gather(limit+watched))
	s.short = s.short[:0]
	for _, facet := range s.queue {
		if b.leastStretch(facet, limit+watched) <= limit+watched {
			s.short = append(s.short, facet)
		}
	}
	slices.Sort(s.short) // in an order that does not depend on which contacts were solved for
	for _, facet := range s.short {
		f11, f22, f12 := b.gradient(facet)
		least := math.Atan2(2*f12, f11-f22)/2 + math.Pi/2
		for k := range limitAxes {
			sin, cos := math.Sincos(least + math.Pi*float64(k)/limitAxes)
			if f11*cos*cos+f22*sin*sin+2*f12*cos*sin <= limit+watched {
				w.addLimit(b, facet, int32(k), limit, [2]float64{cos, sin})
			}
		}
	}
}

// gather queues the facets around the nodes that carry forces, what patrol finds, and onward from those that are
// shorter than below. It returns the largest compression of all these.
func (b *body) gather(below float64) (compression float64) {
	s := &b.strains
	s.queued.reset()
	s.queue = s.queue[:0]
	for _, node := range b.deformed.now.nodes {
		s.add(b.normals.around[node])
	}
	b.patrol(below)
	for i := 0; i < len(s.queue); i++ {
		facet := s.queue[i]
		short := b.leastStretch(facet, below) <= below
		compression = max(compression, 1-s.least[facet])
		if short {
			for _, node := range &b.facets.triangles[facet] {
				s.add(b.normals.around[node])
			}
		}
	}
	return compression
}

// turning is what no facet that is looked at is compressed to less than after a step.
const turning = 0.02

// unfold takes of forces that would turn a facet over only a share: those of a solve that its deadline ended, as a rule.
// Stretches are linear in the forces, and 1 without any. A tool that is told where to be claims nothing of the kind.
func (w *World) unfold() {
	if !w.held.on {
		return
	}
	least := turning
	for _, b := range w.bodies {
		if b.flexibility.elastic() {
			least = min(least, b.leastOf(b.strains.queue))
			for _, node := range b.deformed.now.nodes {
				least = min(least, b.leastOf(b.normals.around[node]))
			}
		}
	}
	if least >= turning {
		return
	}
	w.clock.late = true
	for i := range w.set.r {
		w.set.r[i] *= (1 - turning) / (1 - least)
	}
	w.applyForces()
	w.adopt()
}

// leastOf is the smallest stretch of some facets, where one is below turning. What it sees is not remembered: the bound
// of how far nodes have come may be lowered yet.
func (b *body) leastOf(facets []int32) float64 {
	least := turning
	for _, f := range facets {
		if !(b.stretchBound(f) > turning) {
			now, _ := stretches(b.gradient(f))
			least = min(least, now)
		}
	}
	return least
}

// patrol adds to the queue what is compressed below some stretch far from all forces, as the hollow side of a body that
// a tool bends. Each step looks at some facets in turn, or at all where it is known anyway where they are.
func (b *body) patrol(below float64) {
	s := &b.strains
	n := len(s.beat)
	count := min(n, patrolled, len(b.deformed.now.nodes))
	if b.deformed.allNodes.state == b.deformed.state {
		count = n
	}
	s.faces, s.nodes = s.faces[:0], s.nodes[:0]
	for range count {
		facet := s.beat[s.next]
		s.next = (s.next + 1) % n
		if s.queued.has(facet) || b.stretchBound(facet) > below {
			continue
		}
		s.faces = append(s.faces, facet)
		s.nodes = append(s.nodes, b.facets.triangles[facet][:]...)
	}
	at := b.elasticOf(s.nodes)
	for i, facet := range s.faces {
		var x [3]mgl64.Vec3
		for k := range x {
			x[k] = b.flexibility.sag(s.nodes[3*i+k], b.deformed.now.load).Add(mgl64.Vec3(at[9*i+3*k:]))
		}
		f11, f22, f12 := b.gradientOf(facet, &x)
		if b.note(facet, f11, f22, f12); s.least[facet] < below {
			s.queued.take(facet)
			s.queue = append(s.queue, facet)
		}
	}
}

// freeLimit finds x_free of a strain limit.
func (w *World) freeLimit(i int) {
	c := &w.contacts[i]
	w.free[3*i] = -w.bodies[w.directions[c.direction].obstacle].freeOf(&c.q).Dot(c.n) - c.least
	w.free[3*i+1], w.free[3*i+2], w.mu[i] = 0, 0, 0
}

func (s *strains) add(facets []int32) {
	for _, f := range facets {
		if s.queued.take(f) {
			s.queue = append(s.queue, f)
		}
	}
}

// giveWay lets what holds the bodies give way under the contacts of the problem, in W.
func (w *World) giveWay(delassus []float64) {
	if !(w.strainLimit > 0) {
		return
	}
	next := 3*len(w.set.kept) + 1 // on the diagonal
	for k, i := range w.set.kept {
		if int(i) >= w.touching {
			break // limits of strain: they come last
		}
		c, at := &w.contacts[i], 3*k*next
		_, a, b := w.direction(c.direction)
		for d := range 3 {
			delassus[at+d*next] += a.held(&c.p) + b.held(&c.q)
		}
	}
}

// held is what the body's support gives way under a contact, m/N.
func (b *body) held(s *side) float64 {
	if !b.flexibility.elastic() {
		return 0
	}
	share := 0.0
	for k := range s.count {
		if b.info.Fixed[s.node[k]] {
			share += s.weight[k]
		}
	}
	return share / (supports * b.longest * b.young)
}

// addLimit adds the row of one axis of a facet, given in the facet's own axes, which rotation turns into the world.
func (w *World) addLimit(b *body, facet, which int32, limit float64, axis [2]float64) {
	s := &b.strains
	r := &s.rest[facet]
	var weight [3]float64
	most := 0.0
	for k := range weight {
		weight[k] = r.gradient[k][0]*axis[0] + r.gradient[k][1]*axis[1]
		most = max(most, math.Abs(weight[k]))
	}
	for k := range weight {
		weight[k] /= -most // x = X(P) - X(Q), and there is no P
	}
	c := contactPoint{
		id: identity(s.direction, strainLimit, which, facet), direction: s.direction, kind: strainLimit,
		node: noFeature, triangle: facet, least: limit / most,
		q: faceSide(b.facets.triangles[facet], weight),
	}
	c.set(b.deformed.now.rotation.Mul3x1(r.axis[0].Mul(axis[0]).Add(r.axis[1].Mul(axis[1]))))
	w.contacts = append(w.contacts, c)
}
