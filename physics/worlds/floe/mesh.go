package floe

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// mesh is a triangulation of a polygon with six-node triangles: corners, then the middles of the edges 01, 12 and 20.
type mesh struct {
	nodes     []Vec2
	triangles [][6]int32
	corners   int // the first nodes are corners
}

// triangulate fills a simple counter-clockwise polygon with about count triangles of equal size. The points of fixed,
// on the outline or inside, become nodes, but for those next to a corner: a mesh is no finer there than it is
// elsewhere.
//
// Points on a hexagonal lattice and along the outline are joined by Delaunay's rule. An edge of the outline that is
// missing then is halved. Next to a corner it is cut at a power of two from it: then the nodes on the two edges of a
// sharp corner come in pairs, instead of cutting each other's edges for ever.
func triangulate(polygon []Vec2, count int, fixed []Vec2) (*mesh, error) {
	s := SectionOf(polygon)
	if count < 1 || count > maxTriangles {
		return nil, fmt.Errorf("floe: a mesh of %d triangles (cure: 1 to %d)", count, maxTriangles)
	}
	h := math.Sqrt(s.Area / float64(count) * 4 / math.Sqrt(3))
	var inner []Vec2
	for _, p := range fixed {
		off := onOutline(polygon, p).Sub(p).Len()
		if off > onEdge*s.Radius && !contains(polygon, p) {
			return nil, errors.New("floe: a load outside the outline (cure: a point of the floe)")
		}
		if off > next*h {
			inner = append(inner, p)
		}
	}
	ring := ringOf(polygon, h, fixed)
	inner = append(inner, lattice(polygon, h, inner)...)

	var d delaunay
	var points []Vec2
	edges := make(map[[2]int32]bool, 4*(len(ring)+len(inner)))
	for most := 4*len(ring) + 100; len(ring) < most; {
		points = points[:0]
		for _, r := range ring {
			points = append(points, r.at)
		}
		points = append(points, inner...)
		triangles := d.triangles(points)
		clear(edges)
		for _, t := range triangles {
			for k := range 3 {
				a, b := t[k], t[(k+1)%3]
				edges[[2]int32{min(a, b), max(a, b)}] = true
			}
		}
		full := make([]onRing, 0, 2*len(ring))
		for i, r := range ring {
			j := (i + 1) % len(ring)
			full = append(full, r)
			if !edges[[2]int32{int32(min(i, j)), int32(max(i, j))}] {
				full = append(full, halve(r, ring[j], h))
			}
		}
		if len(full) > len(ring) {
			ring = full
			continue
		}
		kept := triangles[:0]
		for _, t := range triangles {
			a, b, c := points[t[0]], points[t[1]], points[t[2]]
			// Nodes of a straight edge are off it by round-off: what lies between is no triangle.
			if cross(b.Sub(a), c.Sub(a)) > 1e-12*s.Area && contains(polygon, a.Add(b).Add(c).Mul(1./3)) {
				kept = append(kept, t)
			}
		}
		return quadratic(points, kept), nil
	}
	return nil, errors.New("floe: the outline could not be filled with triangles (cure: no corners sharper than some degrees)")
}

// onRing is a node of the outline.
type onRing struct {
	at     Vec2
	corner bool
}

// ringOf cuts the outline into pieces of about h. Points of fixed that lie on it, and not next to a corner or to each
// other, are among its nodes.
func ringOf(polygon []Vec2, h float64, fixed []Vec2) (ring []onRing) {
	var stops []float64 // along an edge
	for i, a := range polygon {
		line := polygon[(i+1)%len(polygon)].Sub(a)
		length := line.Len()
		stops = append(stops[:0], 0, length)
		for _, p := range fixed {
			x := p.Sub(a).Dot(line) / length
			if math.Abs(cross(line, p.Sub(a))) <= next*h*length && !slices.ContainsFunc(stops, func(s float64) bool { return math.Abs(x-s) <= next*h }) && x > 0 && x < length {
				stops = append(stops, x)
			}
		}
		slices.Sort(stops)
		for k, from := range stops[:len(stops)-1] {
			to := stops[k+1]
			pieces := max(1, int(math.Round((to-from)/h)))
			for j := range pieces {
				x := from + (to-from)*float64(j)/float64(pieces)
				ring = append(ring, onRing{a.Add(line.Mul(x / length)), x == 0})
			}
		}
	}
	return ring
}

// halve is where the edge between two nodes of the ring is cut.
func halve(a, b onRing, h float64) onRing {
	line := b.at.Sub(a.at)
	share := 0.5
	if a.corner != b.corner {
		length := line.Len()
		share = h * math.Exp2(math.Round(math.Log2(length/2/h))) / length // 0.35 to 0.71
		if b.corner {
			share = 1 - share
		}
	}
	return onRing{at: a.at.Add(line.Mul(share))}
}

// lattice are points inside the polygon, h apart, and clear of its edges and of inner.
func lattice(polygon []Vec2, h float64, inner []Vec2) (out []Vec2) {
	lo, hi := boundsOf(polygon)
	row := 0
	for y := lo[1] + 0.43*h; y < hi[1]; y += h * math.Sqrt(3) / 2 {
		row++
		for x := lo[0] + h*(0.31+0.5*float64(row%2)); x < hi[0]; x += h {
			p := Vec2{x, y}
			near := func(q Vec2) bool { return q.Sub(p).Len() < 0.6*h }
			if !near(onOutline(polygon, p)) && !slices.ContainsFunc(inner, near) && contains(polygon, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// quadratic adds the middles of the edges.
func quadratic(points []Vec2, triangles [][3]int32) *mesh {
	m := &mesh{nodes: slices.Clone(points), corners: len(points)}
	middle := map[[2]int32]int32{}
	for _, t := range triangles {
		e := [6]int32{t[0], t[1], t[2]}
		for k := range 3 {
			a, b := t[k], t[(k+1)%3]
			key := [2]int32{min(a, b), max(a, b)}
			n, ok := middle[key]
			if !ok {
				n = int32(len(m.nodes))
				m.nodes = append(m.nodes, m.nodes[a].Add(m.nodes[b]).Mul(0.5))
				middle[key] = n
			}
			e[3+k] = n
		}
		m.triangles = append(m.triangles, e)
	}
	return m
}
