package mesh

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
)

// A linear element has the strain of one point, or nearly so: where a body bends, strain grows across it, and a few
// elements across follow it in steps. The body is then too stiff, the more so the nearer Poisson's ratio is to 0.5.
// BendingExcess says by how much, Thinnest how many elements a mesh has across its thinnest part.

// BendingExcess is by what share of the right stiffness a slender part is too stiff in bending, with so many cells of
// linear elements across and Poisson's ratio nu: a cell is a hexahedron, or the six tetrahedra that one is split into,
// as long as it is thick. 0 for quadratic elements. It is
//
//	(2.6 + 0.75/(1-2 nu)) / (cells^2 + 0.2)  of linear tetrahedra
//	(0.4 + 0.10/(1-2 nu)) / (cells^2 + 0.2)  of hexahedra with 2x2x2 points
//
// fitted to the tip of a cantilever eight times as long as thick, of 1 to 6 cells and nu 0 to 0.48 (fem's
// TestBendingIsAsStiffAsStated): within a fifth for tetrahedra, a third for hexahedra.
func BendingExcess(t ElementType, cells, nu float64) float64 {
	room := 1 / math.Max(1-2*nu, 1e-3)
	switch t {
	case Tet4:
		return (2.6 + 0.75*room) / (cells*cells + 0.2)
	case Hex8:
		return (0.4 + 0.1*room) / (cells*cells + 0.2)
	}
	return 0
}

// thinPart is the thinnest part of a body where it may bend.
type thinPart struct {
	Thickness float64 // of the thinnest tenth of its surface, m
	Extent    float64 // longest side of the body's box, m
	Cells     float64 // across that; see BendingExcess
}

const (
	slender   = 1. / 3 // thickness over extent, from which on bending plays no part
	thinShare = 0.2    // of the places that are looked at: the median of these is that of the thinnest tenth
	lookMost  = 256    // places, and
	lookWork  = 2e6    // of them, times elements
	lookLeast = 48
)

// thinnest looks straight through the mesh from places spread evenly over its surface. What is held on either side does
// not bend there: held are such nodes, ascending. ok is false for a compact body, and for one held all over. The mesh
// may have linear elements of any kind.
func (m *Mesh) thinnest(held []int32) (t thinPart, ok bool) {
	tets := m.Tetrahedra()
	low, high := tets.Bounds()
	size := high.Sub(low)
	t.Extent = max(size[0], size[1], size[2])
	look := looker{m: tets, held: make([]bool, len(tets.Nodes)), near: 1e-6 * t.Extent}
	look.prepare()
	for _, n := range held {
		if int(n) < len(look.held) { // nodes that are used stay in their places
			look.held[n] = true
		}
	}
	var found []look1
	for _, from := range look.places(min(lookMost, max(lookLeast, int(lookWork/float64(max(1, tets.Elements())))))) {
		if l, ok := look.through(from); ok {
			found = append(found, l)
		}
	}
	if len(found) == 0 || !(t.Extent > 0) {
		return t, false
	}
	slices.SortFunc(found, func(a, b look1) int { return cmp.Compare(a.far, b.far) })
	thin := found[:max(1, int(thinShare*float64(len(found))))]
	t.Thickness = thin[len(thin)/2].far
	slices.SortFunc(thin, func(a, b look1) int { return cmp.Compare(a.cells, b.cells) })
	t.Cells = thin[len(thin)/2].cells
	return t, t.Thickness <= slender*t.Extent
}

type looker struct {
	m     *Mesh
	held  []bool
	near  float64 // m: what is nearer is at one place
	balls []ball
	cuts  []cut
}

// ball is around a tetrahedron.
type ball struct {
	x, y, z, r2 float64 // m, m2
	nodes       []int32
}

func (l *looker) prepare() {
	for _, e := range l.m.All() {
		n := e.Nodes
		middle := l.m.Nodes[n[0]].Add(l.m.Nodes[n[1]]).Add(l.m.Nodes[n[2]]).Add(l.m.Nodes[n[3]]).Mul(0.25)
		r2 := 0.0
		for _, k := range n {
			r2 = max(r2, l.m.Nodes[k].Sub(middle).LenSqr())
		}
		l.balls = append(l.balls, ball{middle[0], middle[1], middle[2], r2, n})
	}
}

// cut is a tetrahedron on a line of sight.
type cut struct {
	from, to float64 // m
	cell     float64 // edge of a cell of six such, m
	held     bool    // a side of it is
}

// look1 is what one look has found: how far it is to the other side, m, and how many cells.
type look1 struct{ far, cells float64 }

type sight struct {
	at, way mgl64.Vec3
	held    bool // it begins at a side that is held
}

