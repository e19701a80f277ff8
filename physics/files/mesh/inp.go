package mesh

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
)

// isINP: the first line that is no comment is a keyword line of Abaqus.
func isINP(data []byte) bool {
	line := firstLine(data, "**")
	return len(line) > 1 && line[0] == '*' && line[1] >= 'A' && line[1] <= 'z'
}

type inpReader struct {
	*scanner
	b         *builder
	root      *inpPart // what stands outside of parts: a flat file, or the assembly
	cur       *inpPart // that the lines belong to
	parts     []*inpPart
	instances []*inpInstance
	instance  string          // name of the instance that the lines belong to, in capitals
	visits    int             // of sets within sets
	shells    map[string]bool // sets of nodes that are made of shells
	other     []string        // surfaces that are neither of nodes nor of faces, which are left out
}

// inpSet is a set under construction; elsets hold file numbers, as an element set may come before its elements.
type inpSet struct {
	name    string
	members []inpMembers
}

// inpMembers are members of a set, of one instance.
type inpMembers struct {
	instance string // in capitals; "": of what the set belongs to
	numbers  []int64
	sets     []string // in capitals
}

// of are the set's members of an instance, to be added to.
func (s *inpSet) of(instance string) *inpMembers {
	if k := len(s.members); k == 0 || s.members[k-1].instance != instance {
		s.members = append(s.members, inpMembers{instance: instance})
	}
	return &s.members[len(s.members)-1]
}

// add adds a node, an element or a set by what names it.
func (m *inpMembers) add(field []byte) {
	if v, err := strconv.ParseInt(text(field), 10, 64); err == nil {
		m.numbers = append(m.numbers, v)
	} else {
		m.sets = append(m.sets, strings.ToUpper(strings.Trim(string(field), `"`)))
	}
}

// parseINP reads *NODE, *ELEMENT, *NSET and *ELSET (with GENERATE), and *SURFACE as a set of its nodes; the
// names of sets are kept. Parts are put where their instances say. Other keywords are passed over.
func parseINP(name string, data []byte) *builder {
	r := &inpReader{scanner: newScanner(name, data), b: newBuilder(name, "Abaqus", len(data)), root: newPart(""), shells: map[string]bool{}}
	r.cur = r.root
	for line := r.next(); line != nil; line = r.next() {
		if line[0] != '*' {
			continue // data of a keyword that is passed over
		}
		at := max(1, r.line-1)
		keyword, options := inpKeyword(r.continued(line))
		switch keyword {
		case "NODE":
			r.nodes(options)
		case "ELEMENT":
			r.readElements(options)
		case "NSET":
			r.set(r.cur.nsets, options["NSET"], options)
		case "ELSET":
			r.set(r.cur.elsets, options["ELSET"], options)
		case "SURFACE":
			r.surface(options)
		case "PART":
			r.begin(options["NAME"])
		case "END PART":
			r.cur = r.root
		case "INSTANCE":
			r.place(options, at)
		case "END INSTANCE":
			r.instance = ""
		case "INCLUDE":
			panic(r.fail("put the included file's text in its place", "the file includes %q", clip([]byte(options["INPUT"]))))
		case "NGEN", "ELGEN", "NFILL", "NCOPY", "ELCOPY":
			panic(r.fail("export the mesh with all nodes and elements written out", "the mesh is made by *%s, which is not read", keyword))
		}
	}
	r.assemble()
	if n := len(r.other); n > 0 {
		r.b.notes = append(r.b.notes, fmt.Sprintf("surfaces that are made of others or cut were left out, %d, the first %s (cure: *NSET with its nodes, or *SURFACE of nodes or elements)", n, clip([]byte(r.other[0]))))
	}
	return r.b
}

// next is the next line that is no comment, trimmed; nil: there is none.
func (r *inpReader) next() []byte {
	for r.left() > 0 {
		line := bytes.TrimSpace(r.rest())
		if len(line) > 0 && !bytes.HasPrefix(line, []byte("**")) {
			return line
		}
	}
	return nil
}

