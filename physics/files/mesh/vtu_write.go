package mesh

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
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
	return writeGrid(w, m.Nodes, m.Cells(), fields, func(out *vtuWriter) {
		for _, name := range sortedNames(m.NodeSets) {
			if !m.impliedNodeSet(name) {
				out.set(name, m.NodeSets[name], len(m.Nodes))
			}
		}
		out.numbers(m.NodeNumbers, len(m.Nodes))
	}, func(out *vtuWriter) {
		elements := m.Elements()
		for _, name := range sortedNames(m.ElementSets) {
			out.set(name, m.ElementSets[name], elements)
		}
		out.numbers(m.ElementNumbers, elements)
	})
}

// WriteGrid writes points, cells between them and fields on both as VTU, all digits kept.
func WriteGrid(w io.Writer, points []mgl64.Vec3, cells Cells, fields ...Field) error {
	return writeGrid(w, points, cells, fields, func(*vtuWriter) {}, func(*vtuWriter) {})
}

// writeGrid is WriteGrid with more arrays on points and cells.
func writeGrid(w io.Writer, points []mgl64.Vec3, cells Cells, fields []Field, onPoints, onCells func(*vtuWriter)) error {
	for _, f := range fields {
		count := len(points)
		if f.OnElements {
			count = len(cells.Types)
		}
		if f.Components < 1 || len(f.Values) != f.Components*count {
			return fmt.Errorf("mesh: field %q has %d values for %d places of %d components (give one for each)", f.Name, len(f.Values), count, f.Components)
		}
	}
	out := &vtuWriter{w: bufio.NewWriter(w)}
	out.printf("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n")
	out.printf("<UnstructuredGrid>\n<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<Points>\n", len(points), len(cells.Types))
	var data []byte
	for _, x := range points {
		for _, v := range x {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
	}
	out.array("Points", "Float64", 3, data)
	out.printf("</Points>\n<Cells>\n")
	var conn, offsets []byte
	for _, n := range cells.Connectivity {
		conn = binary.LittleEndian.AppendUint64(conn, uint64(n))
	}
	for _, end := range cells.Ends {
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(end))
	}
	out.array("connectivity", "Int64", 1, conn)
	out.array("offsets", "Int64", 1, offsets)
	out.array("types", "UInt8", 1, cells.Types)
	out.printf("</Cells>\n<PointData>\n")
	out.fields(fields, false)
	onPoints(out)
	out.printf("</PointData>\n<CellData>\n")
	out.fields(fields, true)
	onCells(out)
	out.printf("</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n")
	if out.err == nil {
		out.err = out.w.Flush()
	}
	return out.err
}

// vtuWriter keeps the first error.
type vtuWriter struct {
	w   *bufio.Writer
	err error
}

func (o *vtuWriter) printf(format string, args ...any) {
	if o.err == nil {
		_, o.err = fmt.Fprintf(o.w, format, args...)
	}
}

// array writes one DataArray in base64: its length in bytes, then its bytes.
func (o *vtuWriter) array(name, kind string, components int, data []byte) {
	o.printf("<DataArray type=%q Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", kind, escape.Replace(name), components)
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	o.printf("%s\n</DataArray>\n", base64.StdEncoding.EncodeToString(append(length, data...)))
}

func (o *vtuWriter) fields(fields []Field, onElements bool) {
	for _, f := range fields {
		if f.OnElements != onElements {
			continue
		}
		var data []byte
		for _, v := range f.Values {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
		o.array(f.Name, "Float64", f.Components, data)
	}
}

func (o *vtuWriter) set(name string, members []int32, count int) {
	data := make([]byte, count)
	for _, k := range members {
		data[k] = 1
	}
	o.array(setPrefix+name, "UInt8", 1, data)
}

func (o *vtuWriter) numbers(numbers []int64, count int) {
	if len(numbers) != count || count == 0 {
		return
	}
	var data []byte
	for _, n := range numbers {
		data = binary.LittleEndian.AppendUint64(data, uint64(n))
	}
	o.array(numberArray, "Int64", 1, data)
}

// impliedNodeSet reports that a node set is just the nodes of the element set of the same name, which readers add by
// themselves.
func (m *Mesh) impliedNodeSet(name string) bool {
	elements, ok := m.ElementSets[name]
	return ok && slices.Equal(m.NodeSets[name], m.nodesOf(elements, make([]bool, len(m.Nodes))))
}

func sortedNames(sets map[string][]int32) []string {
	return slices.Sorted(maps.Keys(sets))
}
