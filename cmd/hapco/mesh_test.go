package main

import (
	"encoding/json"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics/files/mesh"
)

// meshFiles are a good mesh, a bad one and surfaces, in a new folder.
func meshFiles(t *testing.T) (dir string, good *mesh.Mesh) {
	t.Helper()
	dir = t.TempDir()
	good, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{40, 20, 30}, [3]int{4, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	good.NodeSets["support"] = good.NodeSets["bottom"]
	good.ElementSets = map[string][]int32{"half": {0, 1, 2, 3, 4, 5}}
	bad := *good
	bad.Nodes = slices.Clone(good.Nodes)
	bad.Nodes[0] = mgl64.Vec3{30, 15, 25} // inside out
	skin := good.Triangles()
	open := *skin
	open.Triangles = skin.Triangles[1:]
	for name, write := range map[string]func(io.Writer) error{
		"good.msh": good.WriteGmsh, "bad.msh": bad.WriteGmsh, "skin.stl": skin.WriteSTL, "open.stl": open.WriteSTL,
		"empty.msh": func(io.Writer) error { return nil },
	} {
		if err := app.WriteOut(filepath.Join(dir, name), write); err != nil {
			t.Fatal(err)
		}
	}
	return dir, good
}

func TestMeshInfo(t *testing.T) {
	dir, good := meshFiles(t)
	status, out, _ := hapco(t, "mesh", "info", "--json", "--length-unit", "mm", filepath.Join(dir, "good.msh"))
	var f meshFacts
	if err := json.Unmarshal([]byte(out), &f); err != nil || status != 0 {
		t.Fatalf("status %d, %v: %s", status, err, out)
	}
	if f.Format != "Gmsh 4.1" || f.Nodes != 60 || f.Elements != 24 || f.ByType["hexahedron"] != 24 || f.NodeSets["support"] != len(good.NodeSets["bottom"]) ||
		f.ElementSets["half"] != 6 || f.High != [3]float64{40, 20, 30} || f.Unit != "mm" || f.UnitGuessed || math.Abs(f.Volume-24000) > 1e-6 ||
		f.Triangles != 104 || f.SurfaceNode != 54 || f.Components != 1 || f.Compliance == nil || math.Abs(f.Compliance.MemoryMB-9*8*54*54/1e6) > 1e-9 {
		t.Errorf("%+v", f)
	}
	status, out, _ = hapco(t, "mesh", "info", filepath.Join(dir, "good.msh"))
	for _, want := range []string{"hexahedron 24", "mm (unit guessed)", "24 ml", "104 triangles, 54 nodes", "0.21 MB, under 0.1 s"} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d, no %q in\n%s", status, want, out)
		}
	}
	status, out, _ = hapco(t, "mesh", "info", "--json", filepath.Join(dir, "skin.stl"))
	f = meshFacts{}
	if err := json.Unmarshal([]byte(out), &f); err != nil || status != 0 || f.Elements != 0 || f.Triangles != 104 || f.Compliance != nil || math.Abs(f.Volume-24000) > 1e-3 {
		t.Errorf("status %d, %v: %s", status, err, out)
	}
}

