package probing

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/worlds/tissue"
)

type vec = mgl64.Vec3

// Checker measures how deep bodies are inside each other. It keeps memory between calls; one goroutine at a time.
type Checker struct {
	bodies []surface
	self   []bool  // bodies that are checked against themselves
	pairs  []Depth // of the last check: each in each, row by row
}

// surface is a body's closed triangle mesh.
type surface struct {
	x         []vec
	triangles [][3]int32
	edges     [][2]int32
	edgeSides [][2]int32 // the triangles of each edge; twice the same at a rim
	around    [][]int32  // triangles at each node
	near      [][]int32  // triangles in each node's surroundings, ascending; of bodies checked against themselves
	normal    []vec      // of triangles, not unit
	boxes     []box      // of triangles
	all       box
}

// Depth is how deep one body is inside another, m.
type Depth struct {
	Node float64 // of a node: its distance from the other's surface
	Edge float64 // of a part of an edge, likewise, nodes included
	A, B int     // the bodies of the largest: A inside B
	At   vec     // where
}

func (d *Depth) most() float64 { return max(d.Node, d.Edge) }

// rings is how many triangles around a node do not count as another part of its own body: neighbours always touch.
const rings = 3

// newChecker makes a checker for the bodies of a world. A body is checked against itself where self says so.
func newChecker(bodies []physics.SurfaceInfo, self []bool) *Checker {
	c := &Checker{self: self, bodies: make([]surface, len(bodies)), pairs: make([]Depth, len(bodies)*len(bodies))}
	for i := range bodies {
		c.bodies[i].connect(bodies[i].Triangles, len(bodies[i].Fixed))
		if self[i] {
			c.bodies[i].surround()
		}
	}
	return c
}

func (s *surface) connect(triangles [][3]int32, nodes int) {
	s.triangles = triangles
	s.around = make([][]int32, nodes)
	at := map[[2]int32]int{}
	for i, t := range triangles {
		for k := range 3 {
			s.around[t[k]] = append(s.around[t[k]], int32(i))
			e := [2]int32{min(t[k], t[(k+1)%3]), max(t[k], t[(k+1)%3])}
			if n, ok := at[e]; ok {
				s.edgeSides[n][1] = int32(i)
				continue
			}
			at[e] = len(s.edges)
			s.edges = append(s.edges, e)
			s.edgeSides = append(s.edgeSides, [2]int32{int32(i), int32(i)})
		}
	}
	s.normal, s.boxes = make([]vec, len(triangles)), make([]box, len(triangles))
}

// surround lists the triangles within so many rings of each node.
func (s *surface) surround() {
	s.near = make([][]int32, len(s.around))
	for node := range s.around {
		var list []int32
		front, seen := []int32{int32(node)}, map[int32]bool{int32(node): true}
		for range rings {
			var next []int32
			for _, n := range front {
				list = append(list, s.around[n]...)
				for _, t := range s.around[n] {
					for _, m := range s.triangles[t] {
						if !seen[m] {
							seen[m] = true
							next = append(next, m)
						}
					}
				}
			}
			front = next
		}
		slices.Sort(list)
		s.near[node] = slices.Compact(list)
	}
}

// move takes the nodes to x.
func (s *surface) move(x []vec) {
	s.x, s.all = x, boxOf()
	for i, t := range s.triangles {
		a, b, c := x[t[0]], x[t[1]], x[t[2]]
		s.normal[i] = b.Sub(a).Cross(c.Sub(a))
		s.boxes[i] = boxOf(a, b, c)
		s.all = s.all.and(s.boxes[i])
	}
}

