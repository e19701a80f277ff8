package grain

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
)

// boxFile writes a box about the origin as an STL file, in mm.
func boxFile(t *testing.T, file string, size mgl64.Vec3, open bool) {
	t.Helper()
	var m physics.Shape
	block(&m, size.Mul(0.5), mgl64.Vec3{}, 0)
	if open {
		m.Triangles = m.Triangles[2:]
	}
	var text bytes.Buffer
	s := mesh.Triangles{Nodes: m.Vertices, Triangles: m.Triangles}
	if err := s.WriteSTL(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Grains meet a box that comes from a file as they meet a brick.
func TestMeshIsAnObstacle(t *testing.T) {
	dir := t.TempDir()
	boxFile(t, filepath.Join(dir, "step.stl"), mgl64.Vec3{20, 10, 20}, false)
	boxFile(t, filepath.Join(dir, "cut.stl"), mgl64.Vec3{20, 10, 20}, true)
	const text = `kind = "grain"
[units]
length = "mm"
[grain]
number = 60
[container]
size = [40, 60, 40]
[fill]
low = [-14, 16, -14]
up = [14, 60, 14]
[tool]
TOOL
position = [0, 90, 0]
[[obstacle]]
SHAPE
position = [2, 8, 0]
rotation = [0, 20, 0]
`
	scene := func(tool, shape string) (physics.World, error) {
		s, err := Read(filepath.Join(dir, "x.toml"), []byte(strings.NewReplacer("TOOL", tool, "SHAPE", shape).Replace(text)))
		if err != nil {
			return nil, err
		}
		w, _, err := s.Open(context.Background(), physics.Options{})
		if err == nil {
			t.Cleanup(func() { w.Close() })
		}
		return w, err
	}
	const ball = `shape = "ball"`
	var of [2]*live
	for i, shape := range []string{"shape = \"brick\"\nsize = [20, 10, 20]", "shape = \"mesh\"\nmesh = \"step.stl\""} {
		w, err := scene(ball, shape)
		if err != nil {
			t.Fatal(err)
		}
		of[i] = w.(*live)
	}
	for range 80 { // rounding grows from collision to collision
		for _, l := range of {
			l.Step(physics.Input{Target: l.info.Start, Dt: 1e-3})
		}
	}
	fell := 0
	for i := range of[0].world.N() {
		a, b := of[0].world.Position(i), of[1].world.Position(i)
		if a.Sub(b).Len() > 1e-7 {
			t.Errorf("grain %d is at %v beside a brick, at %v beside its file", i, a, b)
		}
		if a[1] < 0.016 {
			fell++
		}
	}
	if pushed := of[1].world.Balance().Obstacles[of[1].which-1]; fell == 0 || pushed.Len() == 0 {
		t.Errorf("%d grains fell, the obstacle had %v N s", fell, pushed)
	}

	// A file on the stylus ploughs.
	w, err := scene("shape = \"mesh\"\nmesh = \"step.stl\"", "shape = \"sphere\"\nradius = 5")
	if err != nil {
		t.Fatal(err)
	}
	felt := 0.0
	for i := range 400 {
		r := w.Step(physics.Input{Target: frame.At(mgl64.Vec3{0, max(0.02, 0.09-0.0005*float64(i)), 0}), Dt: 1e-3})
		felt = max(felt, r.Force[1])
	}
	if !(felt > 1e-3) {
		t.Errorf("a box from a file, pushed into a heap, felt %g N", felt)
	}

	for shape, want := range map[string]string{
		"shape = \"mesh\"":                                               "obstacle.0.mesh",
		"shape = \"mesh\"\nmesh = \"none.stl\"":                          "none.stl",
		"shape = \"mesh\"\nmesh = \"cut.stl\"":                           "open",
		"shape = \"mesh\"\nmesh = \"step.stl\"\nfile_unit = \"furlong\"": "furlong",
	} {
		if _, err := scene(ball, shape); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %s", shape, err, want)
		}
	}
}
