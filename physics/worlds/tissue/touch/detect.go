package touch

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
)

const (
	// even is the sine of the angle by which a surface has to turn down from an edge, on both sides, for the edge to be
	// nearer to another one than what is around it. Where it turns less, nodes carry; what that leaves binds.
	even = 0.01
	// skew is the least sine of the angle between two edges that touch. Along each other their nodes do.
	skew = 0.1
	// same is the share of a squared distance that rounding may make up: of neighbours with a common closest point.
	same = 1e-9
)

// list finds the pairs of features closer than reach, where the surfaces are now, unless they are known. Pairs found
// with some more to spare are those as long as no node has gone farther than half of that. Of nodes
// that have gone a quarter the pairs are found anew then.
func (s *Set) list(reach float64) {
	wide := 1.5*reach + s.edge/2
	spare := wide - reach
	known, covers := s.margin == wide, s.covers
	most, turned := s.strayed(), false
	for _, f := range s.Surfaces {
		clear(f.turned)
		turned = f.shape.Turned(f.X, f.way, f.turned) || turned
	}
	if most <= spare/2 && !turned && known && covers {
		return
	}
	s.margin, s.covers = wide, true
	for _, f := range s.Surfaces {
		for i, x := range f.X {
			if f.stray[i] = !known || f.way[i] > spare/4 || f.turned[i]; f.stray[i] {
				f.listed[i] = x
			}
		}
		if known && covers {
			f.shape.Refit(f.stray)
		} else {
			f.shape.Fit(f.listed, f.listed, wide/2)
		}
		switch {
		case !f.closed || f.Tool:
		case known:
			f.shape.Face(f.stray)
		default:
			f.shape.Face(nil)
		}
		f.shape.Only(f.stray)
	}
	kept := s.pairs[:0]
	for i := range s.pairs {
		if c := &s.pairs[i]; known && !s.strays(&c.pair) {
			kept = append(kept, *c)
		}
	}
	n := len(kept)
	s.pairs = kept
	for k := range s.Pairings {
		if s.Pairings[k].B >= 0 {
			s.pairs = s.searchPairs(s.pairs, k, (*collision.Surface).Facing)
		}
	}
	kept = s.pairs[:n]
	for _, c := range s.pairs[n:] {
		if c.apart = s.apart(&c.pair, true); c.apart < wide {
			kept = append(kept, c)
		}
	}
	s.pairs = kept
	for _, f := range s.Surfaces {
		f.shape.Only(nil)
	}
	s.strayed()
}

// strays tells that a node of a pair of surfaces has been listed anew.
func (s *Set) strays(p *pair) bool {
	a, b := s.nodes(p)
	f, o := s.Surfaces[p.s].stray, s.Surfaces[p.o].stray
	for _, n := range a {
		if f[n] {
			return true
		}
	}
	for _, n := range b {
		if o[n] {
			return true
		}
	}
	return false
}

// nodes are those of the features of a pair; there are none of the tool.
func (s *Set) nodes(p *pair) (a, b []int32) {
	f, o := s.Surfaces[p.s], s.Surfaces[p.o]
	switch p.kind {
	case nodeFace:
		return f.number[p.a : p.a+1], o.Triangles[p.b][:]
	case edgeEdge:
		return f.shape.Edges[p.a].Node[:], o.shape.Edges[p.b].Node[:]
	}
	return f.Triangles[p.a][:], nil
}

// strayed finds how far each node has gone since the pairs were listed, and how far at most, m.
func (s *Set) strayed() (most float64) {
	for _, f := range s.Surfaces {
		for i, x := range f.X {
			f.way[i] = x.Sub(f.listed[i]).Len()
			most = max(most, f.way[i])
		}
	}
	return most
}

// searchPairs appends the pairs of features of two surfaces whose boxes meet as they are fitted, of which look finds.
func (s *Set) searchPairs(dst []candidate, pairing int, look func(f *collision.Surface, dst []collision.Pair, o *collision.Surface) []collision.Pair) []candidate {
	p := &s.Pairings[pairing]
	f, o := s.Surfaces[p.A], s.Surfaces[p.B]
	s.found = look(f.shape, s.found[:0], o.shape)
	for _, n := range s.found {
		c := candidate{pair{nodeFace, int32(p.A), int32(p.B), n.A, n.B}, 0, int32(pairing)}
		switch n.Kind {
		case collision.FaceNode:
			c.pair = pair{nodeFace, int32(p.B), int32(p.A), n.B, n.A}
		case collision.EdgeEdge:
			c.kind = edgeEdge
			if p.A == p.B { // whichever was found first
				c.a, c.b = min(n.A, n.B), max(n.A, n.B)
			}
		}
		dst = append(dst, c)
	}
	return dst
}

