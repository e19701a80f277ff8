package scene

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cube is a unit cube of one hexahedron, in cm and kPa, fixed at its lower side.
const cube = `hapco object 1
# written by hand
length cm
pressure kPa
first 1
material 20 0.4    # E nu
nodes 8
0 0 0   1 0 0   1 1 0   0 1 0
0 0 1   1 0 1   1 1 1   0 1 1
elements hex8 1
1 2 3 4 5 6 7 8
fixed 4
1 2 6 5
end
`

func TestParseObject(t *testing.T) {
	o, err := parseObject("cube.obj", []byte(cube))
	if err != nil {
		t.Fatal(err)
	}
	if o.Young != 20e3 || o.Poisson != 0.4 {
		t.Errorf("E = %v Pa, nu = %v", o.Young, o.Poisson)
	}
	if v := o.Mesh.Volume(); math.Abs(v-1e-6) > 1e-18 {
		t.Errorf("volume %g m^3, want 1 cm^3", v)
	}
	if !slices.Equal(o.Fixed, []int32{0, 1, 4, 5}) || len(o.Surface.Triangles) != 12 || o.Stiffness != nil || o.Flexibility != nil {
		t.Errorf("fixed %v, %d triangles", o.Fixed, len(o.Surface.Triangles))
	}
}

// The file's triangles are used, and turned when they face inwards.
func TestObjectTriangles(t *testing.T) {
	for _, c := range []struct {
		name, section string
		turned        bool
	}{
		{"outward", "triangles 2\n4 8 7  4 7 3\n", false},
		{"inward", "triangles 2\n4 7 8  4 3 7\n", true},
	} {
		o, err := parseObject("cube.obj", []byte(strings.Replace(cube, "fixed 4", c.section+"fixed 4", 1)))
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Surface.Triangles) != 2 || (len(o.Mesh.Notes) == 1) != c.turned {
			t.Errorf("%s: %d triangles, notes %q", c.name, len(o.Surface.Triangles), o.Mesh.Notes)
		}
		for _, tr := range o.Surface.Triangles {
			a, b, d := o.Mesh.Nodes[tr[0]], o.Mesh.Nodes[tr[1]], o.Mesh.Nodes[tr[2]]
			if n := b.Sub(a).Cross(d.Sub(a)); !(n[1] > 0) {
				t.Errorf("%s: a triangle of the upper side faces %v", c.name, n)
			}
		}
	}
}

// withMatrices adds K = k*1 and K^-1 = 1/k on the free nodes, in N/cm and cm/N,
// with one entry of the flexibility changed.
func withMatrices(k float64, row, col int, change float64) string {
	var stiffness, flexibility strings.Builder
	fmt.Fprintln(&stiffness, "stiffness 24")
	fmt.Fprintln(&flexibility, "flexibility 24")
	fixed := []int{0, 1, 4, 5}
	for i := range 24 {
		for j := range 24 {
			x, y := 0.0, 0.0
			if i == j {
				x = k
				if !slices.Contains(fixed, i/3) {
					y = 1 / k
				}
			}
			if i == row && j == col {
				y += change
			}
			fmt.Fprint(&stiffness, x, " ")
			fmt.Fprint(&flexibility, y, " ")
		}
		fmt.Fprintln(&stiffness)
		fmt.Fprintln(&flexibility)
	}
	return strings.Replace(cube, "end\n", stiffness.String()+flexibility.String()+"end\n", 1)
}

