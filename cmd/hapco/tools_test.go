package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics"
	"hapco/physics/measure/batch"

	"github.com/go-gl/mathgl/mgl64"
)

// Every tool of a scene opens, one after the other and an own surface too, and feels
// something when it is pressed down.
func TestTools(t *testing.T) {
	t.Run("tissue", func(t *testing.T) { testTools(t, "block-linear", 7, false) })
	if testing.Short() {
		return
	}
	t.Run("large strains", func(t *testing.T) { testTools(t, "block-neo-hookean", 7, false) })
	t.Run("grains", func(t *testing.T) { testTools(t, "sandbox", 4, true) })
}

func testTools(t *testing.T, scene string, count int, inTime bool) {
	dir := t.TempDir()
	own := filepath.Join(dir, "own.stl")
	cube(t, own)
	tools := app.Tools(scene)
	if len(tools) != count {
		t.Fatalf("%d tools", len(tools))
	}
	for i := range append(tools, tools[0]) { // the first one can be had again
		tool := &tools[i%count]
		file := ""
		if tool.Own != "" {
			file = own
		}
		other, err := app.TakeTool(dir, scene, tool, file)
		if err != nil {
			t.Fatal(err)
		}
		if scene = other; len(app.Tools(scene)) != count { // the next tool takes the place of this one
			t.Fatalf("%s: %d tools to go on with", tool.Name, len(app.Tools(scene)))
		}
		s, err := physics.Load(scene)
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		w, _, err := s.Open(t.Context(), physics.Options{NoCache: true})
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		felt := 0.0
		feel := func(force mgl64.Vec3) error {
			if felt = max(felt, force.Len()); felt > 0.01 {
				return errIndented
			}
			return nil
		}
		if inTime {
			aside := mgl64.Vec3{}
			if tool.Own != "" { // it is so large that it has to come in from the wall first
				aside = mgl64.Vec3{-0.03, 0, -0.05}
			}
			hand := func(s float64) mgl64.Vec3 {
				return aside.Mul(min(2*s, 1)).Add(mgl64.Vec3{0, -0.2 * max(0, s-0.5), 0})
			}
			err = batch.InTime(t.Context(), w, &batch.Clock{Seconds: 1, Every: 2e-3}, hand, func(_ float64, _ bool, r *physics.Report) error { return feel(r.Force) })
		} else {
			way := []mgl64.Vec3{}
			for k := 1; k <= 50; k++ {
				way = append(way, mgl64.Vec3{0, -1e-3 * float64(k), 0})
			}
			err = batch.Along(t.Context(), w, batch.Unturned(way), false, func(s *batch.Step) error { return feel(s.Force) })
		}
		if !(felt > 0.01) || math.IsInf(felt, 0) {
			t.Errorf("%s: %g N, %v", tool.Name, felt, err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The tool is chosen in the panel, turned by Alt and the mouse and by the arrow keys, and
// points into the surface again after T.
func TestToolByMouse(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a window")
	}
	w := startWindow(t, buildProgram(t), t.TempDir(), "run", "block-linear", "--device", "mouse")
	start := w.await("the scene", func(tr *trace) bool { return tr.Ready && tr.Turn != nil && tr.Widgets["Tool"].Visible })
	w.x("mousemove 300 300") // the tool goes there, and points into what it is before
	last := *start
	w.await("the tool to rest", func(tr *trace) bool {
		was := last
		last = *tr
		return was.Turn != nil && tr.Turn != nil && tr.Stylus != nil && tr.Frame > was.Frame && math.Abs(tr.Stylus.X-300) < 3 && math.Abs(tr.Turn.W-was.Turn.W) < 1e-6
	})
	turned := func(tr *trace) bool { return tr.Turn != nil && math.Abs(tr.Turn.W-last.Turn.W) > 0.02 }
	back := func(tr *trace) bool { return tr.Turn != nil && math.Abs(tr.Turn.W-last.Turn.W) < 2e-3 }
	w.x("keydown alt\nmousedown 1\nmousemove_relative 40 10\nmousemove_relative 40 10\nmouseup 1\nkeyup alt\nmousemove 300 300")
	w.await("the turned tool", turned)
	w.x("key t")
	w.await("the tool as it was", back)
	w.x("keydown Left\nsleep 1.5\nkeyup Left")
	w.await("the tool turned by a key", turned)
	w.click("Tool")
	w.click("Tool/spatula")
	w.await("the spatula", func(tr *trace) bool { return tr.Ready && strings.HasSuffix(tr.Scene, "block-linear.toml") })
}
