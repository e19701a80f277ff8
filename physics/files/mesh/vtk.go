package mesh

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"regexp"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/refusal"
)

// vtkVolume is the element of a VTK cell type: our type and, where VTK stores more nodes or another order, which of its
// nodes ours are.
type vtkVolume struct {
	as    ElementType
	nodes int // that VTK stores
	order []int8
}

var vtkVolumes = map[int64]vtkVolume{
	10: {Tet4, 4, nil}, 11: {Hex8, 8, []int8{0, 1, 3, 2, 4, 5, 7, 6}}, 12: {Hex8, 8, nil}, 13: {Wedge6, 6, nil}, 14: {Pyramid5, 5, nil},
	24: {Tet10, 10, nil}, 25: {Hex20, 20, nil}, 26: {Wedge15, 15, nil}, 27: {Pyramid13, 13, nil},
	29: {Hex20, 27, nil}, 32: {Wedge15, 18, nil}, 37: {Pyramid13, 14, nil},
}

// vtkCorners is the corner count of VTK's facets; 0: as many as there are nodes.
var vtkCorners = map[int64]int{5: 3, 7: 0, 8: 4, 9: 4, 22: 3, 23: 4, 28: 4, 34: 3}

var vtkType = map[ElementType]int64{Tet4: 10, Hex8: 12, Wedge6: 13, Pyramid5: 14, Tet10: 24, Hex20: 25, Wedge15: 26, Pyramid13: 27}

// addVTKCell adds one cell; nodes are checked builder indices. It returns the element's index, -1 for a cell that is no
// volume.
func (b *builder) addVTKCell(kind, number int64, line int, nodes []int32) int32 {
	if v, ok := vtkVolumes[kind]; ok {
		if len(nodes) != v.nodes {
			panic(errorAt(b.file, line, fmt.Sprintf("cell %d of type %d has %d nodes instead of %d", number, kind, len(nodes), v.nodes), cureSyntax))
		}
		return b.addElement(v.as, number, line, nodes, v.order)
	}
	corners, facet := vtkCorners[kind]
	switch {
	case facet:
		corners = cmp.Or(corners, len(nodes))
		if len(nodes) < max(3, corners) {
			panic(errorAt(b.file, line, fmt.Sprintf("cell %d of type %d has %d nodes", number, kind, len(nodes)), cureSyntax))
		}
		if kind == 8 { // a pixel goes by rows
			nodes = []int32{nodes[0], nodes[1], nodes[3], nodes[2]}
		}
		b.addFacet(nodes[:corners])
	case kind == 6:
		b.addStrip(nodes)
	case kind >= 0 && kind <= 4, kind == 21, kind == 35, kind == 68:
		// empty cells, points and lines carry nothing that is kept
	default:
		panic(errorAt(b.file, line, fmt.Sprintf("cell %d has type %d, which is not read", number, kind), "use linear or quadratic elements"))
	}
	return -1
}

// addStrip adds a triangle strip, every second triangle of which turns the other way.
func (b *builder) addStrip(nodes []int32) {
	for k := 2; k < len(nodes); k++ {
		t := []int32{nodes[k-2], nodes[k-1], nodes[k]}
		if k&1 == 1 {
			t[0], t[1] = t[1], t[0]
		}
		b.addFacet(t)
	}
}

func isVTK(data []byte) bool { return bytes.HasPrefix(data, []byte("# vtk DataFile")) }

type vtkReader struct {
	*scanner
	b      *builder
	binary bool // big-endian values
	pieces
}

// pieces are the cells of a file before they are put together.
type pieces struct {
	sizes, conn []int64 // nodes of each cell, and all nodes
	kinds       []int64 // VTK type of each cell
}

