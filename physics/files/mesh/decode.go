package mesh

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"hapco/physics/machinery/budget"
	"hapco/physics/machinery/refusal"
)

// Load reads a volume mesh from a file of any known format; see Decode. Coordinates are as in the file: Scale them by
// the file's unit.
func Load(path string) (*Mesh, error) {
	return refusal.Caught(func() *Mesh { return open(path).sound() })
}

// Read reads whatever the file holds: a volume mesh when it has volume elements, otherwise a surface; the other is nil.
// Bad elements stay as they are, for examination and conversion.
func Read(path string) (m *Mesh, s *Triangles, err error) {
	_, err = refusal.Caught(func() *builder {
		b := open(path)
		if len(b.elementNumbers) == 0 && len(b.triangles) > 0 {
			s = b.surface()
		} else {
			m = b.finish()
		}
		return b
	})
	return m, s, err
}

// Decode reads a volume mesh whose format it finds from the content; name serves for messages only. The mesh is fit for
// computing: Check has passed. A file whose elements are all inverted is only numbered the other way round: they are
// turned, and Notes says so.
func Decode(name string, data []byte) (*Mesh, error) {
	return refusal.Caught(func() *Mesh { return read(name, data).sound() })
}

func open(path string) *builder {
	if isTetGen(path) {
		return readTetGen(path)
	}
	return readFile(path, "mesh")
}

// readFile reads a file that the user takes for a mesh or a surface.
func readFile(path, of string) *builder {
	data, err := budget.Mesh.Read(path)
	if err != nil {
		panic(refusal.Of("mesh: %w (give the path of a %s file)", err, of))
	}
	return read(filepath.Base(path), data)
}

// sound is the mesh, fit for computing.
func (b *builder) sound() *Mesh {
	m := b.finish()
	m.TurnMirrored()
	refusal.Need(m.Check())
	return m
}

// read finds the format and reads the file, packed by gzip or not.
func read(name string, data []byte) *builder {
	if budget.IsGzip(data) {
		z, err := budget.Gunzip(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(z)
		}
		if err != nil {
			panic(errorAt(name, 0, err.Error(), "unpack it and give the mesh itself"))
		}
	}
	data, err := plainText(data)
	if err != nil {
		panic(errorAt(name, 1, err.Error(), "export the mesh again"))
	}
	start := bytes.TrimLeft(data, " \t\r\n\v\f") // of a binary form it has no blanks
	if len(start) == 0 {
		panic(errorAt(name, 0, "the file is empty", "export the mesh again"))
	}
	for _, f := range formats {
		if f.is(data) || f.is(start) {
			return f.parse(name, data).inRange()
		}
	}
	panic(errorAt(name, 1, "this is no mesh format that is known here",
		"use Gmsh .msh, VTK, VTU, Abaqus .inp, ANSYS .cdb, Medit .mesh, STL, OBJ or PLY"))
}

// plainText is a mesh file's text as readers expect it: without the mark of UTF-8, and with lines that end as in Unix,
// or as in Windows, but not as in old Macs. Binary forms stay as they are.
func plainText(data []byte) ([]byte, error) {
	if isSTLBinary(data) {
		return data, nil
	}
	data, err := budget.Unmarked(data)
	if err == nil && bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') >= 0 && bytes.IndexByte(data, 0) < 0 {
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	}
	return data, err
}

type format struct {
	is    func(data []byte) bool
	parse func(name string, data []byte) *builder
}

var formats = []format{
	{isGmsh, parseGmsh},
	{isVTK, parseVTK},
	{isVTU, parseVTU},
	{isPLY, parsePLY},
	{isSTLBinary, parseSTLBinary},
	{isSTLText, parseSTLText},
	{isMedit, parseMedit},
	{isCDB, parseCDB},
	{isINP, parseINP},
	{isOBJ, parseOBJ},
	{isSTLCut, parseSTLCut}, // last: it goes by little
}

// TurnMirrored turns all elements of a type when every one of them is inverted: the file then numbers that type the
// other way round. Notes says so.
func (m *Mesh) TurnMirrored() {
	for t := range shapes {
		m.turnType(ElementType(t))
	}
}

func (m *Mesh) turnType(t ElementType) {
	total := 0
	for _, e := range m.All() {
		if e.Type != t {
			continue
		}
		if m.fault(e) != Inverted {
			return
		}
		total++
	}
	if total == 0 {
		return
	}
	var old [MaxNodes]int32
	for _, e := range m.All() {
		if e.Type != t {
			continue
		}
		copy(old[:], e.Nodes)
		for k, o := range t.shape().mirror {
			e.Nodes[k] = old[o]
		}
	}
	m.Notes = append(m.Notes, fmt.Sprintf("every %s was numbered inside out: all %d have been turned", t, total))
}
