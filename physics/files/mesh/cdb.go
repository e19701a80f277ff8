package mesh

import (
	"bytes"
	"iter"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
)

// isCDB: an ANSYS archive has a node or element block, or opens with its own words.
func isCDB(data []byte) bool {
	head := bytes.ToUpper(data[:min(len(data), 1<<16)])
	for _, mark := range []string{"NBLOCK", "EBLOCK", "/COM,ANSYS", "CMBLOCK"} {
		if i := bytes.Index(head, []byte(mark)); i == 0 || i > 0 && head[i-1] == '\n' {
			return true
		}
	}
	return false
}

type cdbReader struct {
	*scanner
	b        *builder
	kinds    map[int64]int64 // ANSYS element of each local type number
	elements map[int64]int32
	free     map[int64]int // bits 1, 2, 4: UX, UY, UZ held at a node
}

// parseCDB reads NBLOCK, EBLOCK (SOLID and plain), CMBLOCK components and D commands; nodes with all three
// displacements at zero become the set "fixed".
func parseCDB(name string, data []byte) *builder {
	r := &cdbReader{scanner: newScanner(name, data), b: newBuilder(name, "ANSYS", len(data)), kinds: map[int64]int64{}, elements: map[int64]int32{}, free: map[int64]int{}}
	for r.left() > 0 {
		line := bytes.TrimSpace(r.rest())
		fields := strings.Split(strings.ToUpper(string(line[:min(len(line), 200)])), ",")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		switch fields[0] {
		case "ET":
			if len(fields) >= 3 {
				digits := strings.TrimLeft(fields[2], "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
				local, e1 := strconv.ParseInt(fields[1], 10, 64)
				kind, e2 := strconv.ParseInt(digits, 10, 64)
				if e1 == nil && e2 == nil {
					r.kinds[local] = kind
				}
			}
		case "ETBLOCK":
			r.types()
		case "NBLOCK":
			r.nodes()
		case "EBLOCK":
			r.block(len(fields) > 2 && fields[2] == "SOLID")
		case "CMBLOCK":
			// Component names keep their capitals.
			r.component(strings.Split(string(line), ","))
		case "D":
			r.support(fields)
		}
	}
	for number, held := range r.free {
		if n, ok := r.b.find(number); ok && held == 7 {
			r.b.nodeSets["fixed"] = append(r.b.nodeSets["fixed"], n)
		}
	}
	return r.b
}

// widths reads a Fortran format like (3i9,6e21.13e3): how many integers of what width, and the width of reals.
func (r *cdbReader) widths() (count, integer, float int) {
	line := strings.ToLower(string(bytes.TrimSpace(r.rest())))
	parts := strings.Split(strings.Trim(line, "()"), ",")
	for _, p := range parts {
		i := strings.IndexAny(p, "iefg")
		if i < 0 {
			continue
		}
		n, _ := strconv.Atoi(p[:i])
		width, _ := strconv.Atoi(strings.TrimFunc(strings.SplitN(p[i+1:], ".", 2)[0], func(c rune) bool { return c < '0' || c > '9' }))
		if p[i] == 'i' {
			count, integer = max(n, 1), width
		} else {
			float = width
		}
	}
	if integer < 1 || integer > 40 || float < 0 || float > 60 || count > 100 {
		r.line--
		panic(r.fail(cureSyntax, "%q is no format line", clip([]byte(line))))
	}
	return count, integer, float
}

// lines are those of a block, up to the one that closes it: an empty one, -1, or N,... in newer files. what names a
// block that must be closed.
func (r *cdbReader) lines(what string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for r.left() > 0 {
			line := bytes.TrimRight(r.rest(), "\r")
			t := bytes.TrimSpace(line)
			if len(t) == 0 || bytes.HasPrefix(t, []byte("-1")) || t[0] == 'N' || t[0] == 'n' || !yield(line) {
				return
			}
		}
		if what != "" {
			panic(r.fail(cureTruncated, "the file ends in the %s", what))
		}
	}
}

// column is columns [i*width, (i+1)*width) of a line, trimmed.
func column(line []byte, start, width int) []byte {
	if start >= len(line) {
		return nil
	}
	return bytes.TrimSpace(line[start:min(len(line), start+width)])
}

