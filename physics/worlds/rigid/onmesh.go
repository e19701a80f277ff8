package rigid

import (
	"math"

	"hapco/collision"
)

// skin is how the surface of a mesh hangs together. Each edge and vertex belongs to one triangle, by which it is found.
type skin struct {
	normals []vec3     // of the triangles; 0 where one has no area
	edges   [][3]int32 // of each triangle, convex ones in the form's list, or -1
	corners [][3]bool  // of each triangle: the vertices that are its
	spokes  [][]vec3   // of each vertex, unit, along the edges that meet there; nil where none is convex
}

func newSkin(f *Form, owned [][3]int32, sharp [][2]int32) *skin {
	s := &skin{normals: make([]vec3, len(f.Triangles)), edges: owned, corners: make([][3]bool, len(f.Triangles)), spokes: make([][]vec3, len(f.Vertices))}
	convex := make([]bool, len(f.Vertices))
	for _, e := range sharp {
		convex[e[0]], convex[e[1]] = true, true
	}
	seen := make([]bool, len(f.Vertices))
	for i, t := range f.Triangles {
		s.normals[i] = collision.FaceNormal(f.Vertices[t[0]], f.Vertices[t[1]], f.Vertices[t[2]])
		for k, v := range t {
			s.corners[i][k] = convex[v] && !seen[v]
			seen[v] = true
			if w := t[(k+1)%3]; convex[v] { // the surface is closed: the other way is of another triangle
				if d := f.Vertices[w].Sub(f.Vertices[v]); d != (vec3{}) {
					s.spokes[v] = append(s.spokes[v], d.Normalize())
				}
			}
		}
	}
	return s
}

// leaves tells whether a direction leaves a vertex between its faces, or nearly: no edge goes its way.
func (s *skin) leaves(v int32, n vec3, nearly float64) bool {
	for _, d := range s.spokes[v] {
		if d.Dot(n) > nearly {
			return false
		}
	}
	return true
}

// onMesh adds the touches of body a, of a convex form, with the mesh b: where a triangle, a convex edge or a convex
// vertex is near, and it is from there that the form is seen between the faces around. So a form that lies on many
// triangles of a flat feels no edge.
func (s *search) onMesh(dst []touch, a, b *posed, reach float64) []touch {
	local := posed{form: a.form, x: b.local(of(a.x)).vec(), r: b.r.Transpose().Mul3(a.r)}
	field := b.form.solid.(*collision.Field)
	size := min(a.form.reach, b.form.reach)
	if field.AtLeast(local.x) > a.form.reach+reach {
		return dst
	}
	c := local.convex()
	lo, hi := a.form.bounds(local.x, &local.r, reach)
	s.triangles = field.Within(s.triangles[:0], lo, hi)
	s.meetings = s.meetings[:0]
	s.pierced, s.out.Gap = false, math.Inf(-1)
	for _, t := range s.triangles {
		s.onFace(b.form, t, &c, reach, within*size)
		for _, e := range b.form.skin.edges[t] {
			if e >= 0 {
				s.onEdge(b.form, &b.form.edges[e], &c, reach, within*size)
			}
		}
		for k, mine := range b.form.skin.corners[t] {
			if mine {
				s.onVertex(b.form, b.form.Triangles[t][k], &c, reach)
			}
		}
	}
	if !s.pierced && field.AtLeast(local.x) < 0 {
		if _, n, d := field.Closest(local.x); d < 0 { // all of it is inside: the shortest way out of where its centre is
			s.pierced, s.out = true, wayOut(c.Support(n.Mul(-1)), n, d-c.Extent(n))
		}
	}
	s.meetings = collision.Distinct(s.meetings, 0, size)
	for i := range s.meetings {
		s.pierced = s.pierced && s.meetings[i].Gap >= 0
	}
	if s.pierced {
		s.meetings = append(s.meetings, s.out)
	}
	from := len(dst)
	for i := range s.meetings {
		m := &s.meetings[i]
		dst = append(dst, touch{at: b.point(m.At), normal: b.vector(m.Normal), gap: m.Gap})
	}
	return thin(dst, from, size, a, b)
}

// onFace adds where a form is near the inside of a triangle. Of a form that goes through, it keeps in mind the shortest
// way out.
func (s *search) onFace(f *Form, t int32, c *collision.Convex, reach, share float64) {
	n := f.skin.normals[t]
	corners := f.Triangles[t]
	p := f.Vertices[corners[0]]
	middle, half := c.Centre.Sub(p).Dot(n), c.Extent(n)
	gap := middle - half
	if n == (vec3{}) || gap > reach || middle+half < 0 {
		return
	}
	face := collision.Triangle(p, f.Vertices[corners[1]], f.Vertices[corners[2]], n)
	if gap < -share {
		low := c.Support(n.Mul(-1))
		in := collision.Convex{Centre: low.Add(c.Support(n).Sub(low).Mul(gap / (gap - middle - half)))}
		if sep := (collision.Separation{}); face.Holds(in.Centre) && collision.Separate(&in, c, -share, &sep) {
			s.through(low, n, gap)
		}
		if _, _, d := f.solid.Closest(low); math.Abs(d-gap) > 0.01*math.Abs(gap) {
			return // not where it came in
		}
	}
	s.meetings = face.Meet(s.meetings, c, reach)
}

