package mesh

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"hapco/physics/machinery/budget"
	"hapco/physics/machinery/refusal"
)

// isVTU: the first tag is VTKFile.
func isVTU(data []byte) bool {
	head := data[:min(len(data), 4096)]
	at := bytes.Index(head, []byte("<VTKFile"))
	return at >= 0 && bytes.HasPrefix(bytes.TrimSpace(head), []byte("<"))
}

// tag is one XML tag with its attributes, and the text that follows up to the next tag.
type tag struct {
	name  string // "/Name" for an end tag
	attrs map[string]string
	text  []byte
	line  int
}

// vtuReader walks over the tags. A real XML parser would stumble over raw appended data, which is no XML.
type vtuReader struct {
	*scanner
	b          *builder
	order      binary.ByteOrder
	header     int // bytes of the counts before binary data
	compressed bool
	appended   []byte // encoded data after the underscore
	raw        bool   // the appended data is not in base64
	unpacked   *budget.Meter
}

func parseVTU(name string, data []byte) *builder {
	r := &vtuReader{scanner: newScanner(name, data), b: newBuilder(name, "VTU", len(data)), order: binary.LittleEndian, header: 4, unpacked: budget.NewMeter(int64(len(data)))}
	r.b.setNodes(nil, 0)
	r.findAppended()
	var piece []vtuArray
	section := ""
	polydata := false
	for {
		t := r.tag()
		switch t.name {
		case "":
			panic(r.fail(cureTruncated, "the file ends where </VTKFile> should stand"))
		case "VTKFile":
			r.head(t)
			polydata = t.attrs["type"] == "PolyData"
		case "Piece":
			piece = piece[:0]
		case "Points", "Cells", "PointData", "CellData", "Polys", "Strips", "Lines", "Verts":
			section = t.name
		case "DataArray":
			r.first(piece, section, t)
			a := vtuArray{section: section, name: t.attrs["Name"], line: t.line}
			if !a.needed() {
				continue
			}
			r.array(t, &a)
			piece = append(piece, a)
		case "/Piece":
			r.piece(piece, polydata)
			piece = piece[:0]
		case "/VTKFile", "AppendedData":
			return r.b
		}
	}
}

// tag reads the next tag and the text after it.
func (r *vtuReader) tag() tag {
	for {
		start := bytes.IndexByte(r.data[r.pos:], '<')
		if start < 0 {
			r.pos = len(r.data)
			return tag{}
		}
		r.advance(start)
		end := bytes.IndexByte(r.data[r.pos:], '>')
		if bytes.HasPrefix(r.data[r.pos:], []byte("<!--")) {
			if end = bytes.Index(r.data[r.pos:], []byte("-->")); end >= 0 {
				end += 2
			}
		}
		if end < 0 {
			panic(r.fail(cureTruncated, "a tag has no end"))
		}
		t := tag{line: r.line}
		inside := r.data[r.pos+1 : r.pos+end]
		r.advance(end + 1)
		if len(inside) == 0 || inside[0] == '?' || inside[0] == '!' {
			continue
		}
		t.name, t.attrs = attributes(inside)
		next := bytes.IndexByte(r.data[r.pos:], '<')
		if next < 0 {
			next = r.left()
		}
		t.text = r.data[r.pos : r.pos+next]
		return t
	}
}

// advance moves on by n bytes and counts lines.
func (r *vtuReader) advance(n int) {
	r.line += bytes.Count(r.data[r.pos:r.pos+n], []byte("\n"))
	r.pos += n
}

// attributes splits `Name a="x" b='y'`.
func attributes(inside []byte) (name string, attrs map[string]string) {
	rest := string(bytes.TrimRight(bytes.TrimSpace(inside), "/"))
	name = rest
	if i := strings.IndexAny(rest, " \t\r\n"); i >= 0 {
		name, rest = rest[:i], rest[i:]
	} else {
		return name, nil
	}
	attrs = map[string]string{}
	for {
		key, value, ok := strings.Cut(rest, "=")
		value = strings.TrimSpace(value)
		if !ok || len(value) < 2 {
			return name, attrs
		}
		end := strings.IndexByte(value[1:], value[0])
		if end < 0 {
			return name, attrs
		}
		attrs[strings.TrimSpace(key)] = unescape.Replace(value[1 : 1+end])
		rest = value[2+end:]
	}
}