func (r *cdbReader) types() {
	_, width, _ := r.widths()
	for line := range r.lines("") {
		local := r.whole(column(line, 0, width), "a type number")
		kind := r.whole(column(line, width, width), "an element name")
		r.kinds[local] = kind
	}
}

// nodes reads: number, two fields of the solid model, x, y, z; zeros at the end may be left out.
func (r *cdbReader) nodes() {
	count, width, float := r.widths()
	if float == 0 {
		panic(r.bad("the node block's format names no reals"))
	}
	for line := range r.lines("node block") {
		number := r.whole(column(line, 0, width), "a node number")
		var x mgl64.Vec3
		for k := range x {
			f := column(line, count*width+k*float, float)
			if len(f) == 0 {
				continue
			}
			v, err := parseFloat(f)
			if err != nil || v-v != 0 {
				panic(r.bad("%q stands where a coordinate should", clip(f)))
			}
			x[k] = v
		}
		if !r.b.addNode(number, x) {
			panic(r.bad("node %d is defined twice", number))
		}
	}
}

// block reads elements. In the SOLID form: material, type, real constant, section, coordinate system, birth, model,
// shape, node count, unused, number, nodes (from the ninth on in a second line). In the plain form: number, type, real,
// material, coordinate system, nodes.
func (r *cdbReader) block(solid bool) {
	_, width, _ := r.widths()
	for line := range r.lines("element block") {
		start := r.line - 1
		values := r.integers(line, width)
		head, kindAt, numberAt := 5, 1, 0
		if solid {
			head, numberAt = 11, 10
		}
		if len(values) <= head {
			panic(r.bad("an element has only %d numbers", len(values)))
		}
		nodes := values[head:]
		if solid {
			count := values[8]
			if count < 1 || count > 20 {
				panic(r.bad("an element has %d nodes", count))
			}
			for int64(len(nodes)) < count && r.left() > 0 {
				more := r.integers(bytes.TrimRight(r.rest(), "\r"), width)
				if len(more) == 0 {
					break
				}
				nodes = append(nodes, more...)
			}
			if int64(len(nodes)) < count {
				panic(r.bad("element %d has %d nodes instead of %d", values[numberAt], len(nodes), count))
			}
			nodes = nodes[:count]
		}
		r.element(r.kinds[values[kindAt]], values[numberAt], start, nodes)
	}
}

func (r *cdbReader) integers(line []byte, width int) []int64 {
	var v []int64
	for start := 0; start < len(line); start += width {
		f := column(line, start, width)
		if len(f) == 0 {
			break
		}
		v = append(v, r.whole(f, "a number"))
	}
	return v
}

// cdbShells are ANSYS's surface elements, which only mark facets.
var cdbShells = map[int64]bool{28: true, 41: true, 42: true, 63: true, 82: true, 93: true, 154: true, 170: true, 173: true, 174: true, 181: true, 182: true, 183: true, 281: true}

// element adds one element. ANSYS writes wedges, pyramids and tetrahedra as hexahedra with repeated corners; these
// become elements of their own.
func (r *cdbReader) element(kind, number int64, line int, numbers []int64) {
	var nodes [MaxNodes]int32
	for k, v := range numbers[:min(len(numbers), MaxNodes)] {
		if v == 0 && k >= 4 {
			numbers = numbers[:k] // a mid-edge node that is left out
			break
		}
		n, ok := r.b.find(v)
		if !ok {
			panic(r.bad("element %d names node %d, which the file does not define", number, v))
		}
		nodes[k] = n
	}
	count := min(len(numbers), MaxNodes)
	if cdbShells[kind] || count < 4 {
		if count >= 3 {
			r.b.addFacet(nodes[:min(count, 4)])
		}
		return
	}
	if _, taken := r.elements[number]; taken {
		panic(r.bad("element %d is defined twice", number))
	}
	t, order := cdbShape(nodes[:count])
	if t == 0 {
		panic(r.bad("element %d of ANSYS type %d with %d nodes is not read", number, kind, count))
	}
	r.elements[number] = r.b.addElement(t, number, line, nodes[:], order)
}

