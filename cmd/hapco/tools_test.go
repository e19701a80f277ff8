package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics"
	"hapco/physics/walk"

	"github.com/go-gl/mathgl/mgl64"
)

// Every tool of a scene opens, one after the other and an own surface too, and feels
// something when it is pressed down.
func TestTools(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "own.stl")
	cube(t, own)
	tools := app.Tools("block-linear")
	if len(tools) != 6 {
		t.Fatalf("%d tools", len(tools))
	}
	scene := "block-linear"
	for i := range tools {
		tool := &tools[i]
		file := ""
		if tool.Own != "" {
			file = own
		}
		other, err := app.TakeTool(dir, scene, tool, file)
		if err != nil {
			t.Fatal(err)
		}
		scene = other // the next tool takes the place of this one
		s, err := physics.Load(scene)
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		w, _, err := s.Open(t.Context(), physics.Options{NoCache: true})
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		felt := 0.0
		way := []mgl64.Vec3{}
		for k := 1; k <= 50; k++ {
			way = append(way, mgl64.Vec3{0, -1e-3 * float64(k), 0})
		}
		err = walk.Along(t.Context(), w, way, false, func(s *walk.Step) error {
			if felt = max(felt, s.Force.Len()); felt > 0.01 {
				return errIndented
			}
			return nil
		})
		if !(felt > 0.01) || math.IsInf(felt, 0) {
			t.Errorf("%s: %g N, %v", tool.Name, felt, err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The tool is chosen in the panel, turned by Alt and the mouse and by the arrow keys, and
// turned back.
func TestToolByMouse(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a window")
	}
	w := startWindow(t, buildProgram(t), t.TempDir(), "run", "block-linear", "--device", "mouse")
	start := w.await("the scene", 90*time.Second, func(tr *trace) bool { return tr.Ready && tr.Turn != nil && tr.Widgets["Tool"].Visible })
	turned := func(tr *trace) bool { return tr.Turn != nil && math.Abs(tr.Turn.W-start.Turn.W) > 0.02 }
	back := func(tr *trace) bool { return tr.Turn != nil && math.Abs(tr.Turn.W-start.Turn.W) < 1e-9 }
	w.x("mousemove 300 300\nkeydown alt\nmousedown 1\nmousemove_relative 40 10\nmousemove_relative 40 10\nmouseup 1\nkeyup alt")
	w.await("the turned tool", 20*time.Second, turned)
	w.x("key t")
	w.await("the tool as at the start", 20*time.Second, back)
	w.x("keydown Left\nsleep 1.5\nkeyup Left")
	w.await("the tool turned by a key", 20*time.Second, turned)
	w.click("Tool")
	w.click("Tool/spatula")
	w.await("the spatula", 90*time.Second, func(tr *trace) bool { return tr.Ready && strings.HasSuffix(tr.Scene, "block-linear.toml") })
}
