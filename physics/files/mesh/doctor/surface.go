package doctor

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/unionfind"
)

// ExamineSurface examines a surface that is to be filled, whose lengths are in the unit of that name, "" when it is
// unknown. Triangles are numbered from 0 in the file's order, less those that reading left out.
func ExamineSurface(s *mesh.Triangles, unit string) *Report {
	r := &Report{File: s.File, Format: s.Format, Surface: true, Nodes: len(s.Nodes), Elements: len(s.Triangles)}
	e := &surfaceExam{r: r, s: s}
	e.shapes()
	closed := e.edges()
	if closed {
		e.senses()
		e.crossings()
	}
	second := coincidentNodes(s.Nodes)
	r.add(Finding{Kind: "duplicate", Grade: Warning, Count: len(second), Of: "nodes", IDs: numbers(second), nodes: second,
		Text: fmt.Sprintf("%s at the place of another: the surface is cracked there", plural(len(second), "node")), Cure: "merge coincident nodes (by distance) before export"})
	low, high := s.Bounds()
	r.unit(low, high, unit)
	return r
}

type surfaceExam struct {
	r *Report
	s *mesh.Triangles
}

func numbers(v []int32) []int64 { return ids(v, func(n int) int64 { return int64(n) }) }

func (e *surfaceExam) triangles(kind string, grade Grade, bad []int32, text, cure string) {
	e.r.add(Finding{Kind: kind, Grade: grade, Count: len(bad), Of: "triangles", IDs: numbers(bad), elements: bad,
		Text: fmt.Sprintf(text, plural(len(bad), "triangle")), Cure: cure})
}

func (e *surfaceExam) border(kind string, grade Grade, bad [][2]int32, text, cure string) {
	e.r.add(Finding{Kind: kind, Grade: grade, Count: len(bad), Of: "nodes", IDs: numbers(sortedEdges(bad)), edges: bad,
		Text: text, Cure: cure})
}

// shapes: triangles without area, and triangles that are there twice.
func (e *surfaceExam) shapes() {
	var flat, twin []int32
	seen := map[[3]int32]bool{}
	for t := range e.s.Triangles {
		a, b, c := e.s.Corners(int32(t))
		longest := math.Max(b.Sub(a).LenSqr(), math.Max(c.Sub(b).LenSqr(), a.Sub(c).LenSqr()))
		if !(b.Sub(a).Cross(c.Sub(a)).Len() > 1e-8*longest) {
			flat = append(flat, int32(t))
		}
		key := e.s.Triangles[t]
		slices.Sort(key[:])
		if seen[key] {
			twin = append(twin, int32(t))
		}
		seen[key] = true
	}
	e.triangles("flat", Warning, flat, "%s without area", "collapse their shortest edge before export")
	e.triangles("twin", Error, twin, "%s on the same nodes as another", "remove them")
}

// edges: each belongs to two triangles. It reports whether that is so.
func (e *surfaceExam) edges() bool {
	count := map[[2]int32]int{}
	for _, t := range e.s.Triangles {
		for k := range t {
			count[edge(t[k], t[(k+1)%3])]++
		}
	}
	var open, crowded [][2]int32
	for k, n := range count {
		switch {
		case n == 1:
			open = append(open, k)
		case n > 2:
			crowded = append(crowded, k)
		}
	}
	e.border("open", Error, open,
		fmt.Sprintf("the surface is open: %s belong%s to one triangle only, around %s", plural(len(open), "edge"), third(len(open)), plural(loops(open), "hole")),
		"close the holes before export: an open surface has no inside")
	e.border("non-manifold", Error, crowded,
		fmt.Sprintf("%s belong%s to more than two triangles", plural(len(crowded), "edge"), third(len(crowded))),
		"separate the sheets that meet there or remove the inner ones")
	return len(open)+len(crowded) == 0
}

func third(n int) string {
	if n == 1 {
		return "s"
	}
	return ""
}

// loops counts the groups of edges that hang together.
func loops(edges [][2]int32) int {
	index := map[int32]int32{}
	for _, k := range edges {
		for _, n := range k {
			if _, ok := index[n]; !ok {
				index[n] = int32(len(index))
			}
		}
	}
	s := unionfind.New(len(index))
	count := len(index)
	for _, k := range edges {
		if s.Join(index[k[0]], index[k[1]]) {
			count--
		}
	}
	return count
}