// cdbShape finds which element a node list stands for and where its nodes are.
func cdbShape(n []int32) (ElementType, []int8) {
	linear, quadratic, order := Hex8, Hex20, []int8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
	switch len(n) {
	case 4:
		return Tet4, order[:4]
	case 10:
		return Tet10, order[:10]
	case 8, 20:
	default:
		return 0, nil
	}
	switch apex := n[4] == n[5] && n[5] == n[6] && n[6] == n[7]; {
	case apex && n[2] == n[3]: // tetrahedron I J K M
		linear, quadratic, order = Tet4, Tet10, []int8{0, 1, 2, 4, 8, 9, 11, 16, 17, 18}
	case apex: // pyramid I J K L M
		linear, quadratic, order = Pyramid5, Pyramid13, []int8{0, 1, 2, 3, 4, 8, 9, 10, 11, 16, 17, 18, 19}
	case n[2] == n[3] && n[6] == n[7]: // wedge I J K M N O
		linear, quadratic, order = Wedge6, Wedge15, []int8{0, 1, 2, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 17, 18}
	}
	if len(n) == 20 {
		return quadratic, order
	}
	return linear, order[:linear.NodeCount()]
}

// component reads CMBLOCK,NAME,NODE|ELEM,count: numbers, a negative one ending a range that the number before it
// begins.
func (r *cdbReader) component(fields []string) {
	if len(fields) < 4 {
		panic(r.bad("a component has no name, kind or count"))
	}
	name, kind := strings.TrimSpace(fields[1]), strings.ToUpper(strings.TrimSpace(fields[2]))
	count, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(fields[3], "!", 2)[0]))
	if err != nil || count < 0 || count > r.left() {
		panic(r.bad("%q stands where the size of a component should", clip([]byte(fields[3]))))
	}
	_, width, _ := r.widths()
	last := int64(0)
	for count > 0 && r.left() > 0 {
		values := r.integers(bytes.TrimRight(r.rest(), "\r"), width)
		if len(values) == 0 {
			panic(r.bad("component %q ends %d numbers too early", clip([]byte(name)), count))
		}
		for _, v := range values {
			first := v
			if v < 0 {
				first, v = last+1, -v
			}
			if v < first || v > 1<<40 {
				panic(r.bad("component %q has a range without end or beginning", clip([]byte(name))))
			}
			if v-first > int64(len(r.data)) {
				panic(r.bad("component %q has a range of more numbers than the file can define", clip([]byte(name))))
			}
			r.span(name, kind, first, v)
			last = v
			count--
		}
	}
}

// span puts the numbers from first to last in a component: one after the other, or, where those are more than there are
// nodes or elements, those that exist.
func (r *cdbReader) span(name, kind string, first, last int64) {
	exist := r.b.elementNumbers
	if strings.HasPrefix(kind, "NODE") {
		exist = r.b.numbers
	}
	count := last - first + 1
	r.b.take(r.line-1, int(min(count, int64(len(exist)))), "the components")
	if count <= int64(len(exist)) {
		for k := first; k <= last; k++ {
			r.put(name, kind, k)
		}
		return
	}
	for _, k := range exist {
		if first <= k && k <= last {
			r.put(name, kind, k)
		}
	}
}

func (r *cdbReader) put(name, kind string, number int64) {
	if strings.HasPrefix(kind, "NODE") {
		if n, ok := r.b.find(number); ok {
			r.b.nodeSets[name] = append(r.b.nodeSets[name], n)
		}
		return
	}
	if e, ok := r.elements[number]; ok {
		r.b.elementSets[name] = append(r.b.elementSets[name], e)
	}
}

// support reads D,node,label,value: zero displacements.
func (r *cdbReader) support(fields []string) {
	if len(fields) < 3 {
		return
	}
	node, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return
	}
	if len(fields) > 3 && fields[3] != "" {
		if v, err := strconv.ParseFloat(fields[3], 64); err != nil || v != 0 {
			return
		}
	}
	r.free[node] |= map[string]int{"UX": 1, "UY": 2, "UZ": 4, "ALL": 7}[fields[2]]
}