// onEdge adds where a form is near the inside of an edge.
func (s *search) onEdge(f *Form, e *edge, c *collision.Convex, reach, share float64) {
	half := e.ends[1].Sub(e.ends[0]).Mul(0.5)
	line := collision.Convex{Centre: e.ends[0].Add(half), Count: 1, Segments: [3]vec3{half}}
	way := c.Centre.Sub(line.Centre)
	if x := way.Dot(e.along); math.Sqrt(max(way.Dot(way)-x*x, 0)) > c.Radius()+reach || math.Abs(x) > half.Len()+c.Radius()+reach {
		return
	}
	from := len(s.meetings)
	s.meetings = collision.Meet(s.meetings, &line, c, reach)
	kept := from
	for _, m := range s.meetings[from:] {
		if m.Gap < -share {
			for _, n := range e.normals {
				low := c.Support(n.Mul(-1))
				s.through(low, n, low.Sub(e.ends[0]).Dot(n))
			}
		}
		if !e.faces(m.Normal, s.turn+nearly) {
			continue
		}
		// In the body the place is to be one at which the edge's faces are nearest.
		if m.Gap < 0 {
			p := m.At.Add(m.Normal.Mul(m.Gap / 2))
			_, _, d := f.solid.Closest(p)
			if w := p.Sub(e.ends[0]); math.Abs(d-max(w.Dot(e.normals[0]), w.Dot(e.normals[1]))) > share+0.01*math.Abs(m.Gap) {
				continue
			}
		}
		s.meetings[kept] = m
		kept++
	}
	s.meetings = s.meetings[:kept]
}

// onVertex adds where a form is near a vertex.
func (s *search) onVertex(f *Form, v int32, c *collision.Convex, reach float64) {
	point := collision.Convex{Centre: f.Vertices[v]}
	if c.Centre.Sub(point.Centre).Len() > c.Radius()+reach {
		return
	}
	from := len(s.meetings)
	s.meetings = collision.Meet(s.meetings, &point, c, reach)
	if from < len(s.meetings) && !f.skin.leaves(v, s.meetings[from].Normal, s.turn+nearly) {
		s.meetings = s.meetings[:from]
	}
}

// through keeps the shortest way out of the faces that a form goes through.
func (s *search) through(low, n vec3, gap float64) {
	s.pierced = true
	if gap > s.out.Gap {
		s.out = wayOut(low, n, gap)
	}
}

// wayOut is where a point of a form is, that comes out of a mesh along n.
func wayOut(p, n vec3, gap float64) collision.Meeting {
	return collision.Meeting{At: p.Sub(n.Mul(gap / 2)), Normal: n, Gap: gap}
}

// meet adds the touches of two bodies where they will be, when they meet within a step in which the second moves by
// step against the first, seen from where they are now. So what is struck is struck from where it comes. What flies
// past is held apart along its way only.
func (s *search) meet(dst []touch, a, b *collision.Convex, step vec3, reach float64) []touch {
	share, past := arrival(a, b, step)
	if past != (vec3{}) {
		p, q := a.Support(past), b.Support(past.Mul(-1))
		if gap := q.Sub(p).Dot(past); gap <= reach {
			up := past.Mul(gap)
			dst = append(dst, touch{at: p.Add(up.Mul(0.5)), slip: q.Sub(p).Sub(up), normal: past.Mul(-1), gap: gap})
		}
		return dst
	}
	moved, way := *b, step.Mul(share)
	moved.Centre = b.Centre.Add(way)
	s.meetings = collision.Meet(s.meetings[:0], a, &moved, reach)
	for i := range s.meetings {
		m := &s.meetings[i]
		t := touch{at: m.At, normal: m.Normal.Mul(-1), gap: m.Gap}
		if t.back(way) {
			dst = append(dst, t)
		}
	}
	return dst
}

// back takes a touch, at which the second body is a way ahead, to where that is now. It is false where the bodies part.
func (t *touch) back(way vec3) bool {
	up := t.normal.Mul(way.Dot(t.normal))
	t.gap += way.Dot(t.normal)
	t.at = t.at.Sub(up.Mul(0.5))
	t.slip = up.Sub(way)
	return way == (vec3{}) || way.Dot(t.normal) >= 0
}

// arrival is the share of a step after which two bodies meet, of which the second moves by step against the first: 0
// where they are slow, 1 where they do not get so far. Where they pass each other, past is a direction across the way
// along which they are apart. Along a straight way the distance of convex bodies is a convex function, of which
// Newton's method finds the first zero from this side.
func arrival(a, b *collision.Convex, step vec3) (share float64, past vec3) {
	small := min(a.Radius(), b.Radius())
	if step.Len() <= swift*small {
		return 0, past
	}
	moved := *b
	var sep collision.Separation
	near, far := 0.0, 2.0 // near they come closer, far they part
	var before, after vec3
	for far-near > 1e-3 {
		moved.Centre = b.Centre.Add(step.Mul(share))
		collision.Separate(a, &moved, math.Inf(1), &sep)
		fall := -step.Dot(sep.Normal)
		if fall <= 0 {
			if share == 0 {
				return 0, past
			}
			far, after = share, sep.Normal
		} else {
			near, before = share, sep.Normal
			if sep.Gap <= 1e-6*small || share == 1 {
				return share, past
			}
			share = min(share+sep.Gap/fall, 1)
		}
		if share >= far {
			share = (near + far) / 2
		}
	}
	// The slab between two bodies is a concave function of its direction: where it is open along both it is along all
	// between.
	past = before.Mul(step.Dot(after)).Sub(after.Mul(step.Dot(before)))
	return 0, past.Normalize()
}
