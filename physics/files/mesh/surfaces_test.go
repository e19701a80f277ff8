package mesh

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// TestSurfacesOfNodes: a *SURFACE of nodes is a set; one of faces is left out, and a note says so.
func TestSurfacesOfNodes(t *testing.T) {
	const text = "*NODE, NSET=all\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*NSET, NSET=foot\n1,2\n*ELEMENT, TYPE=C3D4, ELSET=body\n1,1,2,3,4\n"
	m, err := Decode("a.inp", []byte(text+"*SURFACE, NAME=touch, TYPE=NODE\nfoot, 1.0\n4,\n*SURFACE, TYPE=ELEMENT, NAME=skin\nbody, S2\n*SURFACE, NAME=other\nbody, S1\n*STEP\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.NodeSets["touch"]; !slices.Equal(got, []int32{0, 1, 3}) || m.NodeSets["skin"] != nil {
		t.Errorf("touch %v, skin %v", got, m.NodeSets["skin"])
	}
	if s := strings.Join(m.Notes, "; "); !strings.Contains(s, "surfaces of faces were left out, 2, the first skin") {
		t.Error(s)
	}
	for _, bad := range []string{"*SURFACE, TYPE=NODE\n1\n", "*SURFACE, NAME=a, TYPE=NODE\n, 1\n", "*SURFACE, NAME=a, TYPE=NODE\nnone\n"} {
		if _, err := Decode("a.inp", []byte(text+bad)); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestPartitionTagsOfVersion2: tags of MSH 2.2 beyond the first two are partitions, ghosts with a minus; the
// physical group is the first all the same.
func TestPartitionTagsOfVersion2(t *testing.T) {
	const text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"body\"\n$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n" +
		"$Elements\n2\n1 4 5 7 1 2 1 -2 1 2 3 4\n2 4 4 7 2 1 2 2 3 4 5\n$EndElements\n"
	m, err := Decode("a.msh", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if m.Elements() != 2 || len(m.ElementSets["body"]) != 2 || len(m.NodeSets["body"]) != 5 {
		t.Errorf("%d elements, %v", m.Elements(), m.ElementSets)
	}
	if _, err := Decode("a.msh", []byte(strings.Replace(text, "1 4 5 7 1 2 1 -2", "1 4 900 7 1 2 1 -2", 1))); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("900 tags: %v", err)
	}
}

// TestSeedsOfTheFuzzing: what the fuzzing of readers begins with is read as it is.
func TestSeedsOfTheFuzzing(t *testing.T) {
	seeds := map[string][]byte{"inp": []byte(inpText), "cdb": []byte(cdbText), "medit": []byte(medText),
		"gmsh 1": []byte(gmsh1Text), "gmsh 2": []byte(gmsh2Text), "gmsh 4": []byte(gmsh4Text),
		"binary gmsh 2": binaryGmsh(oneOfEach()[Tet4], 2.2, binary.LittleEndian), "binary gmsh 4": binaryGmsh(oneOfEach()[Tet4], 4.1, binary.LittleEndian)}
	for _, form := range vtuForms() {
		seeds["vtu"] = vtuText(oneOfEach()[Tet4], form)
		if _, err := Decode("vtu", seeds["vtu"]); err != nil {
			t.Error(err)
		}
	}
	for name, data := range seeds {
		if _, err := Decode(name, data); err != nil {
			t.Error(err)
		}
	}
	surfaces := map[string][]byte{"obj": []byte(objText), "stl": []byte(stlText)}
	for _, format := range []string{"ascii", "binary_little_endian", "binary_big_endian"} {
		surfaces[format] = plyText(format)
	}
	for name, data := range surfaces {
		if _, err := DecodeSurface(name, data); err != nil {
			t.Error(err)
		}
	}
	if _, err := DecodeTetGen("n", []byte(tetNode), "e", []byte(tetEle)); err != nil {
		t.Error(err)
	}
}
