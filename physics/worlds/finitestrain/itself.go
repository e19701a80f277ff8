package finitestrain

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/files/mesh"
)

// Skin is the surface of one of the bodies that a Live is made of.
type Skin struct {
	Triangles [][3]int32 // of mesh nodes, counter-clockwise seen from outside
	Friction  float64    // Coulomb's mu between it and the tool; NaN: LiveOptions.Friction
}

// itself finds where a body touches itself: a node of its surface against a triangle that is far from it at rest, and
// faces it. Such a row is a spot of four nodes whose shares add up to 0: the node's place less that of the triangle's
// point. A node is behind a triangle of its own body almost everywhere, through the body. So only a node that was
// before the triangle's side in the last equilibrium is held in front of it.
type itself struct {
	triangles [][3]int32
	tree      *collision.Tree
	all       []int32   // nodes of the surface, ascending
	nodes     []int32   // those that move
	around    [][]int32 // triangles at each node
	except    [][]int32 // triangles near each node at rest
	apart     float64   // how far from it others are at least, m
	reach     float64   // how near a part is that may touch, m
	at, rest  []mgl64.Vec3
	far       float64 // of all the nodes, how far one is from its place at rest at most, m
	fits      bool    // the tree fits the places
	seen      []bool  // of a node: in the last equilibrium it was close before a triangle
	now       []bool  // the same in this step
	any       bool    // of these
	hinges    []hinge
	edges     []collision.Edge
	owned     [][3]int32 // edges of each triangle, each of one
	cones     []edgeCone // of each edge, found when asked for
	placed    int        // how often the places have been taken over
	near      [][2]int32 // triangles whose boxes meet
}

// neighbourhood is how far around a node, in mean edges of the surface at rest, triangles do not count as another part
// of it.
const neighbourhood = 0.6

func (s *itself) prepare(l *Live, m *mesh.Mesh, triangles [][3]int32) {
	s.rest, s.triangles = m.Nodes, triangles
	s.at = slices.Clone(m.Nodes)
	s.around, s.except = make([][]int32, len(m.Nodes)), make([][]int32, len(m.Nodes))
	s.seen, s.now = make([]bool, len(m.Nodes)), make([]bool, len(m.Nodes))
	edges, longest := 0.0, 0.0
	for i, tri := range s.triangles {
		for k, n := range tri {
			if len(s.around[n]) == 0 {
				s.all = append(s.all, n)
			}
			s.around[n] = append(s.around[n], int32(i))
			edge := m.Nodes[n].Sub(m.Nodes[tri[(k+1)%3]]).Len()
			edges, longest = edges+edge, max(longest, edge)
		}
	}
	slices.Sort(s.all)
	if len(s.triangles) == 0 {
		return
	}
	s.apart = neighbourhood * edges / float64(3*len(s.triangles))
	s.reach = min(l.Options.Reach, s.apart/2)
	s.tree = collision.NewTree(s.triangles, s.rest)
	s.edges, _, s.owned = collision.Edges(s.triangles)
	s.cones = make([]edgeCone, len(s.edges))
	s.hinges = hinges(s.edges, s.triangles, s.rest, func(n int32) bool { return l.k.Index[n] >= 0 })
	for _, n := range s.all {
		if l.k.Index[n] < 0 {
			continue
		}
		s.nodes = append(s.nodes, n)
		for i, t := range s.triangles {
			if s.rest[n].Sub(s.rest[t[0]]).LenSqr() > (s.apart+longest)*(s.apart+longest) {
				continue
			}
			if _, d := collision.ClosestOnTriangle(s.rest[n], s.rest[t[0]], s.rest[t[1]], s.rest[t[2]]); d < s.apart*s.apart {
				s.except[n] = append(s.except[n], int32(i))
			}
		}
	}
}

func (s *itself) keep() {
	copy(s.seen, s.now)
	for i := range s.hinges {
		s.hinges[i].held = s.hinges[i].now
	}
}

func (s *itself) forget() {
	clear(s.seen)
	for i := range s.hinges {
		s.hinges[i].now, s.hinges[i].held = s.hinges[i].rest, s.hinges[i].rest
	}
}

// place takes over where the nodes are.
func (s *itself) place(l *Live) {
	s.far, s.fits = 0, false
	s.placed++
	for _, n := range s.nodes {
		s.at[n] = mgl64.Vec3(l.X[3*n : 3*n+3])
		s.far = max(s.far, s.at[n].Sub(s.rest[n]).LenSqr())
	}
	s.far = math.Sqrt(s.far)
}

// fit makes the tree that of the places.
func (s *itself) fit() {
	if !s.fits {
		s.tree.Refit(s.at, 0)
		s.fits = true
	}
}

