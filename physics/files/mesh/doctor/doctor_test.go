package doctor

import (
	"bytes"
	"encoding/json"
	"image/color"
	"image/png"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/testkit"
)

// block is a box of hexahedra, 40 x 20 x 30 mm, with a set that holds it.
func block(t testing.TB, origin mgl64.Vec3) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Box(origin, mgl64.Vec3{0.04, 0.02, 0.03}, [3]int{4, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	m.NodeSets["support"] = m.NodeSets["bottom"]
	m.File = "block.msh"
	return m
}

// tets is the same box of tetrahedra, numbered from 100 and 1000 on.
func tets(t testing.TB) *mesh.Mesh {
	m := block(t, mgl64.Vec3{})
	b := &m.Blocks[0]
	var out []int32
	for e := range b.Len() {
		n := b.Element(e)
		// Six around the diagonal 0-6.
		for _, k := range [6][2]int{{1, 2}, {2, 3}, {3, 7}, {7, 4}, {4, 5}, {5, 1}} {
			out = append(out, n[0], n[k[0]], n[k[1]], n[6])
		}
	}
	m.Blocks = []mesh.Block{{Type: mesh.Tet4, Nodes: out}}
	m.ElementSets = nil
	for n := range m.Nodes {
		m.NodeNumbers = append(m.NodeNumbers, 100+int64(n))
	}
	for e := range m.Elements() {
		m.ElementNumbers = append(m.ElementNumbers, 1000+int64(e))
	}
	return m
}

// both puts two meshes into one without merging nodes.
func both(a, b *mesh.Mesh) *mesh.Mesh {
	base := int32(len(a.Nodes))
	m := &mesh.Mesh{Nodes: slices.Concat(a.Nodes, b.Nodes), NodeSets: map[string][]int32{"support": a.NodeSets["support"]}, Blocks: slices.Clone(a.Blocks)}
	for _, block := range b.Blocks {
		moved := mesh.Block{Type: block.Type}
		for _, n := range block.Nodes {
			moved.Nodes = append(moved.Nodes, base+n)
		}
		m.Blocks = append(m.Blocks, moved)
	}
	return m
}

func swap(m *mesh.Mesh, e int) {
	n := m.Blocks[0].Element(e)
	n[0], n[1] = n[1], n[0]
}

// TestVolumes: each fault is found with its grade, count and numbers, and nothing
// else is said of a mesh that has only that one.
func TestVolumes(t *testing.T) {
	for name, c := range map[string]struct {
		m     *mesh.Mesh
		kind  string
		grade Grade
		count int
		ids   []int64
		also  []string // what the fault brings with it
	}{
		"inverted": {func() *mesh.Mesh { m := tets(t); swap(m, 5); swap(m, 17); return m }(), "inverted", Error, 2, []int64{1005, 1017}, nil},
		"mirrored": {func() *mesh.Mesh {
			m := tets(t)
			for e := range m.Elements() {
				swap(m, e)
			}
			return m
		}(), "mirrored", Note, 144, nil, nil},
		"collapsed": {func() *mesh.Mesh { m := tets(t); n := m.Blocks[0].Element(7); n[3] = n[2]; return m }(), "collapsed", Error, 1, []int64{1007}, []string{"non-manifold", "hinge"}},
		"flat": {func() *mesh.Mesh {
			m := tets(t)
			m.Nodes[m.Blocks[0].Nodes[0]] = m.Nodes[m.Blocks[0].Nodes[1]].Add(m.Nodes[m.Blocks[0].Nodes[2]]).Mul(0.5)
			return m
		}(), "flat", Error, 2, nil, nil},
		"sliver": {func() *mesh.Mesh {
			m := &mesh.Mesh{Nodes: []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.4, 0.4, -0.01}}, NodeSets: map[string][]int32{"fixed": {0, 1, 2}},
				Blocks: []mesh.Block{{Type: mesh.Tet4, Nodes: []int32{0, 1, 2, 3, 0, 2, 1, 4}}}}
			return m
		}(), "sliver", Warning, 1, []int64{1}, nil},
		"duplicate": {both(block(t, mgl64.Vec3{}), block(t, mgl64.Vec3{0.04, 0, 0})), "duplicate", Warning, 12, nil, []string{"parts", "floating"}},
		"parts":     {both(block(t, mgl64.Vec3{}), block(t, mgl64.Vec3{0.05, 0, 0})), "parts", Warning, 2, []int64{0, 60}, []string{"floating"}},
		"floating":  {both(block(t, mgl64.Vec3{}), block(t, mgl64.Vec3{0.05, 0, 0})), "floating", Warning, 1, []int64{60}, []string{"parts"}},
		"no support": {func() *mesh.Mesh { m := block(t, mgl64.Vec3{}); delete(m.NodeSets, "support"); return m }(),
			"floating", Note, 1, nil, nil},
		"hinge": {func() *mesh.Mesh {
			m := &mesh.Mesh{Nodes: []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, NodeSets: map[string][]int32{"clamped": {0, 1, 2}},
				Blocks: []mesh.Block{{Type: mesh.Tet4, Nodes: []int32{0, 1, 2, 3, 0, 5, 4, 6}}}}
			m.Scale(0.1)
			return m
		}(), "hinge", Warning, 1, nil, nil},
		"non-manifold": {func() *mesh.Mesh {
			m := &mesh.Mesh{Nodes: []mgl64.Vec3{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}}, NodeSets: map[string][]int32{"clamped": {0, 2, 3}},
				Blocks: []mesh.Block{{Type: mesh.Tet4, Nodes: []int32{0, 2, 3, 1, 0, 4, 5, 1}}}}
			return m
		}(), "non-manifold", Warning, 1, []int64{0, 1}, []string{"hinge"}},
		"twin": {func() *mesh.Mesh {
			m := tets(t)
			m.Blocks[0].Nodes = append(m.Blocks[0].Nodes, m.Blocks[0].Element(40)...)
			m.ElementNumbers = append(m.ElementNumbers, 9999)
			return m
		}(), "twin", Warning, 1, []int64{9999}, []string{"overlap"}},
		"overlap": {&mesh.Mesh{Nodes: []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0.3, 0.3, 0.8}}, NodeSets: map[string][]int32{"support": {0, 1, 2}},
			Blocks: []mesh.Block{{Type: mesh.Tet4, Nodes: []int32{0, 1, 2, 3, 0, 2, 1, 4, 0, 1, 2, 5}}}}, "overlap", Warning, 3, []int64{0, 1, 2}, []string{"non-manifold"}},
		"mismatched": {func() *mesh.Mesh {
			m := &mesh.Mesh{NodeSets: map[string][]int32{"support": {0, 1, 2}}}
			for i := range 8 {
				m.Nodes = append(m.Nodes, mgl64.Vec3{float64((i + 1) / 2 % 2), float64(i / 2 % 2), float64(i / 4)})
			}
			m.Nodes = append(m.Nodes, mgl64.Vec3{0.5, 0.5, 2})
			m.Blocks = []mesh.Block{{Type: mesh.Hex8, Nodes: []int32{0, 1, 2, 3, 4, 5, 6, 7}}, {Type: mesh.Tet4, Nodes: []int32{4, 5, 6, 8, 4, 6, 7, 8}}}
			return m
		}(), "mismatched", Warning, 1, []int64{0}, nil},
		"coordinates": {func() *mesh.Mesh { m := tets(t); m.Nodes[3][1] = math.NaN(); return m }(), "coordinates", Error, 1, []int64{103}, nil},
		"unused":      {func() *mesh.Mesh { m := tets(t); m.Unused = []int64{7, 8}; return m }(), "unused", Note, 2, []int64{7, 8}, nil},
		"unit":        {func() *mesh.Mesh { m := block(t, mgl64.Vec3{}); m.Scale(1000); return m }(), "unit", Warning, 1, nil, nil},
	} {
		r := Examine(c.m, "m")
		f := r.Find(c.kind)
		if f == nil {
			t.Errorf("%s: not found: %s", name, r.Text())
			continue
		}
		if f.Grade != c.grade || f.Count != c.count || f.Text == "" || f.Cure == "" || strings.Contains(f.Text+f.Cure, "\n") {
			t.Errorf("%s: %+v", name, *f)
		}
		if c.ids != nil && !slices.Equal(f.IDs, c.ids) {
			t.Errorf("%s: ids %v, want %v", name, f.IDs, c.ids)
		}
		for _, other := range r.Findings {
			if other.Kind != c.kind && !slices.Contains(c.also, other.Kind) {
				t.Errorf("%s: also %s: %s", name, other.Kind, other.Text)
			}
		}
		for _, kind := range c.also {
			if r.Find(kind) == nil {
				t.Errorf("%s: no %s", name, kind)
			}
		}
		if r.Fine() != (c.grade == Note) || r.Fine() != (r.Reason() == "") {
			t.Errorf("%s: fine %t, reason %q", name, r.Fine(), r.Reason())
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFine: nothing is said of good meshes, but for the unit that nobody named.
func TestFine(t *testing.T) {
	for _, m := range []*mesh.Mesh{block(t, mgl64.Vec3{}), tets(t)} {
		if r := Examine(m, "m"); len(r.Findings) != 0 || !r.Fine() {
			t.Errorf("%s", r.Text())
		}
		if r := Examine(m, ""); len(r.Findings) != 1 || r.Find("unit") == nil || !r.Fine() {
			t.Errorf("%s", r.Text())
		}
		if r := ExamineSurface(m.Triangles(), "m"); len(r.Findings) != 0 || !r.Fine() {
			t.Errorf("%s", r.Text())
		}
	}
}

// TestUnits: sizes of organs and bones are guessed right.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		diagonal float64
		unit     string
	}{{290, "mm"}, {9.3, "cm"}, {0.29, "m"}, {1.7e5, "um"}, {37, "mm"}} {
		if got, _ := mesh.GuessUnit(c.diagonal); got != c.unit {
			t.Errorf("%g: %s, want %s", c.diagonal, got, c.unit)
		}
	}
}