// senses: neighbours run along their common edge in opposite senses, and the whole faces outward. Shells are counted on
// the way.
func (e *surfaceExam) senses() {
	first := map[[2]int32]int32{} // triangle that has the edge in this sense
	shells := unionfind.New(len(e.s.Triangles))
	var bad [][2]int32
	for t, n := range e.s.Triangles {
		for k := range n {
			a, b := n[k], n[(k+1)%3]
			if other, taken := first[[2]int32{a, b}]; taken {
				bad = append(bad, edge(a, b))
				shells.Join(other, int32(t))
			}
			first[[2]int32{a, b}] = int32(t)
			if other, ok := first[[2]int32{b, a}]; ok {
				shells.Join(other, int32(t))
			}
		}
	}
	e.border("sense", Warning, bad, "neighbours face opposite ways across "+plural(len(bad), "edge"),
		"unify the normals before export; filling the surface does not mind")
	if len(bad) == 0 && e.s.Volume() < 0 {
		e.r.add(Finding{Kind: "inward", Grade: Note, Count: len(e.s.Triangles), Of: "triangles",
			Text: "all triangles face inward", Cure: "none needed: filling the surface does not mind"})
	}
	count := 0
	for t := range e.s.Triangles {
		if shells.Find(int32(t)) == int32(t) {
			count++
		}
	}
	if count > 1 {
		e.r.add(Finding{Kind: "parts", Grade: Note, Count: count, Of: "shells",
			Text: fmt.Sprintf("the surface consists of %d closed shells: one inside another is taken for a cavity", count), Cure: "none needed; keep one shell a file if they are not meant to belong together"})
	}
}

// crossings: triangles that pass through each other.
func (e *surfaceExam) crossings() {
	e.triangles("crossing", Warning, crossings(e.s), "the surface passes through itself: %s cross another",
		"remove the inner part before export; what the surface encloses an even number of times counts as outside")
}

// crossings lists the triangles that pass through another one, ascending. Triangles that only touch do not count.
func crossings(s *mesh.Triangles) []int32 {
	type box struct {
		low, high mgl64.Vec3
		triangle  int32
	}
	boxes := make([]box, len(s.Triangles))
	for t := range s.Triangles {
		low, high := s.Box(int32(t))
		boxes[t] = box{low, high, int32(t)}
	}
	// Sweep along the longest side.
	low, high := s.Bounds()
	axis, size := 0, high.Sub(low)
	for k := range size {
		if size[k] > size[axis] {
			axis = k
		}
	}
	slices.SortFunc(boxes, func(a, b box) int {
		return cmp.Or(cmp.Compare(a.low[axis], b.low[axis]), cmp.Compare(a.triangle, b.triangle))
	})
	crosses := make([]bool, len(s.Triangles))
	for i := range boxes {
		a := &boxes[i]
		for j := i + 1; j < len(boxes) && boxes[j].low[axis] <= a.high[axis]; j++ {
			b := &boxes[j]
			apart := false
			for k := range 3 {
				apart = apart || a.low[k] > b.high[k] || b.low[k] > a.high[k]
			}
			if !apart && crossing(s, a.triangle, b.triangle) {
				crosses[a.triangle], crosses[b.triangle] = true, true
			}
		}
	}
	var bad []int32
	for t, is := range crosses {
		if is {
			bad = append(bad, int32(t))
		}
	}
	return bad
}

// crossing: an edge of one triangle passes through the inside of the other.
func crossing(s *mesh.Triangles, t1, t2 int32) bool {
	return pierces(s, t1, t2) || pierces(s, t2, t1)
}

// pierces: an edge of triangle t passes through triangle through. Edges that start at a corner of it cannot.
func pierces(s *mesh.Triangles, t, through int32) bool {
	tri, other := s.Triangles[t], s.Triangles[through]
	a, b, c := s.Corners(through)
	for k := range tri {
		m, n := tri[k], tri[(k+1)%3]
		if slices.Contains(other[:], m) || slices.Contains(other[:], n) {
			continue
		}
		p, q := s.Nodes[m], s.Nodes[n]
		// Volumes within rounding of zero mean touching. Their scale is that of the edges.
		scale := q.Sub(p).Len() + b.Sub(a).Len() + c.Sub(a).Len()
		zero := 1e-12 * scale * scale * scale
		vp, vq := triple(a, b, c, p), triple(a, b, c, q)
		if !(vp > zero && vq < -zero || vp < -zero && vq > zero) {
			continue
		}
		v1, v2, v3 := triple(p, q, a, b), triple(p, q, b, c), triple(p, q, c, a)
		if v1 > zero && v2 > zero && v3 > zero || v1 < -zero && v2 < -zero && v3 < -zero {
			return true
		}
	}
	return false
}

// triple is six times the volume of a tetrahedron.
func triple(a, b, c, d mgl64.Vec3) float64 {
	return b.Sub(a).Dot(c.Sub(a).Cross(d.Sub(a)))
}