// fit says that nodes are where they are now.
func (s *Set) fit() {
	for _, f := range s.Surfaces {
		f.shape.Fit(f.X, f.X, 0)
	}
	s.covers = false
}

// searchTool appends the triangles of a surface, whose nodes go straight to a place, that may come to the box of the tool's
// core, widened by a margin and what of it has a radius.
func (s *Set) searchTool(dst []candidate, pairing int, to []mgl64.Vec3, core *[2]mgl64.Vec3, margin float64) []candidate {
	if !(s.Tool.Round > 0) {
		return dst
	}
	lo, hi := core[0], core[0]
	for k := range 3 {
		lo[k] = min(core[0][k], core[1][k]) - s.Tool.Round - margin
		hi[k] = max(core[0][k], core[1][k]) + s.Tool.Round + margin
	}
	surface := s.Pairings[pairing].A
	f := s.Surfaces[surface]
	s.faces = f.shape.Within(s.faces[:0], lo, hi)
	for _, t := range s.faces {
		if s.covers && !f.comesTo(t, to, &lo, &hi) {
			continue
		}
		dst = append(dst, candidate{pair{faceTool, int32(surface), 0, t, 0}, 0, int32(pairing)})
	}
	return dst
}

// comesTo tells that the box of a triangle's way meets another box.
func (f *Surface) comesTo(face int32, to []mgl64.Vec3, lo, hi *mgl64.Vec3) bool {
	t := &f.Triangles[face]
	for k := range 3 {
		least, most := math.Inf(1), math.Inf(-1)
		for _, n := range t {
			least, most = min(least, f.X[n][k], to[n][k]), max(most, f.X[n][k], to[n][k])
		}
		if least > hi[k] || most < lo[k] {
			return false
		}
	}
	return true
}

// touches tells whether a pair is a contact: near, across free space, and nearer than what is around it on the surface
// that it may slide on, so that each place where surfaces are nearest is there once.
func (s *Set) touches(p *candidate, reach float64, c *Contact) bool {
	if p.kind < faceTool && p.apart-s.wayOf(&p.pair) >= reach {
		return false
	}
	of, ok := p.pair, false
	switch p.kind {
	case nodeFace:
		ok = s.nodeTouches(&of, reach)
	case edgeEdge:
		ok = s.edgesTouch(&of, reach)
	case faceTool:
		of, ok = s.toolTouches(of, reach)
	}
	if ok = ok && !s.off(p, s.apart(&p.pair, false)); ok {
		*c = s.contact(of.key())
	}
	return ok
}

// look forgets the surface's normals and ridges: they are found anew where it is now.
func (f *Surface) look() { f.looks++ }

// normalAt is that of a triangle, not unit.
func (f *Surface) normalAt(t int32) mgl64.Vec3 {
	n := &f.normal[t]
	if n.looks != f.looks {
		tri := &f.Triangles[t]
		a := f.X[tri[0]]
		n.looks, n.n = f.looks, f.X[tri[1]].Sub(a).Cross(f.X[tri[2]].Sub(a))
	}
	return n.n
}

// ridgeAt tells that an edge may touch others: the surface turns down on both sides of it.
func (f *Surface) ridgeAt(edge int32) bool {
	r := &f.ridge[edge]
	if r.looks == f.looks {
		return r.is
	}
	e := &f.shape.Edges[edge]
	r.looks, r.is = f.looks, true
	if e.Face[1] >= 0 {
		var both mgl64.Vec3
		for _, t := range e.Face {
			both = both.Add(f.inwards(e, t).Normalize())
		}
		r.is = both.Len() > 2*even && !(f.closed && both.Dot(f.normalAt(e.Face[0])) >= 0)
	}
	return r.is
}

// normal and ridge are as they were at a look.
type normal struct {
	looks int
	n     mgl64.Vec3
}

type ridge struct {
	looks int
	is    bool
}

// inwards is the way from an edge into one of its faces, across the edge.
func (f *Surface) inwards(e *collision.Edge, face int32) mgl64.Vec3 {
	a := f.X[e.Node[0]]
	along := f.X[e.Node[1]].Sub(a).Normalize()
	for _, n := range &f.Triangles[face] {
		if n != e.Node[0] && n != e.Node[1] {
			in := f.X[n].Sub(a)
			return in.Sub(along.Mul(in.Dot(along)))
		}
	}
	return mgl64.Vec3{}
}