func TestObjectMatrices(t *testing.T) {
	o, err := parseObject("cube.obj", []byte(withMatrices(4, -1, -1, 0)))
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Mesh.Notes) != 0 || o.Flexibility == nil {
		t.Fatalf("a sound flexibility is refused: %q", o.Mesh.Notes)
	}
	// 4 N/cm = 400 N/m.
	if k, f := o.Stiffness[6*25], o.Flexibility[6*25]; math.Abs(k-400) > 1e-9 || math.Abs(f-1./400) > 1e-15 {
		t.Errorf("K = %g N/m, K^-1 = %g m/N", k, f)
	}
	for _, c := range []struct {
		name     string
		row, col int
		change   float64
		want     string
	}{
		{"not symmetric", 6, 7, 0.1, "differ"},
		{"negative", 6, 6, -1, "not above 0"},
		{"moves a fixed node", 0, 0, 1, "fixed node"},
		{"not the inverse", 6, 6, 1, "not the inverse"},
	} {
		o, err := parseObject("cube.obj", []byte(withMatrices(4, c.row, c.col, c.change)))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if o.Flexibility != nil || len(o.Mesh.Notes) != 1 || !strings.Contains(o.Mesh.Notes[0], c.want) {
			t.Errorf("%s: used %v, notes %q, want one that says %q", c.name, o.Flexibility != nil, o.Mesh.Notes, c.want)
		}
	}
}

func TestObjectRefusals(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		line           int
		want           string
	}{
		{"empty", cube, "", 1, "no object file"},
		{"other file", "hapco object 1", "solid x", 1, "no object file"},
		{"unknown section", "fixed 4", "fixd 4", 12, `unknown section "fixd" (did you mean fixed?)`},
		{"cut short", "1 2 6 5\nend\n", "1 2", 13, "the file ends where a fixed node should be"},
		{"no end", "end\n", "", 14, "the section end should be"},
		{"text after the end", "end\n", "end\nmore\n", 15, "after the section end"},
		{"negative E", "20 0.4", "-20 0.4", 6, "E = -20"},
		{"nu of 0.5", "20 0.4", "20 0.5", 6, "nu = 0.5"},
		{"not a number", "1 1 0", "1 x 0", 8, `"x" is not a number`},
		{"nan", "1 1 0", "1 nan 0", 8, `"nan" is not a number`},
		{"node out of range", "4 5 6 7 8", "4 5 6 7 9", 11, "9 is out of range (from 1 to 8)"},
		{"unknown element", "hex8", "hex9", 10, "unknown kind"},
		{"too many nodes claimed", "nodes 8", "nodes 800000000", 10, `"elements" is not a number`},
		{"twice", "fixed 4", "material 1 0.1\nfixed 4", 12, "stands in line 6 already"},
		{"elements before nodes", "nodes 8", "elements hex8 1 nodes 8", 7, "nodes that are not there yet"},
		{"unit after the numbers", "fixed 4", "length mm\nfixed 4", 12, "stands in line 3 already"},
		{"late unit", "length cm\n", "", 0, ""},
		{"order of a matrix", "end", "flexibility 12 end", 14, "it has three rows a node: 24"},
		{"matrix cut short", "end", "stiffness 24 1 2 3", 15, "ends inside the stiffness"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseObject("cube.obj", []byte(strings.Replace(cube, c.old, c.new, 1)))
			if c.want == "" {
				if err != nil {
					t.Fatalf("a file without units is in m and Pa: %v", err)
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			if text := err.Error(); !strings.HasPrefix(text, "object: cube.obj:"+itoa(c.line)+": ") || !strings.Contains(text, c.want) || strings.Contains(text, "\n") {
				t.Errorf("error %q should be of line %d and say %q", text, c.line, c.want)
			}
		})
	}
	inverted := strings.Replace(cube, "1 2 3 4 5 6 7 8", "5 6 7 8 1 2 3 4", 1)
	if _, err := parseObject("cube.obj", []byte(inverted)); err == nil || !strings.Contains(err.Error(), "cube.obj") {
		t.Errorf("an inverted element: %v", err)
	}
}

