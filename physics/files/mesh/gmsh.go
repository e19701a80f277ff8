package mesh

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
)

type gmshElement struct {
	nodes     int // as stored in the file
	corners   int
	dimension int         // 0 point ... 3 volume
	as        ElementType // for volumes; 0 when this package has no such type
	order     []int8      // our node k is the file's node order[k]; nil: the same
}

// gmshElements lists Gmsh's type numbers. Types with nodes on faces or inside (9-node quadrangle, 27-node hexahedron,
// ...) keep the nodes of the serendipity type.
var gmshElements = map[int64]gmshElement{
	1: {2, 2, 1, 0, nil}, 2: {3, 3, 2, 0, nil}, 3: {4, 4, 2, 0, nil},
	4: {4, 4, 3, Tet4, nil}, 5: {8, 8, 3, Hex8, nil}, 6: {6, 6, 3, Wedge6, nil}, 7: {5, 5, 3, Pyramid5, nil},
	8: {3, 2, 1, 0, nil}, 9: {6, 3, 2, 0, nil}, 10: {9, 4, 2, 0, nil},
	11: {10, 4, 3, Tet10, []int8{0, 1, 2, 3, 4, 5, 6, 7, 9, 8}},
	12: {27, 8, 3, Hex20, gmshHex20}, 13: {18, 6, 3, Wedge15, gmshWedge15}, 14: {14, 5, 3, Pyramid13, gmshPyramid13},
	15: {1, 1, 0, 0, nil}, 16: {8, 4, 2, 0, nil},
	17: {20, 8, 3, Hex20, gmshHex20}, 18: {15, 6, 3, Wedge15, gmshWedge15}, 19: {13, 5, 3, Pyramid13, gmshPyramid13},
}

// Gmsh numbers mid-edge nodes by the edge's lower corner.
var (
	gmshHex20     = []int8{0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15}
	gmshWedge15   = []int8{0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11}
	gmshPyramid13 = []int8{0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12}
)

var dimensionNames = [4]string{"point", "line", "surface", "volume"}

// isGmsh recognises all versions by their first section.
func isGmsh(data []byte) bool {
	s := newScanner("", data)
	w := s.word()
	return bytes.Equal(w, []byte("$NOD")) || bytes.Equal(w, []byte("$MeshFormat")) || bytes.Equal(w, []byte("$Comments"))
}

type gmshReader struct {
	*scanner
	b       *builder
	version float64
	names   map[[2]int64]string   // physical group's name by dimension and tag
	groups  map[[2]int64][]int64  // 4.x: physical tags of an entity by dimension and tag
	parents map[[2]int64]int64    // 4.x: the entity that a part of a partitioned mesh is of
	sets    map[[2]int64]*gmshSet // by dimension and physical tag
	parts   map[[2]int64]*gmshSet // by dimension and entity tag, used when there is no physical group
	conn    [27]int32             // connectivity of the element being read
	binary  binary.ByteOrder      // nil for a text file
}

// gmshSet gathers the nodes and volume elements of a group.
type gmshSet struct{ nodes, elements []int32 }

func parseGmsh(name string, data []byte) *builder {
	r := &gmshReader{scanner: newScanner(name, data), b: newBuilder(name, "Gmsh 1", len(data)), version: 1,
		names: map[[2]int64]string{}, groups: map[[2]int64][]int64{}, parents: map[[2]int64]int64{}, sets: map[[2]int64]*gmshSet{}, parts: map[[2]int64]*gmshSet{}}
	for w := r.word(); w != nil; w = r.word() {
		name := string(w)
		section, known := gmshSections[name]
		switch {
		case !known && name[0] != '$':
			panic(r.fail(cureSyntax, "%q stands where a section like $Nodes should begin", clip(w)))
		case !known:
			r.skip(name)
			continue
		}
		r.once(name)
		if section.packed && r.version >= 4 {
			r.endCount() // binary data begins on the next line
		}
		section.read(r)
		r.end(name)
	}
	switch {
	case !r.had("$NOD", "$Nodes"):
		panic(r.fail(cureTruncated, "there is no node section"))
	case !r.had("$ELM", "$Elements"):
		panic(r.fail(cureTruncated, "there is no element section"))
	}
	r.nameSets()
	return r.b
}

// gmshSections are the sections that are read, each once; others, such as views, may come several times. Packed are
// those that may hold binary data.
var gmshSections = map[string]struct {
	read   func(*gmshReader)
	packed bool
}{
	"$MeshFormat":          {(*gmshReader).format, false},
	"$PhysicalNames":       {(*gmshReader).physicalNames, false},
	"$Entities":            {func(r *gmshReader) { r.entities(false) }, true},
	"$PartitionedEntities": {(*gmshReader).partitionedEntities, true},
	"$NOD":                 {(*gmshReader).nodes, false},
	"$Nodes":               {(*gmshReader).nodes, true},
	"$ELM":                 {(*gmshReader).elements, false},
	"$Elements":            {(*gmshReader).elements, true},
}

