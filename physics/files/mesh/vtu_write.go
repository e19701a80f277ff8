package mesh

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// Field is a quantity on the nodes or elements of a mesh, to be written with it.
type Field struct {
	Name       string
	Components int       // values a node or element; 3 makes a vector
	Values     []float64 // Components values a node (element) in their order
	OnElements bool
}

// Cells are the cells of a grid as VTK counts them.
type Cells struct {
	Types        []byte  // VTK's number of each cell's type
	Connectivity []int32 // points of one cell after the other
	Ends         []int64 // where each cell's points end
}

// VTK's numbers of cells that are no elements.
const (
	vtkVertex   = 1
	vtkTriangle = 5
)

// VertexCells are n points as cells.
func VertexCells(n int) (c Cells) {
	for i := range n {
		c.add(vtkVertex, int32(i))
	}
	return c
}

// TriangleCells are triangles as cells.
func TriangleCells(list [][3]int32) (c Cells) {
	for i := range list {
		c.add(vtkTriangle, list[i][:]...)
	}
	return c
}

// Cells are the mesh's elements.
func (m *Mesh) Cells() (c Cells) {
	for _, e := range m.All() {
		c.add(byte(vtkType[e.Type]), e.Nodes...)
	}
	return c
}

func (c *Cells) add(kind byte, points ...int32) {
	c.Types = append(c.Types, kind)
	c.Connectivity = append(c.Connectivity, points...)
	c.Ends = append(c.Ends, int64(len(c.Connectivity)))
}

// WriteVTU writes the mesh and fields on it as VTU for ParaView, all digits kept. Sets become arrays of 0 and 1 under
// "set:NAME", file numbers arrays "number"; Decode reads both back. What is no part of a Mesh is WriteGrid's to write.
func (m *Mesh) WriteVTU(w io.Writer, fields ...Field) error {
	var onPoints, onCells []vtuColumn
	for _, name := range m.ownNodeSets() {
		onPoints = append(onPoints, setColumn(name, m.NodeSets[name], len(m.Nodes)))
	}
	for _, name := range sortedNames(m.ElementSets) {
		onCells = append(onCells, setColumn(name, m.ElementSets[name], m.Elements()))
	}
	if len(m.NodeNumbers) == len(m.Nodes) && len(m.Nodes) > 0 {
		onPoints = append(onPoints, vtuColumn{numberArray, "Int64", 1, littleEndian(m.NodeNumbers)})
	}
	if len(m.ElementNumbers) == m.Elements() && m.Elements() > 0 {
		onCells = append(onCells, vtuColumn{numberArray, "Int64", 1, littleEndian(m.ElementNumbers)})
	}
	return writeGrid(w, m.Nodes, m.Cells(), fields, onPoints, onCells)
}

// WriteGrid writes points, cells between them and fields on both as VTU, all digits kept.
func WriteGrid(w io.Writer, points []mgl64.Vec3, cells Cells, fields ...Field) error {
	return writeGrid(w, points, cells, fields, nil, nil)
}

// writeGrid is WriteGrid with more arrays on points and cells.
func writeGrid(w io.Writer, points []mgl64.Vec3, cells Cells, fields []Field, onPoints, onCells []vtuColumn) error {
	for _, f := range fields {
		count := len(points)
		if f.OnElements {
			count = len(cells.Types)
		}
		if f.Components < 1 || len(f.Values) != f.Components*count {
			return fmt.Errorf("mesh: field %q has %d values for %d places of %d components (give one for each)", f.Name, len(f.Values), count, f.Components)
		}
	}
	places := make([]float64, 0, 3*len(points))
	for _, x := range points {
		places = append(places, x[:]...)
	}
	connectivity := make([]int64, len(cells.Connectivity))
	for i, n := range cells.Connectivity {
		connectivity[i] = int64(n)
	}
	out := bufio.NewWriter(w) // which keeps the first error
	fmt.Fprintf(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n")
	fmt.Fprintf(out, "<UnstructuredGrid>\n<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<Points>\n", len(points), len(cells.Types))
	vtuColumn{"Points", "Float64", 3, littleEndian(places)}.write(out)
	fmt.Fprintf(out, "</Points>\n<Cells>\n")
	vtuColumn{"connectivity", "Int64", 1, littleEndian(connectivity)}.write(out)
	vtuColumn{"offsets", "Int64", 1, littleEndian(cells.Ends)}.write(out)
	vtuColumn{"types", "UInt8", 1, cells.Types}.write(out)
	fmt.Fprintf(out, "</Cells>\n<PointData>\n")
	writeColumns(out, fields, false, onPoints)
	fmt.Fprintf(out, "</PointData>\n<CellData>\n")
	writeColumns(out, fields, true, onCells)
	fmt.Fprintf(out, "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n")
	return out.Flush()
}

// writeColumns writes the fields on elements or nodes, and what else is there.
func writeColumns(out *bufio.Writer, fields []Field, onElements bool, others []vtuColumn) {
	for _, f := range fields {
		if f.OnElements == onElements {
			vtuColumn{f.Name, "Float64", f.Components, littleEndian(f.Values)}.write(out)
		}
	}
	for _, c := range others {
		c.write(out)
	}
}

// vtuColumn is a DataArray to be written.
type vtuColumn struct {
	name, kind string
	components int
	data       []byte
}

// write writes it in base64: its length in bytes, then its bytes.
func (c vtuColumn) write(out *bufio.Writer) {
	fmt.Fprintf(out, "<DataArray type=%q Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", c.kind, escape.Replace(c.name), c.components)
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(c.data)))
	fmt.Fprintf(out, "%s\n</DataArray>\n", base64.StdEncoding.EncodeToString(append(length, c.data...)))
}

// littleEndian are the numbers' bytes.
func littleEndian[T int64 | float64](v []T) []byte {
	data, err := binary.Append(make([]byte, 0, 8*len(v)), binary.LittleEndian, v)
	if err != nil {
		panic(err) // these have a fixed size
	}
	return data
}

func setColumn(name string, members []int32, count int) vtuColumn {
	data := make([]byte, count)
	for _, k := range members {
		data[k] = 1
	}
	return vtuColumn{setPrefix + name, "UInt8", 1, data}
}

// impliedNodeSet reports that a node set is just the nodes of the element set of the same name, which readers add by
// themselves.
func (m *Mesh) impliedNodeSet(name string) bool {
	elements, ok := m.ElementSets[name]
	return ok && slices.Equal(m.NodeSets[name], m.nodesOf(elements, make([]bool, len(m.Nodes))))
}

// ownNodeSets are the names of the node sets that are not implied, ascending.
func (m *Mesh) ownNodeSets() []string {
	return slices.DeleteFunc(sortedNames(m.NodeSets), m.impliedNodeSet)
}

func sortedNames(sets map[string][]int32) []string {
	return slices.Sorted(maps.Keys(sets))
}
