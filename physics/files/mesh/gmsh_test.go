package mesh

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/testkit"
)

const gmsh1Text = `$NOD
5
10 0 0 0
20 1 0 0
30 0 1 0
40 0 0 1
99 7 7 7
$ENDNOD
$ELM
3
1 2 5 1 3 10 30 20
2 15 4 1 1 40
3 4 2 1 4 10 20 30 40
$ENDELM
`

const gmsh2Text = `$MeshFormat
2.2 0 8
$EndMeshFormat
$Comments
anything $EndNothing
$EndComments
$PhysicalNames
3
0 4 "tip"
2 5 "held side"
3 2 "organ"
$EndPhysicalNames
$Nodes
5
10 0 0 0
20 1 0 0
30 0 1 0
40 0 0 1
99 7 7 7
$EndNodes
$Elements
3
1 2 2 5 1 10 30 20
2 15 2 4 1 40
3 4 3 2 1 0 10 20 30 40
$EndElements
$NodeData
1
$EndNodeData
`

const gmsh4Text = `$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
3
0 4 "tip"
2 5 "held side"
3 2 "organ"
$EndPhysicalNames
$Entities
1 0 1 1
1 0 0 1 1 4
1 0 0 0 1 1 0 1 5 0
7 0 0 0 1 1 1 1 2 1 1
$EndEntities
$Nodes
2 5 10 99
2 1 1 2
10
20
0 0 0 0.5 0.5
1 0 0 0.5 0.5
3 7 0 3
30
40
99
0 1 0
0 0 1
7 7 7
$EndNodes
$Elements
3 3 1 3
2 1 2 1
1 10 30 20
0 1 15 1
2 40
3 7 4 1
3 10 20 30 40
$EndElements
`

// TestGmshVersions: the same tetrahedron in three versions, with an unused node
// that is left out and groups of three dimensions.
func TestGmshVersions(t *testing.T) {
	for name, c := range map[string]struct {
		text, format    string
		tip, side, part string
	}{
		"1":   {gmsh1Text, "Gmsh 1", "point-4", "surface-5", "volume-2"},
		"2.2": {gmsh2Text, "Gmsh 2.2", "tip", "held side", "organ"},
		"4.1": {gmsh4Text, "Gmsh 4.1", "tip", "held side", "organ"},
	} {
		for _, ends := range []string{"\n", "\r\n"} {
			m, err := Decode("a.msh", []byte(strings.ReplaceAll(c.text, "\n", ends)))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if m.Format != c.format || m.File != "a.msh" {
				t.Errorf("%s: format %q of %q", name, m.Format, m.File)
			}
			if want := []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; !slices.Equal(m.Nodes, want) {
				t.Errorf("%s: nodes %v", name, m.Nodes)
			}
			if !slices.Equal(m.NodeNumbers, []int64{10, 20, 30, 40}) || !slices.Equal(m.ElementNumbers, []int64{3}) {
				t.Errorf("%s: numbers %v %v", name, m.NodeNumbers, m.ElementNumbers)
			}
			if len(m.Blocks) != 1 || m.Blocks[0].Type != Tet4 || !slices.Equal(m.Blocks[0].Nodes, []int32{0, 1, 2, 3}) {
				t.Errorf("%s: blocks %v", name, m.Blocks)
			}
			if !slices.Equal(m.NodeSets[c.tip], []int32{3}) || !slices.Equal(m.NodeSets[c.side], []int32{0, 1, 2}) ||
				!slices.Equal(m.NodeSets[c.part], []int32{0, 1, 2, 3}) || len(m.NodeSets) != 3 {
				t.Errorf("%s: node sets %v", name, m.NodeSets)
			}
			if !slices.Equal(m.ElementSets[c.part], []int32{0}) || len(m.ElementSets) != 1 {
				t.Errorf("%s: element sets %v", name, m.ElementSets)
			}
			if len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "1 of 5 nodes") {
				t.Errorf("%s: notes %v", name, m.Notes)
			}
		}
	}
}