func flipped(s *mesh.Triangles, which ...int) *mesh.Triangles {
	for _, t := range which {
		n := &s.Triangles[t]
		n[1], n[2] = n[2], n[1]
	}
	return s
}

func joined(a, b *mesh.Triangles) *mesh.Triangles {
	base := int32(len(a.Nodes))
	s := &mesh.Triangles{Nodes: slices.Concat(a.Nodes, b.Nodes), Triangles: slices.Clone(a.Triangles)}
	for _, t := range b.Triangles {
		s.Triangles = append(s.Triangles, [3]int32{base + t[0], base + t[1], base + t[2]})
	}
	return s
}

func TestSurfaces(t *testing.T) {
	skin := func(x, y, z float64) *mesh.Triangles { return block(t, mgl64.Vec3{x, y, z}).Triangles() }
	all := func(s *mesh.Triangles) *mesh.Triangles {
		for k := range s.Triangles {
			flipped(s, k)
		}
		return s
	}
	for name, c := range map[string]struct {
		s     *mesh.Triangles
		kind  string
		grade Grade
		count int
		also  []string
	}{
		"open": {func() *mesh.Triangles { s := skin(0, 0, 0); s.Triangles = s.Triangles[1:]; return s }(), "open", Error, 3, nil},
		"non-manifold": {func() *mesh.Triangles {
			s := skin(0, 0, 0)
			n := s.Triangles[0]
			s.Nodes = append(s.Nodes, mgl64.Vec3{-1, -1, -1})
			s.Triangles = append(s.Triangles, [3]int32{n[0], n[1], int32(len(s.Nodes) - 1)})
			return s
		}(), "non-manifold", Error, 1, []string{"open"}},
		"sense":     {flipped(skin(0, 0, 0), 9), "sense", Warning, 3, nil},
		"inward":    {all(skin(0, 0, 0)), "inward", Note, 104, nil},
		"parts":     {joined(skin(0, 0, 0), skin(0.1, 0, 0)), "parts", Note, 2, nil},
		"crossing":  {joined(skin(0, 0, 0), skin(0.011, 0.0123, 0.0137)), "crossing", Warning, -1, []string{"parts"}},
		"duplicate": {joined(skin(0, 0, 0), skin(0.04, 0, 0)), "duplicate", Warning, 12, []string{"parts"}},
		"flat": {func() *mesh.Triangles {
			s := skin(0, 0, 0)
			n := s.Triangles[0]
			m := int32(len(s.Nodes)) // a node in the middle of an edge, and a triangle without area
			s.Nodes = append(s.Nodes, s.Nodes[n[0]].Add(s.Nodes[n[1]]).Mul(0.5))
			s.Triangles[0] = [3]int32{n[0], m, n[2]}
			s.Triangles = append(s.Triangles, [3]int32{m, n[1], n[2]}, [3]int32{n[0], n[1], m})
			return s
		}(), "flat", Warning, 1, nil},
	} {
		r := ExamineSurface(c.s, "m")
		f := r.Find(c.kind)
		if f == nil || f.Grade != c.grade || c.count >= 0 && f.Count != c.count || f.Count == 0 || f.Cure == "" {
			t.Errorf("%s: %+v\n%s", name, f, r.Text())
			continue
		}
		for _, other := range r.Findings {
			if other.Kind != c.kind && !slices.Contains(c.also, other.Kind) {
				t.Errorf("%s: also %s: %s", name, other.Kind, other.Text)
			}
		}
	}
}

