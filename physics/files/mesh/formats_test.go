package mesh

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The forms that we read and do not write are made here from a mesh.

// plain is mixed() without sets and numbers.
func plain() *Mesh {
	m := mixed()
	return &Mesh{Nodes: m.Nodes, Blocks: m.Blocks, NodeSets: map[string][]int32{}, ElementSets: map[string][]int32{}}
}

// packed writes values of any fixed-size types.
func packed(order binary.ByteOrder, values ...any) []byte {
	var out bytes.Buffer
	for _, v := range values {
		if err := binary.Write(&out, order, v); err != nil {
			panic(err)
		}
	}
	return out.Bytes()
}

// cellsOf lists connectivity, end offsets and VTK types.
func cellsOf(m *Mesh) (conn, offsets []int64, types []byte) {
	for i := range m.Blocks {
		b := &m.Blocks[i]
		for e := range b.Len() {
			for _, n := range b.Element(e) {
				conn = append(conn, int64(n))
			}
			offsets = append(offsets, int64(len(conn)))
			types = append(types, byte(vtkType[b.Type]))
		}
	}
	return conn, offsets, types
}

func legacyVTK(m *Mesh, isBinary, offsetForm bool) []byte {
	var out bytes.Buffer
	conn, offsets, types := cellsOf(m)
	list := func(values any) {
		if isBinary {
			out.Write(packed(binary.BigEndian, values))
		} else {
			out.WriteString(strings.Trim(fmt.Sprint(values), "[]"))
		}
		out.WriteByte('\n')
	}
	version, form := "3.0", "ASCII"
	if offsetForm {
		version = "5.1"
	}
	if isBinary {
		form = "BINARY"
	}
	fmt.Fprintf(&out, "# vtk DataFile Version %s\ntitle line\n%s\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n", version, form, len(m.Nodes))
	var x []float64
	for _, p := range m.Nodes {
		x = append(x, p[:]...)
	}
	list(x)
	out.WriteString("METADATA\nINFORMATION 0\n\n")
	if offsetForm {
		fmt.Fprintf(&out, "CELLS %d %d\nOFFSETS vtktypeint64\n", len(offsets)+1, len(conn))
		list(append([]int64{0}, offsets...))
		out.WriteString("CONNECTIVITY vtktypeint64\n")
		list(conn)
	} else {
		var entries []int32
		start := int64(0)
		for _, end := range offsets {
			entries = append(entries, int32(end-start))
			for _, n := range conn[start:end] {
				entries = append(entries, int32(n))
			}
			start = end
		}
		fmt.Fprintf(&out, "CELLS %d %d\n", len(offsets), len(entries))
		list(entries)
	}
	fmt.Fprintf(&out, "CELL_TYPES %d\n", len(types))
	kinds := make([]int32, len(types))
	for i, k := range types {
		kinds[i] = int32(k)
	}
	list(kinds)
	out.WriteString("POINT_DATA 1\nSCALARS a double 1\nLOOKUP_TABLE default\n0\n")
	return out.Bytes()
}

func TestLegacyVTK(t *testing.T) {
	m := plain()
	for _, isBinary := range []bool{false, true} {
		for _, offsetForm := range []bool{false, true} {
			got, err := Decode("x", legacyVTK(m, isBinary, offsetForm))
			if err != nil {
				t.Fatalf("binary %v, offsets %v: %v", isBinary, offsetForm, err)
			}
			same(t, "", got, m)
		}
	}
}

// vtuForm is one of the ways to store the arrays of a VTU file.
type vtuForm struct {
	format, encoding string
	zip              bool
	order            binary.ByteOrder
	header           int
}

