package finitestrain

import (
	"iter"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
)

// Edges of two bodies meet where two ridges cross, or a sharp one lies across a plane, and no node is near. Such a row
// has the nodes of both edges. Nodes carry nearly all, so an edge may be inside by crossingSink, and counts from there
// on: surfaces that hardly turn at their edges are never so deep, and rows do not come and go with those of nodes.
const (
	crossingSink = 0.0125 // of the mean edge of the finer body
	// ridgeTurn is the cosine of how much a surface turns at a ridge, 1.4 degrees; sharpTurn at one that meets edges,
	// too, that are flat to flatTurn, 30 and 10 degrees. Where those are left out, a sharp ridge gets 2.3 mm into a
	// plane of 8 mm triangles.
	ridgeTurn, ridgeLoaded, sharpTurn, flatTurn = 0.9997, 0.9999, 0.866, 0.985
	// parallelEdges is the sine of the angle below which two edges are left to their nodes.
	parallelEdges, parallelLoaded = 0.1, 0.08
	// outsideCone is how far a normal may turn out of an edge's cone, as a sine. A load presses its own edges flat, and
	// a little hollow, and keeps the row that carries it until the edges are no longer inside.
	outsideCone, outsideFlat, outsideLoaded = 0.02, 0.2, 0.3
	// seekBeyond is how far beyond an edge's end, over its length, the place may be at a step's start where it comes to
	// cross another in that step.
	seekBeyond = 0.25
)

// cross adds the rows of edges. Pairs are sought once a step.
func (b *between) cross(l *Live, rows []liveRow) []liveRow {
	if b.edges && l.looks == 0 {
		b.seek(l)
	}
	for row := range b.crossings(l) {
		rows = append(rows, row)
	}
	return rows
}

// seek lists the pairs of edges that may come to be rows in this step.
func (b *between) seek(l *Live) {
	from, on := &l.itself[b.Nodes], &l.itself[b.Triangles]
	from.fit()
	on.fit()
	near := l.Options.Reach / 4
	b.near = from.tree.Near(b.near[:0], from.at, on.tree, on.at, near)
	b.close = b.close[:0]
	for _, pair := range b.near {
		for _, e := range from.owned[pair[0]] {
			for _, f := range on.owned[pair[1]] {
				if e >= 0 && f >= 0 && mayCross(from, e, on, f, near) {
					b.close = append(b.close, [2]int32{e, f})
				}
			}
		}
	}
}

// mayCross tells whether two edges may come to be a row in a step: one of them is a ridge.
func mayCross(from *itself, e int32, on *itself, f int32, near float64) bool {
	x, y := from.edges[e].Node, on.edges[f].Node
	p0, p1, q0, q1 := &from.at[x[0]], &from.at[x[1]], &on.at[y[0]], &on.at[y[1]]
	if boxesApart(p0, p1, q0, q1, near) || min(from.cone(e).Turn, on.cone(f).Turn) > ridgeLoaded {
		return false
	}
	s, t, ok := collision.ClosestLines(*p0, *p1, *q0, *q1)
	return ok && min(s, t) > -seekBeyond && max(s, t) < 1+seekBeyond
}

// boxesApart tells whether the boxes of two edges are farther apart than near along an axis.
func boxesApart(p0, p1, q0, q1 *mgl64.Vec3, near float64) bool {
	for k := range 3 {
		if min(p0[k], p1[k])-max(q0[k], q1[k]) > near || min(q0[k], q1[k])-max(p0[k], p1[k]) > near {
			return true
		}
	}
	return false
}

// crosses tells whether edges are too deep, left out of the rows or not.
func (b *between) crosses(l *Live) bool {
	for row := range b.crossings(l) {
		if row.gap < -b.sink {
			return true
		}
	}
	return false
}

// crossings are the rows that there are of these pairs.
func (b *between) crossings(l *Live) iter.Seq[liveRow] {
	return func(yield func(liveRow) bool) {
		from, on := &l.itself[b.Nodes], &l.itself[b.Triangles]
		for _, pair := range b.close {
			if row, ok := l.crossing(from, pair[0], on, pair[1], b.sink); ok && !yield(row) {
				return
			}
		}
	}
}

// crossing is the row of two edges, where they are deeper than sink, or bear something and are inside at all.
func (l *Live) crossing(from *itself, e int32, on *itself, f int32, sink float64) (row liveRow, ok bool) {
	x, y := from.edges[e].Node, on.edges[f].Node
	p, q := from.at[x[0]], on.at[y[0]]
	d1, d2 := from.at[x[1]].Sub(p), on.at[y[1]].Sub(q)
	s, t, ok := collision.Crossing(p, from.at[x[1]], q, on.at[y[1]])
	if !ok {
		return row, false
	}
	way := p.Add(d1.Mul(s)).Sub(q.Add(d2.Mul(t)))
	if most := l.Options.Reach / 2; way.LenSqr() > most*most {
		return row, false
	}
	row = liveRow{own: true, other: true, sink: sink,
		spot: spot{[4]int32{x[0], x[1], y[0], y[1]}, [4]float64{1 - s, s, t - 1, -t}}}
	first, second := from.cone(e), on.cone(f)
	near, parallel, slack := 0.0, parallelEdges, [2]float64{outsideCone, outsideCone}
	switch {
	case l.loaded(&row.spot):
		near, parallel, slack = sink, parallelLoaded, [2]float64{outsideLoaded, outsideLoaded}
	case first.Turn < ridgeTurn && second.Turn < ridgeTurn:
	case first.Turn < sharpTurn && second.Flat(flatTurn):
		slack[1] = outsideFlat
	case second.Turn < sharpTurn && first.Flat(flatTurn):
		slack[0] = outsideFlat
	default:
		return row, false
	}
	row.frame[0], ok = collision.EdgeNormal(d1, d2, first, second, parallel, slack)
	row.gap = way.Dot(row.frame[0]) + row.sink
	return row, ok && row.gap < near && l.moves(&row.spot)
}

// cone is that of an edge at the places now; of one without two sides it is hollow.
func (s *itself) cone(edge int32) *collision.EdgeCone {
	c := &s.cones[edge]
	if c.placed == s.placed {
		return &c.EdgeCone
	}
	c.placed = s.placed
	e := &s.edges[edge]
	if e.Face[1] < 0 {
		c.Turn = 1
		return &c.EdgeCone
	}
	m, n := s.triangles[e.Face[0]], s.triangles[e.Face[1]]
	c.EdgeCone = collision.ConeOf(collision.FaceNormal(s.at[m[0]], s.at[m[1]], s.at[m[2]]), collision.FaceNormal(s.at[n[0]], s.at[n[1]], s.at[n[2]]),
		s.at[e.Node[1]].Sub(s.at[e.Node[0]]))
	return &c.EdgeCone
}

// edgeCone is an edge's after the places have been taken over so many times.
type edgeCone struct {
	collision.EdgeCone
	placed int
}

// loaded tells whether a row carried something at the last look.
func (l *Live) loaded(s *spot) bool {
	for i := range l.rows {
		if r := &l.rows[i]; r.nodes == s.nodes {
			return r.force != mgl64.Vec3{}
		}
	}
	return false
}
