package tissue

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
)

// contactKind says which features of the two bodies meet.
type contactKind uint8

const (
	nodeFace       contactKind = iota + 1 // a node of the impactor, a triangle of the obstacle
	edgeEdge                              // an edge of each
	onRigidSurface                        // see rigidSurface
	strainLimit                           // the strain of a facet of the obstacle, see limitStrain; not felt as a contact
)

// contactPoint is one contact of the current step, with the geometry that stays frozen while the step is solved.
type contactPoint struct {
	id        uint64 // the same from step to step for the same features
	direction int32
	kind      contactKind
	node      int32 // nodeFace: of the impactor's surface; others: below 0
	triangle  int32 // nodeFace and strainLimit: of the obstacle's facets; others: below 0
	p, q      side  // P on the impactor, Q on the obstacle
	axes
	offset [2]float64
	mu     float64
	least  float64 // strainLimit: what the limit takes of the gap, m
}

// axes are a contact's: n from obstacle to impactor, t1 along the world's X as far as it can be, and t2 = n x t1.
type axes struct{ n, t1, t2 mgl64.Vec3 }

func (a *axes) set(n mgl64.Vec3) {
	axis := mgl64.Vec3{1, 0, 0}
	if math.Abs(n[0]) > 0.999 {
		axis = mgl64.Vec3{0, 0, 1}
	}
	a.n = n
	a.t1 = axis.Sub(n.Mul(axis.Dot(n))).Normalize()
	a.t2 = n.Cross(a.t1)
}

// force is r (n, t1, t2) in the world, N.
func (a *axes) force(r []float64) (f mgl64.Vec3) {
	n, t1, t2 := r[0], r[1], r[2]
	for k := range f {
		f[k] = a.n[k]*n + a.t1[k]*t1 + a.t2[k]*t2
	}
	return f
}

// parts of a vector along the axes.
func (a *axes) parts(f mgl64.Vec3) (n, t1, t2 float64) { return f.Dot(a.n), f.Dot(a.t1), f.Dot(a.t2) }

// across are the tangential ones.
func (a *axes) across(d mgl64.Vec3) [2]float64 { return [2]float64{d.Dot(a.t1), d.Dot(a.t2)} }

// noFeature stands for a node or triangle where there is none. It is not -1, which says that nothing is selected.
const noFeature = -2

// side is a contact point as one body has it: a weighted mean of surface nodes, or a point of a rigid body that has no
// nodes there.
type side struct {
	count  int8
	node   [3]int32
	weight [3]float64 // sum 1; some may be 0
	point  mgl64.Vec3 // where count is 0: body frame, m
}

func nodeSide(node int32) side {
	return side{count: 1, node: [3]int32{node}, weight: [3]float64{1}}
}

func edgeSide(edge [2]int32, s float64) side {
	return side{count: 2, node: [3]int32{edge[0], edge[1]}, weight: [3]float64{1 - s, s}}
}

func faceSide(triangle [3]int32, weights [3]float64) side {
	return side{count: 3, node: triangle, weight: weights}
}

// maxFeatures is how many edges a body may have to be told apart.
const maxFeatures = 1 << 21

// identity names a contact by its features, from 0: what does not change while they touch. Pairs are told apart up to
// 2^20, features up to maxFeatures. No identity is 0.
func identity(pair int32, kind contactKind, impactor, obstacle int32) uint64 {
	return uint64(pair)<<45 | uint64(kind)<<42 | uint64(impactor)<<21 | uint64(obstacle)
}

// pairOf is the direction that an identity names, and kindOf the kind.
func pairOf(id uint64) int32 { return int32(id >> 45) }

func kindOf(id uint64) contactKind { return contactKind(id >> 42 & 7) }

// nodeIdentity is that of a node's contact: the obstacle's triangle changes as the node slides.
func nodeIdentity(pair, node int32) uint64 {
	return identity(pair, nodeFace, node/maxFeatures, node%maxFeatures)
}

