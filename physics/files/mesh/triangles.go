package mesh

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/refusal"
	"hapco/physics/machinery/unionfind"
	"hapco/physics/numerics/num"
)

// Triangles is a surface as a file holds it: nodes and triangles, perhaps open, perhaps not of one sense. Lengths are
// as in the file until scaled.
type Triangles struct {
	Nodes     []mgl64.Vec3
	Triangles [][3]int32 // indices into Nodes
	File      string     // where it was read from
	Format    string     // that file's format, such as "STL"
	Notes     []string   // what reading changed, one sentence each
}

// Scale multiplies all lengths by metresPerUnit.
func (s *Triangles) Scale(metresPerUnit float64) {
	for i := range s.Nodes {
		s.Nodes[i] = s.Nodes[i].Mul(metresPerUnit)
	}
}

// Bounds is the smallest axis-parallel box around all nodes.
func (s *Triangles) Bounds() (low, high mgl64.Vec3) { return Bounds(s.Nodes) }

// Corners are the places of a triangle's nodes.
func (s *Triangles) Corners(t int32) (a, b, c mgl64.Vec3) {
	n := s.Triangles[t]
	return s.Nodes[n[0]], s.Nodes[n[1]], s.Nodes[n[2]]
}

// Box is the smallest axis-parallel box around a triangle.
func (s *Triangles) Box(t int32) (low, high mgl64.Vec3) {
	a, b, c := s.Corners(t)
	return Bounds([]mgl64.Vec3{a, b, c})
}

// Volume is the volume that the triangles enclose when they are closed and outward, in m^3; negative when they are
// inward.
func (s *Triangles) Volume() float64 {
	sum := 0.0
	if len(s.Nodes) == 0 {
		return 0
	}
	o := s.Nodes[0]
	for t := range s.Triangles {
		a, b, c := s.Corners(int32(t))
		sum += a.Sub(o).Dot(b.Sub(o).Cross(c.Sub(o))) / 6
	}
	return sum
}

// Components counts the parts of the surface that share no node.
func (s *Triangles) Components() int {
	parts, count := unionfind.New(len(s.Nodes)), len(s.Nodes)
	for _, t := range s.Triangles {
		for _, n := range t[1:] {
			if parts.Join(t[0], n) {
				count--
			}
		}
	}
	return count
}

// LoadSurface reads a triangle surface from a file; see DecodeSurface.
func LoadSurface(path string) (*Triangles, error) {
	return refusal.Caught(func() *Triangles { return readFile(path, "surface").skin() })
}

// DecodeSurface reads the triangles of a surface file (STL, OBJ, PLY, VTK polydata) or of the facets that a volume file
// carries; of a volume file without facets it gives the boundary. Polygons are split into fans; triangles that name a
// node twice and nodes that no triangle uses are left out.
func DecodeSurface(name string, data []byte) (*Triangles, error) {
	return refusal.Caught(func() *Triangles { return read(name, data).skin() })
}

// skin is the surface of the facets read, or the boundary where there are volume elements alone.
func (b *builder) skin() *Triangles {
	if len(b.triangles) > 0 || len(b.elementNumbers) == 0 {
		return b.surface()
	}
	return b.sound().Triangles()
}

func (b *builder) surface() *Triangles {
	if len(b.triangles) == 0 {
		panic(errorAt(b.file, 0, "the file holds no triangle", "export the surface as triangles"))
	}
	s := &Triangles{Nodes: b.nodes, Triangles: b.triangles, File: b.file, Format: b.format, Notes: b.notes}
	s.clean()
	for i, x := range s.Nodes {
		if !num.FiniteVec(x) {
			panic(errorAt(b.file, 0, fmt.Sprintf("node %d has the coordinates %g %g %g", i, x[0], x[1], x[2]), "correct or remove it"))
		}
	}
	if len(s.Triangles) == 0 {
		panic(errorAt(b.file, 0, "every triangle of the file names a node twice", "export the surface again"))
	}
	return s
}

// Triangles is the boundary of a volume mesh as a surface of its own.
func (m *Mesh) Triangles() *Triangles {
	surface := m.Surface()
	return &Triangles{Nodes: surface.Places(m), Triangles: surface.Triangles, File: m.File, Format: m.Format}
}

// FaceOutwards turns triangles that all face inwards, and Notes says so.
func (s *Triangles) FaceOutwards() {
	if !(s.Volume() < 0) {
		return
	}
	for i, t := range s.Triangles {
		s.Triangles[i] = [3]int32{t[0], t[2], t[1]}
	}
	s.Notes = append(s.Notes, "the file's triangles face inwards; they are turned")
}

// clean drops collapsed triangles and unused nodes.
func (s *Triangles) clean() {
	kept := s.Triangles[:0]
	for _, t := range s.Triangles {
		if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
			kept = append(kept, t)
		}
	}
	if dropped := len(s.Triangles) - len(kept); dropped > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d triangles that name a node twice were left out", dropped))
	}
	s.Triangles = kept
	used := make([]bool, len(s.Nodes))
	for _, t := range s.Triangles {
		for _, n := range t {
			used[n] = true
		}
	}
	index, old := renumber(used)
	if dropped := len(s.Nodes) - len(old); dropped > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d nodes that no triangle uses were left out", dropped))
	}
	for i, n := range old {
		s.Nodes[i] = s.Nodes[n]
	}
	s.Nodes = s.Nodes[:len(old)]
	for i, t := range s.Triangles {
		s.Triangles[i] = [3]int32{index[t[0]], index[t[1]], index[t[2]]}
	}
}
