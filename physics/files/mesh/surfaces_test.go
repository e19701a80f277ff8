package mesh

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// TestSurfacesOfNodes: a *SURFACE of nodes is a set; one made of others is left out, and a note says so.
func TestSurfacesOfNodes(t *testing.T) {
	const text = "*NODE, NSET=all\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*NSET, NSET=foot\n1,2\n*ELEMENT, TYPE=C3D4, ELSET=body\n1,1,2,3,4\n"
	m, err := Decode("a.inp", []byte(text+"*SURFACE, NAME=touch, TYPE=NODE\nfoot, 1.0\n4,\n*SURFACE, NAME=both, COMBINE=UNION\ntouch, other\n*STEP\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.NodeSets["touch"]; !slices.Equal(got, []int32{0, 1, 3}) || m.NodeSets["both"] != nil {
		t.Errorf("touch %v, both %v", got, m.NodeSets["both"])
	}
	if s := strings.Join(m.Notes, "; "); !strings.Contains(s, "were left out, 1, the first both") {
		t.Error(s)
	}
	for _, bad := range []string{"*SURFACE, TYPE=NODE\n1\n", "*SURFACE, NAME=a, TYPE=NODE\n, 1\n", "*SURFACE, NAME=a, TYPE=NODE\nnone\n",
		"*SURFACE, NAME=a\nbody, S5\n", "*SURFACE, NAME=a\nbody, S7\n", "*SURFACE, NAME=a\nbody, T1\n", "*SURFACE, NAME=a\nnone, S1\n", "*SURFACE, NAME=a\n, S1\n"} {
		if _, err := Decode("a.inp", []byte(text+bad)); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

const inpSkin = "*SURFACE, NAME=touched\nOrgan, S2\n11\nskin, SPOS\n*SURFACE, TYPE=NODE, NAME=pins\nheld, 1.\n"

// TestSurfacesOfFaces: a *SURFACE of faces is the set of their nodes. Two cubes side by side along x, by the manual's
// numbers of sides: S1 is below, S2 above, S3 in front, S4 right, S5 behind, S6 left.
func TestSurfacesOfFaces(t *testing.T) {
	text := "*PART, NAME=P\n*NODE\n"
	for n := range 12 {
		text += fmt.Sprintf("%d,%d,%d,%d\n", n+1, n%3, n/3%2, n/6)
	}
	text += "*ELEMENT, TYPE=C3D8, ELSET=left\n1,1,2,5,4,7,8,11,10\n*ELEMENT, TYPE=C3D8, ELSET=right\n2,2,3,6,5,8,9,12,11\n" +
		"*ELEMENT, TYPE=S4, ELSET=shell\n3,1,2,5,4\n*SURFACE, NAME=own\nleft, S6\n*END PART\n*ASSEMBLY, NAME=A\n"
	one := "*INSTANCE, NAME=I, PART=P\n*END INSTANCE\n"
	where := func(m *Mesh, set string) (low, high mgl64.Vec3, n int) {
		for k, i := range m.NodeSets[set] {
			x := m.Nodes[i]
			for d := range 3 {
				if low[d], high[d] = min(low[d], x[d]), max(high[d], x[d]); k == 0 {
					low[d], high[d] = x[d], x[d]
				}
			}
		}
		return low, high, len(m.NodeSets[set])
	}
	for _, c := range []struct {
		lines     string
		low, high mgl64.Vec3
		n         int
	}{
		{"2, S1", mgl64.Vec3{1, 0, 0}, mgl64.Vec3{2, 1, 0}, 4},
		{"right, S2", mgl64.Vec3{1, 0, 1}, mgl64.Vec3{2, 1, 1}, 4},
		{"right, S3", mgl64.Vec3{1, 0, 0}, mgl64.Vec3{2, 0, 1}, 4},
		{"right, S4", mgl64.Vec3{2, 0, 0}, mgl64.Vec3{2, 1, 1}, 4},
		{"right, S5", mgl64.Vec3{1, 1, 0}, mgl64.Vec3{2, 1, 1}, 4},
		{"right, S6\nleft, S6", mgl64.Vec3{0, 0, 0}, mgl64.Vec3{1, 1, 1}, 8},
		{"shell, SPOS", mgl64.Vec3{0, 0, 0}, mgl64.Vec3{1, 1, 0}, 4},
		{"left\nright", mgl64.Vec3{0, 0, 0}, mgl64.Vec3{2, 1, 1}, 12},
	} {
		lines := strings.NewReplacer("left", "I.left", "right", "I.right", "shell", "I.shell", "2, S1", "I.2, S1").Replace(c.lines)
		m, err := Decode("a.inp", []byte(text+one+"*SURFACE, NAME=skin, TYPE=ELEMENT\n"+lines+"\n*END ASSEMBLY\n"))
		if err != nil {
			t.Errorf("%q: %v", lines, err)
			continue
		}
		if low, high, n := where(m, "skin"); low != c.low || high != c.high || n != c.n || len(m.Notes) > 0 {
			t.Errorf("%q: %d nodes from %v to %v, %q", lines, n, low, high, m.Notes)
		}
		if low, high, n := where(m, "own"); n != 4 || low != (mgl64.Vec3{}) || high != (mgl64.Vec3{0, 1, 1}) {
			t.Errorf("of the part: %d nodes from %v to %v", n, low, high)
		}
	}
	m, err := Decode("a.inp", []byte(text+one+"*INSTANCE, NAME=J, PART=P\n10,0,0\n*END INSTANCE\n*END ASSEMBLY\n"))
	if err != nil || len(m.NodeSets["own"]) != 8 || len(m.NodeSets["I.own"]) != 4 || len(m.NodeSets["J.own"]) != 4 {
		t.Errorf("of two instances: %v, %v", err, m.NodeSets)
	}
	// a quadratic side has the nodes between its corners
	m, err = Decode("a.inp", []byte("*NODE\n1,0,0,0\n2,2,0,0\n3,0,2,0\n4,0,0,2\n5,1,0,0\n6,1,1,0\n7,0,1,0\n8,0,0,1\n9,1,0,1\n10,0,1,1\n*ELEMENT, TYPE=C3D10\n1,1,2,3,4,5,6,7,8,9,10\n*SURFACE, NAME=s\n1, S3\n"))
	if err != nil || !slices.Equal(m.NodeSets["s"], []int32{1, 2, 3, 5, 8, 9}) {
		t.Errorf("a quadratic side: %v, %v", err, m.NodeSets)
	}
	m, err = Decode("a.inp", []byte("*NODE, NSET=s\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*SURFACE, NAME=s\n1, S1\n"))
	if err != nil || len(m.NodeSets["s"]) != 4 || len(m.Notes) != 1 {
		t.Errorf("a surface with a set's name: %v, %v, %q", err, m.NodeSets, m.Notes)
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
	seeds := map[string][]byte{"inp": []byte(inpText), "inp with a surface": []byte(inpText + inpSkin), "cdb": []byte(cdbText), "medit": []byte(medText),
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
