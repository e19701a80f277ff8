package finitestrain

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/numerics/fem/equilibrium"
)

// rounded is an obstacle of all points within a radius, m, of a line.
type rounded interface {
	Core(share float64) (from, to mgl64.Vec3, radius float64)
}

// facets are the triangles of the surface between the nodes that may touch. Where the surface is stretched its nodes
// are far from each other, and a tool that met nodes alone would come through between them. So a spot of a triangle or
// of an edge that is closest to the tool is a row, too, once the tool is inside there by more than it is where the
// triangles around have their shape at rest and their corners lie on the tool: at usual strains the nodes carry all,
// and rows do not come and go.
type facets struct {
	triangles [][3]int32
	still     []int32   // their nodes that are held: the support gives way there
	gaps      []float64 // of all nodes, m
	wide      []float64 // of a node: mean radius of the circles around its triangles at rest, m
	front     []bool    // the tool was before the triangle in the last equilibrium
	now       []bool    // the same at the last look
	known     bool      // there has been one since the body was put back to rest
	nearest   float64   // gap of a triangle at the last look, m; what is beyond sides reaches does not count
}

// prepare lists them, but those of rigid bodies, which have no elements.
func (f *facets) prepare(l *Live, nodes []int32) {
	m := l.body.Mesh
	may := make([]bool, len(m.Nodes))
	for _, n := range nodes {
		may[n] = l.firm[n] > 0
	}
	f.gaps, f.wide = make([]float64, len(m.Nodes)), make([]float64, len(m.Nodes))
	around := make([]float64, len(m.Nodes))
	s := m.Surface()
	for _, t := range s.Triangles {
		a, b, c := s.Nodes[t[0]], s.Nodes[t[1]], s.Nodes[t[2]]
		if !may[a] || !may[b] || !may[c] {
			continue
		}
		f.triangles = append(f.triangles, [3]int32{a, b, c})
		radius := circumradius(m.Nodes[a], m.Nodes[b], m.Nodes[c])
		for _, n := range [3]int32{a, b, c} {
			around[n]++
			f.wide[n] += radius
			if l.k.Index[n] < 0 {
				f.still = append(f.still, n)
			}
		}
	}
	slices.Sort(f.still)
	f.still = slices.Compact(f.still)
	for n, k := range around {
		f.wide[n] /= math.Max(1, k)
	}
	f.front, f.now = make([]bool, len(f.triangles)), make([]bool, len(f.triangles))
}

// keep what the last look has found: it was at an equilibrium.
func (f *facets) keep() {
	copy(f.front, f.now)
	f.known = true
}

func circumradius(a, b, c mgl64.Vec3) float64 {
	u, v := b.Sub(a), c.Sub(a)
	return u.Len() * v.Len() * v.Sub(u).Len() / (2 * u.Cross(v).Len())
}

// slack is by how much triangles are stretched before they are rows.
const slack = 1.25

// sink is how far a tool of a radius is inside a triangle whose corners lie on it, m.
func (f *facets) sink(s *spot, radius float64) float64 {
	wide := 0.0
	for k, n := range s.nodes {
		if n >= 0 {
			wide += s.share[k] * f.wide[n]
		}
	}
	wide = math.Min(slack*wide, 0.8*radius)
	return radius - math.Sqrt(radius*radius-wide*wide)
}

// meeting is where a triangle and the tool come closest: the place by the corners' shares, its gap, m, and the
// direction in which it grows.
type meeting struct {
	share  [3]float64
	gap    float64
	normal mgl64.Vec3
	front  bool       // the tool is before the triangle
	core   mgl64.Vec3 // a place of the tool that only comes behind the triangle through it or round it
	radius float64    // of the tool's surface there, m
}

// meet finds it. edge is the triangle's longest, m.
func (f *facets) meet(l *Live, tool equilibrium.Obstacle, a, b, c mgl64.Vec3, edge float64) (m meeting) {
	normal := b.Sub(a).Cross(c.Sub(a))
	if round, ok := tool.(rounded); ok {
		from, to, radius := round.Core(l.share)
		var crossed bool
		m.share, m.core, crossed = closestToCore(from, to, a, b, c)
		way := m.core.Sub(a.Mul(m.share[0]).Add(b.Mul(m.share[1])).Add(c.Mul(m.share[2])))
		far := way.Len()
		m.gap, m.front, m.radius = far-radius, !crossed && way.Dot(normal) >= 0, radius
		if far > 0 {
			m.normal = way.Mul(-1 / far)
		}
		return m
	}
	m.share, m.core, m.gap, m.normal = deepest(tool, l.share, a, b, c, edge, l.Options.Reach/4)
	m.front = m.normal.Dot(normal) <= 0
	return m
}

