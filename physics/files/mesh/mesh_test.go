package mesh

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

func testBox(t testing.TB, n [3]int) *Mesh {
	t.Helper()
	m, err := Box(mgl64.Vec3{-1, 2, 0.5}, mgl64.Vec3{8, 5, 3.5}, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBoxNumbering: ids and element nodes in the order of the reference results.
func TestBoxNumbering(t *testing.T) {
	nx, ny, nz := 4, 3, 2
	m := testBox(t, [3]int{nx, ny, nz})
	if len(m.Nodes) != 5*4*3 || m.Elements() != 24 {
		t.Fatalf("%d nodes, %d elements", len(m.Nodes), m.Elements())
	}
	id := func(i, j, k int) int32 { return int32(i + (nx+1)*(j+(ny+1)*k)) }
	for k := range nz {
		for j := range ny {
			for i := range nx {
				got := m.Blocks[0].Element(i + nx*(j+ny*k))
				want := []int32{id(i, j, k), id(i+1, j, k), id(i+1, j+1, k), id(i, j+1, k), id(i, j, k+1), id(i+1, j, k+1), id(i+1, j+1, k+1), id(i, j+1, k+1)}
				if !slices.Equal(got, want) {
					t.Fatalf("element %d %d %d: %v, want %v", i, j, k, got, want)
				}
			}
		}
	}
	if x := m.Nodes[id(4, 3, 2)]; x != (mgl64.Vec3{7, 7, 4}) {
		t.Errorf("last node at %v", x)
	}
	for name, count := range map[string]int{"left": 12, "right": 12, "end": 12, "bottom": 15, "top": 15, "back": 20, "front": 20} {
		set := m.NodeSets[name]
		side, err := Side(m, name)
		if err != nil || len(set) != count || !slices.Equal(set, side) || !slices.IsSorted(set) {
			t.Errorf("side %s: set %v, Side %v %v", name, set, side, err)
		}
	}
	if math.Abs(m.Volume()-8*5*3.5) > 1e-12 {
		t.Errorf("volume %g", m.Volume())
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
}

// TestSurfaceNumbering: the triangles of a box's top face are those of the
// reference README, section 2, in its order: T0, T1 of quad i + nx*k.
func TestSurfaceNumbering(t *testing.T) {
	nx, ny, nz := 4, 3, 2
	m := testBox(t, [3]int{nx, ny, nz})
	s := m.Surface()
	node := func(i, k int) int32 { return int32(i + (nx+1)*(ny+(ny+1)*k)) }
	var top [][3]int32
	for _, tri := range s.Triangles {
		flat := true
		var mesh [3]int32
		for c, n := range tri {
			mesh[c] = s.Nodes[n]
			flat = flat && m.Nodes[mesh[c]][1] == 7
		}
		if flat {
			top = append(top, mesh)
		}
	}
	if len(top) != 2*nx*nz {
		t.Fatalf("%d triangles on top", len(top))
	}
	sorted := func(tri [3]int32) [3]int32 { slices.Sort(tri[:]); return tri }
	for k := range nz {
		for i := range nx {
			a, b, c, d := node(i, k), node(i+1, k), node(i+1, k+1), node(i, k+1)
			q := 2 * (i + nx*k)
			if sorted(top[q]) != sorted([3]int32{a, b, c}) || sorted(top[q+1]) != sorted([3]int32{a, c, d}) {
				t.Fatalf("quad %d %d: %v %v", i, k, top[q], top[q+1])
			}
			if top[q][0] != a || top[q+1][0] != a {
				t.Fatalf("quad %d %d does not start at its lowest node: %v %v", i, k, top[q], top[q+1])
			}
		}
	}
}

// surfaceLaws: closed, outward, indices consistent. The enclosed volume and a
// zero area vector tell the sense of every triangle.
func surfaceLaws(t *testing.T, m *Mesh) {
	t.Helper()
	s := m.Surface()
	volume := 0.0
	edges := map[[2]int32]int{}
	for _, tri := range s.Triangles {
		if tri[0] > tri[1] || tri[0] > tri[2] {
			t.Fatalf("triangle %v does not start at its lowest node", tri)
		}
		x := [3]mgl64.Vec3{}
		for c, n := range tri {
			x[c] = m.Nodes[s.Nodes[n]]
			edges[[2]int32{n, tri[(c+1)%3]}]++
		}
		volume += x[0].Dot(x[1].Cross(x[2])) / 6
	}
	if want := m.Volume(); math.Abs(volume-want) > 1e-9*want {
		t.Errorf("the surface encloses %g, the elements fill %g", volume, want)
	}
	for e, n := range edges {
		if n != 1 || edges[[2]int32{e[1], e[0]}] != 1 {
			t.Fatalf("edge %v: %d times this way, %d times back", e, n, edges[[2]int32{e[1], e[0]}])
		}
	}
	if !slices.IsSorted(s.Nodes) {
		t.Error("surface nodes are not ascending")
	}
	for i, n := range s.Nodes {
		if s.Index[n] != int32(i) {
			t.Fatalf("Index[%d] = %d, want %d", n, s.Index[n], i)
		}
	}
}

// oneOfEach is one element of each type in its reference shape.
func oneOfEach() map[ElementType]*Mesh {
	corners := map[ElementType][]mgl64.Vec3{
		Tet4:     {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		Hex8:     {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
		Wedge6:   {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
		Pyramid5: {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}},
	}
	all := map[ElementType]*Mesh{}
	for t := Tet4; int(t) < len(shapes); t++ {
		m := &Mesh{Nodes: slices.Clone(corners[t.linear()])}
		for _, e := range t.shape().edges {
			m.Nodes = append(m.Nodes, m.Nodes[e[0]].Add(m.Nodes[e[1]]).Mul(0.5))
		}
		var conn []int32
		for i := range m.Nodes {
			conn = append(conn, int32(i))
		}
		m.Blocks = []Block{{Type: t, Nodes: conn}}
		all[t] = m
	}
	return all
}

func TestElementShapes(t *testing.T) {
	want := map[ElementType]float64{Tet4: 1.0 / 6, Hex8: 1, Wedge6: 0.5, Pyramid5: 1.0 / 3}
	for typ, m := range oneOfEach() {
		t.Run(typ.String(), func(t *testing.T) {
			if len(m.Nodes) != typ.NodeCount() {
				t.Fatalf("%d nodes, NodeCount %d", len(m.Nodes), typ.NodeCount())
			}
			if v := m.Volume(); math.Abs(v-want[typ.linear()]) > 1e-15 {
				t.Errorf("volume %g, want %g", v, want[typ.linear()])
			}
			if err := m.Check(); err != nil {
				t.Error(err)
			}
			surfaceLaws(t, m)

			// Mirrored: refused by Check, turned by TurnMirrored, and then as before.
			for i := range m.Nodes {
				m.Nodes[i][0] = -m.Nodes[i][0]
			}
			if err := m.Check(); err == nil || !strings.Contains(err.Error(), "inverted") {
				t.Errorf("mirrored: %v", err)
			}
			m.TurnMirrored()
			if err := m.Check(); err != nil || len(m.Notes) != 1 {
				t.Errorf("turned: %v, notes %v", err, m.Notes)
			}
			nodes := m.Blocks[0].Element(0)
			corners := typ.shape().corners
			for k, e := range typ.shape().edges {
				middle := m.Nodes[nodes[e[0]]].Add(m.Nodes[nodes[e[1]]]).Mul(0.5)
				if m.Nodes[nodes[corners+k]] != middle {
					t.Errorf("turned: mid-edge node %d is off its edge", k)
				}
			}
		})
	}
}

func TestSurfaceOfBox(t *testing.T) {
	for _, n := range [][3]int{{1, 1, 1}, {2, 1, 3}, {4, 3, 2}} {
		m := testBox(t, n)
		surfaceLaws(t, m)
		if got, want := len(m.Surface().Triangles), 4*(n[0]*n[1]+n[1]*n[2]+n[0]*n[2]); got != want {
			t.Errorf("%v: %d triangles, want %d", n, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		spoil func(*Mesh)
		says  string
	}{
		"nan":        {func(m *Mesh) { m.Nodes[3][1] = nan }, "node 3 has the coordinates"},
		"infinite":   {func(m *Mesh) { m.Nodes[3][1] = math.Inf(1) }, "node 3 has the coordinates"},
		"index":      {func(m *Mesh) { m.Blocks[0].Nodes[9] = 999 }, "hexahedron 1 names a node that does not exist"},
		"negative":   {func(m *Mesh) { m.Blocks[0].Nodes[9] = -1 }, "does not exist"},
		"repeated":   {func(m *Mesh) { m.Blocks[0].Nodes[9] = m.Blocks[0].Nodes[8] }, "names the same node twice"},
		"collapsed":  {func(m *Mesh) { m.Nodes[m.Blocks[0].Nodes[1]] = m.Nodes[m.Blocks[0].Nodes[0]] }, "is flat"},
		"folded":     {func(m *Mesh) { m.Nodes[0] = mgl64.Vec3{6.9, 6.9, 3.9} }, "turns inside out"},
		"half":       {func(m *Mesh) { m.Blocks[0].Nodes = m.Blocks[0].Nodes[:15] }, "whole elements"},
		"empty":      {func(m *Mesh) { m.Blocks = nil }, "no volume element"},
		"odd type":   {func(m *Mesh) { m.Blocks = append(m.Blocks, Block{Type: 200}) }, "known type"},
		"no element": {func(m *Mesh) { m.Blocks[0].Nodes = nil }, "no volume element"},
	} {
		m := testBox(t, [3]int{2, 1, 1})
		c.spoil(m)
		err := m.Check()
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBoxRefuses(t *testing.T) {
	one := mgl64.Vec3{1, 1, 1}
	for name, c := range map[string]struct {
		origin, size mgl64.Vec3
		n            [3]int
	}{
		"no element":  {mgl64.Vec3{}, one, [3]int{1, 0, 1}},
		"no size":     {mgl64.Vec3{}, mgl64.Vec3{1, 0, 1}, [3]int{1, 1, 1}},
		"nan size":    {mgl64.Vec3{}, mgl64.Vec3{1, math.NaN(), 1}, [3]int{1, 1, 1}},
		"inf size":    {mgl64.Vec3{}, mgl64.Vec3{1, math.Inf(1), 1}, [3]int{1, 1, 1}},
		"nan origin":  {mgl64.Vec3{math.NaN()}, one, [3]int{1, 1, 1}},
		"too many":    {mgl64.Vec3{}, one, [3]int{1000, 1000, 1000}},
		"over an int": {mgl64.Vec3{}, one, [3]int{math.MaxInt, math.MaxInt, math.MaxInt}},
	} {
		if _, err := Box(c.origin, c.size, c.n); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestDefaultSupport(t *testing.T) {
	m := testBox(t, [3]int{4, 40, 2})
	nodes, said := DefaultSupport(m)
	// 5 % of 5 m is two of 40 layers, and the one at the limit itself.
	if want := 3 * 15; len(nodes) != want || !m.Spans(nodes) || !strings.Contains(said, "45 nodes") {
		t.Errorf("%d nodes, want %d: %s", len(nodes), want, said)
	}
	// A tetrahedron on its tip: the lowest node alone does not hold it.
	tip := &Mesh{Nodes: []mgl64.Vec3{{0, 0, 0}, {1, 1, 0}, {0, 1, 1}, {-1, 1, -1}}, Blocks: []Block{{Type: Tet4, Nodes: []int32{0, 1, 2, 3}}}}
	if nodes, _ := DefaultSupport(tip); len(nodes) < 3 || !tip.Spans(nodes) {
		t.Errorf("tip: %v", nodes)
	}
	// Two parts: each gets its own.
	two := testBox(t, [3]int{1, 1, 1})
	other := testBox(t, [3]int{1, 1, 1})
	for i := range other.Nodes {
		other.Nodes[i][1] += 50
	}
	two.Nodes = append(two.Nodes, other.Nodes...)
	for _, n := range other.Blocks[0].Nodes {
		two.Blocks[0].Nodes = append(two.Blocks[0].Nodes, n+8)
	}
	label, count := two.Components()
	if count != 2 || label[0] != 0 || label[15] != 1 {
		t.Errorf("components %d %v", count, label)
	}
	if nodes, said := DefaultSupport(two); len(nodes) != 8 || !strings.Contains(said, "2 separate parts") {
		t.Errorf("two parts: %v %s", nodes, said)
	}
}

func TestSpans(t *testing.T) {
	m := &Mesh{Nodes: []mgl64.Vec3{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3.1}, {0, 1, 0}, {0, 0, 0}}}
	for _, c := range []struct {
		nodes []int32
		want  bool
	}{
		{nil, false}, {[]int32{0, 1}, false}, {[]int32{0, 1, 2}, false}, {[]int32{0, 5, 0}, false}, {[]int32{0, 1, 3}, true}, {[]int32{0, 1, 4}, true},
	} {
		if got := m.Spans(c.nodes); got != c.want {
			t.Errorf("Spans(%v) = %v", c.nodes, got)
		}
	}
}

func TestLengthUnit(t *testing.T) {
	for name, want := range map[string]float64{"m": 1, "cm": 0.01, "mm": 0.001, "MM": 0.001, "um": 1e-6, "in": 0.0254} {
		if got, err := LengthUnit(name); err != nil || got != want {
			t.Errorf("%s: %g %v", name, got, err)
		}
	}
	if _, err := LengthUnit("furlong"); err == nil {
		t.Error("furlong is accepted")
	}
	m := testBox(t, [3]int{1, 1, 1})
	m.Scale(0.001)
	if math.Abs(m.Volume()-140e-9) > 1e-20 {
		t.Errorf("scaled volume %g", m.Volume())
	}
}

func TestSideUnknown(t *testing.T) {
	if _, err := Side(testBox(t, [3]int{1, 1, 1}), "north"); err == nil {
		t.Error("side north is accepted")
	}
}

func TestInBox(t *testing.T) {
	m := testBox(t, [3]int{4, 3, 2})
	if got := InBox(m, mgl64.Vec3{-1, 2, 0.5}, mgl64.Vec3{-1, 2, 9}); !slices.Equal(got, []int32{0, 20, 40}) {
		t.Errorf("%v", got)
	}
}