var (
	unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")
	escape   = strings.NewReplacer("<", "&lt;", ">", "&gt;", `"`, "&quot;", "&", "&amp;")
)

func (r *vtuReader) head(t tag) {
	if kind := t.attrs["type"]; kind != "UnstructuredGrid" && kind != "PolyData" {
		panic(r.fail("save it as an unstructured grid", "the file holds a %q", clip([]byte(kind))))
	}
	if t.attrs["byte_order"] == "BigEndian" {
		r.order = binary.BigEndian
	}
	if t.attrs["header_type"] == "UInt64" {
		r.header = 8
	}
	switch c := t.attrs["compressor"]; c {
	case "":
	case "vtkZLibDataCompressor":
		r.compressed = true
	default:
		panic(r.fail("save it with zlib or without compression", "the data is compressed by %s, which is not read", clip([]byte(c))))
	}
}

// findAppended locates the appended data, which DataArrays point into from above.
func (r *vtuReader) findAppended() {
	at := bytes.Index(r.data, []byte("<AppendedData"))
	if at < 0 {
		return
	}
	end := bytes.IndexByte(r.data[at:], '>')
	if end < 0 {
		return
	}
	_, attrs := attributes(r.data[at+1 : at+end])
	r.raw = attrs["encoding"] == "raw"
	underscore := bytes.IndexByte(r.data[at+end:], '_')
	if underscore < 0 {
		panic(errorAt(r.name, 0, "the appended data has no beginning", cureTruncated))
	}
	r.appended = r.data[at+end+underscore+1:]
}

type vtuArray struct {
	array
	section, name string
	line          int
}

// needed tells whether the array says anything about the mesh.
func (a *vtuArray) needed() bool {
	switch a.section {
	case "Points":
		return true
	case "Cells", "Polys", "Strips":
		return a.name == "connectivity" || a.name == "offsets" || a.name == "types"
	case "PointData", "CellData":
		return strings.HasPrefix(a.name, setPrefix) || a.name == numberArray || groupArrays[a.name]
	}
	return false
}

// first refuses an array that the piece has already had: either could be meant.
func (r *vtuReader) first(piece []vtuArray, section string, t tag) {
	for _, a := range piece {
		if a.section == section && (section == "Points" || a.name == t.attrs["Name"] && a.name != "") {
			panic(errorAt(r.name, t.line, fmt.Sprintf("a second array %q stands in %s; the first is on line %d", clip([]byte(t.attrs["Name"])), section, a.line), "keep one of the two"))
		}
	}
}

func (r *vtuReader) array(t tag, a *vtuArray) {
	fail := func(what string, args ...any) refusal.Fault {
		return errorAt(r.name, t.line, fmt.Sprintf("array %q: ", clip([]byte(t.attrs["Name"])))+fmt.Sprintf(what, args...), cureSyntax)
	}
	name := strings.ToLower(t.attrs["type"])
	kind := numberTypes[name]
	if kind == nil {
		if name == "string" || name == "bit" {
			return // says nothing about the mesh
		}
		panic(fail("the type %q is unknown", clip([]byte(t.attrs["type"]))))
	}
	switch t.attrs["format"] {
	case "ascii", "":
		s := &scanner{name: r.name, data: t.text, line: t.line}
		for {
			w := s.word()
			if w == nil {
				return
			}
			x, err := strconv.ParseFloat(text(w), 64)
			if err != nil && !math.IsInf(x, 0) {
				panic(s.fail(cureSyntax, "%q stands where a number should", clip(w)))
			}
			a.values = append(a.values, x)
		}
	case "binary", "appended":
		encoded, raw := t.text, false
		if t.attrs["format"] == "appended" {
			offset, err := strconv.ParseUint(t.attrs["offset"], 10, 63)
			if err != nil || offset > uint64(len(r.appended)) {
				panic(fail("its offset %q is outside of the appended data", clip([]byte(t.attrs["offset"]))))
			}
			encoded, raw = r.appended[offset:], r.raw
		}
		a.data, a.kind, a.order = r.payload(&payloadReader{data: encoded, raw: raw, fail: fail}), kind, r.order
		return
	}
	panic(fail("the format %q is unknown", clip([]byte(t.attrs["format"]))))
}

