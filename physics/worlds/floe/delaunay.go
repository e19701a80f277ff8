package floe

import (
	"cmp"
	"math"
	"math/big"
	"slices"
)

// ghost is the vertex at infinity. It makes a triangle with each edge of the hull, so that points outside are added
// like those inside.
const ghost = int32(-1)

// delaunay is a Delaunay triangulation that points are added to one by one [Bowyer, Watson 1981]. Which side of a line
// or circle a point is on is decided exactly: round-off would leave holes and overlaps.
type delaunay struct {
	points []Vec2
	t      []corners
	last   int32 // from which the triangle of the next point is looked for

	cavity, stack []int32
	rim           []rimEdge
	seen          []int32 // by triangle: the last point whose cavity has it
	from          []int32 // by vertex + 1: the new triangle whose edge of the rim begins there
}

// corners of a triangle, counter-clockwise. Of one with a ghost the outside lies to the left of the edge between the
// other two.
type corners struct {
	v    [3]int32
	next [3]int32 // the triangle across the edge opposite to v[k]
	dead bool
}

type rimEdge struct{ a, b, out int32 }

// triangles of the points, counter-clockwise; none where all lie on one line.
func (d *delaunay) triangles(points []Vec2) [][3]int32 {
	d.points, d.last = points, 0
	d.t, d.seen = d.t[:0], d.seen[:0]
	n := int32(len(points))
	for int32(len(d.from)) <= n {
		d.from = append(d.from, 0)
	}
	a, b, c := int32(0), int32(0), int32(0)
	for k := int32(1); k < n && c == 0; k++ {
		if b == 0 {
			if points[k] != points[0] {
				b = k
			}
		} else if side := sideOf(points[0], points[b], points[k]); side > 0 {
			c = k
		} else if side < 0 {
			b, c = k, b
		}
	}
	if c == 0 {
		return nil
	}
	first := corners{v: [3]int32{a, b, c}, next: [3]int32{1, 2, 3}}
	d.t = append(d.t, first)
	for k := range 3 { // beyond the edge opposite to v[k]
		d.t = append(d.t, corners{v: [3]int32{ghost, first.v[(k+2)%3], first.v[(k+1)%3]},
			next: [3]int32{0, int32(1 + (k+2)%3), int32(1 + (k+1)%3)}})
	}
	d.seen = append(d.seen, -1, -1, -1, -1)
	for i := range n {
		if i != a && i != b && i != c {
			d.insert(i)
		}
	}
	var out [][3]int32
	for i := range d.t {
		if t := &d.t[i]; !t.dead && !slices.Contains(t.v[:], ghost) {
			out = append(out, t.v)
		}
	}
	return out
}

// insert adds point i, unless it lies on top of one that is there.
func (d *delaunay) insert(i int32) {
	p := d.points[i]
	k := d.find(p)
	for _, v := range d.t[k].v {
		if v != ghost && d.points[v] == p {
			return
		}
	}
	d.cavity, d.stack, d.rim = d.cavity[:0], append(d.stack[:0], k), d.rim[:0]
	d.seen[k] = i
	for len(d.stack) > 0 {
		k := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		d.cavity = append(d.cavity, k)
		for _, next := range d.t[k].next {
			if d.seen[next] != i && d.holds(next, p) {
				d.seen[next] = i
				d.stack = append(d.stack, next)
			}
		}
	}
	for _, k := range d.cavity {
		t := &d.t[k]
		for e, next := range t.next {
			if d.seen[next] != i {
				d.rim = append(d.rim, rimEdge{t.v[(e+1)%3], t.v[(e+2)%3], next})
			}
		}
		t.dead = true
	}
	first := int32(len(d.t))
	for j, s := range d.rim {
		me := first + int32(j)
		d.t, d.seen = append(d.t, corners{v: [3]int32{i, s.a, s.b}, next: [3]int32{s.out, 0, 0}}), append(d.seen, -1)
		d.from[s.a+1] = me
		o := &d.t[s.out]
		for e := range 3 {
			if o.v[(e+1)%3] == s.b && o.v[(e+2)%3] == s.a {
				o.next[e] = me
			}
		}
		if s.a != ghost && s.b != ghost {
			d.last = me
		}
	}
	for j, s := range d.rim { // those of neighbouring edges of the rim share the edge i, b
		me, next := first+int32(j), d.from[s.b+1]
		d.t[me].next[1], d.t[next].next[2] = next, me
	}
}