func vtuText(m *Mesh, f vtuForm) []byte {
	var out, appended bytes.Buffer
	conn, offsets, types := cellsOf(m)
	count := func(values ...int) []byte {
		var b []byte
		for _, v := range values {
			if f.header == 8 {
				b = append(b, packed(f.order, uint64(v))...)
			} else {
				b = append(b, packed(f.order, uint32(v))...)
			}
		}
		return b
	}
	block := func(data []byte) (head, body []byte) {
		if !f.zip {
			return nil, append(count(len(data)), data...)
		}
		const size = 100 // many blocks
		var sizes []int
		for start := 0; start < len(data); start += size {
			var z bytes.Buffer
			w := zlib.NewWriter(&z)
			w.Write(data[start:min(start+size, len(data))])
			w.Close()
			sizes = append(sizes, z.Len())
			body = append(body, z.Bytes()...)
		}
		return count(append([]int{len(sizes), size, len(data) % size}, sizes...)...), body
	}
	array := func(name, kind string, values any) {
		fmt.Fprintf(&out, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"3\" format=\"%s\"", kind, name, f.format)
		if f.format == "ascii" {
			fmt.Fprintf(&out, ">%s</DataArray>\n", strings.Trim(fmt.Sprint(values), "[]"))
			return
		}
		head, body := block(packed(f.order, values))
		if f.encoding == "base64" {
			var text string
			if head != nil {
				text = base64.StdEncoding.EncodeToString(head)
			}
			text += base64.StdEncoding.EncodeToString(body)
			head, body = nil, []byte(text)
		}
		if f.format == "binary" {
			fmt.Fprintf(&out, ">\n  %s\n</DataArray>\n", body)
			return
		}
		fmt.Fprintf(&out, " offset=\"%d\"/>\n", appended.Len())
		appended.Write(head)
		appended.Write(body)
	}
	attrs := ""
	if f.zip {
		attrs = " compressor=\"vtkZLibDataCompressor\""
	}
	if f.header == 8 {
		attrs += " header_type=\"UInt64\""
	}
	order := "LittleEndian"
	if f.order == binary.ByteOrder(binary.BigEndian) {
		order = "BigEndian"
	}
	fmt.Fprintf(&out, "<?xml version=\"1.0\"?>\n<!-- a > comment -->\n<VTKFile type='UnstructuredGrid' version=\"1.0\" byte_order=\"%s\"%s>\n<UnstructuredGrid><Piece>\n<Points>", order, attrs)
	var x []float64
	for _, p := range m.Nodes {
		x = append(x, p[:]...)
	}
	array("Points", "Float64", x)
	out.WriteString("</Points><Cells>\n")
	array("connectivity", "Int64", conn)
	array("offsets", "Int64", offsets)
	kinds := make([]uint8, len(types))
	copy(kinds, types)
	array("types", "UInt8", kinds)
	out.WriteString("</Cells></Piece></UnstructuredGrid>\n")
	if f.format == "appended" {
		fmt.Fprintf(&out, "<AppendedData encoding=\"%s\">\n _", f.encoding)
		out.Write(appended.Bytes())
		out.WriteString("\n</AppendedData>\n")
	}
	out.WriteString("</VTKFile>\n")
	return out.Bytes()
}

func vtuForms() map[string]vtuForm {
	forms := map[string]vtuForm{"ascii": {format: "ascii", order: binary.LittleEndian, header: 4}}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, header := range []int{4, 8} {
			for _, zip := range []bool{false, true} {
				for format, encodings := range map[string][]string{"binary": {"base64"}, "appended": {"base64", "raw"}} {
					for _, e := range encodings {
						forms[fmt.Sprintf("%s %s zip %v %v %d", format, e, zip, order, header)] = vtuForm{format, e, zip, order, header}
					}
				}
			}
		}
	}
	return forms
}

func TestVTUForms(t *testing.T) {
	m := plain()
	for name, form := range vtuForms() {
		got, err := Decode("x", vtuText(m, form))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		same(t, "", got, m)
	}
}

