package floe

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/num"
)

// Vec2 is a point or a direction in the plane.
type Vec2 = mgl64.Vec2

func cross(a, b Vec2) float64 { return a[0]*b[1] - a[1]*b[0] }

// turned is a turned by a right angle to the left.
func turned(a Vec2) Vec2 { return Vec2{-a[1], a[0]} }

// rotation turns from the axes of an outline at an angle to those of the world; its transpose turns back.
func rotation(angle float64) mgl64.Mat2 {
	sin, cos := math.Sincos(angle)
	return mgl64.Mat2{cos, sin, -sin, cos}
}

// centre moves the origin of an outline to a point of it.
func centre(outline []Vec2, at Vec2) {
	for i := range outline {
		outline[i] = outline[i].Sub(at)
	}
}

// rectangle has its middle at the origin.
func rectangle(half Vec2) []Vec2 {
	return []Vec2{half.Mul(-1), {half[0], -half[1]}, half, {-half[0], half[1]}}
}

// boundsOf is the box around points.
func boundsOf(points []Vec2) (lo, hi Vec2) {
	lo, hi = Vec2{math.Inf(1), math.Inf(1)}, Vec2{math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		for k, x := range p {
			lo[k], hi[k] = min(lo[k], x), max(hi[k], x)
		}
	}
	return lo, hi
}

// Section is what the outline of a floe gives.
type Section struct {
	Area     float64 // m^2
	Centroid Vec2    // m
	Polar    float64 // second moment of area about the centroid, m^4
	Radius   float64 // of the disc about the centroid through the farthest vertex, m
}

// SectionOf integrates over a simple polygon of either orientation.
func SectionOf(polygon []Vec2) Section {
	o := polygon[0] // near the polygon, so that far from the origin no digits are lost
	var area, ix, iy, polar float64
	for i, p := range polygon {
		a, b := p.Sub(o), polygon[(i+1)%len(polygon)].Sub(o)
		c := cross(a, b)
		area += c / 2
		ix += c * (a[0] + b[0]) / 6
		iy += c * (a[1] + b[1]) / 6
		polar += c * (a.Dot(a) + a.Dot(b) + b.Dot(b)) / 12
	}
	if area == 0 {
		return Section{Centroid: o}
	}
	g := Vec2{ix / area, iy / area}
	s := Section{Area: math.Abs(area), Centroid: o.Add(g), Polar: math.Abs(polar - area*g.Dot(g))}
	for _, p := range polygon {
		s.Radius = max(s.Radius, p.Sub(s.Centroid).Len())
	}
	return s
}

// signedArea is above 0 where the vertices go round counter-clockwise.
func signedArea(polygon []Vec2) float64 {
	sum := 0.0
	for i := 2; i < len(polygon); i++ {
		sum += cross(polygon[i-1].Sub(polygon[0]), polygon[i].Sub(polygon[0]))
	}
	return sum / 2
}

// Repair says what Outline changed.
type Repair uint8

// The repairs of an outline, which may come together.
const (
	Reversed Repair = 1 << iota // the vertices went round clockwise
	Merged                      // vertices on top of their neighbours were dropped
)

// String is the word for it.
func (r Repair) String() string {
	switch r {
	case 0:
		return "none"
	case Reversed:
		return "turned counter-clockwise"
	case Merged:
		return "repeated vertices dropped"
	}
	return "turned counter-clockwise, repeated vertices dropped"
}