// datum is the next line of a keyword's data; nil: there is none.
func (r *inpReader) datum() []byte {
	before := *r.scanner
	line := r.next()
	if line != nil && line[0] == '*' {
		*r.scanner = before
		return nil
	}
	return line
}

// lines are the data up to the next keyword.
func (r *inpReader) lines() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := r.datum(); line != nil && yield(line); line = r.datum() {
		}
	}
}

// inpFields are the fields of a line of data, of which some at its end may be empty.
func inpFields(line []byte) [][]byte {
	fields := bytes.Split(bytes.TrimRight(line, ", \t"), []byte(","))
	for k := range fields {
		fields[k] = bytes.TrimSpace(fields[k])
	}
	return fields
}

// continued is a keyword line with those that go on with it: after a comma at its end.
func (r *inpReader) continued(line []byte) []byte {
	for bytes.HasSuffix(line, []byte(",")) {
		more := r.next()
		if more == nil {
			break
		}
		line = append(line[:len(line):len(line)], more...)
	}
	return line
}

// inpKeyword splits `*ELEMENT, TYPE=C3D4, ELSET=liver`. Option names are in capitals.
func inpKeyword(line []byte) (keyword string, options map[string]string) {
	parts := strings.Split(string(line[1:]), ",")
	options = map[string]string{}
	for _, p := range parts[1:] {
		key, value, _ := strings.Cut(p, "=")
		options[strings.ToUpper(strings.TrimSpace(key))] = strings.Trim(strings.TrimSpace(value), `"`)
	}
	return strings.ToUpper(strings.Join(strings.Fields(parts[0]), " ")), options
}

func (r *inpReader) nodes(options map[string]string) {
	for line := range r.lines() {
		fields := inpFields(line)
		number := r.whole(fields[0], "a number")
		var x mgl64.Vec3
		for k, f := range fields[1:min(4, len(fields))] {
			x[k] = r.float(f, "a coordinate")
		}
		if r.instance != "" {
			panic(r.bad("the instance %s has nodes of its own: put them in its part", clip([]byte(r.instance))))
		}
		if !r.cur.addNode(number, x) {
			panic(r.bad("node %d is defined twice: put nodes with the same numbers in parts of their own", number))
		}
		if name := options["NSET"]; name != "" {
			m := r.member(r.cur.nsets, name).of("")
			m.numbers = append(m.numbers, number)
		}
	}
}

// float is 0 where it is left out.
func (r *inpReader) float(field []byte, what string) float64 {
	if len(field) == 0 {
		return 0
	}
	v, err := parseFloat(field)
	if err != nil {
		panic(r.bad("%q stands where %s should", clip(field), what))
	}
	return v
}

// inpVolumes are the solid elements by the node count in their name; letters that follow (R, I, H, M, T ...) change the
// formulation and not the mesh.
var inpVolumes = map[string]ElementType{"4": Tet4, "5": Pyramid5, "6": Wedge6, "8": Hex8, "10": Tet10, "13": Pyramid13, "15": Wedge15, "20": Hex20}

// inpElement tells the element of a TYPE: t for volumes, otherwise the nodes and corners of a face; nodes is 0 when the
// type is unknown.
func inpElement(kind string) (t ElementType, nodes, corners int) {
	digits := func(s string) string {
		return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	}
	if rest, ok := strings.CutPrefix(kind, "C3D"); ok {
		t = inpVolumes[digits(rest)]
		return t, t.NodeCount(), 0
	}
	for _, prefix := range []string{"STRI", "CPS", "CPE", "CAX", "M3D", "SFM3D", "R3D", "DS", "S"} {
		if rest, ok := strings.CutPrefix(kind, prefix); ok {
			switch n, _ := strconv.Atoi(digits(rest)); n {
			case 3, 6:
				return 0, n, 3
			case 65:
				return 0, 6, 3
			case 4, 8, 9:
				return 0, n, 4
			}
		}
	}
	for prefix, n := range map[string]int{"T3D2": 2, "T3D3": 3, "B31": 2, "B32": 3, "MASS": 1, "SPRING1": 1, "SPRINGA": 2} {
		if strings.HasPrefix(kind, prefix) {
			return 0, n, 0
		}
	}
	return 0, 0, 0
}