// A scene takes E, nu, supports and flexibility from an object file.
func TestObjectInAScene(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cube.obj"), []byte(withMatrices(4, -1, -1, 0)), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "[[body]]\nname = \"tool\"\nrole = \"driven\"\n[body.tool]\nradius = 0.01\nlength = 0.1\n[[body]]\nname = \"cube\"\nobject = \"cube.obj\"\n"
	s, err := Parse(filepath.Join(dir, "scene.toml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	solid, err := s.Solid(1)
	if err != nil {
		t.Fatal(err)
	}
	if solid.Young != 20e3 || solid.Poisson != 0.4 || len(solid.Fixed) != 4 || solid.Flexibility == nil {
		t.Errorf("E %v, nu %v, %d fixed, flexibility %v", solid.Young, solid.Poisson, len(solid.Fixed), solid.Flexibility != nil)
	}
	// Twice the modulus, half the flexibility; another support, none of it.
	s.Bodies[1].Young, s.Bodies[1].Poisson = 40e3, 0.4
	stiff, err := s.Solid(1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := solid.Flexibility[6*25], stiff.Flexibility[6*25]; math.Abs(a-2*b) > 1e-15 {
		t.Errorf("flexibility %g and %g m/N", a, b)
	}
	s.Bodies[1].Clamp = Selector{Kind: SelectSide, Side: Top}
	other, err := s.Solid(1)
	if err != nil {
		t.Fatal(err)
	}
	if other.Flexibility != nil || len(other.Notes) != 1 {
		t.Errorf("the flexibility of another support is used; notes %q", other.Notes)
	}
}

func TestSolidRefusals(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("free.obj", strings.Replace(cube, "fixed 4\n1 2 6 5\n", "", 1))
	write("empty.msh", "")
	for _, c := range []struct{ body, want string }{
		{`mesh = "none.msh"` + "\nmaterial = \"tissue\"\nclamp = \"bottom\"", "none.msh"},
		{`mesh = "asset:none.msh"` + "\nmaterial = \"tissue\"\nclamp = \"bottom\"", `unknown mesh "none.msh" (one of block.msh`},
		{`mesh = "empty.msh"` + "\nmaterial = \"tissue\"\nclamp = \"bottom\"", "empty"},
		{`mesh = "asset:liver.msh"` + "\nfile_unit = \"mm\"\nmaterial = \"tissue\"\nclamp = \"left lobe\"", `no node set "left lobe"`},
		{`mesh = "asset:liver.msh"` + "\nfile_unit = \"mm\"\nmaterial = \"tissue\"\nclamp = { nodes = [1, 2] }", "would float away"},
		{`object = "free.obj"` + "\nclamp = \"all\"", "every node is fixed"},
	} {
		text := "[[body]]\nname = \"tool\"\nrole = \"driven\"\n[body.tool]\nradius = 0.01\nlength = 0.1\n[[body]]\nname = \"b\"\n" + c.body + "\n"
		s, err := Parse(filepath.Join(dir, "scene.toml"), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Solid(1)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `body "b"`) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one that says %q", c.body, err, c.want)
		}
	}
	// Without supports of its own the file's body gets the default ones, and a note.
	s, err := Parse(filepath.Join(dir, "scene.toml"), []byte("[[body]]\nname = \"tool\"\nrole = \"driven\"\n[body.tool]\nradius = 0.01\nlength = 0.1\n[[body]]\nname = \"b\"\nobject = \"free.obj\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	solid, err := s.Solid(1)
	if err != nil || len(solid.Fixed) != 4 || len(solid.Notes) != 1 {
		t.Errorf("default support: %v, %+v", err, solid)
	}
}

func FuzzParseObject(f *testing.F) {
	f.Add([]byte(cube))
	f.Add([]byte(strings.Replace(cube, "fixed 4", "triangles 1\n1 2 3\nfixed 4", 1)))
	f.Add([]byte(withMatrices(4, 6, 7, 1)))
	f.Add([]byte("hapco object 1 material 1 0 nodes 4 0 0 0 1 0 0 0 1 0 0 0 1 elements tet4 1 0 1 2 3 end"))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := parseObject("fuzz.obj", data)
		if err != nil {
			if text := err.Error(); !strings.HasPrefix(text, "object: ") || strings.ContainsAny(text, "\r\n") {
				t.Fatalf("error %q", text)
			}
			return
		}
		if !(o.Young > 0) || o.Mesh.Check() != nil || len(o.Surface.Triangles) == 0 {
			t.Fatalf("unsound object %+v", o)
		}
	})
}
