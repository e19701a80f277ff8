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
	node      int32      // nodeFace: of the impactor's surface; others: below 0
	triangle  int32      // nodeFace and strainLimit: of the obstacle's facets; others: below 0
	p, q      side       // P on the impactor, Q on the obstacle
	n         mgl64.Vec3 // from obstacle to impactor
	t1, t2    mgl64.Vec3
	offset    [2]float64
	mu        float64
	least     float64 // strainLimit: what the limit takes of the gap, m
}

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

// pairOf is the direction that an identity names.
func pairOf(id uint64) int32 { return int32(id >> 45) }

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
	n        mgl64.Vec3
	far      float64 // not within reach before the two bodies' travel exceeds this, m
}

// edgeMemory is what a pair of edges remembers.
type edgeMemory struct {
	stuck  bool
	s, t   float64 // of P along the impactor's edge, of Q along the obstacle's
	offset [2]float64
	force  mgl64.Vec3 // world, N
}

// warmStart begins with the last forces of the same contacts, seen in the new frames.
func (w *World) warmStart() {
	for i := range w.contacts {
		c := &w.contacts[i]
		var f mgl64.Vec3
		switch c.kind {
		case edgeEdge:
			if m := w.edges.get(c.id); m != nil {
				f = m.force
			}
		case onRigidSurface:
			if m := w.rigids.get(c.id); m != nil {
				f = m.force
			}
		case strainLimit:
			if m := w.limits.get(c.id); m != nil {
				f = c.n.Mul(m.force)
			}
		default:
			f = w.directions[c.direction].memory[c.node].force
		}
		w.r[3*i], w.r[3*i+1], w.r[3*i+2] = f.Dot(c.n), f.Dot(c.t1), f.Dot(c.t2)
	}
}

// remember keeps for the next step what the contacts learnt in this one.
func (w *World) remember() {
	w.nextEdges.clear()
	w.nextRigids.clear()
	w.nextLimits.clear()
	for i := range w.contacts {
		c := &w.contacts[i]
		r := w.r[3*i : 3*i+3]
		stuck := w.status[i] == contact.Stick
		force := c.n.Mul(r[0]).Add(c.t1.Mul(r[1])).Add(c.t2.Mul(r[2]))
		if c.kind == strainLimit {
			w.nextLimits.put(c.id).force = r[0]
			continue
		}
		if c.kind == edgeEdge {
			*w.nextEdges.put(c.id) = edgeMemory{stuck: stuck, s: c.p.weight[1], t: c.q.weight[1], offset: c.offset, force: force}
			continue
		}
		if c.kind == onRigidSurface {
			n := w.bodies[w.directions[c.direction].impactor].pose.InverseVector(c.n)
			*w.nextRigids.put(c.id) = rigidMemory{stuck: stuck, p: c.p, n: n, offset: c.offset, force: force}
			continue
		}
		p := &w.directions[c.direction]
		m := &p.memory[c.node]
		m.touching, m.stuck = true, stuck
		m.triangle, m.weights, m.offset = c.triangle, c.q.weight, c.offset
		m.n, m.force = c.n, force
		p.touched = append(p.touched, c.node)
	}
	w.edges, w.nextEdges = w.nextEdges, w.edges
	w.rigids, w.nextRigids = w.nextRigids, w.rigids
	w.limits, w.nextLimits = w.nextLimits, w.limits
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
	w.edges.clear()
	w.rigids.clear()
	w.limits.clear()
	w.live, w.wedged, w.settling = w.live[:0], 0, 0
	for _, b := range w.bodies {
		b.borne, b.strains.next = 0, 0
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

// axes sets the frame: t1 along the world's X as far as it can be, t2 = n x t1.
func (c *contactPoint) axes(n mgl64.Vec3) {
	axis := mgl64.Vec3{1, 0, 0}
	if math.Abs(n[0]) > 0.999 {
		axis = mgl64.Vec3{0, 0, 1}
	}
	c.n = n
	c.t1 = axis.Sub(n.Mul(axis.Dot(n))).Normalize()
	c.t2 = n.Cross(c.t1)
}
