package rigid

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
)

// block writes a block of hexahedra as a volume mesh and its surface as STL, in mm.
func block(t *testing.T, size vec3, n [3]int) (volume, surface string) {
	t.Helper()
	m, err := mesh.Box(size.Mul(-500), size.Mul(1000), n)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Nodes { // the file's origin is nowhere in particular
		m.Nodes[i] = m.Nodes[i].Add(vec3{30, -20, 10})
	}
	dir := t.TempDir()
	volume, surface = filepath.Join(dir, "block.msh"), filepath.Join(dir, "block.stl")
	for file, write := range map[string]func(*os.File) error{
		volume:  func(f *os.File) error { return m.WriteGmsh(f) },
		surface: func(f *os.File) error { return (&mesh.Triangles{Nodes: m.Nodes, Triangles: surfaceOf(m)}).WriteSTL(f) },
	} {
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return volume, surface
}

func meshScene(file, more string) string {
	return "kind = \"rigid\"\nfloor = true\nfriction = 0.5\n[tool]\nposition = [0, 1, 0]\n[[body]]\nname = \"block\"\nform = \"mesh\"\nmesh = \"" + file +
		"\"\nfile_unit = \"mm\"\ndensity = 800\nposition = [0, 0.06, 0]\n" + more
}

// A body of a surface file has the mass and inertia of what the surface encloses. It
// falls, comes to rest on the floor as a box of that size does, and bears a box and a
// ball; few of its many vertices are contacts.
func TestMeshBody(t *testing.T) {
	_, file := block(t, vec3{0.1, 0.06, 0.08}, [3]int{8, 6, 7})
	l := openLive(t, "x.toml", meshScene(file, `
[[body]]
name = "box"
form = "box"
size = [0.05, 0.03, 0.05]
position = [0.02, 0.11, 0]
[[body]]
name = "ball"
form = "ball"
radius = "10 mm"
position = [-0.03, 0.12, 0]
`))
	want := Box(0.1, 0.06, 0.08)
	mass, inertia := want.Solid(800)
	b := l.parts[0].body
	if math.Abs(b.Mass/mass-1) > 1e-6 {
		t.Errorf("mass %.9g kg, want %.9g", b.Mass, mass)
	}
	for k := range inertia {
		if math.Abs(b.Inertia[k]-inertia[k]) > 1e-6*inertia[0] {
			t.Errorf("inertia %v, want %v", b.Inertia, inertia)
		}
	}
	most := 0
	for range 1500 {
		l.Step(physics.Input{Target: l.info.Start, Dt: 1e-3})
		most = max(most, l.world.stats.Contacts)
	}
	box := l.parts[1].body
	if math.Abs(b.X[1]-0.03) > 2e-5 || math.Abs(box.X[1]-0.075) > 4e-5 || b.V.Len() > 1e-6 || box.V.Len() > 1e-6 {
		t.Errorf("block at %v moves at %.2g m/s, box at %v at %.2g m/s", b.X, b.V.Len(), box.X, box.V.Len())
	}
	if most > 80 {
		t.Errorf("%d contacts", most)
	}
	start := b.X
	for range 1000 {
		l.Step(physics.Input{Target: l.info.Start, Dt: 1e-3})
	}
	if crept := b.X.Sub(start).Len(); crept > 1e-7 {
		t.Errorf("it creeps %.2g m in a second", crept)
	}
	if k, _ := l.world.energy(); k > 1e-4 { // the ball may roll
		t.Errorf("energy %.2g J", k)
	}
}

// A body of a volume mesh vibrates in its modes and rings when it is struck.
func TestMeshBodyRings(t *testing.T) {
	file, surface := block(t, vec3{0.2, 0.01, 0.02}, [3]int{16, 1, 2})
	l := openLive(t, "x.toml", meshScene(file, "modes = 4\nfriction = 0\n"), "gravity=0", "floor=false", "block.density=7800")
	v := l.parts[0].vib
	if v == nil || len(v.Modes.Omega) != 4 {
		t.Fatal("no modes")
	}
	omega := math.Pow(4.730040745/0.2, 2) * math.Sqrt(steel.Young*0.01*0.01/12/7800)
	if w := v.Modes.Omega[0]; math.Abs(w/omega-1) > 0.02 {
		t.Errorf("lowest %.4g 1/s, a beam's is %.4g", w, omega)
	}
	end := l.parts[0].body.point(vec3{0.09, 0, 0})
	for i := range 700 { // to above the end at most at 2 m/s, then down on it
		l.Step(physics.Input{Target: frame.At(end.Add(mgl64.Vec3{0, max(0.03-1e-3*float64(max(i-600, 0)), 0), 0})), Dt: 1e-3})
	}
	if e := v.energy(); !(e > 0) {
		t.Errorf("it does not ring: %g J", e)
	}
	if s, err := Read("x.toml", []byte(meshScene(surface, "modes = 4\n"))); err != nil {
		t.Fatal(err)
	} else if _, _, err := s.Open(t.Context(), physics.Options{}); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("modes of a surface: %v", err)
	}
}

// What no body can be made of is refused in one line.
func TestBadMeshBodies(t *testing.T) {
	_, surface := block(t, vec3{0.1, 0.1, 0.1}, [3]int{2, 2, 2})
	data, err := os.ReadFile(surface)
	if err != nil {
		t.Fatal(err)
	}
	data[80]-- // one triangle less than there are
	open := filepath.Join(t.TempDir(), "open.stl")
	if err := os.WriteFile(open, data[:len(data)-50], 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{open: "open", "nowhere.stl": "nowhere.stl"} {
		s, err := Read("x.toml", []byte(meshScene(file, "")))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Open(t.Context(), physics.Options{}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", file, err)
		}
	}
	if _, err := Read("x.toml", []byte(strings.Replace(meshScene(surface, ""), "mesh = \""+surface+"\"\n", "", 1))); err == nil || !strings.Contains(err.Error(), "file") {
		t.Errorf("a mesh without a file: %v", err)
	}
}
