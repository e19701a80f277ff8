package ui

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// Files that are dropped onto the window are opened, asked about, checked or refused.
func TestDroppedFiles(t *testing.T) {
	dir := t.TempDir()
	var imported ImportChoice
	files := Files{
		Examine: func(file string) (*Import, error) {
			if strings.Contains(file, "bad") {
				return nil, errors.New("bad.stl: no triangles")
			}
			return &Import{File: file, What: "STL", Size: mgl64.Vec3{60, 60, 60}, Units: []string{"mm", "cm"},
				Supports: []physics.Choice{{Name: "default"}, {Name: "left"}}, Materials: []physics.Choice{{Name: "tissue"}}}, nil
		},
		Import: func(_ context.Context, file string, c ImportChoice, _ func(float64, string)) (string, error) {
			imported = c
			return "bench-a-36", nil
		},
		Check: func(context.Context, string) (string, error) { return "7 of 7 agree", nil },
	}
	step, said := 0, []string{}
	drop := []string{"scene.txt", "bad.stl", "case.json", "cube.stl"}
	want := []string{"is no scene", "no triangles", "7 of 7"}
	script := func(f *Frame) {
		a := f.app
		switch {
		case step < len(drop) && (step == 0 || a.library.opening.found == nil && len(a.win.dropped) == 0):
			if step > 0 {
				said = append(said, a.notice.text)
			}
			a.win.dropped = []string{filepath.Join(dir, drop[step])}
			step++
		case step == len(drop) && a.library.opening.ask != nil:
			a.library.opening.clamp = 1
			a.library.finishImport(t.Context())
			step++
		case step > len(drop) && f.Scene() == "bench-a-36":
			f.Close()
		case f.Time > 60:
			t.Error("the dropped files were not opened")
			f.Close()
		}
	}
	o := &fakeOpener{}
	if err := runWindow(t, Options{Scenes: fakeScenes, Scene: "liver", Open: o.open, Script: script, Files: files}); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if i >= len(said) || !strings.Contains(said[i], want[i]) {
			t.Errorf("dropped %s: the window says %q, want %q", drop[i], said, want[i])
		}
	}
	if imported.Unit != "mm" || imported.Support != "left" || imported.Material != "tissue" {
		t.Errorf("imported as %+v", imported)
	}
}