func (r *inpReader) readElements(options map[string]string) {
	kind := strings.ToUpper(options["TYPE"])
	t, count, corners := inpElement(kind)
	if count == 0 {
		panic(r.bad("element type %q is not read: use C3D4, C3D10, C3D8, C3D20, C3D6 or C3D15", clip([]byte(kind))))
	}
	var values []int64
	for line := range r.lines() {
		start := max(1, r.line-1)
		for values = values[:0]; len(values) <= count; {
			if line == nil {
				r.next() // the error is told where the nodes should stand
				panic(r.bad("an element of type %s has %d nodes instead of %d", kind, max(0, len(values)-1), count))
			}
			for _, f := range inpFields(line) {
				values = append(values, r.whole(f, "a number"))
			}
			if len(values) <= count {
				line = r.datum()
			}
		}
		if len(values) != count+1 {
			panic(r.bad("element %d of type %s has %d nodes instead of %d", values[0], kind, len(values)-1, count))
		}
		r.element(t, corners, start, values)
		if name := options["ELSET"]; name != "" {
			m := r.member(r.cur.elsets, name).of("")
			m.numbers = append(m.numbers, values[0])
		}
	}
}

// element adds one element: its number, then its nodes.
func (r *inpReader) element(t ElementType, corners, line int, values []int64) {
	number, p := values[0], r.cur
	if _, taken := p.places[number]; taken {
		panic(r.bad("element %d is defined twice", number))
	}
	e := inpElementOf{t: t, corners: corners, line: line, first: len(p.conn)}
	for _, v := range values[1:] {
		n, ok := p.index[v]
		if !ok {
			panic(r.bad("element %d names node %d, which the file does not define above", number, v))
		}
		p.conn = append(p.conn, n)
	}
	e.last = len(p.conn)
	p.places[number] = int32(len(p.elements))
	p.elements, p.counted = append(p.elements, e), append(p.counted, number)
}

// member is the set of a name, made when needed. Names do not mind capitals.
func (r *inpReader) member(sets map[string]*inpSet, name string) *inpSet {
	key := strings.ToUpper(name)
	if sets[key] == nil {
		sets[key] = &inpSet{name: name}
	}
	return sets[key]
}

func (r *inpReader) set(sets map[string]*inpSet, name string, options map[string]string) {
	if name == "" {
		panic(r.bad("a set has no name"))
	}
	_, generate := options["GENERATE"]
	s := r.member(sets, name).of(cmp.Or(strings.ToUpper(options["INSTANCE"]), r.instance))
	for line := range r.lines() {
		fields := inpFields(line)
		if generate {
			r.generate(s, fields)
			continue
		}
		for _, f := range fields {
			if len(f) == 0 {
				panic(r.bad(`"" stands where a number should`))
			}
			s.add(f)
		}
	}
}

// generate reads first, last and step of numbers.
func (r *inpReader) generate(s *inpMembers, fields [][]byte) {
	var v []int64
	for _, f := range fields {
		v = append(v, r.whole(f, "a number"))
	}
	if len(v) == 2 {
		v = append(v, 1)
	}
	if len(v) != 3 || v[2] < 1 || v[2] > 1<<40 || v[1] < v[0] || v[0] < 0 || v[1] > 1<<40 {
		panic(r.bad("GENERATE needs first, last and step"))
	}
	count := (v[1]-v[0])/v[2] + 1
	if count > int64(len(r.data)) {
		panic(r.bad("GENERATE makes more members than the file can define"))
	}
	r.b.take(r.line-1, 8*int(count), "the sets that GENERATE makes")
	for n := v[0]; n <= v[1]; n += v[2] {
		s.numbers = append(s.numbers, n)
	}
}

