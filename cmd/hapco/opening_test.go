package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics"
	"hapco/ui"
)

// cube writes an STL surface of a cube with edges of 60, no unit said.
func cube(t *testing.T, file string) {
	t.Helper()
	corner := func(i int) [3]float64 {
		return [3]float64{60 * float64(i&1), 60 * float64(i>>1&1), 60 * float64(i>>2&1)}
	}
	var b strings.Builder
	b.WriteString("solid cube\n")
	for _, q := range [][4]int{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		for _, tri := range [][3]int{{q[0], q[1], q[2]}, {q[0], q[2], q[3]}} {
			b.WriteString("facet normal 0 0 0\nouter loop\n")
			for _, v := range tri {
				p := corner(v)
				fmt.Fprintf(&b, "vertex %g %g %g\n", p[0], p[1], p[2])
			}
			b.WriteString("endloop\nendfacet\n")
		}
	}
	b.WriteString("endsolid cube\n")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A surface is opened from the list of files, filled on the way, pressed, and saved as a
// scene that holds what was changed.
func TestOpenSurface(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a window")
	}
	dir := t.TempDir()
	cube(t, filepath.Join(dir, "cube.stl"))
	w := startWindow(t, buildProgram(t), dir)
	w.await("the start page", func(tr *trace) bool { return tr.Gallery })
	w.x("key ctrl+o")
	w.click("Files/cube.stl")
	w.click("importOpen")
	start := w.await("the cube", func(tr *trace) bool {
		return tr.Ready && tr.Aim != nil && strings.HasSuffix(tr.Scene, "cube.toml")
	})
	w.x("mousemove %.0f %.0f\nmousedown 1", start.Aim.X, start.Aim.Y) // on the cube: the tool may have moved since
	w.await("a contact force", func(tr *trace) bool { return tr.RawN > 0.02 })
	w.x("mouseup 1")
	f := w.await("the panel", func(tr *trace) bool { return tr.Widgets["Friction"].Visible }).Widgets["Friction"]
	w.x("mousemove %.0f %.0f\nmousedown 1\nmousemove %.0f %.0f\nmouseup 1", f.X+0.3*f.W, f.Y+f.H/2, f.X+0.5*f.W, f.Y+f.H/2)
	w.await("another friction", func(tr *trace) bool { return tr.Values["friction"] != start.Values["friction"] })
	w.x("key ctrl+s")
	w.await("the saved scene", func(tr *trace) bool { return strings.HasPrefix(tr.Status, "Saved cube.toml") })
	text, err := os.ReadFile(filepath.Join(dir, "cube.toml"))
	if err != nil || !strings.Contains(string(text), `file_unit = "mm"`) {
		t.Fatalf("%v\n%s", err, text)
	}
	s, err := physics.Load(filepath.Join(dir, "cube.toml"))
	if err != nil {
		t.Fatal(err)
	}
	changes := s.Common().Changes
	if len(changes) != 1 || !strings.HasPrefix(changes[0], "friction=") {
		t.Errorf("changes %q", changes)
	}
	paintSupport(t, w, dir)
}

