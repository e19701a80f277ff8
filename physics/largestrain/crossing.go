package largestrain

import (
	"iter"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
)

// Edges of two bodies meet where two ridges cross and no node is near. Such a row has the
// nodes of both edges. Nodes carry nearly all, so an edge may be inside by crossingSink, and
// counts from there on: surfaces that hardly turn at their edges are never so deep, and rows
// do not come and go with those of nodes.
const (
	crossingSink = 0.02 // reaches
	// crossingNear is how far edges are from being so deep, at most, to be a row, in reaches.
	crossingNear = 0.02
	// ridgeTurn and sharpTurn are cosines of how much a surface turns at an edge that counts: 3
	// degrees where the other's does, too, and 30 degrees across an edge of the other that is
	// flat to flatTurn, and shorter. Two that turn by an angle at edges of a length reach into
	// each other by about a quarter of their product.
	ridgeTurn, sharpTurn, flatTurn = 0.9986, 0.866, 0.985
	// parallelEdges is the sine of the angle below which two edges are left to their nodes.
	parallelEdges, parallelLoaded = 0.1, 0.08
	// outsideCone is how far a normal may turn out of an edge's cone, as a sine. A load presses
	// its own edges flat, and a little hollow, and keeps the row that carries it.
	outsideCone, outsideFlat, outsideLoaded = 0.02, 0.2, 0.3
)

// cross adds the rows of edges. Pairs of triangles are sought once a step.
func (b *between) cross(l *Live, rows []liveRow, again bool) []liveRow {
	if !again {
		from, on := &l.itself[b.Nodes], &l.itself[b.Triangles]
		from.fit()
		on.fit()
		b.close = from.tree.Near(b.close[:0], from.at, on.tree, on.at, l.Options.Reach/2)
	}
	mu := l.orScenes(b.Friction)
	for row := range b.crossings(l) {
		if row.gap < crossingNear*l.Options.Reach {
			row.mu = mu
			rows = append(rows, row)
		}
	}
	return rows
}

// crosses tells whether edges are too deep.
func (b *between) crosses(l *Live) bool {
	for row := range b.crossings(l) {
		if row.gap < -0.05*l.Options.Reach {
			return true
		}
	}
	return false
}

// crossings are all rows of edges of triangles that were close in this step.
func (b *between) crossings(l *Live) iter.Seq[liveRow] {
	return func(yield func(liveRow) bool) {
		from, on := &l.itself[b.Nodes], &l.itself[b.Triangles]
		for _, pair := range b.close {
			for _, e := range from.owned[pair[0]] {
				for _, f := range on.owned[pair[1]] {
					if e < 0 || f < 0 {
						continue
					}
					if row, ok := l.crossing(from, &from.edges[e], on, &on.edges[f]); ok && !yield(row) {
						return
					}
				}
			}
		}
	}
}

// crossing is the row of two edges, where they are one.
func (l *Live) crossing(from *itself, e *collision.Edge, on *itself, f *collision.Edge) (row liveRow, ok bool) {
	p0, p1, q0, q1 := from.at[e.Node[0]], from.at[e.Node[1]], on.at[f.Node[0]], on.at[f.Node[1]]
	s, t, ok := collision.Crossing(p0, p1, q0, q1)
	if !ok || e.Face[1] < 0 || f.Face[1] < 0 {
		return row, false
	}
	d1, d2 := p1.Sub(p0), q1.Sub(q0)
	way := p0.Add(d1.Mul(s)).Sub(q0.Add(d2.Mul(t)))
	if most := l.Options.Reach / 2; way.LenSqr() > most*most {
		return row, false
	}
	row = liveRow{own: true, other: true, sink: crossingSink * l.Options.Reach,
		spot: spot{[4]int32{e.Node[0], e.Node[1], f.Node[0], f.Node[1]}, [4]float64{1 - s, s, t - 1, -t}}}
	first, second := from.cone(e), on.cone(f)
	parallel, slack := parallelEdges, [2]float64{outsideCone, outsideCone}
	switch {
	case l.loaded(&row.spot):
		parallel, slack = parallelLoaded, [2]float64{outsideLoaded, outsideLoaded}
	case first.Turn < ridgeTurn && second.Turn < ridgeTurn:
	case first.Turn < sharpTurn && second.Flat(flatTurn) && d1.LenSqr() > d2.LenSqr():
		slack[1] = outsideFlat
	case second.Turn < sharpTurn && first.Flat(flatTurn) && d2.LenSqr() > d1.LenSqr():
		slack[0] = outsideFlat
	default:
		return row, false
	}
	row.frame[0], ok = collision.EdgeNormal(d1, d2, &first, &second, parallel, slack)
	row.gap = way.Dot(row.frame[0]) + row.sink
	return row, ok && l.moves(&row.spot)
}

// cone is that of an edge with two sides.
func (s *itself) cone(e *collision.Edge) collision.EdgeCone {
	m, n := s.triangles[e.Face[0]], s.triangles[e.Face[1]]
	return collision.ConeOf(collision.FaceNormal(s.at[m[0]], s.at[m[1]], s.at[m[2]]), collision.FaceNormal(s.at[n[0]], s.at[n[1]], s.at[n[2]]),
		s.at[e.Node[1]].Sub(s.at[e.Node[0]]))
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