// binaryGmsh writes version 2.2 or 4.1 with two groups.
func binaryGmsh(m *Mesh, version float64, order binary.ByteOrder) []byte {
	var out bytes.Buffer
	put := func(values ...any) { out.Write(packed(order, values...)) }
	fmt.Fprintf(&out, "$MeshFormat\n%g 1 8\n", version)
	put(int32(1))
	out.WriteString("\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"a b\"\n3 2 \"c\"\n$EndPhysicalNames\n")
	if version > 4 {
		out.WriteString("$Entities\n")
		put(uint64(1), uint64(0), uint64(0), uint64(2))
		put(int32(9), [3]float64{}, uint64(0))
		put(int32(1), [6]float64{}, uint64(1), int32(1), uint64(0))
		put(int32(2), [6]float64{}, uint64(2), int32(1), int32(2), uint64(1), int32(-5))
		out.WriteString("\n$EndEntities\n")
	}
	out.WriteString("$Nodes\n")
	if version > 4 {
		put(uint64(1), uint64(len(m.Nodes)), uint64(1), uint64(len(m.Nodes)), int32(3), int32(1), int32(0), uint64(len(m.Nodes)))
		for i := range m.Nodes {
			put(uint64(i + 1))
		}
	} else {
		fmt.Fprintf(&out, "%d\n", len(m.Nodes))
	}
	for i, x := range m.Nodes {
		if version < 4 {
			put(int32(i + 1))
		}
		put([3]float64(x))
	}
	out.WriteString("\n$EndNodes\n$Elements\n")
	if version > 4 {
		put(uint64(len(m.Blocks)), uint64(m.Elements()), uint64(1), uint64(m.Elements()))
	} else {
		fmt.Fprintf(&out, "%d\n", m.Elements())
	}
	number := 0
	for i := range m.Blocks {
		b := &m.Blocks[i]
		kind := gmshType[b.Type]
		group := int32(1 + i%2)
		if version > 4 {
			put(int32(3), group, int32(kind), uint64(b.Len()))
		} else {
			put(int32(kind), int32(b.Len()), int32(2))
		}
		for e := range b.Len() {
			number++
			conn := b.Element(e)
			theirs := slices.Clone(conn)
			for ours, o := range gmshElements[kind].order {
				theirs[o] = conn[ours]
			}
			if version > 4 {
				put(uint64(number))
			} else {
				put(int32(number), group, group)
			}
			for _, n := range theirs {
				if version > 4 {
					put(uint64(n + 1))
				} else {
					put(n + 1)
				}
			}
		}
	}
	out.WriteString("\n$EndElements\n")
	return out.Bytes()
}

func TestBinaryGmsh(t *testing.T) {
	for _, version := range []float64{2.2, 4.1} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			m := plain()
			m.ElementSets["c"] = []int32{1, 3, 5, 7}
			m.ElementSets["a b"] = []int32{0, 2, 4, 6}
			if version > 4 {
				m.ElementSets["a b"] = []int32{0, 1, 2, 3, 4, 5, 6, 7}
			}
			for name, set := range m.ElementSets {
				m.NodeSets[name] = m.nodesOf(set, make([]bool, len(m.Nodes)))
			}
			data := binaryGmsh(m, version, order)
			got, err := Decode("x", data)
			if err != nil {
				t.Errorf("%g %v: %v", version, order, err)
				continue
			}
			same(t, "", got, m)
			for _, cut := range []int{100, len(data) / 2, len(data) - 30} {
				if _, err := Decode("x", data[:cut]); err == nil || strings.Contains(err.Error(), "\n") {
					t.Errorf("%g %v cut at %d: %v", version, order, cut, err)
				}
			}
		}
	}
}

const medText = `# made by hand
MeshVersionFormatted 2
Dimension 3
Vertices
4 # with references
0 0 0 7
1 0 0 0
0 1 0 0
0 0 1 7
Corners 1
1
Triangles 1
1 3 2 5
Tetrahedra 1
1 2 3 4 9
End
`

