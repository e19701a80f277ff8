package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"encoding/xml"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// grid is a VTU file as another program reads it.
type grid struct {
	Points []mgl64.Vec3
	Cells  []int // VTK types
	Arrays map[string][]float64
}

func (g *grid) vector(name string, i int) (v mgl64.Vec3) {
	copy(v[:], g.Arrays[name][3*i:])
	return v
}

func (g *grid) sum(name string) (v mgl64.Vec3) {
	for i := range g.Points {
		v = v.Add(g.vector(name, i))
	}
	return v
}

// state is what a .pvd names for one time.
type state map[string]*grid // by part

// pvd reads which file holds which part at which time.
func pvd(t *testing.T, file string) (times []float64, files []map[string]string) {
	t.Helper()
	var c struct {
		Sets []struct {
			Time float64 `xml:"timestep,attr"`
			Name string  `xml:"name,attr"`
			File string  `xml:"file,attr"`
		} `xml:"Collection>DataSet"`
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = xml.Unmarshal(data, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Sets {
		if len(times) == 0 || times[len(times)-1] != d.Time {
			times, files = append(times, d.Time), append(files, map[string]string{})
		}
		files[len(files)-1][d.Name] = d.File
	}
	return times, files
}

// readGrid reads a VTU file with the standard library alone.
func readGrid(t *testing.T, file string) *grid {
	t.Helper()
	type array struct {
		Name string `xml:"Name,attr"`
		Type string `xml:"type,attr"`
		Text string `xml:",chardata"`
	}
	var v struct {
		Piece struct {
			Points []array `xml:"Points>DataArray"`
			Cells  []array `xml:"Cells>DataArray"`
			Data   []array `xml:"PointData>DataArray"`
		} `xml:"UnstructuredGrid>Piece"`
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = xml.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	raw := func(a array) []byte {
		b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(a.Text))
		if err != nil || len(b) < 8 || binary.LittleEndian.Uint64(b) != uint64(len(b)-8) {
			t.Fatalf("%s: %s: %v", file, a.Name, err)
		}
		return b[8:]
	}
	floats := func(a array) (x []float64) {
		for b := raw(a); len(b) > 0; b = b[8:] {
			x = append(x, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
		return x
	}
	g := &grid{Arrays: map[string][]float64{}}
	for x := floats(v.Piece.Points[0]); len(x) > 0; x = x[3:] {
		g.Points = append(g.Points, mgl64.Vec3(x[:3]))
	}
	for _, a := range v.Piece.Data {
		g.Arrays[a.Name] = floats(a)
	}
	for _, a := range v.Piece.Cells {
		if a.Name == "types" {
			for _, k := range raw(a) {
				g.Cells = append(g.Cells, int(k))
			}
		}
	}
	return g
}

// vtkReads asks VTK, where Python has it, to read the files of a folder.
func vtkReads(t *testing.T, dir string) map[string]*grid {
	t.Helper()
	const script = `
import sys, os, json
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
out = {}
for name in sorted(os.listdir(sys.argv[1])):
    if not name.endswith(".vtu"):
        continue
    r = vtkXMLUnstructuredGridReader()
    r.SetFileName(os.path.join(sys.argv[1], name))
    r.Update()
    g = r.GetOutput()
    arrays = {}
    for k in range(g.GetPointData().GetNumberOfArrays()):
        a = g.GetPointData().GetArray(k)
        n = a.GetNumberOfComponents()
        arrays[a.GetName()] = [a.GetComponent(i, c) for i in range(a.GetNumberOfTuples()) for c in range(n)]
    out[name] = {"Points": [g.GetPoint(i) for i in range(g.GetNumberOfPoints())],
        "Cells": [g.GetCellType(i) for i in range(g.GetNumberOfCells())], "Arrays": arrays}
json.dump(out, sys.stdout)
`
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", "import vtkmodules.vtkIOXML").Run() != nil {
			continue
		}
		text, err := exec.Command(python, "-c", script, dir).Output()
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]*grid
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	return nil
}

// The series of a trace gives the trace's displacements and forces, read by the
// standard library and by VTK itself.
func TestTraceWritesSeries(t *testing.T) {
	t.Run("bench-a-16", func(t *testing.T) {
		traceAndSeries(t, tracedScene{
			args:   []string{"bench-a-16", "--path", "sliding", "--steps", "2"},
			body:   "obstacle",
			probes: map[string]mgl64.Vec3{"C": {0.040, 0.025, 0.0175}, "E": {0.080, 0.025, 0.0175}, "S": {0.040, 0.025, 0}},
		}, 11*6*11, 500)
	})
	t.Run("liver-linear", func(t *testing.T) { // its probes are not at nodes: forces, and the nodes near them
		traceAndSeries(t, tracedScene{args: []string{"liver-linear", "--step-mm", "4"}, body: "liver", probes: map[string]mgl64.Vec3{"top": {-0.036, 0.045, -0.005}}}, 0, 0)
	})
}

// tracedScene is a trace and what is known of its scene.
type tracedScene struct {
	args   []string // the scene first
	body   string   // that is pressed
	probes map[string]mgl64.Vec3
}

func traceAndSeries(t *testing.T, c tracedScene, points, cells int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "series")
	out := filepath.Join(t.TempDir(), "trace.json")
	status, _, errors := hapco(t, append(append([]string{"trace"}, c.args...), "--json", "--out", out, "--vtu", dir)...)
	if status != 0 {
		t.Fatal(errors)
	}
	var trace struct {
		Steps []struct {
			Force                   mgl64.Vec3            `json:"force_N"`
			Probes                  map[string]mgl64.Vec3 `json:"probes_m"`
			Sticking, Sliding, Open int
		}
	}
	data, err := os.ReadFile(out)
	if err == nil {
		err = json.Unmarshal(data, &trace)
	}
	if err != nil {
		t.Fatal(err)
	}
	times, files := pvd(t, filepath.Join(dir, c.args[0]+".pvd"))
	if len(times) != len(trace.Steps)+1 || times[len(times)-1] != float64(len(trace.Steps)) {
		t.Fatalf("times %v, %d steps", times, len(trace.Steps))
	}
	byVTK := vtkReads(t, dir)
	if byVTK == nil {
		t.Log("no VTK for Python (cure: apt-get install python3-vtk9): read by the standard library alone")
	}
	for _, reader := range []string{"standard library", "VTK"} {
		if reader == "VTK" && byVTK == nil {
			continue
		}
		nodes := map[string]int{}
		worst, pressed := 0.0, 0
		near := func(what string, i int, got, want mgl64.Vec3) {
			d := got.Sub(want).Len()
			if worst = max(worst, d); !(d <= 1e-12) {
				t.Errorf("%s: state %d: %s %v, the trace says %v: %g apart", reader, i, what, got, want, d)
			}
		}
		for i := range times {
			s := state{}
			for part, file := range files[i] {
				if reader == "VTK" {
					s[part] = byVTK[file]
				} else {
					s[part] = readGrid(t, filepath.Join(dir, file))
				}
			}
			body := s[c.body]
			if points != 0 && (len(body.Points) != points || len(body.Cells) != cells || body.Cells[0] != 12) || len(body.Arrays["stress"]) != 6*len(body.Points) || len(body.Arrays["strain"]) != 6*len(body.Points) {
				t.Fatalf("%s: the obstacle has %d points and %d cells", reader, len(body.Points), len(body.Cells))
			}
			if i == 0 {
				for name, at := range c.probes {
					for k, x := range body.Points {
						if x.Sub(at).Len() < body.Points[nodes[name]].Sub(at).Len() {
							nodes[name] = k
						}
					}
				}
				continue
			}
			step := trace.Steps[i-1]
			for name := range c.probes {
				near("displacement at "+name, i, body.vector("displacement", nodes[name]), step.Probes[name])
			}
			near("force on the stylus", i, s["stylus"].vector("force", 0), step.Force)
			near("sum of contact forces", i, s["contacts"].sum("force"), step.Force)
			if tool := s["impactor"]; tool != nil {
				near("sum of forces on the impactor", i, tool.sum("force"), step.Force)
			}
			near("sum of forces on the obstacle", i, body.sum("force"), step.Force.Mul(-1))
			counts := [3]int{}
			for _, x := range s["contacts"].Arrays["status"] {
				counts[int(x)]++
			}
			if counts != [3]int{physics.Open: step.Open, physics.Stick: step.Sticking, physics.Slip: step.Sliding} {
				t.Errorf("%s: state %d: statuses %v, the trace says %+v", reader, i, counts, step)
			}
			pressed += counts[physics.Stick] + counts[physics.Slip]
			if step.Force.Len() > 0 && slices.Max(body.Arrays["von_mises"]) <= 0 {
				t.Errorf("%s: state %d: no stress", reader, i)
			}
		}
		if pressed == 0 {
			t.Error("nothing was touched")
		}
		t.Logf("%s: %d states, worst difference %.2g", reader, len(times), worst)
	}
}

// A tool that is a surface has its triangles, and bodies that are large the shapes of
// their own steps.
func TestSeriesHasTheTool(t *testing.T) {
	dir := t.TempDir()
	if status, _, errors := hapco(t, "trace", "liver-linear", "--steps", "2", "--vtu", dir, "--out", filepath.Join(dir, "table")); status != 0 {
		t.Fatal(errors)
	}
	_, files := pvd(t, filepath.Join(dir, "liver-linear.pvd"))
	first, last := readGrid(t, filepath.Join(dir, files[0]["probe"])), readGrid(t, filepath.Join(dir, files[2]["probe"]))
	if len(last.Cells) < 100 || last.Cells[0] != 5 || len(first.Points) == 0 {
		t.Fatalf("%d points, %d cells", len(last.Points), len(last.Cells))
	}
	from, to := readGrid(t, filepath.Join(dir, files[0]["stylus"])).Points[0], readGrid(t, filepath.Join(dir, files[2]["stylus"])).Points[0]
	if d := last.Points[0].Sub(first.Points[0]).Sub(to.Sub(from)).Len(); d > 1e-12 || to.Sub(from).Len() < 1e-4 {
		t.Errorf("the tool's surface is %g m from the stylus, which moved by %v", d, to.Sub(from))
	}
}

// A world of another kind, which advances in time, and a recording felt again.
func TestOtherWorldsWriteSeries(t *testing.T) {
	scene := beadScene(t)
	dir := t.TempDir()
	status, _, errors := hapco(t, "trace", scene, "--seconds", "0.5", "--every", "0.1", "--json", "--out", filepath.Join(dir, "trace.json"), "--vtu", filepath.Join(dir, "vtu"))
	if status != 0 {
		t.Fatal(errors)
	}
	var trace struct {
		Samples []struct {
			T     float64
			Bead  mgl64.Vec3 `json:"bead_m"`
			Force mgl64.Vec3 `json:"force_N"`
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "trace.json"))
	if err == nil {
		err = json.Unmarshal(data, &trace)
	}
	if err != nil {
		t.Fatal(err)
	}
	times, files := pvd(t, filepath.Join(dir, "vtu", "bead.pvd"))
	if len(times) != 6 {
		t.Fatalf("times %v", times)
	}
	for i, s := range trace.Samples {
		points := readGrid(t, filepath.Join(dir, "vtu", files[i]["points"]))
		stylus := readGrid(t, filepath.Join(dir, "vtu", files[i]["stylus"]))
		// points are in single precision
		if d := points.Points[0].Sub(s.Bead).Len(); times[i] != s.T || d > 1e-9 || i > 0 && stylus.vector("force", 0) != s.Force {
			t.Errorf("time %g: bead %g m off, force %v, want %v", times[i], d, stylus.vector("force", 0), s.Force)
		}
	}

	file := filepath.Join(dir, "bead.mcap")
	if status, _, errors := hapco(t, "run", scene, "--headless", "--seconds", "1", "--record", file); status != 0 {
		t.Fatal(errors)
	}
	if status, _, errors := hapco(t, "replay", file, "--headless", "--vtu", filepath.Join(dir, "again"), "--vtu-rate", "10"); status != 0 {
		t.Fatal(errors)
	}
	times, files = pvd(t, filepath.Join(dir, "again", "bead.pvd"))
	if len(times) < 8 || len(times) > 11 || math.Abs(times[len(times)-1]-1) > 0.2 {
		t.Fatalf("times %v", times)
	}
	first, last := readGrid(t, filepath.Join(dir, "again", files[0]["points"])), readGrid(t, filepath.Join(dir, "again", files[len(files)-1]["points"]))
	if d := last.Points[0].Sub(first.Points[0]).Len(); d < 1e-3 {
		t.Errorf("the bead moved by %g m", d)
	}

	for _, args := range [][]string{
		{"trace", scene, "--seconds", "0.5", "--every", "0.1", "--vtu", scene},
		{"replay", file, "--vtu", filepath.Join(dir, "x")},
	} {
		if status, _, errors := hapco(t, args...); status != exitBadInput || !strings.Contains(errors, "--vtu") || strings.Count(errors, "\n") != 1 {
			t.Errorf("%v: exit status %d, %s", args, status, errors)
		}
	}
}

// Surfaces and arrays are written beside the series, of a trace and of a recording.
func TestTraceWritesSurfacesAndArrays(t *testing.T) {
	dir := t.TempDir()
	if status, _, errors := hapco(t, "trace", "bench-a-16", "--steps", "2", "--stl", filepath.Join(dir, "stl"), "--npz", filepath.Join(dir, "a.npz"), "--out", filepath.Join(dir, "table")); status != 0 {
		t.Fatal(errors)
	}
	list, _ := filepath.Glob(filepath.Join(dir, "stl", "obstacle-*.stl"))
	if info, err := os.Stat(filepath.Join(dir, "a.npz")); err != nil || info.Size() < 50000 || len(list) != 3 {
		t.Errorf("%v, %d surfaces", err, len(list))
	}
	first, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	if last, err := os.ReadFile(list[2]); err != nil || len(last) != len(first) || string(last) == string(first) {
		t.Errorf("the surface does not move: %v", err)
	}
	if status, _, errors := hapco(t, "trace", "bench-a-16", "--npz", filepath.Join(dir, "nowhere", "a.npz")); status != exitBadInput || strings.Count(errors, "\n") != 1 {
		t.Errorf("exit status %d, %s", status, errors)
	}
}