// Outline makes a simple polygon, counter-clockwise, of the vertices. What is none is refused: fewer than three
// vertices, no area, edges that cross, or numbers that are not finite.
func Outline(vertices []Vec2) ([]Vec2, Repair, error) {
	for i, p := range vertices {
		if !num.AllFinite(p[0], p[1]) {
			return nil, 0, fmt.Errorf("vertex %d is no point (cure: finite coordinates)", i)
		}
	}
	lo, hi := boundsOf(vertices)
	size := hi.Sub(lo).Len()
	if math.IsInf(size, 0) {
		return nil, 0, errors.New("the outline is too large (cure: metres)")
	}
	var repair Repair
	out := make([]Vec2, 0, len(vertices))
	for i, p := range vertices {
		if p.Sub(vertices[(i+len(vertices)-1)%len(vertices)]).Len() <= 1e-12*size && len(vertices) > 1 {
			repair |= Merged
			continue
		}
		out = append(out, p)
	}
	if len(out) < 3 {
		return nil, 0, fmt.Errorf("%d distinct vertices (cure: at least 3)", len(out))
	}
	area := signedArea(out)
	if !(math.Abs(area) > 1e-12*size*size) {
		return nil, 0, errors.New("the outline has no area (cure: vertices that do not lie on a line)")
	}
	if i, j, ok := crossing(out); ok {
		return nil, 0, fmt.Errorf("edges %d and %d cross or touch (cure: an outline that does not cross itself)", i, j)
	}
	if area < 0 {
		slices.Reverse(out)
		repair |= Reversed
	}
	return out, repair, nil
}

// crossing finds two edges that share a point, other than neighbours at their vertex. Edges are swept in the order of
// their left ends.
func crossing(p []Vec2) (int, int, bool) {
	n := len(p)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	left := func(i int) float64 { return min(p[i][0], p[(i+1)%n][0]) }
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(left(i), left(j)), cmp.Compare(i, j)) })
	for k, i := range order {
		a, b := p[i], p[(i+1)%n]
		right := max(a[0], b[0])
		for _, j := range order[k+1:] {
			if left(j) > right {
				break
			}
			c, d := p[j], p[(j+1)%n]
			meet := segmentsMeet(a, b, c, d)
			if (i+1)%n == j || (j+1)%n == i { // they share a vertex, and may only fold back onto each other
				meet = cross(b.Sub(a), d.Sub(c)) == 0 && b.Sub(a).Dot(d.Sub(c)) < 0
			}
			if meet {
				return min(i, j), max(i, j), true
			}
		}
	}
	return 0, 0, false
}

// segmentsMeet tells whether the segments ab and cd share a point.
func segmentsMeet(a, b, c, d Vec2) bool {
	side := func(p, q, r Vec2) int { return cmp.Compare(cross(q.Sub(p), r.Sub(p)), 0) }
	within := func(p, q, r Vec2) bool { // r on the line pq: between them?
		return min(p[0], q[0]) <= r[0] && r[0] <= max(p[0], q[0]) && min(p[1], q[1]) <= r[1] && r[1] <= max(p[1], q[1])
	}
	s1, s2, s3, s4 := side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)
	if s1*s2 < 0 && s3*s4 < 0 {
		return true
	}
	return s1 == 0 && within(a, b, c) || s2 == 0 && within(a, b, d) || s3 == 0 && within(c, d, a) || s4 == 0 && within(c, d, b)
}

// contains tells whether p lies in the polygon or on its edge.
func contains(polygon []Vec2, p Vec2) bool {
	in := false
	for i, a := range polygon {
		b := polygon[(i+1)%len(polygon)]
		if nearest(a, b, p).Sub(p).Len() == 0 {
			return true
		}
		if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0]+(p[1]-a[1])*(b[0]-a[0])/(b[1]-a[1]) {
			in = !in
		}
	}
	return in
}

// nearest is the point of the segment ab closest to p.
func nearest(a, b, p Vec2) Vec2 {
	e := b.Sub(a)
	t := p.Sub(a).Dot(e) / e.Dot(e)
	switch {
	case !(t > 0):
		return a
	case t >= 1:
		return b
	}
	return a.Add(e.Mul(t))
}