// before tells that a point is before a triangle; of a surface without an inside all are.
func (f *Surface) before(x mgl64.Vec3, t int32) bool {
	return !f.closed || x.Sub(f.X[f.Triangles[t][0]]).Dot(f.normalAt(t)) > 0
}

// nodeTouches tells that a node is before a triangle, and of all those that it is before and that are around the
// closest point this one is as near as any, and the first of such.
func (s *Set) nodeTouches(p *pair, reach float64) bool {
	o, x := s.Surfaces[p.o], s.Surfaces[p.s].X[p.a]
	if !o.before(x, p.b) {
		return false
	}
	w, d2 := onFace(x, o, p.b)
	return d2 < reach*reach && o.leastAt(p.b, &w, d2, func(t int32) (float64, bool) {
		_, d := onFace(x, o, t)
		return d, t < p.b && o.before(x, t)
	})
}

// toolTouches is the same of a triangle and the tool, and names what of it is near.
func (s *Set) toolTouches(p pair, reach float64) (of pair, ok bool) {
	f := s.Surfaces[p.s]
	w, _, d2 := s.faceToCore(f, p.a)
	most := reach + s.Tool.Round
	return f.part(p, &w), d2 < most*most && f.leastAt(p.a, &w, d2, func(t int32) (float64, bool) {
		_, _, d := s.faceToCore(f, t)
		return d, false
	})
}

func onFace(x mgl64.Vec3, o *Surface, t int32) (w [3]float64, dist2 float64) {
	n := o.Triangles[t]
	return collision.ClosestOnTriangle(x, o.X[n[0]], o.X[n[1]], o.X[n[2]])
}

// leastAt tells that no triangle around the closest point of a triangle, by its weights, is nearer, and none that goes
// before it as near. other gives a triangle's squared distance, and whether it goes before.
func (f *Surface) leastAt(face int32, w *[3]float64, dist2 float64, other func(t int32) (float64, bool)) bool {
	if w[0] > 0 && w[1] > 0 && w[2] > 0 {
		return true
	}
	corners := &f.Triangles[face]
	for k, n := range corners {
		if !(w[k] > 0) {
			continue
		}
		for _, t := range f.around[n] {
			if t == face || !f.holds(t, corners, w) {
				continue
			}
			if d, first := other(t); d < dist2*(1-same) || first && d <= dist2*(1+same) {
				return false
			}
		}
		break // triangles at a point are at each of its nodes
	}
	return true
}

// holds tells that a triangle has all the nodes that a point has weights of.
func (f *Surface) holds(t int32, corners *[3]int32, w *[3]float64) bool {
	tri := &f.Triangles[t]
	for k, n := range corners {
		if w[k] > 0 && n != tri[0] && n != tri[1] && n != tri[2] {
			return false
		}
	}
	return true
}

// part is what of a triangle is closest to the tool, by its weights: itself, an edge or a node.
func (f *Surface) part(p pair, w *[3]float64) pair {
	corners := &f.Triangles[p.a]
	for k, n := range corners {
		if l, m := (k+1)%3, (k+2)%3; !(w[l] > 0) && !(w[m] > 0) {
			return pair{nodeTool, p.s, 0, n, 0}
		}
	}
	for k := range corners {
		if !(w[(k+2)%3] > 0) {
			if e := f.sides[p.a][k]; e >= 0 {
				return pair{edgeTool, p.s, 0, e, 0}
			}
		}
	}
	return p
}

// edgesTouch tells that two edges do: inside both, across each other, and where both surfaces turn away from the other.
func (s *Set) edgesTouch(p *pair, reach float64) bool {
	f, o := s.Surfaces[p.s], s.Surfaces[p.o]
	if !f.ridgeAt(p.a) || !o.ridgeAt(p.b) {
		return false
	}
	e, g := &f.shape.Edges[p.a], &o.shape.Edges[p.b]
	a, b, c, d := f.X[e.Node[0]], f.X[e.Node[1]], o.X[g.Node[0]], o.X[g.Node[1]]
	u, v, ok := collision.Crossing(a, b, c, d)
	if !ok {
		return false
	}
	n := a.Add(b.Sub(a).Mul(u)).Sub(c.Add(d.Sub(c).Mul(v)))
	l := n.Len()
	if !(l > 0 && l < reach) {
		return false
	}
	if x, y := b.Sub(a), d.Sub(c); !(x.Cross(y).LenSqr() > skew*skew*x.LenSqr()*y.LenSqr()) {
		return false
	}
	n = n.Mul(1 / l)
	return f.turnsAway(e, n) && o.turnsAway(g, n.Mul(-1))
}

