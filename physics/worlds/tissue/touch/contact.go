package touch

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/numerics/num"
)

// Point is a weighted mean of up to three nodes of a surface, or a place of the tool.
type Point struct {
	Surface int32
	Count   int8 // of nodes; 0: Place
	Node    [3]int32
	Weight  [3]float64 // sum 1; some may be 0
	Place   mgl64.Vec3 // in the tool's frame, m
}

// Key names a pair of features, from step to step the same. None is 0.
type Key uint64

// kind says which features a pair has, the one that P is on first.
type kind uint8

const (
	nodeFace kind = iota + 1 // a node, a triangle
	edgeEdge
	faceTool // a triangle and the tool's core; of a contact that is at an edge or a node of it these:
	edgeTool
	nodeTool
)

// The most that keys tell apart.
const (
	MaxSurfaces = 1 << 8
	MaxFeatures = 1 << 22 // nodes, edges or triangles of a surface
)

// pair is two features: of surface s and of surface o, whose numbers are a and b. With the tool o is 0, and b tells the
// points of a feature that touch it from each other, up to mostPoints.
type pair struct {
	kind kind
	s, o int32
	a, b int32
}

func (p *pair) key() Key {
	return Key(p.kind)<<60 | Key(p.s)<<52 | Key(p.o)<<44 | Key(p.a)<<22 | Key(p.b)
}

// mostPoints of a triangle or an edge touch a tool at a time: a plane on a ball needs one, on a capsule two, and a patch that
// the tool slides over one more at each end.
const mostPoints = 4

// base is the key of a feature's first point.
func (k Key) base() Key {
	if kind(k>>60) >= faceTool {
		return k &^ (MaxFeatures - 1)
	}
	return k
}

func (k Key) pair() pair {
	part := func(from int, most Key) int32 { return int32(k >> from & (most - 1)) }
	return pair{kind(k >> 60), part(52, MaxSurfaces), part(44, MaxSurfaces), part(22, MaxFeatures), part(0, MaxFeatures)}
}

// Contact is a pair of features that is near or bears.
type Contact struct {
	Key   Key
	P, Q  Point         // closest points; Q is on the other surface or on the tool
	Frame [3]mgl64.Vec3 // unit: n from Q to P, t1, t2
	Gap   float64       // m, above 0 in a state without crossings
	Thick float64       // d, of its layer, m
	Force mgl64.Vec3    // newest, on P, world, N
	Held  bool          // it is kept, whether it bears or not,
	Rest  float64       // and rests at so much more than its layer, m

	along mgl64.Vec3 // t1 when it was found
}

// R is the force in the contact's frame, N.
func (c *Contact) R() (r [3]float64) {
	for k := range r {
		r[k] = c.Force.Dot(c.Frame[k])
	}
	return r
}

// Bear sets the force by its components in the contact's frame, N.
func (c *Contact) Bear(n, t1, t2 float64) {
	c.Force = c.Frame[0].Mul(n).Add(c.Frame[1].Mul(t1)).Add(c.Frame[2].Mul(t2))
}

// bears tells that it has a force, or may have one of another kind.
func (c *Contact) bears() bool { return c.Held || c.Force != mgl64.Vec3{} }

// face turns the frame that the contact was found with to a new normal by the least rotation, so that what is written in its components
// turns with the surfaces.
func (c *Contact) face(n mgl64.Vec3) {
	t := c.along.Sub(n.Mul(n.Dot(c.along)))
	if l := t.Len(); l > 0.1 {
		t = t.Mul(1 / l)
	} else {
		t = num.Across(n)
	}
	c.Frame = [3]mgl64.Vec3{n, t, n.Cross(t)}
}

// At is where a point is, world, m.
func (s *Set) At(p *Point) (x mgl64.Vec3) {
	if p.Count == 0 {
		return s.Tool.Pose.Point(p.Place)
	}
	at := s.Surfaces[p.Surface].X
	for k := range p.Count {
		if w := p.Weight[k]; w != 0 {
			x = x.Add(at[p.Node[k]].Mul(w))
		}
	}
	return x
}

// locate finds the closest points of a new contact's features where they are now.
func (s *Set) locate(c *Contact) {
	p := c.Key.pair()
	s.closest(&p, &c.P, &c.Q)
	s.measure(c)
}