// Check finds the deepest place of any body in any other, and in itself where that was asked for.
func (c *Checker) Check(s *tissue.Snapshot) Depth {
	for i := range c.bodies {
		c.bodies[i].move(s.Surfaces[i].Vertices)
	}
	worst := Depth{A: -1, B: -1}
	for i := range c.bodies {
		for j := range c.bodies {
			if i == j && !c.self[i] {
				continue
			}
			d := inside(&c.bodies[i], &c.bodies[j], i == j)
			d.A, d.B = i, j
			c.pairs[i*len(c.bodies)+j] = d
			if d.most() > worst.most() {
				worst.A, worst.B, worst.At = i, j, d.At
			}
			worst.Node, worst.Edge = max(worst.Node, d.Node), max(worst.Edge, d.Edge)
		}
	}
	return worst
}

// inside is how deep a is in b, or a body in itself.
func inside(a, b *surface, same bool) (worst Depth) {
	if !a.all.touches(&b.all) {
		return worst
	}
	for node, p := range a.x {
		if len(a.around[node]) == 0 || !b.all.holds(p) {
			continue
		}
		var near []int32
		q := p
		if same {
			near = b.near[node]
			q = p.Add(a.outward(a.around[node]))
		}
		if b.holds(q) {
			if d := b.distance(p, near, nil); d > worst.most() {
				worst.Node, worst.At = d, p
			}
		}
	}
	var facing []int32 // the triangles of b that an edge may cut
	for t := range b.triangles {
		if b.boxes[t].touches(&a.all) {
			facing = append(facing, int32(t))
		}
	}
	var cuts []float64
	for i, e := range a.edges {
		p, q := a.x[e[0]], a.x[e[1]]
		box := boxOf(p, q)
		if !box.touches(&b.all) {
			continue
		}
		var nearP, nearQ []int32
		var off vec
		if same {
			off = a.outward(a.edgeSides[i][:])
			nearP, nearQ = b.near[e[0]], b.near[e[1]]
		}
		cuts = append(cuts[:0], 0, 1)
		for _, t := range facing {
			if !box.touches(&b.boxes[t]) || same && (contains(nearP, t) || contains(nearQ, t)) {
				continue
			}
			if s, ok := b.cut(int(t), p, q); ok {
				cuts = append(cuts, s)
			}
		}
		if len(cuts) == 2 {
			continue // its ends are nodes, which were looked at
		}
		slices.Sort(cuts)
		for k := 1; k < len(cuts); k++ {
			from, to := cuts[k-1], cuts[k]
			// each sample for itself: a cut that rounding lost must not make an edge outside one inside
			const samples = 9 // one in the middle
			for n := range samples {
				at := p.Add(q.Sub(p).Mul(from + (to-from)*(float64(n)+0.5)/samples))
				d := b.distance(at, nearP, nearQ)
				if !(d > worst.Edge) || !b.holds(at.Add(off)) {
					continue
				}
				worst.Edge = d
				if d > worst.Node {
					worst.At = at
				}
			}
		}
	}
	worst.Edge = max(worst.Edge, worst.Node)
	return worst
}

// outward is a small way off the body's own surface, so that the winding number there is that of the rest of the body.
func (s *surface) outward(triangles []int32) (n vec) {
	for _, t := range triangles {
		n = n.Add(s.normal[t].Normalize())
	}
	const way = 1e-6 // m
	if l := n.Len(); l > 0 {
		return n.Mul(way / l)
	}
	return n
}

func contains(sorted []int32, x int32) bool {
	_, ok := slices.BinarySearch(sorted, x)
	return ok
}

// winding is how often the surface goes round p: 1 inside, 0 outside; by the solid angles of its triangles (Van
// Oosterom and Strackee, 1983).
func (s *surface) winding(p vec) float64 {
	total := 0.0
	for _, t := range s.triangles {
		a, b, c := s.x[t[0]].Sub(p), s.x[t[1]].Sub(p), s.x[t[2]].Sub(p)
		la, lb, lc := a.Len(), b.Len(), c.Len()
		y := a.Dot(b.Cross(c))
		x := la*lb*lc + a.Dot(b)*lc + b.Dot(c)*la + c.Dot(a)*lb
		total += math.Atan2(y, x)
	}
	return total / (2 * math.Pi)
}

