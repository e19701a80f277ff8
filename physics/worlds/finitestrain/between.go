package finitestrain

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem/solid"
)

// Meeting says that nodes of one body meet the triangles of another.
type Meeting struct {
	Nodes, Triangles int     // places of the skins
	Friction         float64 // Coulomb's mu; NaN: LiveOptions.Friction
}

// between finds where nodes of one body's surface touch another body. Such a row is a
// spot like those of a body that touches itself. But a node that is behind the nearest
// triangle of another body is always inside it, and is pushed out.
type between struct {
	Meeting
	room []float64 // of each node, how far it is from the other surface at rest, m
	now  []bool    // of each node: it was close in this step
	any  bool      // of these

	edges bool       // the other way round is there, too: edges meet edges
	sink  float64    // how far these may be inside, m
	near  [][2]int32 // triangles that were close in this step
	close [][2]int32 // their edges; none where edges do not meet
}

// prepareSkins makes the surfaces ready to be touched by each other and by themselves.
func (l *Live) prepareSkins(m *mesh.Mesh, skins []Skin, met []Meeting) {
	l.skins, l.itself, l.whose = skins, make([]itself, len(skins)), make([]int32, len(m.Nodes))
	for i := range skins {
		l.itself[i].prepare(l, m, skins[i].Triangles)
		for _, n := range l.itself[i].all {
			l.whose[n] = int32(i)
		}
	}
	for _, p := range met {
		from, on := &l.itself[p.Nodes], &l.itself[p.Triangles]
		if len(from.all) == 0 || on.tree == nil || len(from.nodes)+len(on.nodes) == 0 {
			continue
		}
		b := between{Meeting: p, now: make([]bool, len(from.all))}
		b.edges = slices.ContainsFunc(l.between, func(o between) bool { return o.Nodes == p.Triangles && o.Triangles == p.Nodes })
		b.sink = crossingSink * min(from.apart, on.apart) / neighbourhood
		for _, n := range from.all {
			hit, _ := on.tree.Closest(on.rest, on.rest[n], math.Inf(1), -1)
			b.room = append(b.room, math.Sqrt(hit.Dist2))
		}
		l.between = append(l.between, b)
	}
}

// frictionLaw is the law of friction that the scene sets for a row: Coulomb's mu, and by how much
// a grip shifts it, N. Nothing else has a say in what it obeys.
func (l *Live) frictionLaw(r *liveRow) (hold, mu float64) {
	switch {
	case !r.own:
		mu = l.orScenes(l.skins[l.whose[r.nodes[0]]].Friction)
		if hold = l.grip.hold(&r.spot); r.held {
			hold = l.grip.each
		}
		if hold > 0 {
			mu = math.Max(mu, gripFriction)
		}
	case !r.other:
		mu = l.Options.Friction
	default:
		a, b := int(l.whose[r.nodes[0]]), int(l.whose[r.nodes[3]])
		for i := range l.between {
			if m := &l.between[i]; m.Nodes == a && m.Triangles == b || m.Nodes == b && m.Triangles == a {
				mu = l.orScenes(m.Friction)
			}
		}
	}
	return hold, mu
}

func (l *Live) orScenes(mu float64) float64 {
	if math.IsNaN(mu) {
		return l.Options.Friction
	}
	return mu
}

// meet adds the rows where the bodies touch themselves and each other.
func (l *Live) meet(rows []liveRow) []liveRow {
	for i := range l.itself {
		l.itself[i].place(l)
	}
	for i := range l.itself {
		rows = l.itself[i].detect(l, rows, 2*l.Options.Contacts/3)
	}
	first := len(rows)
	for i := range l.between {
		rows = l.between[i].detect(l, rows)
	}
	rows = nearest(rows, first, l.Options.Contacts)
	first = len(rows)
	for i := range l.between {
		rows = l.between[i].cross(l, rows)
	}
	l.looks++
	return nearest(rows, first, l.Options.Contacts/3)
}

// detect adds the rows of nodes that are close to the other body. All nodes are looked at
// where a way begins and now and then, else those that were close.
func (b *between) detect(l *Live, rows []liveRow) []liveRow {
	from, on := &l.itself[b.Nodes], &l.itself[b.Triangles]
	again := l.looks > 0
	if again && !b.any {
		return rows
	}
	if !again {
		clear(b.now)
		b.any = false
	}
	reach := l.Options.Reach
	for i, n := range from.all {
		if again && !b.now[i] || from.at[n].Sub(from.rest[n]).Len()+on.far < b.room[i]-reach {
			continue
		}
		on.fit()
		row, ok := from.other(on, n, reach)
		if !ok || !l.moves(&row.spot) {
			continue
		}
		b.now[i], b.any = true, true
		if row.gap < reach/4 {
			rows = from.creases(on, append(rows, row), nil, reach/4)
		}
	}
	return rows
}

// apart tells whether no node that was close in this step is deep in another body, left
// out of the rows or not.
func (l *Live) apart() bool {
	if len(l.between) == 0 {
		return true
	}
	for i := range l.itself {
		l.itself[i].place(l)
	}
	for i := range l.between {
		b := &l.between[i]
		from, on := &l.itself[b.Nodes], &l.itself[b.Triangles]
		for k, n := range from.all {
			if !b.now[k] {
				continue
			}
			on.fit()
			if row, ok := from.other(on, n, l.Options.Reach); ok && row.gap < -0.05*l.Options.Reach && l.moves(&row.spot) {
				return false
			}
		}
		if b.crosses(l) {
			return false
		}
	}
	return true
}

// moves tells whether any node of a spot does.
func (l *Live) moves(s *spot) bool {
	for _, n := range s.nodes {
		if n >= 0 && l.k.Index[n] >= 0 {
			return true
		}
	}
	return false
}

// other is the row of a node before or behind another body's surface, where there is one.
func (s *itself) other(on *itself, n int32, reach float64) (row liveRow, ok bool) {
	hit, ok := on.tree.Closest(on.at, s.at[n], reach, -1)
	if !ok {
		return row, false
	}
	row, way := s.onto(on, n, hit)
	row.other = true
	normal := row.frame[0]
	if math.Abs(row.gap) < 0.5*way.Len() || normal == (mgl64.Vec3{}) {
		return row, false
	}
	return row, collision.VertexNormal(n, s.around[n], s.triangles, s.at).Dot(normal) < 0
}

// SetLaw changes the law of a block of the mesh. The next steps find the equilibrium.
func (l *Live) SetLaw(block int, law solid.Law) {
	if l.working { // the second thread reads the law
		l.spare = <-l.done
		l.working = false
	}
	l.body.SetLaw(block, law)
	if block < len(l.body.Mesh.Blocks) { // else a membrane
		l.firmOf(block)
	}
	l.past.soften(l)
	l.stiffen()
	l.forces(l.goodForce, l.committed)
	l.least = l.forces(l.force, l.X)
	l.mixed.forget()
}