// had tells that a section has been begun, by one of its two names.
func (r *gmshReader) had(old, name string) bool { return r.sections[old]+r.sections[name] > 0 }

func (r *gmshReader) end(section string) {
	want := "$End" + section[1:]
	if section == "$NOD" || section == "$ELM" {
		want = "$END" + section[1:]
	}
	if w := r.need(want); text(w) != want {
		panic(r.fail("make the section's count agree with its content", "%q stands where %s should", clip(w), want))
	}
}

// skip passes over a section that holds no mesh, such as post-processing data.
func (r *gmshReader) skip(section string) {
	end := []byte("$End" + section[1:])
	at := bytes.Index(r.data[r.pos:], end)
	if at < 0 {
		panic(r.fail(cureTruncated, "section %s has no end", clip([]byte(section))))
	}
	r.line += bytes.Count(r.data[r.pos:r.pos+at], []byte("\n"))
	r.pos += at + len(end)
}

func (r *gmshReader) format() {
	v := r.float("the format's version")
	kind := r.integer("the file type")
	size := r.integer("the data size")
	if kind != 0 {
		if size != 8 {
			panic(r.fail("save it as text", "the binary file has a data size of %d instead of 8", size))
		}
		r.rest()
		one := r.bytes(4, "the byte-order mark")
		switch {
		case binary.LittleEndian.Uint32(one) == 1:
			r.binary = binary.LittleEndian
		case binary.BigEndian.Uint32(one) == 1:
			r.binary = binary.BigEndian
		default:
			panic(r.fail(cureSyntax, "the byte-order mark of the binary file is not 1"))
		}
	}
	switch {
	case v >= 2 && v < 3:
		r.b.format = "Gmsh 2.2"
	case v == 4.1:
		r.b.format = "Gmsh 4.1"
	default:
		panic(r.fail("save it as version 4.1 or 2.2", "Gmsh format version %g is not read", v))
	}
	if r.binary != nil {
		r.b.format += " binary"
	}
	r.version = v
}

// physicalNames reads: dimension tag "name".
func (r *gmshReader) physicalNames() {
	n := r.count("physical names", 6)
	for range n {
		dim := r.integer("a dimension")
		if dim < 0 || dim > 3 {
			panic(r.fail(cureSyntax, "the dimension is %d", dim))
		}
		tag := r.integer("a physical tag")
		name := strings.Trim(strings.TrimSpace(string(r.rest())), `"`)
		if name == "" {
			panic(r.fail(cureSyntax, "a physical name is empty"))
		}
		r.names[[2]int64{dim, tag}] = name
	}
}

// The sections of nodes, elements and entities are read through int, size, sizeOf and real, which take a word of a text
// file and bytes of a binary one: 4 for an int, 8 for a size (version 4.1) and for a real.

func (r *gmshReader) bytes(n int, what string) []byte {
	if r.left() < n {
		panic(r.fail(cureTruncated, "the file ends where %s should stand", what))
	}
	r.pos += n
	return r.data[r.pos-n : r.pos]
}

func (r *gmshReader) int(what string) int64 { return r.number(4, what) }

func (r *gmshReader) size(what string) int64 { return r.number(8, what) }

func (r *gmshReader) number(width int, what string) int64 {
	if r.binary == nil {
		return r.integer(what)
	}
	b := r.bytes(width, what)
	if width == 4 {
		return int64(int32(r.binary.Uint32(b)))
	}
	return int64(r.binary.Uint64(b))
}

// sizeOf reads a number of things; see scanner.count.
func (r *gmshReader) sizeOf(what string, minBytes int) int {
	return r.plausible(r.size("the number of "+what), what, minBytes)
}

func (r *gmshReader) real(what string) float64 {
	if r.binary == nil {
		return r.float(what)
	}
	v := math.Float64frombits(r.binary.Uint64(r.bytes(8, what)))
	if v-v != 0 {
		panic(r.fail(cureSyntax, "%g stands where %s should", v, what))
	}
	return v
}

// nodes reads those of versions 1 and 2: number x y z.
func (r *gmshReader) nodes() {
	if r.version >= 4 {
		r.nodes4()
		return
	}
	n := r.count("nodes", 8)
	r.endCount()
	for range n {
		r.node(r.int("a node number"))
	}
}

func (r *gmshReader) node(number int64) {
	var x mgl64.Vec3
	for k := range x {
		x[k] = r.real("a coordinate")
	}
	if !r.b.addNode(number, x) {
		panic(r.fail("give every node its own number", "node %d is defined twice", number))
	}
}

// endCount passes the end of the line of a count that binary data follows.
func (r *gmshReader) endCount() {
	if r.binary != nil {
		r.rest()
	}
}