// deepest is about the place of a triangle with the least gap, by its corners' shares: by steps against the direction
// in which the gap grows, each half as long where the last has not led down. It begins in the middle: where a straight
// edge lies on the triangle, all of its places are as deep, and rows must not jump between them. Where all are farther
// than reach the middle does.
func deepest(tool equilibrium.Obstacle, at float64, a, b, c mgl64.Vec3, edge, reach float64) (share [3]float64, place mgl64.Vec3, gap float64, normal mgl64.Vec3) {
	share = [3]float64{1. / 3, 1. / 3, 1. / 3}
	place = a.Add(b).Add(c).Mul(1. / 3)
	gap, normal = tool.Gap(place, at)
	if gap-edge*2/3 > reach { // no corner is farther from the middle
		return share, place, gap, normal
	}
	length := math.Max(gap, edge/2)
	for range 16 {
		s, _ := collision.ClosestOnTriangle(place.Sub(normal.Mul(length)), a, b, c)
		p := a.Mul(s[0]).Add(b.Mul(s[1])).Add(c.Mul(s[2]))
		if g, n := tool.Gap(p, at); g < gap {
			share, place, gap, normal = s, p, g, n
		} else {
			length /= 2
		}
	}
	return share, place, gap, normal
}

// least is how far a tool may be inside a triangle that is no row, in reaches.
const least = 0.02

// sides is up to what gap the side of the tool is looked at, in reaches: what comes so near has one.
const sides = 2

// detect adds the rows of triangles and edges to those of the nodes, whose gaps are known, and counts the triangles
// that the tool has come through since the last equilibrium.
func (f *facets) detect(l *Live, tool equilibrium.Obstacle, rows []liveRow) ([]liveRow, int) {
	nodes, pierced := len(rows), 0
	f.nearest = math.Inf(1)
	for t := range f.triangles {
		f.now[t] = true
		tri := &f.triangles[t]
		corner := min(f.gaps[tri[0]], f.gaps[tri[1]], f.gaps[tri[2]])
		over := corner - sides*l.Options.Reach
		a, b, c := mgl64.Vec3(l.X[3*tri[0]:3*tri[0]+3]), mgl64.Vec3(l.X[3*tri[1]:3*tri[1]+3]), mgl64.Vec3(l.X[3*tri[2]:3*tri[2]+3])
		longest := max(a.Sub(b).LenSqr(), b.Sub(c).LenSqr(), c.Sub(a).LenSqr())
		if over > 0 && 3*over*over > longest {
			continue // no point of a triangle is farther from a corner than that
		}
		m := f.meet(l, tool, a, b, c, math.Sqrt(longest))
		f.nearest = min(f.nearest, m.gap)
		if m.gap > sides*l.Options.Reach {
			continue
		}
		f.now[t] = m.front
		share := m.share
		inside := share[0] > 0 && share[1] > 0 && share[2] > 0
		row := liveRow{spot: spot{[4]int32{tri[0], tri[1], tri[2], -1}, [4]float64{share[0], share[1], share[2]}}, gap: m.gap, sides: 1, faces: m.front}
		row.frame[0] = m.normal
		switch {
		case !m.front && inside: // it has come through, or is behind a thin part
			if !f.known || !f.front[t] || !f.through(l, tool, tri, &m) {
				continue
			}
			pierced++
			row.gap, row.frame[0] = -m.gap-2*m.radius, b.Sub(a).Cross(c.Sub(a)).Normalize().Mul(-1)
		case !m.front && m.normal == mgl64.Vec3{}, !row.onEdge():
			continue
		}
		row.sink = least * l.Options.Reach
		if m.radius > 0 {
			row.sink = f.sink(&row.spot, m.radius)
		} else if m.gap > corner-row.sink/2 {
			continue // flat on a face of the tool: its corners carry all
		}
		if row.gap += row.sink; row.gap < l.Options.Reach/4 {
			rows = addRow(rows, nodes, &row)
		}
	}
	kept := rows[:nodes]
	for i := range rows[nodes:] { // an edge is nearest where it is for both of its sides
		if r := &rows[nodes+i]; r.nodes[2] >= 0 || r.sides > 1 && r.faces {
			kept = append(kept, *r)
		}
	}
	return kept, pierced
}