// places are spread over the surface by its area: triangle by triangle, in the order of the mesh.
func (l *looker) places(most int) (all []sight) {
	s := l.m.Surface()
	total := 0.0
	area := make([]float64, len(s.Triangles))
	for i, t := range s.Triangles {
		a, b, c := l.m.Nodes[s.Nodes[t[0]]], l.m.Nodes[s.Nodes[t[1]]], l.m.Nodes[s.Nodes[t[2]]]
		area[i] = b.Sub(a).Cross(c.Sub(a)).Len() / 2
		total += area[i]
	}
	next, sum := 0.5, 0.0
	for i, t := range s.Triangles {
		if sum += area[i] / total * float64(most); sum < next || !(area[i] > 0) {
			continue
		}
		next = math.Floor(sum) + 1.5
		n := [3]int32{s.Nodes[t[0]], s.Nodes[t[1]], s.Nodes[t[2]]}
		a, b, c := l.m.Nodes[n[0]], l.m.Nodes[n[1]], l.m.Nodes[n[2]]
		// not the middle: in a regular mesh the line would go along the sides of elements
		at := a.Mul(0.41).Add(b.Mul(0.33)).Add(c.Mul(0.26))
		way := b.Sub(a).Cross(c.Sub(a)).Mul(-0.5 / area[i])
		all = append(all, sight{at, way, l.held[n[0]] && l.held[n[1]] && l.held[n[2]]})
	}
	return all
}

// through is false where the body is held on either side.
func (l *looker) through(s sight) (found look1, ok bool) {
	l.cuts = l.cuts[:0]
	for i := range l.balls {
		b := &l.balls[i]
		x, y, z := b.x-s.at[0], b.y-s.at[1], b.z-s.at[2]
		along := x*s.way[0] + y*s.way[1] + z*s.way[2]
		if x*x+y*y+z*z-along*along <= b.r2 && (along > 0 || along*along <= b.r2) {
			l.cut(b.nodes, s)
		}
	}
	slices.SortFunc(l.cuts, func(a, b cut) int { return cmp.Compare(a.from, b.from) })
	held := s.held
	for _, c := range l.cuts {
		if c.from > found.far+l.near { // out of the body
			break
		}
		if c.to > found.far {
			found.cells += (c.to - max(c.from, found.far)) / c.cell
			found.far, held = c.to, s.held || c.held
		}
	}
	return found, found.far > 0 && !held
}

// cut keeps where a tetrahedron is on a line of sight.
func (l *looker) cut(n []int32, s sight) {
	x := [4]mgl64.Vec3{l.m.Nodes[n[0]], l.m.Nodes[n[1]], l.m.Nodes[n[2]], l.m.Nodes[n[3]]}
	volume := x[1].Sub(x[0]).Cross(x[2].Sub(x[0])).Dot(x[3].Sub(x[0])) / 6
	c := cut{from: 0, to: math.Inf(1), cell: math.Cbrt(6 * math.Abs(volume))}
	exit := -1
	for k, side := range [4][3]int{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}} {
		a := x[side[0]]
		normal := x[side[1]].Sub(a).Cross(x[side[2]].Sub(a))
		if normal.Dot(x[k].Sub(a)) > 0 {
			normal = normal.Mul(-1) // outward
		}
		speed, room := normal.Dot(s.way), normal.Dot(a.Sub(s.at))
		switch {
		case speed > 0:
			if at := room / speed; at < c.to {
				c.to, exit = at, k
			}
		case speed < 0:
			c.from = max(c.from, room/speed)
		case room < 0:
			return
		}
	}
	if !(c.to > c.from) || !(c.cell > 0) || exit < 0 {
		return
	}
	count := 0
	for k := range n {
		if k != exit && l.held[n[k]] {
			count++
		}
	}
	c.held = count == 3
	l.cuts = append(l.cuts, c)
}

// worthSaying is the excess of stiffness below which nothing is said of it.
const worthSaying = 0.05

// BendingNote is one sentence on how stiff a mesh of linear tetrahedra or hexahedra is where it bends, at each
// Poisson's ratio, and what is less so; "" for a compact body, and where it is hardly too stiff. held are as Thinnest
// says.
func (m *Mesh) BendingNote(held []int32, nu ...float64) (text, cure string) {
	t, ok := m.thinnest(held)
	if !ok {
		return "", ""
	}
	element := Tet4
	if slices.ContainsFunc(m.Blocks, func(b Block) bool { return b.Type == Hex8 && b.Len() > 0 }) {
		element = Hex8
	}
	share := func(e ElementType, cells float64) string {
		var said []string
		for _, v := range nu {
			one := fmt.Sprintf("%.0f %%", 100*BendingExcess(e, cells, v))
			if len(nu) > 1 {
				one += fmt.Sprintf(" at nu %g", v)
			}
			said = append(said, one)
		}
		return strings.Join(said, ", ")
	}
	worst := BendingExcess(element, t.Cells, slices.Max(nu))
	if worst < worthSaying {
		return "", ""
	}
	names := map[ElementType]string{Tet4: "linear tetrahedra", Hex8: "hexahedra"}
	text = fmt.Sprintf("its thinnest part, %.2g of its length, has %.2g cells of %s across: too stiff in bending by about %s", t.Thickness/t.Extent, t.Cells, names[element], share(element, t.Cells))
	finer := max(2, math.Round(2*t.Cells))
	if cure = fmt.Sprintf("%.0f cells across: %s", finer, share(element, finer)); element == Tet4 {
		cure += "; hexahedra in a scene of kind tissue: " + share(Hex8, t.Cells)
	}
	return text, cure
}