// surface reads a *SURFACE of nodes as the set of them: a node or a set a line, and its area, which no mesh keeps; one
// of faces of elements becomes a set, too (inpFaces). What is made of other surfaces is left out, and a note says so.
func (r *inpReader) surface(options map[string]string) {
	name := options["NAME"]
	if name == "" {
		panic(r.bad("a surface has no name"))
	}
	_, combined := options["COMBINE"]
	instance := cmp.Or(strings.ToUpper(options["INSTANCE"]), r.instance)
	switch kind := strings.ToUpper(cmp.Or(options["TYPE"], "ELEMENT")); {
	case combined || kind != "NODE" && kind != "ELEMENT":
		r.other = append(r.other, name)
	case kind == "ELEMENT":
		r.faces(name, instance)
	default:
		s := r.member(r.cur.nsets, name).of(instance)
		for line := range r.lines() {
			first, _, _ := bytes.Cut(line, []byte(","))
			if first = bytes.TrimSpace(first); len(first) == 0 {
				panic(r.bad("a line of the surface %s names no node", clip([]byte(name))))
			}
			s.add(first)
		}
	}
}

var inpType = map[ElementType]string{Tet4: "C3D4", Hex8: "C3D8", Wedge6: "C3D6", Pyramid5: "C3D5", Tet10: "C3D10", Hex20: "C3D20", Wedge15: "C3D15", Pyramid13: "C3D13"}

// inpNumber writes a number in 20 characters at most. Abaqus and CalculiX read no more of it: the exponent would be cut
// off without a word.
func inpNumber(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	for digits := 16; len(s) > 20; digits-- {
		s = strconv.FormatFloat(x, 'g', digits, 64)
	}
	return s
}

// WriteINP writes nodes, elements and sets as an Abaqus or CalculiX input file: include it in a job with *INCLUDE.
// Coordinates keep all digits that fit into the 20 characters that those programs read, which are 13 at least. CalculiX
// has no pyramids.
func (m *Mesh) WriteINP(w io.Writer) error {
	out := bufio.NewWriter(w)
	nodes := m.outNumbers(m.NodeNumbers, len(m.Nodes))
	elements := m.outNumbers(m.ElementNumbers, m.Elements())
	fmt.Fprintf(out, "*NODE\n")
	for i, x := range m.Nodes {
		fmt.Fprintf(out, "%d, %s, %s, %s\n", nodes[i], inpNumber(x[0]), inpNumber(x[1]), inpNumber(x[2]))
	}
	e := 0
	for i := range m.Blocks {
		b := &m.Blocks[i]
		fmt.Fprintf(out, "*ELEMENT, TYPE=%s\n", inpType[b.Type])
		for k := range b.Len() {
			fmt.Fprintf(out, "%d", elements[e])
			for j, n := range b.Element(k) {
				if j == 15 {
					fmt.Fprintf(out, ",\n%d", nodes[n]) // a line holds 16 numbers
					continue
				}
				fmt.Fprintf(out, ", %d", nodes[n])
			}
			fmt.Fprintln(out)
			e++
		}
	}
	for _, name := range m.ownNodeSets() {
		writeINPSet(out, "NSET", name, m.NodeSets[name], nodes)
	}
	for _, name := range sortedNames(m.ElementSets) {
		writeINPSet(out, "ELSET", name, m.ElementSets[name], elements)
	}
	return out.Flush()
}

func writeINPSet(out *bufio.Writer, keyword, name string, members []int32, numbers []int64) {
	name = strings.ReplaceAll(oneLine(name), ",", "_")
	if strings.ContainsAny(name, " =*") {
		name = `"` + strings.ReplaceAll(name, "=", "_") + `"`
	}
	fmt.Fprintf(out, "*%s, %s=%s\n", keyword, keyword, name)
	for i, k := range members {
		switch {
		case i == 0:
		case i%10 == 0:
			fmt.Fprint(out, ",\n")
		default:
			fmt.Fprint(out, ", ")
		}
		fmt.Fprint(out, numbers[k])
	}
	fmt.Fprintln(out)
}