// turnsAway tells that the faces at an edge leave it along a direction, and with an inside, that they look against it.
func (f *Surface) turnsAway(e *collision.Edge, n mgl64.Vec3) bool {
	for _, t := range e.Face {
		if t < 0 {
			continue
		}
		if in := f.inwards(e, t); !(n.Dot(in) > even*in.Len()) || f.closed && !(n.Dot(f.normalAt(t)) < 0) {
			return false
		}
	}
	return true
}

// off tells that a pair so far apart does not act: it is where surfaces go through each other, or its features touch,
// and on which side of each other they are to be is not known.
func (s *Set) off(c *candidate, apart float64) bool {
	return s.crossed && c.kind < faceTool && s.astray(c) || !(apart > 0)
}

// apart is how far two features are from each other where they are now, or where they were listed, m; 0 or less where
// they touch.
func (s *Set) apart(p *pair, listed bool) float64 {
	f, o := s.Surfaces[p.s], s.Surfaces[p.o]
	x, y := f.X, o.X
	if listed {
		x, y = f.listed, o.listed
	}
	a, b := s.nodes(p)
	switch p.kind {
	case nodeFace:
		_, d := collision.ClosestOnTriangle(x[a[0]], y[b[0]], y[b[1]], y[b[2]])
		return math.Sqrt(d)
	case edgeEdge:
		_, _, d := collision.ClosestSegments(x[a[0]], x[a[1]], y[b[0]], y[b[1]])
		return math.Sqrt(d)
	}
	_, _, d := toCore(x[a[0]], x[a[1]], x[a[2]], &s.Tool.core)
	return math.Sqrt(d) - s.Tool.Round
}

// mark is what a node is to the other surface of a pairing.
type mark uint8

const (
	cut    mark = 1 << iota // of a triangle that goes through it
	inside                  // behind it
)

// astray tells that features are where surfaces go through each other: one of them is inside the other surface, or both
// are of triangles that cross.
func (s *Set) astray(c *candidate) bool {
	p := &s.Pairings[c.pairing]
	m := &s.marks[c.pairing]
	first, second := m[0], m[1]
	if int(c.s) != p.A {
		first, second = second, first
	}
	var a, b mark
	mine, others := s.nodes(&c.pair)
	for _, n := range mine {
		a |= first[n]
	}
	for _, n := range others {
		b |= second[n]
	}
	return (a|b)&inside != 0 || a&b&cut != 0
}

// markCuts finds where surfaces go through each other, while they do: motions make no new ones.
func (s *Set) markCuts() {
	if !s.crossed {
		return
	}
	s.fit()
	s.crossed, s.margin = false, 0
	for k := range s.Pairings {
		p, m := &s.Pairings[k], &s.marks[k]
		if p.B < 0 {
			continue
		}
		clear(m[0])
		clear(m[1])
		s.cuts = s.Surfaces[p.A].shape.Cuts(s.cuts[:0], s.Surfaces[p.B].shape)
		if len(s.cuts) == 0 {
			continue
		}
		s.crossed = true
		if p.A == p.B {
			m[1] = m[0] // which side is which is not known
		}
		for _, c := range s.cuts {
			from, to := 0, 1
			if c.Second {
				from, to = to, from
			}
			f, o := s.Surfaces[[2]int{p.A, p.B}[from]], s.Surfaces[[2]int{p.A, p.B}[to]]
			tri := o.Triangles[c.Triangle]
			for _, n := range tri {
				m[to][n] |= cut
			}
			for _, n := range f.shape.Edges[c.Edge].Node {
				m[from][n] |= cut
				if p.A != p.B && o.closed && collision.Orient(o.X[tri[0]], o.X[tri[1]], o.X[tri[2]], f.X[n]) > 0 {
					m[from][n] |= inside
				}
			}
		}
		s.flood(s.Surfaces[p.A], m[0], false)
		s.flood(s.Surfaces[p.B], m[1], true)
	}
}

// flood marks what is inside with its neighbours: along edges that do not go through the other surface.
func (s *Set) flood(f *Surface, m []mark, second bool) {
	for changed := true; changed; {
		changed = false
		for i, e := range f.shape.Edges {
			if (m[e.Node[0]]^m[e.Node[1]])&inside == 0 {
				continue
			}
			if !slices.ContainsFunc(s.cuts, func(c collision.Cut) bool { return c.Second == second && int(c.Edge) == i }) {
				m[e.Node[0]] |= inside
				m[e.Node[1]] |= inside
				changed = true
			}
		}
	}
}
