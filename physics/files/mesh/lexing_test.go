package mesh

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/refusal"
)

// volumeOf reads a file of any format and gives what it encloses.
func volumeOf(t *testing.T, name, text string) (float64, error) {
	t.Helper()
	return refusal.Caught(func() float64 {
		b := read(name, []byte(text))
		if len(b.elementNumbers) == 0 {
			return b.surface().Volume()
		}
		return b.sound().Volume()
	})
}

const tetrahedron = "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n" +
	"facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n" +
	"facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n" +
	"facet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid\n"

// samples are a tetrahedron of 1/6 in every text format.
var samples = map[string]string{
	"a.stl":  tetrahedron,
	"a.obj":  "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
	"a.ply":  "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n",
	"a.msh":  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n",
	"4.msh":  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n",
	"a.inp":  "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n",
	"a.vtk":  "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n",
	"a.vtu":  "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n0 0 0 1 0 0 0 1 0 0 0 1\n</DataArray></Points>\n<Cells><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>\n",
	"a.mesh": "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n",
}

// writings are ways to write the same text that mean the same in every format.
var writings = map[string]func(s string) string{
	"as it is":               func(s string) string { return s },
	"byte-order mark":        func(s string) string { return "\ufeff" + s },
	"leading blank":          func(s string) string { return " " + s },
	"leading blank lines":    func(s string) string { return "\n \n" + s },
	"mark and blanks":        func(s string) string { return "\ufeff\t" + s },
	"lines of Windows":       func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	"lines of old Macs":      func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
	"no end of line":         func(s string) string { return strings.TrimSuffix(s, "\n") },
	"blanks at the end":      func(s string) string { return strings.ReplaceAll(s, "\n", " \t\n") },
	"blank lines at the end": func(s string) string { return s + "\n\n" },
}

// A format's text means the same however it is written.
func TestWritingsOfTextFormats(t *testing.T) {
	for name, text := range samples {
		for how, write := range writings {
			if v, err := volumeOf(t, name, write(text)); err != nil || math.Abs(v-1./6) > 1e-12 {
				t.Errorf("%s, %s: volume %g, %v", name, how, v, err)
			}
		}
		if !strings.HasSuffix(name, ".vtu") {
			if v, err := volumeOf(t, name, strings.Replace(text, "0 0 1", "0d0 0.\t1.0D+00", 1)); name != "a.inp" && (err != nil || math.Abs(v-1./6) > 1e-12) {
				t.Errorf("%s, exponents of Fortran: volume %g, %v", name, v, err)
			}
		}
		if _, err := volumeOf(t, name, "\xff\xfe"+text); err == nil || !strings.Contains(err.Error(), "UTF-16") {
			t.Errorf("%s in UTF-16: %v", name, err)
		}
		// The line of a fault is that of the file.
		if _, err := volumeOf(t, name, "\n\n"+text[:len(text)*2/3]); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s, cut: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"a.stl": strings.ToUpper(samples["a.stl"]),
		"a.inp": strings.ReplaceAll(strings.ToLower(samples["a.inp"]), "type=c3d4", "\n type = c3d4"),
		"a.vtk": strings.ReplaceAll(strings.ToLower(samples["a.vtk"]), "vtk datafile version", "vtk DataFile Version"),
	} {
		text = strings.Replace(text, "ascii", "ASCII", 1)
		if v, err := volumeOf(t, name, text); err != nil || math.Abs(v-1./6) > 1e-12 {
			t.Errorf("%s in other letters: volume %g, %v", name, v, err)
		}
	}
	continued := strings.ReplaceAll(samples["a.obj"], "f 1 3 2", "f 1 \\\n3 \\ \r\n2")
	if v, err := volumeOf(t, "a.obj", continued); err != nil || math.Abs(v-1./6) > 1e-12 {
		t.Errorf("continued lines: volume %g, %v", v, err)
	}
	wrong := strings.ReplaceAll(continued, "f 2 3 4", "f 2 3 x")
	if _, err := volumeOf(t, "a.obj", wrong); err == nil || !strings.Contains(err.Error(), ":10:") {
		t.Errorf("the line of a fault behind continued ones: %v", err)
	}
}

// Files after public reports of other programs' users.
func TestReportedFiles(t *testing.T) {
	for name, want := range map[string]float64{"bom.msh": 1, "continued-line.obj": 3, "instances.inp": 2, "leading-blank.stl": 6, "partitioned.msh": 1} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if v, err := volumeOf(t, name, string(data)); err != nil || math.Abs(v-want) > 1e-12 {
			t.Errorf("%s: volume %g, want %g, %v", name, v, want, err)
		}
	}
	m := parsed(t, "partitioned.msh")
	if len(m.ElementSets["body"]) != 6 || len(m.ElementSets) != 1 {
		t.Errorf("sets %v", m.ElementSets)
	}
}

