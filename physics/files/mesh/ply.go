package mesh

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"hapco/physics/machinery/refusal"

	"github.com/go-gl/mathgl/mgl64"
)

func isPLY(data []byte) bool {
	return bytes.HasPrefix(data, []byte("ply")) && len(data) > 3 && isSpace(data[3])
}

// plyTypes are PLY's names of numbers, old and new.
var plyTypes = map[string]string{
	"char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32", "float": "float32", "double": "float64",
	"int8": "int8", "uint8": "uint8", "int16": "int16", "uint16": "uint16", "int32": "int32", "uint32": "uint32", "float32": "float32", "float64": "float64",
}

type plyProperty struct {
	name  string
	count string // type of a list's length, "" for a scalar
	value string
}

type plyElement struct {
	name       string
	count      int
	properties []plyProperty
}

type plyReader struct {
	*scanner
	order binary.ByteOrder // nil for text
}

// parsePLY reads the vertices and faces of a PLY file of any of its three forms.
func parsePLY(name string, data []byte) *builder {
	r := &plyReader{scanner: newScanner(name, data)}
	elements, format := r.header()
	b := newBuilder(name, "PLY "+format, len(data))
	b.setNodes(nil, 0)
	seen := false
	for _, e := range elements {
		switch e.name {
		case "vertex":
			seen = true
			nodes := r.vertices(e)
			b.setNodes(nodes, 0)
		case "face":
			if !seen {
				panic(r.fail("put the vertices first", "the faces come before the vertices"))
			}
			r.faces(e, b)
		default:
			for range e.count {
				for _, p := range e.properties {
					r.pass(p)
				}
			}
		}
	}
	if !seen {
		panic(r.fail(cureSyntax, "the file has no vertices"))
	}
	return b
}

func (r *plyReader) header() (elements []plyElement, format string) {
	r.rest()
	for {
		if r.left() == 0 {
			panic(r.fail(cureTruncated, "the file ends in the header"))
		}
		line := r.line
		w := bytes.Fields(r.rest())
		bad := func(what string, args ...any) refusal.Fault { r.line = line; return r.fail(cureSyntax, what, args...) }
		if len(w) == 0 {
			continue
		}
		last := len(elements) - 1
		switch string(w[0]) {
		case "comment", "obj_info":
		case "format":
			if len(w) < 2 {
				panic(bad("the format is missing"))
			}
			switch format = string(w[1]); format {
			case "ascii":
			case "binary_little_endian":
				r.order = binary.LittleEndian
			case "binary_big_endian":
				r.order = binary.BigEndian
			default:
				panic(bad("the format %q is unknown", clip(w[1])))
			}
		case "element":
			if len(w) < 3 {
				panic(bad("an element line is too short"))
			}
			n, e := strconv.ParseInt(string(w[2]), 10, 64)
			if e != nil {
				panic(bad("%q stands where the number of elements should", clip(w[2])))
			}
			count := r.plausible(n, string(w[1])+" elements", 1)
			r.line = line
			r.once("element " + string(w[1]))
			r.line++
			elements = append(elements, plyElement{name: string(w[1]), count: count})
		case "property":
			p := plyProperty{}
			switch {
			case last < 0:
				panic(bad("a property comes before its element"))
			case len(w) == 3:
				p = plyProperty{name: string(w[2]), value: plyTypes[string(w[1])]}
			case len(w) == 5 && string(w[1]) == "list":
				p = plyProperty{name: string(w[4]), count: plyTypes[string(w[2])], value: plyTypes[string(w[3])]}
				if p.count == "" || p.count[0] == 'f' {
					panic(bad("the type %q of a list's length is unknown", clip(w[2])))
				}
			}
			if p.value == "" {
				panic(bad("the property has an unknown type"))
			}
			elements[last].properties = append(elements[last].properties, p)
		case "end_header":
			if format == "" {
				panic(bad("the format is missing"))
			}
			return elements, format
		default:
			panic(bad("%q stands in the header", clip(w[0])))
		}
	}
}

func (r *plyReader) value(kind string) float64 {
	if r.order == nil {
		return r.float("a number")
	}
	t := numberTypes[kind]
	if r.left() < t.bytes {
		panic(r.fail(cureTruncated, "the file ends where a number should stand"))
	}
	r.pos += t.bytes
	return t.read(r.order, r.data[r.pos-t.bytes:])
}

// length is how many numbers a property has.
func (r *plyReader) length(p plyProperty) int {
	if p.count == "" {
		return 1
	}
	v := r.value(p.count)
	if !(v >= 0 && v <= float64(r.left())) {
		panic(r.fail(cureSyntax, "a list has %g entries", v))
	}
	return int(v)
}

func (r *plyReader) vertices(e plyElement) []mgl64.Vec3 {
	axis := map[string]int{"x": 0, "y": 1, "z": 2}
	found := 0
	for _, p := range e.properties {
		if _, ok := axis[p.name]; ok && p.count == "" {
			found++
		}
	}
	if found != 3 {
		panic(r.fail(cureSyntax, "the vertices have no properties x, y, z"))
	}
	var nodes []mgl64.Vec3
	for range e.count {
		var x mgl64.Vec3
		for _, p := range e.properties {
			k, ok := axis[p.name]
			if !ok || p.count != "" {
				r.pass(p)
				continue
			}
			if x[k] = r.value(p.value); x[k]-x[k] != 0 {
				panic(r.fail(cureSyntax, "vertex %d has the coordinate %g", len(nodes), x[k]))
			}
		}
		nodes = append(nodes, x)
	}
	return nodes
}

func (r *plyReader) faces(e plyElement, b *builder) {
	var polygon []int32
	for i := range e.count {
		for _, p := range e.properties {
			if p.count == "" || (p.name != "vertex_indices" && p.name != "vertex_index") {
				r.pass(p)
				continue
			}
			polygon = polygon[:0]
			for range r.length(p) {
				v := r.value(p.value)
				if !(v >= 0 && v < float64(len(b.nodes))) {
					panic(r.fail("export the surface again with all its vertices", "face %d names vertex %g, but the file has %d", i, v, len(b.nodes)))
				}
				polygon = append(polygon, int32(v))
			}
			b.addFacet(polygon)
		}
	}
}

// pass reads a property of no interest.
func (r *plyReader) pass(p plyProperty) {
	for range r.length(p) {
		r.value(p.value)
	}
}