// payload decodes one block of binary data: counts, then bytes.
func (r *vtuReader) payload(in *payloadReader) []byte {
	size := len(in.data)
	count := func() uint64 {
		b := in.next(uint64(r.header))
		if r.header == 8 {
			return r.order.Uint64(b)
		}
		return uint64(r.order.Uint32(b))
	}
	n := count()
	if !r.compressed {
		b := in.next(n)
		if err := r.unpacked.Count(len(b)); err != nil { // several arrays may point at the same bytes
			panic(in.fail("%v", err))
		}
		return b
	}
	// Compressed: blocks, size of a block, size of the last, then packed sizes.
	if n > uint64(size) {
		panic(in.fail("%d blocks are announced in %d bytes", n, size))
	}
	block := count()
	count() // of the last block; inflating tells it too
	packed := make([]uint64, 0, n)
	for range n {
		packed = append(packed, count())
	}
	var out []byte
	for _, size := range packed {
		b := in.next(size)
		z, err := zlib.NewReader(bytes.NewReader(b))
		if err != nil {
			panic(in.fail("%v", err))
		}
		// A block never unpacks to more than it announces.
		plain, err := io.ReadAll(r.unpacked.Out(io.LimitReader(z, int64(min(block, 1<<30))+1)))
		if err != nil {
			panic(in.fail("%v", err))
		}
		if uint64(len(plain)) > block {
			panic(in.fail("a compressed block holds more than the %d bytes announced", block))
		}
		out = append(out, plain...)
	}
	return out
}

// payloadReader takes bytes off raw or base64 data. In base64 a run may be padded at the end of the counts and the data
// begin anew; decoding four characters at a time, padding in between needs no further care.
type payloadReader struct {
	data  []byte
	raw   bool
	fail  func(what string, args ...any) refusal.Fault
	ahead []byte // decoded and not yet taken
}

func (p *payloadReader) next(n uint64) []byte {
	if p.raw {
		if n > uint64(len(p.data)) {
			panic(p.fail("%d bytes are announced, %d are left", n, len(p.data)))
		}
		b := p.data[:n]
		p.data = p.data[n:]
		return b
	}
	if n > uint64(len(p.ahead))+uint64(len(p.data)) {
		panic(p.fail("%d bytes are announced, at most %d are left", n, len(p.ahead)+len(p.data)*3/4))
	}
	var quad [4]byte
	var plain [3]byte
	for uint64(len(p.ahead)) < n {
		k := 0
		for k < 4 && len(p.data) > 0 {
			c := p.data[0]
			p.data = p.data[1:]
			if isSpace(c) {
				continue
			}
			quad[k] = c
			k++
		}
		m, err := base64.StdEncoding.Decode(plain[:], quad[:k])
		if err != nil || m == 0 {
			panic(p.fail("the base64 data ends or is damaged %d bytes before its end", n-uint64(len(p.ahead))))
		}
		p.ahead = append(p.ahead, plain[:m]...)
	}
	b := p.ahead[:n:n]
	p.ahead = p.ahead[n:]
	return b
}