func parsed(t *testing.T, name string) *Mesh {
	t.Helper()
	m, err := Load(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A part of an entity without a physical group of its own has its parent's.
func TestPartitionedEntities(t *testing.T) {
	data, err := os.ReadFile("testdata/partitioned.msh")
	if err != nil {
		t.Fatal(err)
	}
	inherited := strings.NewReplacer("2 3 1 1 1 0 0 0 1 1 1 1 7 0", "2 3 1 1 1 0 0 0 1 1 1 0 0", "3 3 1 1 2 0 0 0 1 1 1 1 7 0", "3 3 1 1 2 0 0 0 1 1 1 0 0").Replace(string(data))
	m, err := parse("a.msh", []byte(inherited))
	if err != nil || len(m.ElementSets["body"]) != 6 {
		t.Errorf("%v, %v", err, m.ElementSets)
	}
	ghosts := strings.Replace(string(data), "2\n0\n0 0 0 2\n", "2\n1\n9 2\n0 0 0 2\n", 1)
	if m, err = parse("a.msh", []byte(ghosts)); err != nil || len(m.ElementSets["body"]) != 6 {
		t.Errorf("ghost entities: %v", err)
	}
}

// Instances are copies of their parts, moved and then turned; their sets are found by
// number, by name, with INSTANCE= and as INSTANCE.NAME.
func TestInstances(t *testing.T) {
	m := parsed(t, "instances.inp")
	lo, hi := m.Bounds()
	if lo != (mgl64.Vec3{}) || hi != (mgl64.Vec3{6, 1, 1}) || m.Elements() != 2 {
		t.Errorf("box %v to %v, %d elements", lo, hi, m.Elements())
	}
	support := m.NodeSets["SUPPORT"]
	if len(support) != 2 || m.Nodes[support[0]] != (mgl64.Vec3{5, 0, 0}) || m.Nodes[support[1]] != (mgl64.Vec3{6, 0, 0}) {
		t.Errorf("SUPPORT %v", support)
	}
	for name, n := range map[string]int{"FIXED": 8, "B-1.FIXED": 4, "B-2.FIXED": 4, "B-2.BOTH": 6} {
		if len(m.NodeSets[name]) != n {
			t.Errorf("%s has %d nodes, want %d", name, len(m.NodeSets[name]), n)
		}
	}
	seen := map[int64]bool{}
	for _, n := range m.NodeNumbers {
		if seen[n] {
			t.Errorf("two nodes have the number %d", n)
		}
		seen[n] = true
	}

	data, err := os.ReadFile("testdata/instances.inp")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	read := func(old, new string) (*Mesh, error) {
		t.Helper()
		if !strings.Contains(text, old) {
			t.Fatalf("no %q", old)
		}
		return parse("a.inp", []byte(strings.Replace(text, old, new, 1)))
	}
	// Moved by (5, 0, 0), then by a quarter turn about the axis through (5, 0, 0) along z.
	m, err = read("5., 0., 0.\n", "5., 0., 0.\n5., 0., 0., 5., 0., 1., 90.\n")
	if err != nil {
		t.Fatal(err)
	}
	lo, hi = m.Bounds()
	if hi.Sub(mgl64.Vec3{5, 1, 1}).Len() > 1e-12 || lo.Len() > 1e-12 || math.Abs(m.Volume()-2) > 1e-12 {
		t.Errorf("box %v to %v, volume %g", lo, hi, m.Volume())
	}
	for _, c := range []struct{ set, members string }{
		{"*NSET, NSET=S\nB-2.FIXED\n", "B-2.FIXED"}, {"*NSET, NSET=S, INSTANCE=b-2\nfixed\n", "B-2.FIXED"},
		{"*NSET, NSET=S\nB-2.1, B-2.2, b-2.3, B-2.4\n", "B-2.FIXED"}, {"*NSET, NSET=X, INSTANCE=B-2\nFIXED\n*NSET, NSET=S\nX\n", "B-2.FIXED"},
	} {
		m, err := read("*END ASSEMBLY", c.set+"*END ASSEMBLY")
		if err != nil {
			t.Errorf("%q: %v", c.set, err)
			continue
		}
		if got, want := m.NodeSets["S"], m.NodeSets[c.members]; len(want) != 4 || len(got) != 4 || got[0] != want[0] || got[3] != want[3] {
			t.Errorf("%q: %v, want %v", c.set, got, want)
		}
	}
	for _, bad := range []string{"*NSET, NSET=S, INSTANCE=B-3\n1\n", "*NSET, NSET=S\nB-2.NONE\n", "*INSTANCE, NAME=C, PART=NONE\n", "*INSTANCE, NAME=B-1, PART=BRICK\n",
		"*INSTANCE, NAME=C, PART=BRICK\n1, 2, 3\n0, 0, 0, 0, 0, 0, 90\n", "*INSTANCE, NAME=C, PART=BRICK\n1e309, 2, 3\n"} {
		if _, err := read("*END ASSEMBLY", bad+"*END ASSEMBLY"); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
