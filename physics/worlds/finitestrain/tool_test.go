package finitestrain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
)

// wedge writes a closed surface of triangles as an STL file: a roof whose ridge, along z,
// is its lowest line.
func wedge(t *testing.T) string {
	t.Helper()
	x := []mgl64.Vec3{{0, 0, -0.03}, {0, 0, 0.03}, {-0.015, 0.03, -0.03}, {0.015, 0.03, -0.03}, {-0.015, 0.03, 0.03}, {0.015, 0.03, 0.03}}
	text := "solid wedge\n"
	for _, f := range [][3]int{{0, 2, 3}, {1, 5, 4}, {0, 1, 4}, {0, 4, 2}, {0, 3, 5}, {0, 5, 1}, {2, 4, 5}, {2, 5, 3}} {
		text += "facet normal 0 0 0\nouter loop\n"
		for _, n := range f {
			text += fmt.Sprintf("vertex %g %g %g\n", x[n][0], x[n][1], x[n][2])
		}
		text += "endloop\nendfacet\n"
	}
	file := filepath.Join(t.TempDir(), "wedge.stl")
	if err := os.WriteFile(file, []byte(text+"endsolid wedge\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Tools of every shape press, are drawn along and let go: the body keeps before them
// between its nodes, too, no element turns over, and nothing stays behind.
func TestToolsOfEveryShape(t *testing.T) {
	const deep = 0.012
	if testkit.Race {
		t.Skip("slow")
	}
	text := block(t)
	for i, c := range []struct {
		name string
		low  float64 // of the tool under its origin, m
		set  []string
	}{
		{"probe", 0.008, []string{"tool.radius=0.008", "tool.length=0.1", "tool.kind=probe"}},
		{"ball", 0.015, []string{"tool.radius=0.015", "tool.length=0.08", "tool.kind=ball"}},
		{"spatula", 0.003, []string{"tool.size=[0.04, 0.006, 0.02]", "tool.radius=0.002", "tool.kind=box"}},
		{"a box on its edge", 0.02 * math.Sqrt2 / 2, []string{"tool.size=[0.02, 0.02, 0.03]", "tool.radius=0.001", "tool.kind=box", "tool.rotation=[0, 0, 45]"}},
		{"cylinder", 0, []string{"tool.radius=0.012", "tool.length=0.05", "tool.kind=cylinder"}},
		{"scoop", 0.012, []string{"tool.radius=0.012", "tool.length=0.05", "tool.kind=scoop"}},
		{"a wedge of a mesh", 0, []string{"tool.mesh=" + wedge(t), "tool.file_unit=m"}},
	} {
		if testing.Short() && i%4 != 2 { // the spatula and the wedge
			continue
		}
		w := openWorld(t, "x.toml", text, c.set...)
		at := w.info.Start
		at.Position = mgl64.Vec3{0.052, 0.1 + c.low + 0.002, 0.047}
		w.reach(t, at)
		deepest := 0.0
		move := func(way mgl64.Vec3, n int) (force float64) {
			for range n {
				at.Position = at.Position.Add(way.Mul(1 / float64(n)))
				f := w.reach(t, at).Force.Len()
				force = math.Max(force, f)
				deepest = math.Max(deepest, w.inside())
			}
			return force
		}
		pressed := move(mgl64.Vec3{0, -deep - 0.002, 0}, 14)
		drawn := move(mgl64.Vec3{0.01, 0, 0.004}, 10)
		least, inverted := w.engine.body.MinJ(w.engine.Shown)
		t.Logf("%s: %.2f N pressed, %.2f N drawn, %.2f mm inside between nodes, least J %.2f", c.name, pressed, drawn, 1e3*deepest, least)
		if inverted > 0 || !(pressed > 0.2 && pressed < 10) || !(drawn > 0.2 && drawn < 10) || deepest > c.low*0.4+1e-3 {
			t.Errorf("%s: %.2f N pressed, %.2f N drawn, %.2f mm inside, %d elements turned over", c.name, pressed, drawn, 1e3*deepest, inverted)
		}
		move(mgl64.Vec3{0, 0.04, 0}, 20)
		for range 20 {
			w.Step(physics.Input{Target: at})
		}
		if far := longest(triples(displacements(w.engine.body, w.engine.Shown))); w.force != (mgl64.Vec3{}) || far > 1e-6 {
			t.Errorf("%s: let go, %v N, %g m from rest", c.name, w.force, far)
		}
		w.Close()
	}
}

// inside is how deep the tool is in the surface that is shown at most, sampled, m.
func (w *world) inside() (deepest float64) {
	for i := range w.engine.facets.triangles {
		var x [3]mgl64.Vec3
		for k, n := range w.engine.facets.triangles[i] {
			x[k] = mgl64.Vec3(w.engine.Shown[3*n : 3*n+3])
		}
		const cuts = 6
		for a := range cuts + 1 {
			for b := range cuts + 1 - a {
				u, v := float64(a)/cuts, float64(b)/cuts
				p := x[0].Mul(1 - u - v).Add(x[1].Mul(u)).Add(x[2].Mul(v))
				_, _, d := w.tool.shape.Closest(w.pose.InversePoint(p))
				deepest = math.Max(deepest, -d)
			}
		}
	}
	return deepest
}

// The place of a triangle that is deepest in a convex tool is as deep as any sampled one to
// 0.5 mm, as long as that is nearer to the surface than to the middle of the tool.
func TestDeepestPlaceOfATriangle(t *testing.T) {
	m := &moving{shape: collision.Box(mgl64.Vec3{0.02, 0.006, 0.04}, 0.001), near: 1, around: 1}
	m.aim(frame.Identity(), frame.Identity())
	rng := rand.New(rand.NewPCG(3, 1))
	random := func() mgl64.Vec3 {
		return mgl64.Vec3{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}.Mul(0.05)
	}
	for range 200 {
		a, b, c := random(), random(), random()
		edge := max(a.Sub(b).Len(), b.Sub(c).Len(), c.Sub(a).Len())
		share, place, gap, _ := deepest(m, 0, a, b, c, edge, 1)
		if p := a.Mul(share[0]).Add(b.Mul(share[1])).Add(c.Mul(share[2])); p.Sub(place).Len() > 1e-12 || min(share[0], share[1], share[2]) < 0 {
			t.Fatalf("shares %v of %v", share, place)
		}
		const cuts = 20
		for i := range cuts + 1 {
			for j := range cuts + 1 - i {
				u, v := float64(i)/cuts, float64(j)/cuts
				if g, _ := m.Gap(a.Mul(1-u-v).Add(b.Mul(u)).Add(c.Mul(v)), 0); g > -1.5e-3 && g < gap-5e-4 {
					t.Fatalf("gap %g, at a sample %g", gap, g)
				}
			}
		}
	}
}

// A tool whose surface has no inside is refused with one line.
func TestToolNeedsAnInside(t *testing.T) {
	file := filepath.Join(t.TempDir(), "open.stl")
	if err := os.WriteFile(file, []byte("solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0.01 0 0\nvertex 0 0.01 0\nendloop\nendfacet\nendsolid x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Read("x.toml", []byte(block(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"tool.mesh=" + file, "tool.file_unit=m"} {
		if err := s.Set(set); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.Open(t.Context(), physics.Options{}); err == nil || !strings.Contains(err.Error(), "tool: the surface is open") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}