// pointOf is where a contact point is on the deformed body, world, m.
func (b *body) pointOf(s *side) (x mgl64.Vec3) {
	if s.count == 0 {
		return b.deformed.now.rotation.Mul3x1(s.point).Add(b.deformed.now.origin)
	}
	for k := range s.count {
		if s.weight[k] != 0 {
			x = x.Add(b.at(s.node[k]).Mul(s.weight[k]))
		}
	}
	return x
}

// freeOf is where it would be in the present pose without contact forces.
func (b *body) freeOf(s *side) mgl64.Vec3 {
	y, sum := s.point, 1.0
	if s.count > 0 {
		y, sum = mgl64.Vec3{}, 0 // in the body's frame: one rotation for all nodes
		heavy := b.load != mgl64.Vec3{}
		for k := range s.count {
			f := s.weight[k]
			if f == 0 {
				continue
			}
			x := &b.rest[s.node[k]]
			y[0] += f * x[0]
			y[1] += f * x[1]
			y[2] += f * x[2]
			if heavy {
				y = y.Add(b.flexibility.sag(s.node[k], b.load).Mul(f))
			}
			if b.grasp != nil {
				y = y.Add(b.pulled(s.node[k]).Mul(f))
			}
			sum += f
		}
	}
	r, o := &b.rotation, &b.pose.Position
	return mgl64.Vec3{
		r[0]*y[0] + r[3]*y[1] + r[6]*y[2] + sum*o[0],
		r[1]*y[0] + r[4]*y[1] + r[7]*y[2] + sum*o[1],
		r[2]*y[0] + r[5]*y[1] + r[8]*y[2] + sum*o[2],
	}
}

// nodeMemory is what one impactor node remembers of its contact from step to step: the force, to start the next solve
// from, and where it stuck.
type nodeMemory struct {
	touching bool
	stuck    bool
	triangle int32
	contact  int32 // its place among this step's contacts, to be checked; see World.contactOf
	weights  [3]float64
	offset   [2]float64 // tangential P - Q that counts as no slip, m
	force    mgl64.Vec3 // world, N
	facing   facing
	far      float64 // not within reach before the two bodies' travel exceeds this, m
}

// memory is what a contact of any other kind remembers.
type memory struct {
	stuck    bool
	s, t     float64    // edgeEdge: of P along the impactor's edge, of Q along the obstacle's
	point, n mgl64.Vec3 // onRigidSurface: of the surface, in its frame
	offset   [2]float64
	force    mgl64.Vec3 // world, N; of a strain limit along its axis
	facing   facing
}

// facing is a contact's normal in the last step, world, and how it turned in that; zero: there was none.
type facing struct{ n, turn mgl64.Vec3 }

// steady is the normal that a contact gets whose surfaces have n now. A step's normals are those of the shape that the
// last one left, and shapes follow normals: under a large force they may go to and fro for ever. Under a free hand what
// turns back turns by half.
func (w *World) steady(n mgl64.Vec3, was *facing) mgl64.Vec3 {
	if turn := n.Sub(was.n); w.held.spring.Stiffness > 0 && turn.Dot(was.turn) < 0 {
		if mean := n.Add(was.n); mean.Len() > 0 {
			return mean.Normalize()
		}
	}
	return n
}

// take makes n the last normal.
func (f *facing) take(n mgl64.Vec3) {
	if f.n != (mgl64.Vec3{}) {
		f.turn = n.Sub(f.n)
	}
	f.n = n
}

// warmStart begins with the last forces of the same contacts, seen in the new frames.
func (w *World) warmStart() {
	for i := range w.contacts {
		c := &w.contacts[i]
		var f mgl64.Vec3
		if c.kind == nodeFace {
			f = w.directions[c.direction].memory[c.node].force
		} else if m := w.memory.get(c.id); m != nil {
			f = m.force
		}
		if c.kind == strainLimit {
			f = c.n.Mul(f[0])
		}
		w.r[3*i], w.r[3*i+1], w.r[3*i+2] = c.parts(f)
	}
}

