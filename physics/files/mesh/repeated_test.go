package mesh

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"strings"
	"testing"
)

// before puts more in front of the last occurrence of mark.
func before(text, mark, more string) []byte {
	i := strings.LastIndex(text, mark)
	if i < 0 {
		panic(mark + " is not in the text")
	}
	return []byte(text[:i] + more + text[i:])
}

// repeated are files of every format that say something twice, the second time
// shorter where that is possible; says is what the refusal must name.
func repeated() map[string]struct{ data, says string } {
	vtk := string(legacyVTK(plain(), false, false))
	vtkPoints := "POINTS 1 double\n0 0 0\n"
	vtu := string(vtuText(oneOfEach()[Tet4], vtuForms()["ascii"]))
	points := vtu[strings.Index(vtu, "<Points>"):strings.Index(vtu, "</Points>")]
	points = points[strings.Index(points, "<DataArray"):]
	cells := vtu[strings.Index(vtu, "<Cells>")+len("<Cells>") : strings.Index(vtu, "</Cells>")]
	ply := func(more string) string {
		return "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\n" + more +
			"end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n0 0 0\n"
	}
	type file = struct{ data, says string }
	return map[string]file{
		"medit vertices":   {string(before(medText, "End", "Vertices\n1\n0 0 0 0\n")), "x:16: a second section Vertices stands here; the first is on line 4"},
		"medit tetrahedra": {string(before(medText, "End", "Tetrahedra 1\n1 2 3 4 9\n")), "x:16: a second section Tetrahedra"},
		"ply vertices":     {ply("element vertex 1\nproperty float x\nproperty float y\nproperty float z\n"), "x:9: a second section element vertex stands here; the first is on line 3"},
		"ply faces":        {ply("element face 0\nproperty list uchar int vertex_indices\n"), "x:9: a second section element face"},
		"gmsh 1 nodes":     {gmsh1Text + "$NOD\n1\n50 0 0 0\n$ENDNOD\n", "x:15: a second section $NOD stands here; the first is on line 1"},
		"gmsh 2 nodes":     {gmsh2Text + "$Nodes\n1\n50 0 0 0\n$EndNodes\n", "a second section $Nodes stands here; the first is on line 13"},
		"gmsh 2 elements":  {gmsh2Text + "$Elements\n0\n$EndElements\n", "a second section $Elements"},
		"gmsh 2 format":    {gmsh2Text + "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", "a second section $MeshFormat"},
		"gmsh 4 nodes":     {gmsh4Text + "$Nodes\n0 0 0 0\n$EndNodes\n", "a second section $Nodes"},
		"gmsh 4 entities":  {gmsh4Text + "$Entities\n0 0 0 0\n$EndEntities\n", "a second section $Entities"},
		"gmsh binary":      {string(binaryGmsh(oneOfEach()[Tet4], 2.2, binary.LittleEndian)) + "$Nodes\n0\n$EndNodes\n", "a second section $Nodes"},
		"vtk points":       {string(before(vtk, "CELL_TYPES", vtkPoints)), "a second section POINTS stands here; the first is on line 5"},
		"vtk cells":        {string(before(vtk, "CELL_TYPES", "CELLS 0 0\n")), "a second section CELLS"},
		"vtu points":       {string(before(vtu, "</Points>", points)), "stands in Points; the first is on line"},
		"vtu cells":        {string(before(vtu, "</Cells>", cells)), "a second array \"connectivity\" stands in Cells; the first is on line"},
		"inp nodes":        {inpText + "*NODE\n 1, 0., 0., 0.\n", "node 1 is defined twice"},
		"inp elements":     {inpText + "*ELEMENT, TYPE=C3D4\n 11, 1, 2, 3, 4\n", "element 11 is defined twice"},
		"cdb nodes":        {cdbText + "NBLOCK,6,SOLID,9,9\n(3i9,6e21.13e3)\n        1        0        0\n-1\n", "node 1 is defined twice"},
		"cdb elements":     {cdbText + cdbText[strings.Index(cdbText, "EBLOCK"):], "is defined twice"},
	}
}

func TestRepeatedSections(t *testing.T) {
	for name, c := range repeated() {
		_, _, err := readBoth("x", []byte(c.data))
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "x:") || !strings.HasSuffix(err.Error(), ")") {
			t.Errorf("%s: %v, want %s", name, err, c.says)
		}
	}
	// TetGen's files have no sections: entries beyond those announced are refused.
	for _, c := range []struct{ nodes, elements, says string }{
		{tetNode + tetNode, tetEle, "n:8: \"4\" stands after the last of the nodes"},
		{tetNode, tetEle + tetEle, "e:4: \"1\" stands after the last of the tetrahedra"},
	} {
		if _, err := DecodeTetGen("n", []byte(c.nodes), "e", []byte(c.elements)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %s", err, c.says)
		}
	}
}

// readBoth reads data as a volume and as a surface; the first error counts.
func readBoth(name string, data []byte) (*Mesh, *Triangles, error) {
	s, err := DecodeSurface(name, data)
	if err != nil {
		return nil, nil, err
	}
	m, err := parse(name, data)
	return m, s, err
}

// FuzzRepeated starts from files that say something twice.
func FuzzRepeated(f *testing.F) {
	for _, c := range repeated() {
		f.Add([]byte(c.data))
	}
	f.Fuzz(fuzzDecode)
}

// A packed mesh is read like the mesh itself, and a damaged one refused.
func TestGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(gmsh2Text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := Decode("x.msh.gz", b.Bytes())
	if err != nil || m.Elements() != 1 || m.Format != "Gmsh 2.2" {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := Decode("x.msh.gz", b.Bytes()[:b.Len()/2]); err == nil || !strings.Contains(err.Error(), "x.msh.gz") {
		t.Errorf("half of it: %v", err)
	}
}

// Of several faults the same one is named each time, with its line, the last of a file without a newline included.
func TestFaultsAreNamedAlike(t *testing.T) {
	const cube = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n"
	for range 20 {
		_, err := parse("a.inp", []byte(cube+"*NSET,NSET=b\nno\n*NSET,NSET=a\nnor\n"))
		if err == nil || !strings.Contains(err.Error(), `set "a"`) {
			t.Fatalf("%v: not the first by its name", err)
		}
	}
	for _, end := range []string{"", "\n"} {
		_, err := parse("a.cdb", []byte("/PREP7\nET,1,185\nNBLOCK,6,SOLID,1,1\n(3i9,6e21.13e3)\n        x"+end))
		if err == nil || !strings.Contains(err.Error(), ":5") {
			t.Errorf("%v: the fault is in line 5", err)
		}
	}
}