// parseVTK reads unstructured grids and polydata, text and binary, of format versions up to 5.1. Data on points and
// cells are passed over.
func parseVTK(name string, data []byte) *builder {
	r := &vtkReader{scanner: newScanner(name, data), b: newBuilder(name, "VTK", len(data))}
	r.b.setNodes(nil, 0)
	r.rest()
	r.rest() // title
	switch kind := bytes.TrimSpace(r.rest()); string(kind) {
	case "ASCII":
	case "BINARY":
		r.binary = true
		r.b.format = "VTK binary"
	default:
		r.line--
		panic(r.fail(cureSyntax, "%q stands where ASCII or BINARY should", clip(kind)))
	}
	r.sections()
	if len(r.kinds) != len(r.sizes) {
		panic(r.fail(cureTruncated, "there are %d cells and %d cell types", len(r.sizes), len(r.kinds)))
	}
	r.b.addCells(&r.pieces, 0)
	return r.b
}

// addCells puts cells together whose connectivity counts nodes from base on.
func (b *builder) addCells(p *pieces, base int) {
	at := 0
	var nodes []int32
	for i, size := range p.sizes {
		if size < 0 || size > int64(len(p.conn)-at) {
			panic(errorAt(b.file, 0, fmt.Sprintf("cell %d has %d nodes, but the connectivity ends after %d more", i, size, len(p.conn)-at), cureTruncated))
		}
		nodes = nodes[:0]
		for _, n := range p.conn[at : at+int(size)] {
			if n < 0 || n >= int64(len(b.nodes)-base) {
				panic(errorAt(b.file, 0, fmt.Sprintf("cell %d names point %d, but the file has %d points", i, n, len(b.nodes)-base), "export the mesh again with all its points"))
			}
			nodes = append(nodes, int32(n)+int32(base))
		}
		at += int(size)
		b.addVTKCell(p.kinds[i], int64(i), 0, nodes)
	}
}

func (r *vtkReader) sections() {
	for {
		w := r.word()
		if w == nil {
			return
		}
		section := string(bytes.ToUpper(w))
		if section != "METADATA" { // which follows each array
			r.once(section)
		}
		switch section {
		case "DATASET":
			if kind := string(bytes.ToUpper(r.word())); kind != "UNSTRUCTURED_GRID" && kind != "POLYDATA" {
				panic(r.fail("save it as an unstructured grid", "the data set is a %s", clip([]byte(kind))))
			}
		case "POINTS":
			r.points()
		case "CELLS":
			r.cells(-1)
		case "CELL_TYPES":
			r.cellTypes()
		case "POLYGONS":
			r.cells(7)
		case "TRIANGLE_STRIPS":
			r.cells(6)
		case "LINES", "VERTICES":
			r.cells(4)
		case "METADATA":
			for r.left() > 0 && len(bytes.TrimSpace(r.rest())) == 0 {
			}
			for r.left() > 0 && len(bytes.TrimSpace(r.rest())) > 0 {
			}
		case "FIELD", "CELL_DATA", "POINT_DATA":
			if section == "FIELD" && len(r.b.nodes) == 0 {
				r.field()
				break
			}
			return // what follows are values on points and cells
		default:
			r.refuseEscapes()
			panic(r.fail("make the counts agree with the data, or export the mesh again", "%q stands where a section like POINTS should begin", clip(bytes.ToValidUTF8(w, []byte("?")))))
		}
	}
}

// refuseEscapes refuses a binary file in which bytes have become a backslash with two hexadecimal digits; chance gives
// fewer than one in a thousand bytes.
func (r *vtkReader) refuseEscapes() {
	if !r.binary {
		return
	}
	n := len(vtkEscape.FindAllIndex(r.data, -1))
	if n > 0 && n >= len(r.data)/100 {
		panic(r.fail("take the original file or export the mesh again", `the binary data is damaged: %d of its bytes have been rewritten as text like \E3`, n))
	}
}

var vtkEscape = regexp.MustCompile(`\\[0-9A-Fa-f]{2}`)

var vtkTypes = map[string]string{
	"char": "int8", "signed_char": "int8", "unsigned_char": "uint8", "short": "int16", "unsigned_short": "uint16",
	"int": "int32", "unsigned_int": "uint32", "long": "int64", "unsigned_long": "uint64", "float": "float32", "double": "float64",
	"vtkidtype": "int64", "vtktypeint64": "int64", "vtktypeuint64": "uint64", "vtktypeint32": "int32",
}