// holds tells whether p is inside. Two rays are cheap and answer for most points that are not; a ray may miss a
// crossing at an edge, but hardly two at once.
func (s *surface) holds(p vec) bool {
	return (s.odd(p, 1) || s.odd(p, 2)) && s.winding(p) > 0.5
}

// odd tells whether the ray from p along an axis crosses the surface an odd number of times, or near an edge.
func (s *surface) odd(p vec, axis int) bool {
	const slack = 1e-9 // of a triangle's area
	u, v := (axis+1)%3, (axis+2)%3
	odd := false
	for i, t := range s.triangles {
		low, high := &s.boxes[i].low, &s.boxes[i].high
		if p[u] < low[u] || p[u] > high[u] || p[v] < low[v] || p[v] > high[v] || p[axis] > high[axis] {
			continue
		}
		a, b, c := s.x[t[0]], s.x[t[1]], s.x[t[2]]
		side := func(a, b vec) float64 { return (b[u]-a[u])*(p[v]-a[v]) - (b[v]-a[v])*(p[u]-a[u]) }
		x, y, z := side(b, c), side(c, a), side(a, b)
		sum := x + y + z
		if sum < 0 {
			x, y, z, sum = -x, -y, -z, -sum
		}
		least := min(x, y, z)
		if least < -slack*sum {
			continue
		}
		if least <= slack*sum {
			return true // let the winding number decide
		}
		if (x*a[axis]+y*b[axis]+z*c[axis])/sum > p[axis] {
			odd = !odd
		}
	}
	return odd
}

// distance from p to the closest triangle that is in neither list.
func (s *surface) distance(p vec, near, nearer []int32) float64 {
	best := math.Inf(1)
	for i, t := range s.triangles {
		away := 0.0
		for k := range 3 {
			d := max(0, s.boxes[i].low[k]-p[k], p[k]-s.boxes[i].high[k])
			away += d * d
		}
		if away >= best || near != nil && contains(near, int32(i)) || nearer != nil && contains(nearer, int32(i)) {
			continue
		}
		best = min(best, triangleDistance2(p, s.x[t[0]], s.x[t[1]], s.x[t[2]]))
	}
	return math.Sqrt(best)
}

// triangleDistance2 is the squared distance: to the plane over the inside of the triangle, else to the nearest of its
// sides.
func triangleDistance2(p, a, b, c vec) float64 {
	n := b.Sub(a).Cross(c.Sub(a))
	if l := n.LenSqr(); l > 0 &&
		b.Sub(a).Cross(p.Sub(a)).Dot(n) >= 0 && c.Sub(b).Cross(p.Sub(b)).Dot(n) >= 0 && a.Sub(c).Cross(p.Sub(c)).Dot(n) >= 0 {
		h := p.Sub(a).Dot(n)
		return h * h / l
	}
	return min(sideDistance2(p, a, b), sideDistance2(p, b, c), sideDistance2(p, c, a))
}

func sideDistance2(p, a, b vec) float64 {
	d := b.Sub(a)
	s := 0.0
	if l := d.LenSqr(); l > 0 {
		s = min(1, max(0, p.Sub(a).Dot(d)/l))
	}
	return p.Sub(a.Add(d.Mul(s))).LenSqr()
}

// cut is where on its way from p to q a segment goes through a triangle.
func (s *surface) cut(t int, p, q vec) (where float64, ok bool) {
	n := s.normal[t]
	tri := s.triangles[t]
	a, b, c := s.x[tri[0]], s.x[tri[1]], s.x[tri[2]]
	hp, hq := p.Sub(a).Dot(n), q.Sub(a).Dot(n)
	if hp*hq > 0 || hp == hq {
		return 0, false
	}
	where = hp / (hp - hq)
	x := p.Add(q.Sub(p).Mul(where))
	return where, b.Sub(a).Cross(x.Sub(a)).Dot(n) >= 0 && c.Sub(b).Cross(x.Sub(b)).Dot(n) >= 0 && a.Sub(c).Cross(x.Sub(c)).Dot(n) >= 0
}
