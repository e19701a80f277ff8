package collision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Two closed surfaces, or two places of one, can meet first, and are nearest each other, only where they face each
// other. Where all triangles around two features rise along a common direction a, both bodies lie below them: from
// where they met, a step along -a would go into both, and where they are nearest, the way from one to the other would
// have to go up and down along a. So no two features that share such a direction have to be looked at. In a smooth
// piece of a surface, however large, all do.

// risings are the directions: to the faces, edges and corners of a cube. One is within 28 degrees of any normal.
var risings = func() (d [26]mgl64.Vec3) {
	n := 0
	for k := range 27 {
		if x := (mgl64.Vec3{float64(k%3) - 1, float64(k/3%3) - 1, float64(k/9) - 1}); x != (mgl64.Vec3{}) {
			d[n] = x.Normalize()
			n++
		}
	}
	return d
}()

// rise is along which of the directions a surface's features rise, a bit each.
type rise struct {
	triangle []uint32     // itself
	normal   []mgl64.Vec3 // of that, unit
	least    []float64    // how much it rises along them at least
	sure     []float64    // as long as its corners have gone no farther, it rises along them, m
	node     []uint32     // all triangles around
	whole    []uint32     // those around a triangle's corners
	tree     []uint32     // those of a box's triangles
}

// Face finds along which directions the surface rises where it is fitted, of triangles all of whose nodes are marked;
// nil: of all. From then on Facing leaves pairs out by it, as long as Turns does not mark them. The surface must be
// closed, its triangles counter-clockwise seen from outside.
func (s *Surface) Face(nodes []bool) {
	f := &s.rise
	if f.triangle == nil {
		nodes = nil
		f.triangle, f.sure, f.whole = make([]uint32, len(s.Triangles)), make([]float64, len(s.Triangles)), make([]uint32, len(s.Triangles))
		f.normal, f.least = make([]mgl64.Vec3, len(s.Triangles)), make([]float64, len(s.Triangles))
		f.node, f.tree = make([]uint32, len(s.from)), make([]uint32, len(s.tree.nodes))
	}
	for t := range s.Triangles {
		x := &s.Triangles[t]
		if nodes != nil && !nodes[x[0]] && !nodes[x[1]] && !nodes[x[2]] {
			continue
		}
		a, b := s.from[x[1]].Sub(s.from[x[0]]), s.from[x[2]].Sub(s.from[x[0]])
		n := a.Cross(b)
		area := n.Len()
		if nodes == nil || nodes[x[0]] && nodes[x[1]] && nodes[x[2]] {
			f.triangle[t] = along(n, rises*area)
		}
		f.normal[t], f.least[t], f.sure[t] = mgl64.Vec3{}, 1, 0
		if area > 0 {
			f.normal[t] = n.Mul(1 / area)
		}
		for k := range risings {
			if f.triangle[t]>>k&1 != 0 {
				f.least[t] = min(f.least[t], f.normal[t].Dot(risings[k]))
			}
		}
		// Sides a and b, which get d longer, turn the normal by a x d + d x b + d x d, |d| being twice that way.
		if sides := a.Len() + b.Len(); f.least[t] > 0 {
			f.sure[t] = (math.Sqrt(sides*sides+4*f.least[t]*area) - sides) / 4
		}
	}
	for i := range f.node {
		f.node[i] = math.MaxUint32
	}
	for t, x := range s.Triangles {
		for _, n := range x {
			f.node[n] &= f.triangle[t]
		}
	}
	for t, x := range s.Triangles {
		f.whole[t] = f.node[x[0]] & f.node[x[1]] & f.node[x[2]]
	}
	for i := len(f.tree) - 1; i >= 0; i-- {
		n := &s.tree.nodes[i]
		if n.count == 0 {
			f.tree[i] = f.tree[i+1] & f.tree[n.right]
			continue
		}
		f.tree[i] = math.MaxUint32
		for _, t := range s.tree.order[n.first : n.first+n.count] {
			f.tree[i] &= f.whole[t]
		}
	}
}

// along are the directions along which a normal is more than some length.
func along(n mgl64.Vec3, least float64) (bits uint32) {
	if !(n.Len() > 0) {
		return 0
	}
	for k := range risings {
		if n.Dot(risings[k]) > least {
			bits |= 1 << k
		}
	}
	return bits
}

// Turns marks the nodes of the triangles that do not rise any more along a direction in which Face found them to,
// somewhere on straight ways between two places; way is how far nodes are at most from where they were fitted then. It
// tells whether there are some.
func (s *Surface) Turns(from, to []mgl64.Vec3, way []float64, marks []bool) (any bool) {
	return s.turns(from, to, way, marks, 0)
}

// Turned is Turns of where the surface is: there triangles should rise by some more.
func (s *Surface) Turned(at []mgl64.Vec3, way []float64, marks []bool) (any bool) {
	return s.turns(at, at, way, marks, stillRises)
}

func (s *Surface) turns(from, to []mgl64.Vec3, way []float64, marks []bool, by float64) (any bool) {
	for t := range s.rise.triangle {
		x := &s.Triangles[t]
		if s.rise.surely(t, x, way) {
			continue
		}
		a, b := from[x[1]].Sub(from[x[0]]), from[x[2]].Sub(from[x[0]])
		c, d := to[x[1]].Sub(to[x[0]]), to[x[2]].Sub(to[x[0]])
		// The normal is a parabola over time: it rises where these three do.
		if s.rise.turned(t, a.Cross(b), by) || (a != c || b != d) && (s.rise.turned(t, a.Cross(d).Add(c.Cross(b)), by) || s.rise.turned(t, c.Cross(d), by)) {
			marks[x[0]], marks[x[1]], marks[x[2]], any = true, true, true, true
		}
	}
	return any
}

// surely tells that corners have not gone so far that a triangle could have turned.
func (f *rise) surely(t int, x *[3]int32, way []float64) bool {
	far := f.sure[t]
	return f.triangle[t] == 0 || way[x[0]] <= far && way[x[1]] <= far && way[x[2]] <= far
}

// turned tells that a triangle of a normal does not rise by so much along a direction in which it did. Mostly the angle
// to its old normal tells.
func (f *rise) turned(t int, n mgl64.Vec3, by float64) bool {
	if least := f.least[t]; least > by {
		far := by*least + math.Sqrt((1-by*by)*(1-least*least))
		if up := n.Dot(f.normal[t]); up > 0 && up*up > far*far*n.LenSqr() {
			return false
		}
	}
	return f.triangle[t]&^along(n, max(by, flatRise)*n.Len()) != 0
}