const cdbText = `/COM,ANSYS RELEASE 15.0
ET,1,185
NBLOCK,6,SOLID,9,9
(3i9,6e21.13e3)
        1        0        0
        2        0        0 1.0000000000000E+000
        3        0        0 1.0000000000000E+000 1.0000000000000E+000
        4        0        0 0.0000000000000E+000 1.0000000000000E+000
        5        0        0 0.0000000000000E+000 0.0000000000000E+000 1.0000000000000E+000
        6        0        0 1.0000000000000E+000 0.0000000000000E+000 1.0000000000000E+000
        7        0        0 1.0000000000000E+000 1.0000000000000E+000 1.0000000000000E+000
        8        0        0 0.0000000000000E+000 1.0000000000000E+000 1.0000000000000E+000
        9        0        0 0.5000000000000E+000 0.5000000000000E+000 2.0000000000000E+000
N,R5.3,LOC,       -1,
EBLOCK,19,SOLID,2,2
(19i9)
        1        1        1        1        0        0        0        0        8        0        1        1        2        3        4        5        6        7        8
        1        1        1        1        0        0        0        0        8        0        2        5        6        7        8        9        9        9        9
       -1
CMBLOCK,Base,NODE,       3
(8i10)
         1        -3         4
CMBLOCK,TOP,ELEM,       1
(8i10)
         2
D,1,ALL,0
D,2,UX,0
D,2,UY,0.0
D,2,UZ
D,3,UX,1.5
D,4,UX,0
`

const inpText = `** a comment
*Heading
 some title
*NODE, NSET=Everything
 1, 0., 0., 0.
 2, 1., 0., 0.
 3, 0., 1., 0.
 4, 0., 0., 1.D0
*Element, type=C3D4H, elset=Organ
 11, 1, 2,
 3, 4
*ELEMENT, TYPE=S3, ELSET=skin
 12, 1, 3, 2
*NSET, NSET=held, GENERATE
 1, 3, 2
*NSET, NSET=both
 HELD, 4
*ELSET, ELSET=All
 organ
*MATERIAL, NAME=x
*ELASTIC
 1., 0.3
`

const tetNode = "# nodes\n4 3 1 1\n0 0 0 0 0.5 7\n1 1 0 0 0.5 0\n2 0 1 0 0.5 0\n3 0 0 1 0.5 7\n"
const tetEle = "1 4 1\n0 0 2 1 3 2\n# the end\n"

func TestTextFormats(t *testing.T) {
	sets := func(m map[string][]int32) string {
		var s []string
		for _, name := range sortedNames(m) {
			s = append(s, fmt.Sprint(name, m[name]))
		}
		return strings.Join(s, " ")
	}
	for name, c := range map[string]struct {
		read                   func() (*Mesh, error)
		format, nodes, element string
		volume                 float64
	}{
		"medit": {func() (*Mesh, error) { return Decode("x", []byte(medText)) }, "Medit", "point-7[0 3] surface-5[0 1 2] volume-9[0 1 2 3]", "volume-9[0]", 1.0 / 6},
		"cdb": {func() (*Mesh, error) { return Decode("x", []byte(cdbText)) }, "ANSYS",
			"Base[0 1 2 3] TOP[4 5 6 7 8] fixed[0 1]", "TOP[1]", 1 + 1.0/3},
		"inp": {func() (*Mesh, error) { return Decode("x", []byte(inpText)) }, "Abaqus",
			"All[0 1 2 3] Everything[0 1 2 3] Organ[0 1 2 3] both[0 2 3] held[0 2] skin[0 1 2]", "All[0] Organ[0]", 1.0 / 6},
		"tetgen": {func() (*Mesh, error) { return DecodeTetGen("a.node", []byte(tetNode), "a.ele", []byte(tetEle)) }, "TetGen", "point-7[0 3] volume-2[0 1 2 3]", "volume-2[0]", 1.0 / 6},
	} {
		m, err := c.read()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.Format != c.format || sets(m.NodeSets) != c.nodes || sets(m.ElementSets) != c.element {
			t.Errorf("%s: %s\n%s\n%s", name, m.Format, sets(m.NodeSets), sets(m.ElementSets))
		}
		if v := m.Volume(); math.Abs(v-c.volume) > 1e-15 {
			t.Errorf("%s: volume %g", name, v)
		}
	}
}

func TestTetGenFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.node": tetNode, "a.ele": tetEle, "b.ele": tetEle} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a.node", "a.ele"} {
		if m, err := Load(filepath.Join(dir, name)); err != nil || m.Elements() != 1 || len(m.Notes) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Load(filepath.Join(dir, "b.ele")); err == nil || !strings.Contains(err.Error(), "keep both together") {
		t.Errorf("without nodes: %v", err)
	}
}

