package mesh

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// shuffled renumbers the nodes, so that the lowest corner is anywhere.
func shuffled(m *Mesh, seed uint64) *Mesh {
	perm := rand.New(rand.NewPCG(seed, 9)).Perm(len(m.Nodes))
	out := &Mesh{Nodes: make([]mgl64.Vec3, len(m.Nodes)), NodeSets: map[string][]int32{}, ElementSets: m.ElementSets}
	for i, p := range perm {
		out.Nodes[p] = m.Nodes[i]
	}
	for _, b := range m.Blocks {
		conn := make([]int32, len(b.Nodes))
		for i, n := range b.Nodes {
			conn[i] = int32(perm[n])
		}
		out.Blocks = append(out.Blocks, Block{Type: b.Type, Nodes: conn})
	}
	return out
}

// pile is a hexahedron with a wedge and a pyramid on its sides, sharing faces.
func pile() *Mesh {
	m := &Mesh{Nodes: []mgl64.Vec3{
		{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1},
		{1.5, 0.5, 0}, {1.5, 0.5, 1}, {0.5, 0.5, 2},
	}}
	m.Blocks = []Block{
		{Type: Hex8, Nodes: []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		{Type: Wedge6, Nodes: []int32{1, 8, 2, 5, 9, 6}},
		{Type: Pyramid5, Nodes: []int32{4, 5, 6, 7, 10}},
	}
	return m
}

// TestSplit: the parts fill the whole, fit each other, and keep the sets.
func TestSplit(t *testing.T) {
	meshes := map[string]*Mesh{"pile": pile()}
	for typ, m := range oneOfEach() {
		meshes[typ.String()] = m
	}
	for name, whole := range meshes {
		for seed := range uint64(40) {
			m := shuffled(whole, seed)
			m.ElementSets = map[string][]int32{"first": {0}}
			s := m.Split()
			if err := s.Check(); err != nil {
				t.Fatalf("%s %d: %v", name, seed, err)
			}
			if math.Abs(s.Volume()-m.Volume()) > 1e-14 {
				t.Fatalf("%s %d: volume %g, was %g", name, seed, s.Volume(), m.Volume())
			}
			surfaceLaws(t, s)
			for _, b := range s.Blocks {
				if b.Type != Tet4 && b.Type != Hex8 {
					t.Fatalf("%s: a %s is left", name, b.Type)
				}
			}
			if typ := m.Blocks[0].Type; typ == Tet4 || typ == Hex8 && len(m.Blocks) == 1 {
				if s != m {
					t.Fatalf("%s was changed", name)
				}
				continue
			}
			if len(s.Notes) == 0 {
				t.Fatalf("%s: no note", name)
			}
			first := s.ElementSets["first"]
			part := &Mesh{Nodes: s.Nodes}
			for _, e := range first {
				element := s.element(int(e))
				part.Blocks = append(part.Blocks, Block(element))
			}
			alone := &Mesh{Nodes: m.Nodes, Blocks: m.Blocks[:1]}
			if math.Abs(part.Volume()-alone.Volume()) > 1e-14 {
				t.Fatalf("%s %d: the set's volume is %g, was %g", name, seed, part.Volume(), alone.Volume())
			}
		}
	}
	for typ, count := range map[ElementType]int{Tet10: 8, Hex20: 1, Wedge6: 3, Wedge15: 3, Pyramid5: 2, Pyramid13: 2} {
		if got := oneOfEach()[typ].Split().Elements(); got != count {
			t.Errorf("a %s gives %d elements, want %d", typ, got, count)
		}
	}
	if got := pile().Split().Elements(); got != 11 {
		t.Errorf("the pile gives %d tetrahedra", got)
	}
}

// TestSplitKeepsMiddles: the linear tetrahedra use all ten nodes, and node sets stay.
func TestSplitKeepsMiddles(t *testing.T) {
	m := oneOfEach()[Tet10]
	m.NodeSets = map[string][]int32{"held": {4, 9}}
	s := m.Split()
	if len(s.Nodes) != 10 || !slices.Equal(s.NodeSets["held"], []int32{4, 9}) {
		t.Errorf("%d nodes, sets %v", len(s.Nodes), s.NodeSets)
	}
	h := oneOfEach()[Hex20]
	h.NodeSets = map[string][]int32{"held": {0, 12}}
	if s := h.Split(); len(s.Nodes) != 8 || !slices.Equal(s.NodeSets["held"], []int32{0}) {
		t.Errorf("%d nodes, sets %v", len(s.Nodes), s.NodeSets)
	}
}

// element is the one of a number in the mesh.
func (m *Mesh) element(number int) Element {
	for k, e := range m.All() {
		if k == number {
			return e
		}
	}
	panic("mesh: element out of range")
}