// remember keeps for the next step what the contacts learnt in this one.
func (w *World) remember() {
	w.nextMemory.clear()
	for i := range w.contacts {
		c, r := &w.contacts[i], w.r[3*i:3*i+3]
		if c.kind == strainLimit {
			w.nextMemory.put(c.id).force = mgl64.Vec3{r[0]}
			continue
		}
		stuck, force := w.solving.status[i] == contact.Stick, c.force(r)
		p := &w.directions[c.direction]
		if c.kind == nodeFace {
			m := &p.memory[c.node]
			m.touching, m.stuck = true, stuck
			m.facing.take(c.n)
			m.triangle, m.weights, m.offset, m.force = c.triangle, c.q.weight, c.offset, force
			p.touched = append(p.touched, c.node)
			continue
		}
		m := w.nextMemory.put(c.id)
		if old := w.memory.get(c.id); old != nil {
			m.facing = old.facing
		}
		m.facing.take(c.n)
		m.stuck, m.offset, m.force = stuck, c.offset, force
		if c.kind == edgeEdge {
			m.s, m.t = c.p.weight[1], c.q.weight[1]
		} else {
			m.point, m.n = c.p.point, w.bodies[p.impactor].pose.InverseVector(c.n)
		}
	}
	w.memory, w.nextMemory = w.nextMemory, w.memory
}

// forget makes the next step start without a past.
func (w *World) forget() {
	for i := range w.directions {
		clear(w.directions[i].memory)
		w.directions[i].touched = w.directions[i].touched[:0]
	}
	for i := range w.bodyPairs {
		w.bodyPairs[i].listAgain()
	}
	w.memory.clear()
	w.live = w.live[:0]
	for _, b := range w.bodies {
		b.strains.next = 0
	}
}

// identities keep something for each of a few contacts, by identity: a table with open addressing, at most half full.
// It grows when it has to, and keeps its size.
type identities[V any] struct {
	keys   []uint64 // 0: free
	values []V
	n      int
}

// minIdentities is the least size of a table that holds anything.
const minIdentities = 64

// reserve makes room for n contacts; what is in the table stays.
func (t *identities[V]) reserve(n int) {
	size := max(minIdentities, len(t.keys))
	for size < 2*n {
		size *= 2
	}
	if size == len(t.keys) {
		return
	}
	keys, values := t.keys, t.values
	t.keys, t.values, t.n = make([]uint64, size), make([]V, size), 0
	for i, key := range keys {
		if key != 0 {
			*t.put(key) = values[i]
		}
	}
}

// slot is where a key is or would be. Fibonacci hashing: the high bits of the product depend on all bits of the key.
func (t *identities[V]) slot(key uint64) int {
	mask := len(t.keys) - 1
	h := key * 0x9e3779b97f4a7c15
	for i := int(h>>32) & mask; ; i = (i + 1) & mask {
		if t.keys[i] == key || t.keys[i] == 0 {
			return i
		}
	}
}

// get returns what is kept for a contact, nil where nothing is. It is valid until the next put.
func (t *identities[V]) get(key uint64) *V {
	if t.n == 0 {
		return nil
	}
	if i := t.slot(key); t.keys[i] == key {
		return &t.values[i]
	}
	return nil
}

// put returns the place of what is kept for a contact, zero if it is new.
func (t *identities[V]) put(key uint64) *V {
	if 2*(t.n+1) > len(t.keys) {
		t.reserve(max(minIdentities/2, 2*t.n))
	}
	i := t.slot(key)
	if t.keys[i] != key {
		var zero V
		t.keys[i], t.values[i] = key, zero
		t.n++
	}
	return &t.values[i]
}

func (t *identities[V]) clear() {
	if t.n > 0 {
		clear(t.keys)
		t.n = 0
	}
}
