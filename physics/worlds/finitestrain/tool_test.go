package finitestrain

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
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

// Tools of every shape press, are drawn along and let go: nothing of the body goes through them, no
// element turns over, and nothing stays behind.
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
		move := func(way mgl64.Vec3, n int) (force float64) {
			for range n {
				at.Position = at.Position.Add(way.Mul(1 / float64(n)))
				f := w.reach(t, at).Force.Len()
				force = math.Max(force, f)
				if reason := w.engine.Validate(); reason != Valid {
					t.Fatalf("%s: %v", c.name, reason)
				}
			}
			return force
		}
		pressed := move(mgl64.Vec3{0, -deep - 0.002, 0}, 14)
		drawn := move(mgl64.Vec3{0.01, 0, 0.004}, 10)
		least, _ := w.engine.body.MinJ(w.engine.Shown.X)
		t.Logf("%s: %.2f N pressed, %.2f N drawn, least J %.2f", c.name, pressed, drawn, least)
		if !(pressed > 0.2 && pressed < 10) || !(drawn > 0.2 && drawn < 10) {
			t.Errorf("%s: %.2f N pressed, %.2f N drawn", c.name, pressed, drawn)
		}
		move(mgl64.Vec3{0, 0.04, 0}, 20)
		for range 20 {
			w.Step(physics.Input{Target: at})
		}
		if far := longest(triples(displacements(w.engine.body, w.engine.Shown.X))); w.felt.force != (mgl64.Vec3{}) || far > 1e-6 {
			t.Errorf("%s: let go, %v N, %g m from rest", c.name, w.felt.force, far)
		}
		w.Close()
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