// values reads count numbers of a type after the line that announces them.
func (r *vtkReader) values(count int, kind, what string) (a array) {
	t := numberTypes[vtkTypes[kind]]
	if t == nil {
		panic(r.fail(cureSyntax, "%s have the type %q", what, clip([]byte(kind))))
	}
	if !r.binary {
		a.values = make([]float64, 0, min(count, r.left()/2+1))
		for range count {
			a.values = append(a.values, r.float("one of the "+what))
		}
		return a
	}
	r.rest()
	if count > r.left()/t.bytes {
		panic(r.fail(cureTruncated, "%d %s of %d bytes are announced, but the file has only %d more bytes", count, what, t.bytes, r.left()))
	}
	r.pos += count * t.bytes
	return array{kind: t, data: r.data[r.pos-count*t.bytes : r.pos], order: binary.BigEndian}
}

func (r *vtkReader) whole(count int, kind, what, one string) []int64 {
	a := r.values(count, kind, what)
	return a.whole(func(x float64) refusal.Fault { return r.fail(cureSyntax, "%g stands where %s should", x, one) })
}

func (r *vtkReader) points() {
	n := r.count("points", 3)
	a := r.values(3*n, lower(r.word()), "coordinates")
	x, bad := a.positions(make([]mgl64.Vec3, 0, n))
	if bad >= 0 {
		r.refuseEscapes()
		panic(r.fail("export the mesh again", "point %d has a coordinate that is not a finite number", bad))
	}
	r.b.setNodes(x, 0)
}

// cells reads a cell section: up to version 4 counts and nodes in one list, from 5.1 on offsets and connectivity. kind
// is the cells' type, -1 when it follows.
func (r *vtkReader) cells(kind int64) {
	n := r.count("cells", 1)
	size := r.count("cell entries", 1)
	mark := *r.scanner
	if w := r.word(); string(bytes.ToUpper(w)) == "OFFSETS" {
		r.offsetCells(n, size)
	} else {
		*r.scanner = mark
		r.listedCells(n, size)
	}
	for len(r.kinds) < len(r.sizes) && kind >= 0 {
		r.kinds = append(r.kinds, kind)
	}
}

func (r *vtkReader) listedCells(n, size int) {
	list := r.whole(size, "int", "cell entries", "a cell entry")
	for i := range n {
		if len(list) == 0 || list[0] < 0 || list[0] > int64(len(list)-1) {
			panic(r.fail("make the counts agree with the data, or export the mesh again", "the entries of cell %d do not fit in the %d that are announced", i, size))
		}
		r.sizes = append(r.sizes, list[0])
		r.conn = append(r.conn, list[1:1+list[0]]...)
		list = list[1+list[0]:]
	}
}

func (r *vtkReader) offsetCells(n, size int) {
	offsets := r.whole(n, lower(r.word()), "offsets", "an offset")
	if w := r.word(); string(bytes.ToUpper(w)) != "CONNECTIVITY" {
		panic(r.fail(cureSyntax, "%q stands where CONNECTIVITY should", clip(bytes.ToValidUTF8(w, []byte("?")))))
	}
	conn := r.whole(size, lower(r.word()), "connectivity entries", "a point number")
	for i := 1; i < len(offsets); i++ {
		r.sizes = append(r.sizes, offsets[i]-offsets[i-1])
	}
	r.conn = append(r.conn, conn...)
}

func (r *vtkReader) cellTypes() {
	n := r.count("cell types", 1)
	r.kinds = append(r.kinds, r.whole(n, "int", "cell types", "a cell type")...)
}

// field passes over the arrays of a FIELD section before the points.
func (r *vtkReader) field() {
	r.word() // its name
	n := r.count("field arrays", 4)
	for range n {
		r.word()
		width := r.count("components", 1)
		tuples := r.count("tuples", 1)
		if width > 0 && tuples > r.left()/width+1 {
			panic(r.fail(cureTruncated, "a field of %d x %d values is announced, but the file has only %d more bytes", tuples, width, r.left()))
		}
		r.values(width*tuples, lower(r.word()), "field values")
	}
}