// detect adds the rows where the body touches itself, the nearest, no more than most. All nodes are looked at where a
// way begins and now and then, else those that were close.
func (s *itself) detect(l *Live, rows []liveRow, most int) []liveRow {
	again := l.looks > 0
	if again && !s.any {
		return rows
	}
	if !again {
		clear(s.now)
		for i := range s.hinges {
			s.hinges[i].closes = false
		}
		s.any = false
	}
	far := (s.apart - s.reach) / 2 // no two come together of which neither has moved so far
	if s.far <= far || s.tree == nil {
		return rows
	}
	s.fit()
	// what has moved, before any other part; and where that is close to one, the other way round
	first := len(rows)
	for _, away := range [2]bool{true, false} {
		if !away && !s.any {
			break
		}
		for _, n := range s.nodes {
			if again && !s.now[n] || s.at[n].Sub(s.rest[n]).LenSqr() > far*far != away {
				continue
			}
			row, ok := s.row(n)
			if !ok {
				continue
			}
			s.now[n], s.any = true, true
			if row.gap < s.reach/4 {
				rows = s.creases(s, append(rows, row), s.except[n], s.reach/4)
			}
		}
	}
	return nearest(s.fold(l, rows, first, again), first, most)
}

// nearest leaves out those of the rows from first on that are farthest, down to most.
func nearest(rows []liveRow, first, most int) []liveRow {
	if own := rows[first:]; len(own) > most {
		slices.SortFunc(own, func(a, b liveRow) int { return cmp.Compare(a.gap, b.gap) })
		rows = rows[:first+most]
	}
	return rows
}

// fold adds the rows of hinges that are about to close, but those that are there.
func (s *itself) fold(l *Live, rows []liveRow, first int, again bool) []liveRow {
	for i := range s.hinges {
		h := &s.hinges[i]
		if again && !h.closes {
			continue
		}
		var row liveRow
		if row, h.closes = h.row(s); !h.closes {
			continue
		}
		s.any = true
		there := slices.ContainsFunc(rows[first:], func(r liveRow) bool { return r.nodes == row.nodes })
		if row.gap < s.reach/4 && !there {
			rows = append(rows, row)
		}
	}
	return rows
}

// onto is the row of a node on the closest place of a surface, its own or another body's, and the way from there to the
// node.
func (s *itself) onto(on *itself, n int32, hit collision.Hit) (row liveRow, way mgl64.Vec3) {
	t := on.triangles[hit.Triangle]
	a, b, c := on.at[t[0]], on.at[t[1]], on.at[t[2]]
	w := hit.Weights
	way = s.at[n].Sub(a.Mul(w[0])).Sub(b.Mul(w[1])).Sub(c.Mul(w[2]))
	row = liveRow{own: true, spot: spot{[4]int32{n, t[0], t[1], t[2]}, [4]float64{1, -w[0], -w[1], -w[2]}}}
	row.frame[0] = collision.FaceNormal(a, b, c)
	row.gap = way.Dot(row.frame[0])
	return row, way
}

// creases adds to the last row, of a node at a triangle, those of the same node at the triangles beside it that rise
// towards the node, no farther than near. In a crease each of both is the closest in turn: held before one alone, the
// node is pushed into the other.
func (s *itself) creases(on *itself, rows []liveRow, except []int32, near float64) []liveRow {
	last := rows[len(rows)-1]
	n, corners := last.nodes[0], [3]int32(last.nodes[1:])
	for k, a := range corners {
		b, over := corners[(k+1)%3], corners[(k+2)%3]
		for _, i := range on.around[a] {
			t := on.triangles[i]
			if !slices.Contains(t[:], b) || slices.Contains(t[:], over) || slices.Contains(except, i) {
				continue
			}
			middle := on.at[t[0]].Add(on.at[t[1]]).Add(on.at[t[2]]).Mul(1. / 3)
			if middle.Sub(on.at[a]).Dot(last.frame[0]) <= 0 {
				continue
			}
			w, d2 := collision.ClosestOnTriangle(s.at[n], on.at[t[0]], on.at[t[1]], on.at[t[2]])
			if d2 < near*near {
				row, _ := s.onto(on, n, collision.Hit{Triangle: i, Weights: w})
				row.other = last.other
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// row is that of a node, where there is one.
func (s *itself) row(n int32) (row liveRow, ok bool) {
	hit, ok := s.tree.ClosestExcept(s.at, s.at[n], s.reach, -1, s.except[n])
	if !ok {
		return row, false
	}
	row, way := s.onto(s, n, hit)
	normal := row.frame[0]
	if steep := 0.5 * way.Len(); !(row.gap > steep || s.seen[n] && row.gap < -steep) {
		return row, false
	}
	return row, normal != mgl64.Vec3{} && collision.VertexNormal(n, s.around[n], s.triangles, s.at).Dot(normal) < 0
}