func TestGmshRefuses(t *testing.T) {
	swap := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not in the text", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	for name, c := range map[string]struct{ text, says string }{
		"empty":             {"", "a.msh: the file is empty"},
		"blank":             {" \n\t\n", "the file is empty"},
		"other":             {"hello\n", "no mesh format"},
		"cut in nodes":      {gmsh1Text[:44], "the file ends where a coordinate should stand"},
		"cut in elements":   {gmsh1Text[:len(gmsh1Text)-8], "the file ends where $ENDELM"},
		"no elements":       {gmsh1Text[:strings.Index(gmsh1Text, "$ELM")], "no element section"},
		"no nodes":          {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "no node section"},
		"elements first":    {gmsh1Text[strings.Index(gmsh1Text, "$ELM"):], "no mesh format"},
		"huge nodes":        {"$NOD\n2000000000\n1 0 0 0\n", "2000000000 nodes are announced"},
		"huge elements":     {swap(gmsh1Text, "$ELM\n3", "$ELM\n999999999"), "999999999 elements are announced"},
		"over an int":       {"$NOD\n99999999999999999999\n", "stands where the number of nodes should"},
		"negative count":    {"$NOD\n-4\n", "the number of nodes is -4"},
		"few nodes counted": {swap(gmsh1Text, "$NOD\n5", "$NOD\n4"), "a.msh:7: \"99\" stands where $ENDNOD should"},
		"bad coordinate":    {swap(gmsh1Text, "20 1 0 0", "20 1 x 0"), "a.msh:4: \"x\" stands where a coordinate should"},
		"nan":               {swap(gmsh1Text, "20 1 0 0", "20 nan 0 0"), "a.msh:4: \"nan\""},
		"infinite":          {swap(gmsh1Text, "20 1 0 0", "20 1e999 0 0"), "a.msh:4: \"1e999\""},
		"node twice":        {swap(gmsh1Text, "20 1 0 0", "10 1 0 0"), "node 10 is defined twice"},
		"unknown node":      {swap(gmsh1Text, "10 20 30 40", "10 20 30 41"), "a.msh:13: element 3 names node 41"},
		"wrong node count":  {swap(gmsh1Text, "3 4 2 1 4 10", "3 4 2 1 5 10"), "has 5 nodes instead of the 4"},
		"unknown type":      {swap(gmsh1Text, "3 4 2 1 4 10", "3 77 2 1 4 10"), "element type 77"},
		"inverted":          {swap(gmsh1Text+"", "$ELM\n3", "$ELM\n4")[:len(gmsh1Text)-8] + "4 4 2 1 4 20 10 30 40\n$ENDELM\n", "a.msh:14: tetrahedron 4 is inverted"},
		"only surface":      {swap(swap(gmsh1Text, "$ELM\n3", "$ELM\n2"), "3 4 2 1 4 10 20 30 40\n", ""), "holds a surface (1 facets)"},
		"binary":            {swap(gmsh2Text, "2.2 0 8", "2.2 1 8"), "the byte-order mark of the binary file is not 1"},
		"version 3":         {swap(gmsh2Text, "2.2 0 8", "3.0 0 8"), "version 3 is not read"},
		"version 4.0":       {swap(gmsh4Text, "4.1 0 8", "4 0 8"), "version 4 is not read"},
		"no end":            {swap(gmsh2Text, "$EndComments", ""), "section $Comments has no end"},
		"stray word":        {gmsh2Text + "stray", "stands where a section"},
		"bad dimension":     {swap(gmsh2Text, "0 4 \"tip\"", "4 4 \"tip\""), "the dimension is 4"},
		"block dimension":   {swap(gmsh4Text, "3 7 4 1", "2 7 4 1"), "block of dimension 2"},
		"total":             {swap(gmsh4Text, "2 5 10 99", "2 6 10 99"), "6 nodes are announced"},
		"element total":     {swap(gmsh4Text, "3 3 1 3", "3 4 1 3"), "4 elements are announced"},
	} {
		_, err := Decode("a.msh", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") || !strings.HasSuffix(err.Error(), ")") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGmshLyingHeader: a count that the file cannot hold must not be believed.
func TestGmshLyingHeader(t *testing.T) {
	if testkit.Race {
		t.Skip("allocations are counted")
	}
	text := []byte("$NOD\n400000000\n1 0 0 0\n" + strings.Repeat(" ", 100))
	if n := testing.AllocsPerRun(5, func() { Decode("a", text) }); n > 100 {
		t.Errorf("%g allocations", n)
	}
}

// TestGmshQuadratic: Gmsh's own node order of quadratic elements puts every
// mid-edge node on its edge.
func TestGmshQuadratic(t *testing.T) {
	for typ, order := range map[ElementType][]int8{Tet10: gmshElements[11].order, Hex20: gmshHex20, Wedge15: gmshWedge15, Pyramid13: gmshPyramid13} {
		seen := slices.Clone(order)
		slices.Sort(seen)
		for i, o := range seen {
			if int(o) != i {
				t.Errorf("%s: order %v is no permutation", typ, order)
				break
			}
		}
		if len(order) != typ.NodeCount() {
			t.Errorf("%s: %d nodes", typ, len(order))
		}
		// Gmsh's manual: mid-edge nodes follow the edges in this order.
		edges := map[ElementType][][2]int8{
			Tet10:     {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}},
			Hex20:     {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}},
			Wedge15:   {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}},
			Pyramid13: {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}, {2, 4}, {3, 4}},
		}[typ]
		s := typ.shape()
		for k, e := range s.edges {
			g := edges[int(order[s.corners+k])-s.corners]
			if g != e && g != [2]int8{e[1], e[0]} {
				t.Errorf("%s: mid-edge node %d of edge %v comes from Gmsh's edge %v", typ, k, e, g)
			}
		}
	}
}

func FuzzGmsh(f *testing.F) {
	for _, text := range []string{gmsh1Text, gmsh2Text, gmsh4Text, "$NOD\n1\n", "$MeshFormat\n4.1 0 8\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(fuzzDecode)
}

// fuzzDecode: whatever the bytes, a mesh that comes out is sound and an error is one line.
func fuzzDecode(t *testing.T, data []byte) {
	if s, err := DecodeSurface("fuzz", data); err == nil {
		s.Volume()
	}
	m, err := Decode("fuzz", data)
	if err != nil {
		if s := err.Error(); !strings.HasPrefix(s, "mesh: ") {
			t.Fatalf("error %q", s)
		}
		return
	}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	m.Surface()
	DefaultSupport(m)
	m.Split().Surface()
	for name, set := range m.NodeSets {
		if !slices.IsSorted(set) || len(set) == 0 || set[0] < 0 || int(set[len(set)-1]) >= len(m.Nodes) {
			t.Fatalf("node set %q: %v", name, set)
		}
	}
	for name, set := range m.ElementSets {
		if !slices.IsSorted(set) || len(set) == 0 || set[0] < 0 || int(set[len(set)-1]) >= m.Elements() {
			t.Fatalf("element set %q: %v", name, set)
		}
	}
}
