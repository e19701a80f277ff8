package floe

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// mesh is a triangulation of a polygon with six-node triangles: corners, then the
// middles of the edges 01, 12 and 20.
type mesh struct {
	nodes     []Vec2
	triangles [][6]int32
	corners   int // the first nodes are corners
}

// maxTriangles bounds a mesh.
const maxTriangles = 200000

// triangulate fills a simple counter-clockwise polygon with about count triangles
// of equal size. The points of fixed, on the outline or inside, become nodes.
//
// Points on a hexagonal lattice and along the outline are joined by Delaunay's
// rule. Where an edge of the outline is missing then, its middle is added.
func triangulate(polygon []Vec2, count int, fixed []Vec2) (*mesh, error) {
	s := SectionOf(polygon)
	if count < 1 || count > maxTriangles {
		return nil, fmt.Errorf("floe: a mesh of %d triangles (cure: 1 to %d)", count, maxTriangles)
	}
	h := math.Sqrt(s.Area / float64(count) * 4 / math.Sqrt(3))

	// The outline in pieces of about h, with the fixed points on it.
	var ring []Vec2
	var inner []Vec2
	on := make([]bool, len(fixed))
	for i, a := range polygon {
		b := polygon[(i+1)%len(polygon)]
		stops := []Vec2{a}
		var mid []Vec2
		for k, p := range fixed {
			if q := nearest(a, b, p); q.Sub(p).Len() <= 1e-6*s.Radius {
				on[k] = true
				if p.Sub(a).Len() > 1e-9*s.Radius && p.Sub(b).Len() > 1e-9*s.Radius {
					mid = append(mid, q)
				}
			}
		}
		slices.SortFunc(mid, func(p, q Vec2) int {
			if p.Sub(a).Len() < q.Sub(a).Len() {
				return -1
			}
			return 1
		})
		for _, p := range mid {
			if p.Sub(stops[len(stops)-1]).Len() > 1e-9*s.Radius {
				stops = append(stops, p)
			}
		}
		stops = append(stops, b)
		for k := range len(stops) - 1 {
			pieces := max(1, int(math.Round(stops[k+1].Sub(stops[k]).Len()/h)))
			for j := range pieces {
				ring = append(ring, stops[k].Add(stops[k+1].Sub(stops[k]).Mul(float64(j)/float64(pieces))))
			}
		}
	}
	for k, p := range fixed {
		if on[k] {
			continue
		}
		if !Contains(polygon, p) {
			return nil, errors.New("floe: a load outside the outline (cure: a point of the floe)")
		}
		inner = append(inner, p)
	}
	lo, hi := ring[0], ring[0]
	for _, p := range ring {
		for k := range 2 {
			lo[k], hi[k] = min(lo[k], p[k]), max(hi[k], p[k])
		}
	}
	given := len(inner)
	row := 0
	for y := lo[1] + 0.43*h; y < hi[1]; y += h * math.Sqrt(3) / 2 {
		row++
		for x := lo[0] + h*(0.31+0.5*float64(row%2)); x < hi[0]; x += h {
			p := Vec2{x, y}
			clear := true
			for i, a := range ring {
				if nearest(a, ring[(i+1)%len(ring)], p).Sub(p).Len() < 0.6*h {
					clear = false
					break
				}
			}
			for _, q := range inner[:given] {
				clear = clear && q.Sub(p).Len() >= 0.6*h
			}
			if clear && Contains(polygon, p) {
				inner = append(inner, p)
			}
		}
	}
	for range 20 {
		points := append(slices.Clone(ring), inner...)
		triangles := delaunay(points)
		edges := make(map[[2]int32]bool, 3*len(triangles))
		for _, t := range triangles {
			for k := range 3 {
				a, b := t[k], t[(k+1)%3]
				edges[[2]int32{min(a, b), max(a, b)}] = true
			}
		}
		var full []Vec2
		missing := false
		for i := range ring {
			j := (i + 1) % len(ring)
			full = append(full, ring[i])
			if !edges[[2]int32{int32(min(i, j)), int32(max(i, j))}] {
				missing = true
				full = append(full, ring[i].Add(ring[j]).Mul(0.5))
			}
		}
		if missing {
			ring = full
			continue
		}
		kept := triangles[:0]
		for _, t := range triangles {
			if Contains(polygon, points[t[0]].Add(points[t[1]]).Add(points[t[2]]).Mul(1./3)) {
				kept = append(kept, t)
			}
		}
		return quadratic(points, kept), nil
	}
	return nil, errors.New("floe: the outline could not be filled with triangles (cure: no corners sharper than some degrees)")
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

// delaunay triangulates points by inserting them one by one [Bowyer, Watson 1981].
// The triangle that holds a point is found by walking from the last one.
func delaunay(points []Vec2) [][3]int32 {
	n := int32(len(points))
	lo, hi := points[0], points[0]
	for _, p := range points {
		for k := range 2 {
			lo[k], hi[k] = min(lo[k], p[k]), max(hi[k], p[k])
		}
	}
	size := hi.Sub(lo).Len()
	mid := lo.Add(hi).Mul(0.5)
	all := append(slices.Clone(points), mid.Add(Vec2{-30 * size, -20 * size}), mid.Add(Vec2{30 * size, -20 * size}), mid.Add(Vec2{0, 40 * size}))

	type tri struct {
		v    [3]int32
		next [3]int32 // the triangle across the edge opposite to v[k], or -1
		dead bool
	}
	t := []tri{{v: [3]int32{n, n + 1, n + 2}, next: [3]int32{-1, -1, -1}}}
	last := int32(0)
	inside := func(k int32, p Vec2) bool { // of the circle through the corners
		a, b, c := all[t[k].v[0]].Sub(p), all[t[k].v[1]].Sub(p), all[t[k].v[2]].Sub(p)
		aa, bb, cc := a.Dot(a), b.Dot(b), c.Dot(c)
		det := aa*cross(b, c) - bb*cross(a, c) + cc*cross(a, b)
		return det > 1e-12*(aa+bb+cc)*(math.Abs(cross(a, b))+math.Abs(cross(b, c))+math.Abs(cross(c, a)))
	}
	type side struct{ a, b, out int32 }
	var cavity, stack []int32
	var rim []side
	in := map[int32]bool{}
	for i := range n {
		p := all[i]
		k := last
	walk:
		for range 4 * len(t) {
			for e := range 3 {
				a, b := all[t[k].v[(e+1)%3]], all[t[k].v[(e+2)%3]]
				if next := t[k].next[e]; next >= 0 && cross(b.Sub(a), p.Sub(a)) < 0 {
					k = next
					continue walk
				}
			}
			break
		}
		cavity, stack, rim = cavity[:0], append(stack[:0], k), rim[:0]
		clear(in)
		in[k] = true
		for len(stack) > 0 {
			k := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			cavity = append(cavity, k)
			for e := range 3 {
				next := t[k].next[e]
				switch {
				case next >= 0 && in[next]:
				case next >= 0 && inside(next, p):
					in[next] = true
					stack = append(stack, next)
				}
			}
		}
		for _, k := range cavity {
			for e := range 3 {
				if next := t[k].next[e]; next < 0 || !in[next] {
					rim = append(rim, side{t[k].v[(e+1)%3], t[k].v[(e+2)%3], next})
				}
			}
			t[k].dead = true
		}
		// New triangles p, a, b; those of neighbouring sides share an edge.
		made := make(map[int32]int32, len(rim)) // by a
		first := int32(len(t))
		for j, s := range rim {
			made[s.a] = first + int32(j)
			t = append(t, tri{v: [3]int32{i, s.a, s.b}, next: [3]int32{s.out, -1, -1}})
			if s.out >= 0 {
				o := &t[s.out]
				for e := range 3 {
					if o.v[(e+1)%3] == s.b && o.v[(e+2)%3] == s.a {
						o.next[e] = first + int32(j)
					}
				}
			}
		}
		for j, s := range rim {
			next := made[s.b] // shares the edge p, s.b
			t[first+int32(j)].next[1] = next
			t[next].next[2] = first + int32(j)
		}
		last = first
	}
	var out [][3]int32
	for _, k := range t {
		if !k.dead && k.v[0] < n && k.v[1] < n && k.v[2] < n {
			out = append(out, k.v)
		}
	}
	return out
}