// paintSupport paints where the cube is held, takes the stroke back and makes it again,
// has it held there, and saves that.
func paintSupport(t *testing.T, w *window, dir string) {
	start := w.await("the tool to be up", func(tr *trace) bool { return tr.RawN == 0 })
	held := func(what string, ok func(n int) bool) *trace {
		return w.await(what, func(tr *trace) bool { return tr.Ready && ok(tr.Holding) })
	}
	x, y := start.Viewport.X+start.Viewport.W/2, start.Viewport.Y+start.Viewport.H/2
	w.x("mousemove %.0f %.0f\nkeydown b", x, y)
	w.await("the brush", func(tr *trace) bool { return tr.Brush })
	w.x("mousedown 1")
	first := held("a dab", func(n int) bool { return n > start.Holding })
	w.x("mousemove_relative 70 0")
	stroke := held("a stroke", func(n int) bool { return n > first.Holding })
	w.x("mouseup 1\nkeyup b")
	w.await("one change", func(tr *trace) bool { return tr.Undos == start.Undos+1 })
	w.x("key ctrl+z")
	held("the stroke to be undone", func(n int) bool { return n == start.Holding })
	w.x("key ctrl+shift+z")
	painted := held("the stroke again", func(n int) bool { return n >= stroke.Holding }).Holding
	w.click("Hold these")
	w.await("the scene held so", func(tr *trace) bool { return tr.Ready && tr.Undos == 0 && tr.Holding == painted })
	w.x("key ctrl+s")
	w.await("the saved scene", func(tr *trace) bool { return strings.HasPrefix(tr.Status, "Saved cube-2.toml") })
	s, err := physics.Load(filepath.Join(dir, "cube-2.toml"))
	if err != nil {
		t.Fatal(err)
	}
	world, _, err := s.Open(t.Context(), physics.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	n := 0
	for _, b := range world.Info().Surfaces {
		for _, h := range b.Fixed {
			if h {
				n++
			}
		}
	}
	if n != painted {
		t.Errorf("the saved scene holds %d nodes, painted were %d", n, painted)
	}
}

// What was answered is what the scene says; a scene saved twice keeps the last value of
// each key; bad answers are refused.
func TestImport(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cube.stl")
	cube(t, file)
	q, err := app.Examine(file)
	if err != nil {
		t.Fatal(err)
	}
	if q.Units[0] != "mm" || len(q.Units) != 5 || q.Materials[0].Name != "liver" || !slices.ContainsFunc(q.Supports, func(c physics.Choice) bool { return c.Name == "left" }) {
		t.Errorf("asked: %+v", q)
	}
	quiet := func(float64, string) {}
	box := ui.ImportChoice{Unit: "cm", Support: "box", Material: "liver"}
	box.Box[0], box.Box[1] = [3]float64{-0.01, -0.01, -0.01}, [3]float64{0.61, 0.02, 0.61}
	scene, err := app.Import(t.Context(), dir, file, box, quiet)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(scene)
	for _, want := range []string{`file_unit = "cm"`, "clamp = { min = [-10, -10, -10], max = [610, 20, 610] }", `material = "liver"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	saved, left, err := app.SaveScene(dir, scene, []string{"friction=0.5", "body.E=9000 Pa", "nonsense=1"}, false)
	if err != nil || !slices.Equal(left, []string{"nonsense=1"}) {
		t.Fatalf("%v, left out %q", err, left)
	}
	if other, err := app.Import(t.Context(), dir, file, box, quiet); err != nil || other != scene {
		t.Errorf("the same file becomes %s, %s before, %v", other, scene, err)
	}
	elsewhere := filepath.Join(t.TempDir(), "cube.stl")
	cube(t, elsewhere)
	if other, err := app.Import(t.Context(), dir, elsewhere, box, quiet); err != nil || other == scene {
		t.Errorf("a file of the same name from another folder takes the place of %s, %v", other, err)
	}
	again, _, err := app.SaveScene(dir, saved, []string{"friction=0.6"}, false)
	if err != nil || again == saved {
		t.Fatal(again, err)
	}
	s, err := physics.Load(again)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Common().Changes; !slices.Equal(got, []string{"body.E=9000 Pa", "friction=0.6"}) {
		t.Errorf("changes %q", got)
	}
	world, _, err := s.Open(t.Context(), physics.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	v := physics.Values(world.Keys())
	if i := physics.Place(world.Keys(), "body.E"); i < 0 || v[i] != 9000 {
		t.Errorf("body.E is not that of the file")
	}
	if i := physics.Place(world.Keys(), "friction"); v[i] != 0.6 {
		t.Errorf("friction %g", v[i])
	}
	box.Box[1] = box.Box[0]
	if _, err := app.Import(t.Context(), dir, file, box, quiet); err == nil {
		// the scene is read, its support is looked for when it opens
		s, err := physics.Load(scene)
		if err == nil {
			_, _, err = s.Open(t.Context(), physics.Options{NoCache: true})
		}
		if err == nil {
			t.Error("a support without a node opens")
		}
	}
	if _, err := app.Examine(filepath.Join(dir, "none.stl")); err == nil {
		t.Error("a missing file is examined")
	}
}

// A scene that is saved in another folder finds the files that lie beside the old one, and
// changes that somebody wrote over several lines are replaced as a whole.
func TestSceneIsSavedElsewhere(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	cube(t, filepath.Join(from, "cube.stl"))
	scene := filepath.Join(from, "s.toml")
	text := `kind = "rigid"
title = "cube.stl of somebody"
changes = [
  "tool.position=[0, 0.3, 0]", # higher
  "friction=0.2",
]
friction = 0.6
[[body]]
name = "cube"
form = "mesh"
mesh = 'cube.stl'
file_unit = "mm"
density = 1000
position = [0, 0.1, 0]
`
	if err := os.WriteFile(scene, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	saved, left, err := app.SaveScene(to, scene, []string{"friction=0.5"}, false)
	if err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	s, err := physics.Load(saved)
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Common(); !slices.Equal(c.Changes, []string{"tool.position=[0, 0.3, 0]", "friction=0.5"}) || c.Title != "cube.stl of somebody" {
		t.Errorf("%q, changes %q", c.Title, c.Changes)
	}
	w, _, err := s.Open(t.Context(), physics.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	beside, _, err := app.SaveScene(from, scene, nil, false)
	if err != nil || !strings.Contains(readText(t, beside), "'cube.stl'") {
		t.Errorf("%v\n%s", err, readText(t, beside))
	}
}