// TestTetGenQuadratic: mid-edge nodes in any order find their edges.
func TestTetGenQuadratic(t *testing.T) {
	m := oneOfEach()[Tet10]
	var nodes strings.Builder
	nodes.WriteString("10 3 0 0\n")
	for i, x := range m.Nodes {
		fmt.Fprintln(&nodes, i+1, x[0], x[1], x[2])
	}
	got, err := DecodeTetGen("n", []byte(nodes.String()), "e", []byte("1 10 0\n1 1 2 3 4 8 10 5 9 7 6\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Blocks[0].Nodes, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("nodes %v", got.Blocks[0].Nodes)
	}
}

// TestDegenerateHexahedra: ANSYS's collapsed forms become elements of their own.
func TestDegenerateHexahedra(t *testing.T) {
	for want, n := range map[ElementType][]int32{
		Tet4:      {1, 2, 3, 3, 4, 4, 4, 4},
		Wedge6:    {1, 2, 3, 3, 4, 5, 6, 6},
		Pyramid5:  {1, 2, 3, 4, 5, 5, 5, 5},
		Hex8:      {1, 2, 3, 4, 5, 6, 7, 8},
		Tet10:     {1, 2, 3, 3, 4, 4, 4, 4, 5, 6, 3, 7, 4, 4, 4, 4, 8, 9, 10, 10},
		Wedge15:   {1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 3, 9, 10, 11, 6, 12, 13, 14, 15, 15},
		Pyramid13: {1, 2, 3, 4, 5, 5, 5, 5, 6, 7, 8, 9, 5, 5, 5, 5, 10, 11, 12, 13},
	} {
		got, order := cdbShape(n)
		var nodes []int32
		for _, o := range order {
			nodes = append(nodes, n[o])
		}
		if got != want || len(nodes) != want.NodeCount() {
			t.Errorf("%v: %s %v", n, got, nodes)
		}
		for i, v := range nodes {
			if int(v) != i+1 {
				t.Errorf("%s: nodes %v", want, nodes)
				break
			}
		}
	}
}

const objText = "# two\nmtllib x\nv 0 0 0\nv 1 0 0 1 1 1\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nvt 0 0\nf 1/1/1 2//1 3 -1\nv 0 0 1\nf 1 2 -1\nf 1 1 2\n"

const stlText = "solid a b\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 0\n  endloop\n endfacet\n facet normal 0 0 1\n  outer loop\n   vertex 1 0 0\n   vertex 1 1 0\n   vertex 0 1 -0\n  endloop\n endfacet\nendsolid a b\n"

func plyText(format string) []byte {
	head := "ply\nformat " + format + " 1.0\ncomment x\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nelement face 1\nproperty uchar flag\nproperty list uchar int vertex_indices\nelement edge 1\nproperty int a\nend_header\n"
	if format == "ascii" {
		return []byte(head + "0 0 0 255\n1 0 0 255\n1 1 0 255\n0 1 0 255\n9 4 0 1 2 3\n5\n")
	}
	var order binary.ByteOrder = binary.LittleEndian
	if format == "binary_big_endian" {
		order = binary.BigEndian
	}
	out := []byte(head)
	for _, v := range [][3]float32{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}} {
		out = append(out, packed(order, v, uint8(255))...)
	}
	return append(out, packed(order, uint8(9), uint8(4), [4]int32{0, 1, 2, 3}, int32(5))...)
}