// through tells whether the tool has come through a triangle that it was before.
func (f *facets) through(l *Live, tool equilibrium.Obstacle, tri *[3]int32, m *meeting) bool {
	if m.radius > 0 {
		return m.gap <= l.Options.Reach && l.passed(tool, tri, m.core)
	}
	return m.gap < -least*l.Options.Reach // it is nearer to the tool's far side
}

// onEdge leaves out the corner of a triangle that has no share; where two have none it is false: nodes are rows
// already.
func (r *liveRow) onEdge() bool {
	n := 0
	for k, share := range r.share {
		if share > 0 {
			r.nodes[n], r.share[n] = r.nodes[k], share
			n++
		}
	}
	if n < 2 {
		return false
	}
	if n == 2 {
		r.nodes[2], r.share[2] = -1, 0
		if r.nodes[0] > r.nodes[1] {
			r.nodes[0], r.nodes[1], r.share[0], r.share[1] = r.nodes[1], r.nodes[0], r.share[1], r.share[0]
		}
	}
	return true
}

// addRow adds one that is new from the first on.
func addRow(rows []liveRow, first int, row *liveRow) []liveRow {
	for i := first; i < len(rows); i++ {
		if r := &rows[i]; r.nodes == row.nodes {
			r.sides++
			r.faces = r.faces || row.faces
			return rows
		}
	}
	return append(rows, *row)
}

// closestToCore is the place of a triangle, by its corners' shares, that is closest to a line, and the place of the
// line; and whether the line goes through the triangle.
func closestToCore(from, to, a, b, c mgl64.Vec3) (share [3]float64, core mgl64.Vec3, crossed bool) {
	share, best := collision.ClosestOnTriangle(from, a, b, c)
	core = from
	if from == to {
		return share, core, false
	}
	normal := b.Sub(a).Cross(c.Sub(a))
	if p, q := from.Sub(a).Dot(normal), to.Sub(a).Dot(normal); p*q < 0 {
		x := from.Add(to.Sub(from).Mul(p / (p - q)))
		if at, away := collision.ClosestOnTriangle(x, a, b, c); away < 1e-16*normal.Len() && min(at[0], at[1], at[2]) > 0 {
			return at, x, true
		}
	}
	if at, d := collision.ClosestOnTriangle(to, a, b, c); d < best {
		share, core, best = at, to, d
	}
	corners := [3]mgl64.Vec3{a, b, c}
	for k := range 3 {
		next := (k + 1) % 3
		if s, t, d := collision.ClosestSegments(from, to, corners[k], corners[next]); d < best {
			best, core = d, from.Add(to.Sub(from).Mul(s))
			share = [3]float64{}
			share[k], share[next] = 1-t, t
		}
	}
	return share, core, false
}

// look finds on which side of the triangles the tool is, and tells whether it has come through one.
func (f *facets) look(l *Live, tool equilibrium.Obstacle) bool {
	for _, n := range l.nodes {
		f.gaps[n], _ = tool.Gap(mgl64.Vec3(l.X[3*n:3*n+3]), l.share)
	}
	var pierced int
	l.near, pierced = f.detect(l, tool, l.near[:0])
	return pierced > 0
}

// passed tells whether a place of the tool has gone through a triangle on the way from the last equilibrium, and not
// round it: a triangle that has swung over has the tool behind it, too, and to push at it would be to push against the
// tissue around.
func (l *Live) passed(tool equilibrium.Obstacle, tri *[3]int32, place mgl64.Vec3) bool {
	from := place.Add(tool.Moved(place, l.share, 0))
	at := func(way float64) (x, a, b, c mgl64.Vec3, side float64) {
		p := [3]mgl64.Vec3{}
		for k, n := range tri {
			shown := mgl64.Vec3(l.committed[3*n : 3*n+3])
			p[k] = shown.Add(mgl64.Vec3(l.X[3*n : 3*n+3]).Sub(shown).Mul(way))
		}
		x = from.Add(place.Sub(from).Mul(way))
		return x, p[0], p[1], p[2], p[1].Sub(p[0]).Cross(p[2].Sub(p[0])).Dot(x.Sub(p[0]))
	}
	before, after := 0.0, 1.0 // in its plane between these
	for range 20 {
		half := (before + after) / 2
		if _, _, _, _, side := at(half); side > 0 {
			before = half
		} else {
			after = half
		}
	}
	x, a, b, c, _ := at(after)
	share, _ := collision.ClosestOnTriangle(x, a, b, c)
	return min(share[0], share[1], share[2]) > 0
}