// measure finds the normal and the gap where a contact's features are now. The normal stays as it was where the closest
// points coincide. The point of a triangle or an edge that touches a round tool is one of the tissue, and stays: where
// they are closest moves with each tilt, by the tool's radius times its angle, which no contact problem knows of.
func (s *Set) measure(c *Contact) {
	p := c.Key.pair()
	var d, q mgl64.Vec3
	if p.kind < faceTool {
		d, q = s.closest(&p, &c.P, &c.Q)
		d = d.Sub(q)
	} else {
		x := s.At(&c.P)
		d = s.toCore(x)
		q = x.Sub(d)
	}
	l := d.Len()
	if l > 0 {
		c.face(d.Mul(1 / l))
	}
	if c.Gap = l; p.kind >= faceTool {
		c.Gap -= s.Tool.Round
		c.Q = Point{Place: s.Tool.Pose.InversePoint(q.Add(c.Frame[0].Mul(s.Tool.Round)))}
	}
}

// toCore is the way to a point from what of the tool's core is closest to it, m.
func (s *Set) toCore(x mgl64.Vec3) mgl64.Vec3 {
	core := &s.Tool.core
	_, v, _ := collision.ClosestSegments(x, x, core[0], core[1])
	return x.Sub(between(core, v))
}

// closest finds the closest points of two features, and where they are; of a tool it is the one of its core.
func (s *Set) closest(p *pair, at, of *Point) (x, q mgl64.Vec3) {
	f := s.Surfaces[p.s]
	switch p.kind {
	case nodeFace:
		o := s.Surfaces[p.o]
		t := o.Triangles[p.b]
		w, _ := collision.ClosestOnTriangle(f.X[p.a], o.X[t[0]], o.X[t[1]], o.X[t[2]])
		*at, *of = nodePoint(p.s, p.a), Point{Surface: p.o, Count: 3, Node: t, Weight: w}
		return s.At(at), s.At(of)
	case edgeEdge:
		o := s.Surfaces[p.o]
		e, g := f.shape.Edges[p.a].Node, o.shape.Edges[p.b].Node
		u, v, _ := collision.ClosestSegments(f.X[e[0]], f.X[e[1]], o.X[g[0]], o.X[g[1]])
		*at, *of = edgePoint(p.s, e, u), edgePoint(p.o, g, v)
		return s.At(at), s.At(of)
	}
	core := &s.Tool.core
	switch p.kind {
	case faceTool:
		var weights [3]float64
		weights, q, _ = s.faceToCore(f, p.a)
		*at = Point{Surface: p.s, Count: 3, Node: f.Triangles[p.a], Weight: weights}
	case edgeTool:
		e := f.shape.Edges[p.a].Node
		u, v, _ := collision.ClosestSegments(f.X[e[0]], f.X[e[1]], core[0], core[1])
		*at, q = edgePoint(p.s, e, u), between(core, v)
	case nodeTool:
		*at = nodePoint(p.s, p.a)
		_, v, _ := collision.ClosestSegments(f.X[p.a], f.X[p.a], core[0], core[1])
		q = between(core, v)
	}
	return s.At(at), q
}

func nodePoint(surface, node int32) Point {
	return Point{Surface: surface, Count: 1, Node: [3]int32{node}, Weight: [3]float64{1}}
}

func edgePoint(surface int32, e [2]int32, s float64) Point {
	return Point{Surface: surface, Count: 2, Node: [3]int32{e[0], e[1]}, Weight: [3]float64{1 - s, s}}
}

func between(core *[2]mgl64.Vec3, v float64) mgl64.Vec3 {
	return core[0].Mul(1 - v).Add(core[1].Mul(v))
}

// faceToCore finds the point of a triangle that is closest to the tool's core, that of the core, and their squared
// distance.
func (s *Set) faceToCore(f *Surface, face int32) (w [3]float64, q mgl64.Vec3, dist2 float64) {
	t := &f.Triangles[face]
	return toCore(f.X[t[0]], f.X[t[1]], f.X[t[2]], &s.Tool.core)
}

func toCore(a, b, c mgl64.Vec3, core *[2]mgl64.Vec3) (w [3]float64, q mgl64.Vec3, dist2 float64) {
	dist2 = math.Inf(1)
	for k, end := range core {
		if k > 0 && end == core[0] {
			return w, q, dist2
		}
		if at, d := collision.ClosestOnTriangle(end, a, b, c); d < dist2 {
			w, q, dist2 = at, end, d
		}
	}
	corner := [3]mgl64.Vec3{a, b, c}
	for k := range 3 {
		l := (k + 1) % 3
		u, v, d := collision.ClosestSegments(corner[k], corner[l], core[0], core[1])
		if d < dist2 {
			w, q, dist2 = [3]float64{}, between(core, v), d
			w[k], w[l] = 1-u, u
		}
	}
	return w, q, dist2
}