func TestMeshCheck(t *testing.T) {
	dir, _ := meshFiles(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{at("good.msh")}, 0, "fine"},
		{[]string{at("skin.stl")}, 0, "fine"},
		{[]string{at("bad.msh")}, 1, "error: inverted: 1 element of 24"},
		{[]string{at("open.stl")}, 1, "error: open: the surface is open: 3 edges"},
		{[]string{at("good.msh"), "--length-unit", "m"}, 1, "warning: unit"},
		{[]string{at("empty.msh")}, 2, "the file is empty"},
		{[]string{at("missing.msh")}, 2, "missing.msh"},
		{[]string{at("good.msh"), "--length-unit", "ell"}, 2, `"ell" is unknown`},
		{[]string{at("good.msh"), "--picture", filepath.Join(dir, "no", "picture.png")}, 2, "picture.png"},
		{nil, 2, "hapco --help"},
	} {
		status, out, errors := hapco(t, append([]string{"mesh", "check"}, c.args...)...)
		if status != c.status || !strings.Contains(out+errors, c.says) {
			t.Errorf("%v: status %d, want %d with %q:\n%s%s", c.args, status, c.status, c.says, out, errors)
		}
		if status != 0 && strings.Count(errors, "\n") != 1 {
			t.Errorf("%v: not one line of error: %q", c.args, errors)
		}
	}
	status, out, _ := hapco(t, "mesh", "check", "--json", "--picture", at("bad.png"), at("bad.msh"))
	var report struct {
		Findings []struct {
			Kind, Grade, Cure string
			Count             int
			IDs               []int64 `json:"ids"`
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || status != 1 {
		t.Fatalf("status %d, %v: %s", status, err, out)
	}
	if f := report.Findings[0]; f.Kind != "inverted" || f.Grade != "error" || f.Count != 1 || len(f.IDs) != 1 || f.Cure == "" {
		t.Errorf("%+v", f)
	}
	file, err := os.Open(at("bad.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if img, err := png.Decode(file); err != nil || img.Bounds().Dx() < 800 {
		t.Errorf("the picture: %v", err)
	}
}

// TestMeshConvert: nodes, elements and sets come through every format, scaled
// where units are named; a refusal leaves the output as it was.
func TestMeshConvert(t *testing.T) {
	dir, good := meshFiles(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"out.vtu", "out.msh", "out.inp", "OUT.VTU"} {
		if status, _, errors := hapco(t, "mesh", "convert", at("good.msh"), at(name), "--from-unit", "mm", "--to-unit", "m"); status != 0 {
			t.Errorf("%s: status %d: %s", name, status, errors)
			continue
		}
		m, err := mesh.Load(at(name))
		if err != nil {
			t.Error(err)
			continue
		}
		for n, x := range m.Nodes {
			if x.Sub(good.Nodes[n].Mul(1e-3)).Len() > 1e-15 {
				t.Fatalf("%s: node %d at %v", name, n, x)
			}
		}
		if !slices.Equal(m.Blocks[0].Nodes, good.Blocks[0].Nodes) || !slices.Equal(m.NodeSets["support"], good.NodeSets["support"]) || !slices.Equal(m.ElementSets["half"], good.ElementSets["half"]) {
			t.Errorf("%s: elements or sets differ", name)
		}
	}
	for _, from := range []string{"good.msh", "skin.stl"} {
		if status, _, errors := hapco(t, "mesh", "convert", at(from), at("out.stl")); status != 0 {
			t.Errorf("%s: status %d: %s", from, status, errors)
		}
		if s, err := mesh.LoadSurface(at("out.stl")); err != nil || len(s.Triangles) != 104 || math.Abs(s.Volume()-24000) > 1e-3 {
			t.Errorf("%s as STL: %v", from, err)
		}
	}
	// What cannot be computed can still be converted, and it is said.
	if status, _, errors := hapco(t, "mesh", "convert", at("bad.msh"), at("bad.vtu")); status != 0 || !strings.Contains(errors, "inverted") && !strings.Contains(errors, "folded") {
		t.Errorf("a bad mesh: status %d: %s", status, errors)
	}

	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(at("out.vtu"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{at("good.msh"), at("new.xyz")}, `ending ".xyz"`},
		{[]string{at("good.msh"), at("new")}, "no format"},
		{[]string{at("skin.stl"), at("new.vtu")}, "holds a surface only"},
		{[]string{at("empty.msh"), at("out.vtu")}, "empty"},
		{[]string{at("missing.msh"), at("new.vtu")}, "missing.msh"},
		{[]string{at("good.msh"), filepath.Join(dir, "no", "new.vtu")}, "new.vtu"},
		{[]string{at("good.msh"), at("new.vtu"), "--length-unit", "mm"}, "--length-unit without --to-unit"},
		{[]string{at("good.msh"), at("new.vtu"), "--length-unit", "mm", "--to-unit", "ell"}, `"ell"`},
		{[]string{at("good.msh")}, "hapco --help"},
	} {
		status, _, errors := hapco(t, append([]string{"mesh", "convert"}, c.args...)...)
		if status != 2 || !strings.Contains(errors, c.says) || strings.Count(errors, "\n") != 1 {
			t.Errorf("%v: status %d: %s", c.args, status, errors)
		}
	}
	after, err := os.ReadDir(dir)
	if err != nil || len(after) != len(before) {
		t.Errorf("refusals left files behind: %v", after)
	}
	if now, err := os.ReadFile(at("out.vtu")); err != nil || !slices.Equal(now, old) {
		t.Error("a refusal changed the output of before")
	}
}

func TestMeshTetrahedralize(t *testing.T) {
	dir, _ := meshFiles(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"out.msh", "out.vtu", "out.inp"} {
		status, out, errors := hapco(t, "mesh", "tetrahedralize", at("skin.stl"), at(name), "--size", "6", "--mesher", "builtin")
		if status != 0 || !strings.Contains(out, "tetrahedra") {
			t.Fatalf("%s: status %d: %s%s", name, status, out, errors)
		}
		if status, out, _ := hapco(t, "mesh", "check", "--length-unit", "mm", at(name)); status != 0 {
			t.Errorf("%s: check: status %d: %s", name, status, out)
		}
	}
	if status, out, errors := hapco(t, "trace", "liver", "--mesh", at("out.msh"), "--steps", "2", "--json"); status != 0 || !strings.Contains(out, `"force_N"`) || !strings.Contains(errors, `"support"`) {
		t.Errorf("trace: status %d: %s%s", status, out, errors)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{at("open.stl"), at("new.msh")}, "the surface is open: 3 edges"},
		{[]string{at("skin.stl"), at("new.stl")}, "STL holds no tetrahedra"},
		{[]string{at("skin.stl"), at("new.obj")}, `ending ".obj"`},
		{[]string{at("skin.stl"), at("new.msh"), "--size=-1"}, "size -1"},
		{[]string{at("skin.stl"), at("new.msh"), "--size", "NaN"}, "size NaN"},
		{[]string{at("skin.stl"), at("new.msh"), "--size", "500"}, "larger than the body"},
		{[]string{at("skin.stl"), at("new.msh"), "--size", "0.001"}, "larger size"},
		{[]string{at("skin.stl"), at("new.msh"), "--mesher", "tetgen"}, "tetgen"},
		{[]string{at("skin.stl"), at("new.msh"), "--time-limit", "0s"}, "--time-limit"},
		{[]string{at("empty.msh"), at("new.msh")}, "empty"},
		{[]string{at("bad.msh"), at("new.msh")}, "is "},
	} {
		status, _, errors := hapco(t, append([]string{"mesh", "tetrahedralize"}, c.args...)...)
		if status != 2 || !strings.Contains(errors, c.says) || strings.Count(errors, "\n") != 1 {
			t.Errorf("%v: status %d: %s", c.args, status, errors)
		}
		if _, err := os.Stat(at("new.msh")); err == nil {
			t.Fatalf("%v left a file", c.args)
		}
	}
}