// elements reads those of version 1 (number type reg-phys reg-elem count nodes) and version 2 (number type
// count-of-tags tags nodes). A binary file has runs instead: type, count, count of tags, then number tags nodes.
func (r *gmshReader) elements() {
	if !r.had("$NOD", "$Nodes") {
		panic(r.fail("put the nodes first", "elements come before the nodes"))
	}
	if r.version >= 4 {
		r.elements4()
		return
	}
	n := r.count("elements", 4)
	r.endCount()
	for n > 0 {
		run, count := int64(1), int64(3) // elements of the same type, tags of each
		var number int64
		if r.binary == nil {
			number = r.integer("an element number")
		}
		line := r.line
		_, e := r.elementType()
		if r.binary != nil {
			run = r.int("the number of elements of a run")
			if run < 1 || run > int64(n) {
				panic(r.fail(cureSyntax, "a run of %d elements stands where %d are left", run, n))
			}
		}
		if r.version >= 2 {
			count = r.int("the number of tags")
		}
		for range run {
			if r.binary != nil {
				number = r.int("an element number")
			}
			r.tagged(e, number, line, count)
		}
		n -= int(run)
	}
}

// tagged reads the tags and nodes of one element and puts it in its groups.
func (r *gmshReader) tagged(e gmshElement, number int64, line int, count int64) {
	var tags [3]int64 // physical, elementary, and count of nodes in version 1
	for k := int64(0); k < count; k++ {
		v := r.int("a tag")
		if k < 3 {
			tags[k] = v
		}
	}
	if r.version < 2 && tags[2] != int64(e.nodes) {
		panic(r.fail(cureSyntax, "element %d has %d nodes instead of the %d of its type", number, tags[2], e.nodes))
	}
	id := r.element(e, number, line, r.int)
	if tags[0] != 0 {
		r.put(r.sets, e, tags[0], id)
	}
	if tags[1] != 0 {
		r.put(r.parts, e, tags[1], id)
	}
}

func (r *gmshReader) elementType() (t int64, e gmshElement) {
	t = r.int("an element type")
	e, ok := gmshElements[t]
	if !ok {
		panic(r.fail("use linear or quadratic elements", "element type %d is not read", t))
	}
	return t, e
}

// element reads the nodes of one element with the given reader of numbers; id is its index, -1 unless it is a volume.
func (r *gmshReader) element(e gmshElement, number int64, line int, read func(string) int64) (id int32) {
	for k := range e.nodes {
		v := read("a node number")
		n, ok := r.b.find(v)
		if !ok {
			panic(r.fail("save the mesh again with all its nodes", "element %d names node %d, which the file does not define", number, v))
		}
		r.conn[k] = n
	}
	if e.dimension == 2 {
		r.b.addFacet(r.conn[:e.corners])
	}
	if e.as == 0 {
		return -1
	}
	return r.b.addElement(e.as, number, line, r.conn[:], e.order)
}

// put adds the element just read to a group.
func (r *gmshReader) put(sets map[[2]int64]*gmshSet, e gmshElement, tag int64, id int32) {
	r.b.take(r.line, 1+e.nodes, "the groups of the elements")
	key := [2]int64{int64(e.dimension), tag}
	s := sets[key]
	if s == nil {
		s = &gmshSet{}
		sets[key] = s
	}
	s.nodes = append(s.nodes, r.conn[:e.nodes]...)
	if id >= 0 {
		s.elements = append(s.elements, id)
	}
}

// nameSets turns groups into sets. A group without a name is called by its dimension and tag, "surface-3"; a file
// without any group falls back on the geometric entities, named the same way.
func (r *gmshReader) nameSets() {
	sets := r.sets
	if len(sets) == 0 && len(r.parts) > 1 {
		sets = r.parts // a lone entity would name nothing that the mesh itself does not
	}
	taken := map[string]bool{}
	groups := slices.SortedFunc(maps.Keys(sets), func(a, b [2]int64) int { // volumes first
		return cmp.Or(cmp.Compare(b[0], a[0]), cmp.Compare(a[1], b[1]))
	})
	for _, group := range groups {
		s, name, dim := sets[group], r.names[group], group[0]
		if name == "" || len(r.sets) == 0 {
			name = fmt.Sprintf("%s-%d", dimensionNames[dim], group[1])
		}
		// The same name for groups of different dimension is legal in Gmsh. A point group under a volume's name gives
		// the nodes of that name.
		if taken[name] && !(dim == 0 && len(r.b.elementSets[name]) > 0) {
			name += "-" + dimensionNames[dim]
		}
		taken[name] = true
		r.b.nodeSets[name] = s.nodes
		if len(s.elements) > 0 {
			r.b.elementSets[name] = s.elements
		}
	}
}