// piece adds one piece: its points, cells, and sets.
func (r *vtuReader) piece(arrays []vtuArray, polydata bool) {
	base := len(r.b.nodes)
	get := func(section, name string) *vtuArray {
		for i := range arrays {
			if arrays[i].section == section && (name == "" || arrays[i].name == name) {
				return &arrays[i]
			}
		}
		return nil
	}
	points := get("Points", "")
	if points == nil {
		return // an empty piece
	}
	if points.len()%3 != 0 {
		panic(errorAt(r.name, points.line, fmt.Sprintf("the points have %d coordinates, which is not three each", points.len()), cureSyntax))
	}
	x, bad := points.positions(slices.Grow(r.b.nodes, points.len()/3))
	if bad >= 0 {
		panic(errorAt(r.name, points.line, fmt.Sprintf("point %d has a coordinate that is not a finite number", bad), "correct or remove it"))
	}
	r.b.setNodes(x, 0)
	firstElement := len(r.b.elementNumbers)
	elementOf := []int32{}
	sections := map[string]int64{"Cells": -1}
	if polydata {
		sections = map[string]int64{"Polys": 7, "Strips": 6}
	}
	for _, section := range []string{"Cells", "Polys", "Strips"} {
		kind, ok := sections[section]
		conn, offsets := get(section, "connectivity"), get(section, "offsets")
		if !ok || conn == nil || offsets == nil {
			continue
		}
		p := pieces{}
		p.conn = r.whole(conn)
		p.sizes = r.whole(offsets)
		last := int64(0)
		for i, end := range p.sizes {
			p.sizes[i], last = end-last, end
		}
		if kind < 0 {
			types := get(section, "types")
			if types == nil {
				panic(errorAt(r.name, conn.line, "the cells have no types", cureSyntax))
			}
			p.kinds = r.whole(types)
			if len(p.kinds) != len(p.sizes) {
				panic(errorAt(r.name, types.line, fmt.Sprintf("there are %d offsets and %d types", len(p.sizes), len(p.kinds)), cureSyntax))
			}
		} else {
			p.kinds = slices.Repeat([]int64{kind}, len(p.sizes))
		}
		r.b.addCells(&p, base)
		next := int32(firstElement)
		for _, k := range p.kinds {
			e := int32(-1)
			if _, volume := vtkVolumes[k]; volume {
				e = next
				next++
			}
			elementOf = append(elementOf, e)
		}
	}
	r.sets(arrays, base, elementOf)
}

func (r *vtuReader) whole(a *vtuArray) []int64 {
	return a.whole(func(x float64) refusal.Fault {
		return errorAt(r.name, a.line, fmt.Sprintf("%g stands where a whole number should", x), cureSyntax)
	})
}

// setPrefix marks the arrays that hold a set: 1 at its members, 0 elsewhere.
const setPrefix = "set:"

// groupArrays are the names under which other programs store an element's group.
var groupArrays = map[string]bool{"gmsh:physical": true, "medit:ref": true, "CellEntityIds": true, "MaterialIDs": true}

func (r *vtuReader) sets(arrays []vtuArray, base int, elementOf []int32) {
	for _, a := range arrays {
		name, isSet := strings.CutPrefix(a.name, setPrefix)
		numbers := a.name == numberArray
		if a.section == "PointData" {
			for i := range a.len() {
				switch v := a.at(i); {
				case isSet && v != 0 && base+i < len(r.b.nodes):
					r.b.nodeSets[name] = append(r.b.nodeSets[name], int32(base+i))
				case numbers && a.len() == len(r.b.nodes)-base:
					r.b.numbers[base+i] = int64(v)
				}
			}
			continue
		}
		if a.section != "CellData" {
			continue
		}
		for i, e := range elementOf[:min(len(elementOf), a.len())] {
			if e < 0 {
				continue
			}
			v := a.at(i)
			if numbers && a.len() == len(elementOf) {
				r.b.elementNumbers[e] = int64(v)
			}
			if groupArrays[a.name] {
				name = fmt.Sprintf("volume-%g", v)
			}
			if v != 0 && (isSet || groupArrays[a.name]) {
				r.b.elementSets[name] = append(r.b.elementSets[name], e)
			}
		}
	}
}

// numberArray holds the numbers that nodes and elements had in the file that they were first read from.
const numberArray = "number"
