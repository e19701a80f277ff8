package rigid

import (
	"math"
	"slices"

	"hapco/collision"
)

// edge is one of a form's edges at which its surface turns away from what is outside.
type edge struct {
	ends    [2]vec3
	normals [2]vec3 // of the faces on both sides, outwards
	along   vec3    // unit, so that normals[0] turns to normals[1] about it
}

// convexEdges of a closed surface, and how it hangs together.
func convexEdges(f *Form) (edges []edge, s *skin) {
	vertices, triangles := f.Vertices, f.Triangles
	all, _, owned := collision.Edges(triangles)
	place := slices.Repeat([]int32{-1}, len(all))
	var sharp [][2]int32
	for i, e := range all {
		if e.Face[0] < 0 || e.Face[1] < 0 {
			continue
		}
		k := edge{ends: [2]vec3{vertices[e.Node[0]], vertices[e.Node[1]]}}
		for side, f := range e.Face {
			t := triangles[f]
			n := vertices[t[1]].Sub(vertices[t[0]]).Cross(vertices[t[2]].Sub(vertices[t[0]]))
			k.normals[side] = n.Mul(1 / n.Len())
		}
		d := k.ends[1].Sub(k.ends[0])
		k.along = d.Mul(1 / d.Len())
		if k.normals[0].Cross(k.normals[1]).Dot(k.along) > flat {
			place[i] = int32(len(edges))
			edges, sharp = append(edges, k), append(sharp, e.Node)
		}
	}
	for i := range owned {
		for k, e := range owned[i] {
			if e >= 0 {
				owned[i][k] = place[e]
			}
		}
	}
	return edges, newSkin(f, owned, sharp)
}

// boxEdges are the twelve of a box.
func boxEdges(half vec3) (edges []edge) {
	for k := range 3 {
		for _, signs := range [4][2]float64{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
			var e edge
			i, j := (k+1)%3, (k+2)%3
			e.normals[0][i], e.normals[1][j] = signs[0], signs[1]
			e.along = e.normals[0].Cross(e.normals[1])
			for end, side := range [2]float64{-1, 1} {
				c := &e.ends[end]
				c[i], c[j], c[k] = signs[0]*half[i], signs[1]*half[j], side*half[k]
			}
			edges = append(edges, e)
		}
	}
	return edges
}

// at is the edge of a form at its place.
func (e *edge) at(p *posed) edge {
	return edge{ends: [2]vec3{p.point(e.ends[0]), p.point(e.ends[1])}, normals: [2]vec3{p.vector(e.normals[0]), p.vector(e.normals[1])}, along: p.vector(e.along)}
}

// far tells whether an edge is farther than reach from a form: its middle tells.
func (e *edge) far(from *posed, reach float64) bool {
	middle := from.local(of(e.ends[0].Add(e.ends[1]).Mul(0.5))).vec()
	return from.form.solid.AtLeast(middle) > reach+e.ends[1].Sub(e.ends[0]).Len()/2
}

// faces tells whether a direction leaves the edge between its two faces, or nearly.
func (e *edge) faces(n vec3, nearly float64) bool {
	return n.Dot(e.normals[0].Add(e.normals[1])) > 0 && e.normals[0].Cross(n).Dot(e.along) > -nearly && n.Cross(e.normals[1]).Dot(e.along) > -nearly
}

// crossings adds the touches of edges of a with edges of b: where two bars cross, no corner is near.
func crossings(dst []touch, a, b *posed, reach float64, s *search) []touch {
	if len(a.form.edges) == 0 || len(b.form.edges) == 0 {
		return dst
	}
	from := len(dst)
	s.edges = s.edges[:0]
	for i := range b.form.edges {
		if e := b.form.edges[i].at(b); !e.far(a, reach) {
			s.edges = append(s.edges, e)
		}
	}
	for i := range a.form.edges {
		if len(s.edges) == 0 {
			break
		}
		e := a.form.edges[i].at(a)
		if e.far(b, reach) {
			continue
		}
		for k := range s.edges {
			if t, ok := crossing(&e, &s.edges[k], a, b, reach, s.turn+nearly); ok {
				dst = append(dst, t)
			}
		}
	}
	return thin(dst, from, min(a.form.reach, b.form.reach), a, b)
}

// crossing is the touch of edge e of a with edge o of b.
func crossing(e, o *edge, a, b *posed, reach, nearly float64) (touch, bool) {
	n := e.along.Cross(o.along)
	sine := n.Len()
	if sine < parallel {
		return touch{}, false
	}
	if n = n.Mul(1 / sine); n.Dot(e.normals[0].Add(e.normals[1])) < 0 {
		n = n.Mul(-1) // from a to b
	}
	if !e.faces(n, nearly) || !o.faces(n.Mul(-1), nearly) {
		return touch{}, false
	}
	u, v, _ := collision.ClosestLines(e.ends[0], e.ends[1], o.ends[0], o.ends[1])
	if !(u > 0 && u < 1 && v > 0 && v < 1) {
		return touch{}, false // a corner is the touch
	}
	p := e.ends[0].Add(e.ends[1].Sub(e.ends[0]).Mul(u))
	q := o.ends[0].Add(o.ends[1].Sub(o.ends[0]).Mul(v))
	gap := q.Sub(p).Dot(n)
	if deepest := 0.1 * min(a.form.reach, b.form.reach); gap > reach || gap < -deepest || gap < 0 && !(o.bounds(b, p, q) && e.bounds(a, q, p)) {
		return touch{}, false
	}
	return touch{at: p.Add(q).Mul(0.5), normal: n.Mul(-1), gap: gap}, true
}

// bounds tells whether of all of body b's surface the faces of its edge e are nearest to a point p, q being on the
// edge. Else the point has come in by another side, and the edge looks away from it.
func (e *edge) bounds(b *posed, p, q vec3) bool {
	d := p.Sub(q)
	_, _, dist := b.form.solid.Closest(b.local(of(p)).vec())
	return math.Abs(dist-max(d.Dot(e.normals[0]), d.Dot(e.normals[1]))) < tie*b.form.reach+1e-3*d.Len()
}