// TestCrossingsMatchAllPairs: the sweep finds what a look at all pairs finds.
func TestCrossingsMatchAllPairs(t *testing.T) {
	a, b := block(t, mgl64.Vec3{}).Triangles(), block(t, mgl64.Vec3{}).Triangles()
	turn := mgl64.QuatRotate(0.4, mgl64.Vec3{1, 2, 3}.Normalize())
	for i, x := range b.Nodes {
		b.Nodes[i] = turn.Rotate(x).Add(mgl64.Vec3{0.013, 0.004, -0.007})
	}
	s := joined(a, b)
	got := crossings(s)
	var want []int32
	for i := range s.Triangles {
		for j := range s.Triangles {
			if i != j && crossing(s, int32(i), int32(j)) {
				want = append(want, int32(i))
				break
			}
		}
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if c := crossings(a); len(c) != 0 {
		t.Errorf("a box crosses itself at %v", c)
	}
}

// TestPicture: a finding's colour is in the picture when it is found, and not
// otherwise.
func TestPicture(t *testing.T) {
	if testkit.Race {
		t.Skip("slow under the race detector, and one goroutine only")
	}
	red := func(data []byte) int {
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		count, shades := 0, map[color.Color]bool{}
		for y := range pictureSide {
			for x := range 2 * pictureSide {
				r, g, b, _ := img.At(x, y).RGBA()
				shades[img.At(x, y)] = true
				if r > 2*g && r > 2*b {
					count++
				}
			}
		}
		if len(shades) < 20 {
			t.Errorf("the picture has %d shades", len(shades))
		}
		return count
	}
	var fine, bad, open bytes.Buffer
	m := tets(t)
	if err := Examine(m, "m").WritePicture(&fine, m); err != nil {
		t.Fatal(err)
	}
	swap(m, 70) // one inside
	if err := Examine(m, "m").WritePicture(&bad, m); err != nil {
		t.Fatal(err)
	}
	s := tets(t).Triangles()
	s.Triangles = s.Triangles[1:]
	if err := ExamineSurface(s, "m").WriteSurfacePicture(&open, s); err != nil {
		t.Fatal(err)
	}
	if f, b, o := red(fine.Bytes()), red(bad.Bytes()), red(open.Bytes()); f != 0 || b < 1000 || o < 500 {
		t.Errorf("red pixels: %d without findings, %d with an inverted element, %d with a hole", f, b, o)
	}
}

// TestPictureOfNonsense: no coordinates make it hang or panic.
func TestPictureOfNonsense(t *testing.T) {
	if testkit.Race {
		t.Skip("slow under the race detector, and one goroutine only")
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, 0} {
		m := tets(t)
		for i := range m.Nodes {
			m.Nodes[i] = mgl64.Vec3{v, v, float64(i%2) * v}
		}
		var out bytes.Buffer
		r := Examine(m, "")
		if err := r.WritePicture(&out, m); err != nil {
			t.Error(err)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%g: %v", v, err)
		}
	}
}

// TestShared: the sample meshes, with what is wrong with them.
func TestShared(t *testing.T) {
	dir := testkit.Shared(t, "data", "meshes")
	for name, want := range map[string]string{
		"liver.msh": "", "liver2.msh": "", "cylinder.msh": "", "truthcylinder1.msh": "", "msh4_cube.msh": "",
		"Bunny.stl": "", "malleus.obj": "", "liver.vtk": "",
		"6_tetra_bad.msh":             "inverted hinge",
		"Armadillo_Tetra_4406.vtu":    "sliver",
		"Ossicles.vtu":                "sliver non-manifold",
		"liver-smooth.obj":            "crossing",
		"dental_instrument_light.obj": "open",
	} {
		m, s, err := mesh.Read(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		var r *Report
		if m != nil {
			r = Examine(m, "")
		} else {
			r = ExamineSurface(s, "")
		}
		var kinds []string
		for _, f := range r.Findings {
			if f.Grade > Note {
				kinds = append(kinds, f.Kind)
			}
		}
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A slender part is told how far it is too stiff in bending, with what it is by; a compact one is not.
func TestBending(t *testing.T) {
	for _, c := range []struct {
		size  mgl64.Vec3
		cells [3]int
		tets  bool
		said  string
	}{
		{mgl64.Vec3{8, 1, 1}, [3]int{24, 3, 3}, true, "3 cells of linear tetrahedra"},
		{mgl64.Vec3{8, 1, 1}, [3]int{16, 2, 2}, false, "2 cells of hexahedra"},
		{mgl64.Vec3{2, 1, 1}, [3]int{2, 1, 1}, true, ""},
	} {
		m, err := mesh.Box(mgl64.Vec3{}, c.size.Mul(0.01), c.cells)
		if err != nil {
			t.Fatal(err)
		}
		if c.tets {
			m = m.Tetrahedra()
		}
		r := Examine(m, "m")
		f := r.Find("bending")
		switch {
		case c.said == "":
			if f != nil {
				t.Errorf("a compact body: %+v", f)
			}
		case f == nil || f.Grade != Note || !r.Fine() || !strings.Contains(f.Text, c.said) || !strings.Contains(f.Text, "0.12 of its length") || !strings.Contains(f.Cure, "cells across"):
			t.Errorf("%v: %+v", c.cells, f)
		}
	}
}