// ears cuts a simple counter-clockwise polygon into triangles of its vertices.
func ears(polygon []Vec2) [][3]int {
	left := make([]int, len(polygon))
	for i := range left {
		left[i] = i
	}
	out := make([][3]int, 0, len(polygon)-2)
	from := 0
	for len(left) > 3 {
		cut, best := -1, math.Inf(-1)
		for at := range left {
			// Of many vertices the next ear will do: the best one costs their cube.
			if cut >= 0 && len(polygon) > manyVertices {
				break
			}
			k := (from + at) % len(left)
			i, j, l := left[(k+len(left)-1)%len(left)], left[k], left[(k+1)%len(left)]
			a, b, c := polygon[i], polygon[j], polygon[l]
			area := cross(b.Sub(a), c.Sub(a))
			if area < 0 {
				continue
			}
			free := true
			for _, m := range left {
				if m == i || m == j || m == l {
					continue
				}
				if q := polygon[m]; cross(b.Sub(a), q.Sub(a)) >= 0 && cross(c.Sub(b), q.Sub(b)) >= 0 && cross(a.Sub(c), q.Sub(c)) >= 0 {
					free = false
					break
				}
			}
			// The roundest ear first: slivers integrate badly.
			if shape := area / (b.Sub(a).LenSqr() + c.Sub(b).LenSqr() + a.Sub(c).LenSqr()); free && shape > best {
				cut, best = k, shape
			}
		}
		if cut < 0 {
			cut = 0 // round-off: some triangle has to go
		}
		from = cut + 1
		n := len(left)
		out = append(out, [3]int{left[(cut+n-1)%n], left[cut], left[(cut+1)%n]})
		left = slices.Delete(left, cut, cut+1)
	}
	return append(out, [3]int{left[0], left[1], left[2]})
}

// cut splits a polygon along the straight line through point in direction. Where the line meets the polygon in several
// pieces, the one that holds point is cut, or the closest one. An error says that the line misses the polygon, or cuts
// off next to nothing.
func cut(polygon []Vec2, point, direction Vec2) (left, right []Vec2, err error) {
	type hit struct {
		along float64 // place on the line
		edge  int
		t     float64 // place on the edge, 0 to 1
	}
	size := SectionOf(polygon).Radius
	d := direction.Normalize()
	n := len(polygon)
	height := make([]float64, n) // of each vertex over the line; those on it count as above
	for i, p := range polygon {
		height[i] = cross(d, p.Sub(point))
		if math.Abs(height[i]) <= 1e-12*size {
			height[i] = 0
		}
	}
	var hits []hit
	for i := range n {
		j := (i + 1) % n
		if (height[i] >= 0) == (height[j] >= 0) {
			continue
		}
		t := height[i] / (height[i] - height[j])
		p := polygon[i].Add(polygon[j].Sub(polygon[i]).Mul(t))
		hits = append(hits, hit{p.Sub(point).Dot(d), i, t})
	}
	if len(hits) < 2 {
		return nil, nil, errors.New("the crack misses the floe (cure: a point of the floe)")
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.along, b.along), cmp.Compare(a.edge, b.edge))
	})
	best, gap := 0, math.Inf(1)
	for k := 0; k+1 < len(hits); k += 2 {
		if g := max(hits[k].along, -hits[k+1].along); g < gap {
			best, gap = k, g
		}
	}
	a, b := hits[best], hits[best+1]
	side := func(from, to hit) []Vec2 {
		at := func(h hit) Vec2 {
			return polygon[h.edge].Add(polygon[(h.edge+1)%n].Sub(polygon[h.edge]).Mul(h.t))
		}
		out := []Vec2{at(from)}
		for i := (from.edge + 1) % n; ; i = (i + 1) % n {
			out = append(out, polygon[i])
			if i == to.edge {
				break
			}
		}
		return append(out, at(to))
	}
	if left, _, err = Outline(side(b, a)); err == nil {
		right, _, err = Outline(side(a, b))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the crack cuts off no floe: %w", err)
	}
	return left, right, nil
}