// find walks to a triangle that p lies in, or to that of the ghost beyond the edge of the hull that p lies beyond.
func (d *delaunay) find(p Vec2) int32 {
	k := d.last
	for e := 0; e < 3 && !slices.Contains(d.t[k].v[:], ghost); e++ {
		t := &d.t[k]
		if sideOf(d.points[t.v[(e+1)%3]], d.points[t.v[(e+2)%3]], p) < 0 {
			k, e = t.next[e], -1 // and anew in that one
		}
	}
	return k
}

// holds tells whether p lies within the circle through the corners of triangle k; of one with a ghost that circle is
// the half-plane beyond the hull, and the edge itself.
func (d *delaunay) holds(k int32, p Vec2) bool {
	v := &d.t[k].v
	if e := slices.Index(v[:], ghost); e >= 0 {
		a, b := d.points[v[(e+1)%3]], d.points[v[(e+2)%3]]
		side := sideOf(a, b, p)
		return side > 0 || side == 0 && a.Sub(p).Dot(b.Sub(p)) < 0
	}
	return inCircle(d.points[v[0]], d.points[v[1]], d.points[v[2]], p)
}

// Bounds of round-off of the two determinants, as shares of the sum of their terms' sizes [Shewchuk 1997], and how many
// bits hold them exactly, of numbers whose exponents differ by up to some 200.
const (
	sideRound   = 3.4e-16
	circleRound = 1.2e-15
	exactBits   = 1200
)

// sideOf is 1 where p lies left of the line from a to b, -1 right of it, 0 on it.
func sideOf(a, b, p Vec2) int {
	x, y := (a[0]-p[0])*(b[1]-p[1]), (a[1]-p[1])*(b[0]-p[0])
	if math.Abs(x-y) > sideRound*(math.Abs(x)+math.Abs(y)) {
		return cmp.Compare(x, y)
	}
	return newExact(a, p).cross(newExact(b, p)).Sign()
}

// inCircle tells whether p lies within the circle through a, b and c, counter-clockwise.
func inCircle(a, b, c, p Vec2) bool {
	u, v, w := a.Sub(p), b.Sub(p), c.Sub(p)
	uu, vv, ww := u.Dot(u), v.Dot(v), w.Dot(w)
	det := uu*cross(v, w) + vv*cross(w, u) + ww*cross(u, v)
	size := uu*(math.Abs(v[0]*w[1])+math.Abs(v[1]*w[0])) + vv*(math.Abs(w[0]*u[1])+math.Abs(w[1]*u[0])) + ww*(math.Abs(u[0]*v[1])+math.Abs(u[1]*v[0]))
	if math.Abs(det) > circleRound*size {
		return det > 0
	}
	x, y, z := newExact(a, p), newExact(b, p), newExact(c, p)
	sum := exactly().Mul(x.dot(x), y.cross(z))
	sum.Add(sum, exactly().Mul(y.dot(y), z.cross(x)))
	sum.Add(sum, exactly().Mul(z.dot(z), x.cross(y)))
	return sum.Sign() > 0
}

// exact is a vector without round-off.
type exact [2]*big.Float

func exactly() *big.Float { return new(big.Float).SetPrec(exactBits) }

func newExact(a, from Vec2) (e exact) {
	for k := range e {
		e[k] = exactly().Sub(big.NewFloat(a[k]), big.NewFloat(from[k]))
	}
	return e
}

func (e exact) dot(o exact) *big.Float {
	x := exactly().Mul(e[0], o[0])
	return x.Add(x, exactly().Mul(e[1], o[1]))
}

func (e exact) cross(o exact) *big.Float { return e.dot(exact{o[1], exactly().Neg(o[0])}) }
