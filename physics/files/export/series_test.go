package export

import (
	"bytes"
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// turning is a world of one tetrahedron that turns about z by a quarter each step, and
// of a surface that is stretched.
type turning struct {
	info  physics.Info
	steps int
}

func (w *turning) Info() *physics.Info { return &w.info }
func (w *turning) Step(physics.Input) physics.Report {
	w.steps++
	return physics.Report{Reached: true}
}
func (w *turning) Local(*local.Model)  {}
func (w *turning) Keys() []physics.Key { return nil }
func (w *turning) Reset()              {}
func (w *turning) Close() error        { return nil }
func (w *turning) Draw(f *physics.Frame) {
	f.Resize(&w.info)
	turn := mgl64.QuatRotate(float64(w.steps)*math.Pi/2, mgl64.Vec3{0, 0, 1})
	f.Instances = append(f.Instances, physics.Instance{Pose: frame.Pose{Position: mgl64.Vec3{1, 0, 0}, Rotation: turn}})
	f.Surfaces[0].Vertices = append(f.Surfaces[0].Vertices[:0], mgl64.Vec3{}, mgl64.Vec3{1 + 0.1*float64(w.steps), 0, 0}, mgl64.Vec3{0, 1, 0})
	f.Vertices = append(f.Vertices[:0], physics.Vertex{}, physics.Vertex{Position: [3]float32{0, 0, 0.5}}, physics.Vertex{Position: [3]float32{float32(w.steps), 0, 0}})
	f.Triangles = append(f.Triangles[:0], [3]uint32{0, 1, 2})
	f.Stylus = frame.Identity()
}

// Rigid bodies stand in their poses, surfaces as they are drawn; both are moved from
// the first state. Mesh readers take the files for what they are.
func TestSeriesOfAnyWorld(t *testing.T) {
	tetrahedron := physics.Shape{Vertices: []mgl64.Vec3{{}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Triangles: [][3]int32{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}}
	// A surface may be called anything, even as another part is.
	w := &turning{info: physics.Info{Shapes: []physics.Shape{tetrahedron}, Surfaces: []physics.SurfaceInfo{{Name: "rigid", Triangles: [][3]int32{{0, 1, 2}}}}}}
	dir := filepath.Join(t.TempDir(), "a", "b")
	s, err := Begin(dir, "/some/where/my world.toml", w)
	if err != nil {
		t.Fatal(err)
	}
	w.Step(physics.Input{})
	if err := s.Add(0.25); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var c struct {
		Sets []struct {
			Time float64 `xml:"timestep,attr"`
			File string  `xml:"file,attr"`
		} `xml:"Collection>DataSet"`
	}
	data, err := os.ReadFile(filepath.Join(dir, "my-world.pvd"))
	if err == nil {
		err = xml.Unmarshal(data, &c)
	}
	if err != nil || len(c.Sets) != 10 || c.Sets[9].Time != 0.25 {
		t.Fatalf("%v, %+v", err, c)
	}
	for _, set := range c.Sets {
		if _, err := os.Stat(filepath.Join(dir, set.File)); err != nil {
			t.Error(err)
		}
	}
	read := func(part string) *mesh.Triangles {
		m, err := mesh.LoadSurface(filepath.Join(dir, "my-world-"+part+"-000001.vtu"))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if m := read("rigid"); len(m.Triangles) != 4 || m.Nodes[1].Sub(mgl64.Vec3{1, 1, 0}).Len() > 1e-15 {
		t.Errorf("the body: %+v", m)
	}
	if m := read("rigid-2"); len(m.Triangles) != 1 || m.Nodes[1] != (mgl64.Vec3{1.1, 0, 0}) {
		t.Errorf("the surface: %+v", m)
	}

	if m := read("triangles"); len(m.Triangles) != 1 || m.Nodes[2] != (mgl64.Vec3{1, 0, 0}) {
		t.Errorf("the flat triangles: %+v", m)
	}
	var out bytes.Buffer
	if err := mesh.WriteGrid(&out, nil, mesh.Cells{}, mesh.Field{Name: "x", Components: 3}); err != nil {
		t.Error(err) // a part may be empty
	}
	if err := mesh.WriteGrid(&out, nil, mesh.Cells{}, mesh.Field{Name: "x", Components: 3, Values: []float64{1}}); err == nil {
		t.Error("a field of the wrong length passed")
	}
}