func TestSurfaceFormats(t *testing.T) {
	for name, c := range map[string]struct {
		data                    []byte
		nodes, triangles, notes int
	}{
		"obj":       {[]byte(objText), 5, 3, 1},
		"stl":       {[]byte(stlText), 4, 2, 0},
		"ply":       {plyText("ascii"), 4, 2, 0},
		"ply small": {plyText("binary_little_endian"), 4, 2, 0},
		"ply big":   {plyText("binary_big_endian"), 4, 2, 0},
		"vtk":       {[]byte("# vtk DataFile Version 2.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 1 1 0 0 1 0\nPOLYGONS 1 5\n4 0 1 2 3\n"), 4, 2, 0},
		"strip":     {[]byte("# vtk DataFile Version 2.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 0\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\n"), 4, 2, 0},
		"vtp":       {[]byte("<VTKFile type=\"PolyData\"><PolyData><Piece><Points><DataArray type=\"Float32\" format=\"ascii\">0 0 0 1 0 0 1 1 0 0 1 0</DataArray></Points><Polys><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray></Polys></Piece></PolyData></VTKFile>"), 4, 2, 0},
		"gmsh":      {[]byte(gmsh1Text), 3, 1, 1},
	} {
		s, err := DecodeSurface("x", c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(s.Nodes) != c.nodes || len(s.Triangles) != c.triangles || len(s.Notes) != c.notes {
			t.Errorf("%s: %v", name, s)
		}
		for _, tri := range s.Triangles {
			a, b, cc := s.Nodes[tri[0]], s.Nodes[tri[1]], s.Nodes[tri[2]]
			if n := b.Sub(a).Cross(cc.Sub(a)); name != "obj" && name != "gmsh" && !(n[2] > 0.9) {
				t.Errorf("%s: triangle %v looks along %v", name, tri, n)
			}
		}
		if _, err := Decode("x", c.data); name != "gmsh" && (err == nil || !strings.Contains(err.Error(), "tetrahedralize")) {
			t.Errorf("%s as a volume: %v", name, err)
		}
	}
	box := testBox(t, [3]int{2, 1, 1})
	var out bytes.Buffer
	if err := box.WriteINP(&out); err != nil {
		t.Fatal(err)
	}
	if s, err := DecodeSurface("x", out.Bytes()); err != nil || math.Abs(s.Volume()-140) > 1e-12 {
		t.Errorf("boundary of a volume: %v", err)
	}
}

func TestFormatsRefuse(t *testing.T) {
	swap := func(text, old, new string) []byte {
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not in the text", old)
		}
		return []byte(strings.Replace(text, old, new, 1))
	}
	vtk := string(legacyVTK(plain(), false, false))
	vtu := string(vtuText(plain(), vtuForms()["ascii"]))
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"vtk points":        {swap(vtk, "POINTS 81", "POINTS 80"), "stands where a section"},
		"vtk huge":          {swap(vtk, "POINTS 81", "POINTS 800000000"), "800000000 points are announced"},
		"vtk cut":           {[]byte(vtk[:300]), "cut short"},
		"vtk types":         {swap(vtk, "CELL_TYPES 8", "CELL_TYPES 7"), "stands where a section"},
		"vtk form":          {swap(vtk, "ASCII", "HEX"), "x:3: \"HEX\""},
		"vtk kind":          {swap(vtk, "UNSTRUCTURED_GRID", "STRUCTURED_POINTS"), "the data set is a STRUCTURED_POINTS"},
		"vtu cut":           {[]byte(vtu[:strings.Index(vtu, "</VTKFile>")]), "the file ends where </VTKFile>"},
		"vtu index":         {swap(vtu, ">0 1 2 3 4", ">0 1 2 99 4"), "cell 0 names point 99"},
		"vtu types":         {swap(vtu, ">10 12 13", ">10 12 99"), "cell 2 has type 99"},
		"vtu lz4":           {swap(vtu, "byte_order", "compressor=\"vtkLZ4DataCompressor\" byte_order"), "vtkLZ4DataCompressor, which is not read"},
		"vtu kind":          {swap(vtu, "'UnstructuredGrid'", "'ImageData'"), "ImageData"},
		"vtu word":          {swap(vtu, ">0 1 2 3 4", ">0 x 2 3 4"), "\"x\" stands where a number should"},
		"inp node":          {swap(inpText, " 11, 1, 2,", " 11, 1, 9,"), "names node 9"},
		"inp type":          {swap(inpText, "C3D4H", "C3D27"), "element type \"C3D27\" is not read"},
		"inp short":         {swap(inpText, " 3, 4\n", ""), "has 2 nodes instead of 4"},
		"inp twice":         {swap(inpText, " 2, 1., 0., 0.", " 1, 1., 0., 0."), "x:6: node 1 is defined twice"},
		"inp include":       {swap(inpText, "*MATERIAL", "*INCLUDE, INPUT=a.inp\n*MATERIAL"), "includes \"a.inp\""},
		"inp generate":      {swap(inpText, "GENERATE\n 1, 3, 2", "GENERATE\n 1, 9000000000000000000"), "GENERATE"},
		"inp set":           {swap(inpText, " HELD, 4", " nowhere, 4"), "which the file does not define"},
		"medit cut":         {[]byte(medText[:len(medText)-16]), "the file ends"},
		"medit huge":        {swap(medText, "Tetrahedra 1", "Tetrahedra 100000000"), "announced"},
		"medit index":       {swap(medText, "1 2 3 4 9", "1 2 3 5 9"), "names vertex 5"},
		"medit flat":        {swap(medText, "Dimension 3", "Dimension 2"), "2 dimensions"},
		"cdb cut":           {[]byte(cdbText[:300]), "the file ends in the node block"},
		"cdb node":          {swap(cdbText, "        9        9        9        9\n", "       10       10       10       10\n"), "names node 10"},
		"cdb format":        {swap(cdbText, "(19i9)", "(oops)"), "no format line"},
		"cdb range":         {swap(cdbText, "         1        -3         4", "         1-999999999         4"), "more numbers than the file"},
		"stl cut":           {[]byte(stlText[:strings.Index(stlText, "endloop")]), "the file ends"},
		"stl binary cut":    {append([]byte("COLOR=none"), make([]byte, 200)...), "announced"},
		"obj index":         {[]byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"), "x:4: the face names vertex 4, but the file has 3"},
		"obj word":          {[]byte("v 0 0 z\n"), "x:1: \"z\""},
		"ply cut":           {plyText("binary_little_endian")[:len(plyText("binary_little_endian"))-12], "the file ends"},
		"ply count":         {swap(string(plyText("ascii")), "vertex 4", "vertex 400000000"), "announced"},
		"ply index":         {swap(string(plyText("ascii")), "4 0 1 2 3", "4 0 1 2 7"), "names vertex 7"},
		"nothing in an obj": {[]byte("v 0 0 0\n"), "no volume element"},
	} {
		_, err := Decode("x", c.data)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") || !strings.HasSuffix(err.Error(), ")") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The readers' fuzz tests start from files of every form.

func FuzzVTK(f *testing.F) {
	for _, b := range []bool{false, true} {
		f.Add(legacyVTK(plain(), b, false))
		f.Add(legacyVTK(plain(), b, true))
	}
	f.Add([]byte("# vtk DataFile Version 2.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 1 1 0\nTRIANGLE_STRIPS 1 4\n3 0 1 2\n"))
	f.Fuzz(fuzzDecode)
}

func FuzzVTU(f *testing.F) {
	for _, form := range vtuForms() {
		f.Add(vtuText(oneOfEach()[Tet4], form))
	}
	f.Fuzz(fuzzDecode)
}

func FuzzINP(f *testing.F) {
	f.Add([]byte(inpText))
	f.Add([]byte(inpText + inpSkin))
	f.Fuzz(fuzzDecode)
}

func FuzzCDB(f *testing.F) {
	f.Add([]byte(cdbText))
	f.Fuzz(fuzzDecode)
}

func FuzzMedit(f *testing.F) {
	f.Add([]byte(medText))
	f.Fuzz(fuzzDecode)
}

func FuzzSurface(f *testing.F) {
	f.Add([]byte(objText))
	f.Add([]byte(stlText))
	for _, format := range []string{"ascii", "binary_little_endian", "binary_big_endian"} {
		f.Add(plyText(format))
	}
	f.Fuzz(fuzzDecode)
}

func FuzzTetGen(f *testing.F) {
	f.Add([]byte(tetNode), []byte(tetEle))
	f.Fuzz(func(t *testing.T, nodes, elements []byte) {
		if m, err := DecodeTetGen("n", nodes, "e", elements); err == nil {
			m.Surface()
		}
	})
}

func FuzzBinaryGmsh(f *testing.F) {
	for _, version := range []float64{2.2, 4.1} {
		f.Add(binaryGmsh(oneOfEach()[Tet4], version, binary.LittleEndian))
	}
	f.Fuzz(fuzzDecode)
}
