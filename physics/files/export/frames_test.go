package export

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
)

func twoStates() (*physics.Info, []*physics.Frame) {
	info := &physics.Info{Surfaces: []physics.SurfaceInfo{{Name: "liver", Triangles: [][3]int32{{0, 1, 2}, {0, 2, 3}}}}, Numbers: []physics.Number{{Name: "iterations"}}}
	var all []*physics.Frame
	for k := range 2 {
		z := 0.25 * float64(k)
		all = append(all, &physics.Frame{Stylus: frame.Identity(), Force: mgl64.Vec3{0, 1. / 3, z}, Numbers: []float64{float64(7 + k)},
			Surfaces: []physics.Surface{{Vertices: []mgl64.Vec3{{0, 0, z}, {1, 0, z}, {1, 1, z}, {0, 1, z}}}},
			Contacts: make([]physics.Contact, k)})
	}
	return info, all
}

// The surface of each state is a file of STL, triangle by triangle.
func TestSTLHasTheDeformedSurface(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "stl")
	info, states := twoStates()
	s, err := NewSTL(dir, info)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range states {
		if err := s.Add(float64(i), f); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "liver-000001.stl"))
	if err != nil || len(b) != 84+2*50 || binary.LittleEndian.Uint32(b[80:]) != 2 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	x := func(triangle, number int) float32 {
		return math.Float32frombits(binary.LittleEndian.Uint32(b[84+50*triangle+4*number:]))
	}
	if x(0, 2) != 1 || x(0, 5) != 0.25 || x(1, 9) != 0 || x(1, 10) != 1 { // normal z, z of the first corner, last corner
		t.Errorf("normal %g, corner %g, last %g %g", x(0, 2), x(0, 5), x(1, 9), x(1, 10))
	}
	if _, err := NewSTL(filepath.Join(dir, "liver-000001.stl"), info); err == nil {
		t.Error("a file is taken for a folder")
	}
}

// Two bodies may have one name: each keeps its own files and arrays.
func TestBodiesOfOneName(t *testing.T) {
	dir := t.TempDir()
	info, states := twoStates()
	info.Surfaces = append(info.Surfaces, physics.SurfaceInfo{Name: "liver", Triangles: [][3]int32{{0, 1, 2}}})
	s, err := NewSTL(dir, info)
	if err != nil {
		t.Fatal(err)
	}
	z := NewNPZ(filepath.Join(dir, "a.npz"), info)
	for _, f := range states {
		f.Surfaces = append(f.Surfaces, physics.Surface{Vertices: f.Surfaces[0].Vertices[:3]})
		if err := errors.Join(s.Add(0, f), z.Add(0, f)); err != nil {
			t.Fatal(err)
		}
	}
	for name, size := range map[string]int64{"liver-000001.stl": 84 + 2*50, "liver-2-000001.stl": 84 + 50} {
		if i, err := os.Stat(filepath.Join(dir, name)); err != nil || i.Size() != size {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, rows := range map[string]int{"surface/liver/vertices_m": 4, "surface/liver-2/vertices_m": 3} {
		if a := z.byName[name]; a == nil || a.rows != 2 || a.row[0] != rows || len(a.data) != 2*8*3*rows {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// NumPy reads the arrays, to the last bit.
func TestNPZIsReadByNumPy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.npz")
	info, states := twoStates()
	z := NewNPZ(file, info)
	for i, f := range states {
		if err := z.Add(0.5*float64(i), f); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if h := header("<f8", []int{2}); len(h)%64 != 0 || !strings.Contains(string(h), "'shape': (2,), }") {
		t.Errorf("%q", h)
	}
	const script = `
import sys, numpy as np
a = np.load(sys.argv[1])
assert a["time"].tolist() == [0, 0.5], a["time"]
assert a["force_N"].shape == (2, 3) and a["force_N"][1].tolist() == [0, 1 / 3, 0.25], a["force_N"]
assert a["surface/liver/vertices_m"].shape == (2, 4, 3) and (a["surface/liver/vertices_m"][1, :, 2] == 0.25).all()
assert a["surface/liver/triangles"].tolist() == [[0, 1, 2], [0, 2, 3]]
assert a["number/iterations"].tolist() == [7, 8]
assert a["contact/state"].tolist() == [1] and a["contact/force_N"].shape == (1, 3)
print("read")
`
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", "import numpy").Run() != nil {
			continue
		}
		out, err := exec.Command(python, "-c", script, file).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "read" {
			t.Errorf("%v, %s", err, out)
		}
		return
	}
	t.Log("no NumPy (cure: apt-get install python3-numpy): only the header was looked at")
}

// Frames alone make a series and a table: surfaces with their displacement from the first
// state, and a row a state.
func TestFramesMakeASeriesAndATable(t *testing.T) {
	dir := t.TempDir()
	info, states := twoStates()
	series, err := NewShown(filepath.Join(dir, "vtu"), "press.toml", info)
	if err != nil {
		t.Fatal(err)
	}
	table, err := NewTable(filepath.Join(dir, "table.csv"), info)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range states {
		for _, s := range []Sink{series, table} {
			if err := s.Add(0.5*float64(i), f); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range []Sink{series, table} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "table.csv"))
	want := "time_s,stylus_x_m,stylus_y_m,stylus_z_m,force_x_N,force_y_N,force_z_N,iterations\n0,0,0,0,0,0.3333333333333333,0,7\n0.5,0,0,0,0,0.3333333333333333,0.25,8\n"
	if err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
	if text, err = os.ReadFile(filepath.Join(dir, "vtu", "press.pvd")); err != nil || strings.Count(string(text), `timestep="0.5"`) != 3 { // liver, contacts, stylus
		t.Errorf("%v\n%s", err, text)
	}
	if text, err = os.ReadFile(filepath.Join(dir, "vtu", "press-liver-000001.vtu")); err != nil || !strings.Contains(string(text), `"displacement"`) {
		t.Errorf("%v\n%s", err, text)
	}
}
