package mesh

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
)

// isINP: the first line that is no comment is a keyword line of Abaqus.
func isINP(data []byte) bool {
	s := newScanner("", data)
	for s.left() > 0 {
		line := bytes.TrimSpace(s.rest())
		if len(line) == 0 || bytes.HasPrefix(line, []byte("**")) {
			continue
		}
		return len(line) > 1 && line[0] == '*' && line[1] >= 'A' && line[1] <= 'z'
	}
	return false
}

// inpReader reads an Abaqus or CalculiX input file line by line.
type inpReader struct {
	*scanner
	b        *builder
	elements map[int64]int32    // element of each of the file's numbers
	shells   map[int64][]int32  // nodes of elements that are no volumes
	nsets    map[string]*inpSet // by name in capitals
	elsets   map[string]*inpSet
	visits   int // of sets within sets
}

// inpSet is a set under construction; elsets hold file numbers, as an element set
// may come before its elements.
type inpSet struct {
	name    string
	numbers []int64
	sets    []string
}

// parseINP reads *NODE, *ELEMENT, *NSET and *ELSET (with GENERATE); the names of
// sets are kept. Other keywords are passed over.
func parseINP(name string, data []byte) (*builder, error) {
	r := &inpReader{scanner: newScanner(name, data), b: newBuilder(name, "Abaqus", len(data)),
		elements: map[int64]int32{}, shells: map[int64][]int32{}, nsets: map[string]*inpSet{}, elsets: map[string]*inpSet{}}
	line, ok := r.next()
	for ok {
		if line[0] != '*' {
			line, ok = r.next() // data of a keyword that is passed over
			continue
		}
		keyword, options := inpKeyword(line)
		var err error
		switch keyword {
		case "NODE":
			line, ok, err = r.nodes(options)
		case "ELEMENT":
			line, ok, err = r.readElements(options)
		case "NSET":
			line, ok, err = r.set(r.nsets, options["NSET"], options)
		case "ELSET":
			line, ok, err = r.set(r.elsets, options["ELSET"], options)
		case "INCLUDE":
			err = r.fail("put the included file's text in its place", "the file includes %q", clip([]byte(options["INPUT"])))
		case "NGEN", "ELGEN", "NFILL", "NCOPY", "ELCOPY":
			err = r.fail("export the mesh with all nodes and elements written out", "the mesh is made by *%s, which is not read", keyword)
		default:
			line, ok = r.next()
		}
		if err != nil {
			return nil, err
		}
	}
	return r.b, r.finishSets()
}

// next is the next line that is no comment, trimmed.
func (r *inpReader) next() ([]byte, bool) {
	for r.left() > 0 {
		line := bytes.TrimSpace(r.rest())
		if len(line) > 0 && !bytes.HasPrefix(line, []byte("**")) {
			return line, true
		}
	}
	return nil, false
}

// inpKeyword splits `*ELEMENT, TYPE=C3D4, ELSET=liver`. Option names are in capitals.
func inpKeyword(line []byte) (keyword string, options map[string]string) {
	parts := strings.Split(string(line[1:]), ",")
	options = map[string]string{}
	for _, p := range parts[1:] {
		key, value, _ := strings.Cut(p, "=")
		options[strings.ToUpper(strings.TrimSpace(key))] = strings.Trim(strings.TrimSpace(value), `"`)
	}
	return strings.ToUpper(strings.TrimSpace(parts[0])), options
}

// bad is an error at the line just read.
func (r *inpReader) bad(what string, args ...any) error {
	return errorAt(r.name, max(1, r.line-1), fmt.Sprintf(what, args...), cureSyntax)
}

func (r *inpReader) nodes(options map[string]string) (line []byte, ok bool, err error) {
	for {
		if line, ok = r.next(); !ok || line[0] == '*' {
			return line, ok, nil
		}
		fields := bytes.Split(line, []byte(","))
		number, err := r.number(fields[0])
		if err != nil {
			return nil, false, err
		}
		var x mgl64.Vec3
		for k := range x {
			if k+1 >= len(fields) {
				break // a coordinate that is left out is zero
			}
			f := bytes.TrimSpace(fields[k+1])
			if len(f) == 0 {
				continue
			}
			v, err := strconv.ParseFloat(strings.Replace(strings.ToUpper(text(f)), "D", "E", 1), 64)
			if err != nil || v-v != 0 {
				return nil, false, r.bad("%q stands where a coordinate should", clip(f))
			}
			x[k] = v
		}
		if !r.b.addNode(number, x) {
			return nil, false, r.bad("node %d is defined twice: parts and instances with their own numbers are not read", number)
		}
		if name := options["NSET"]; name != "" {
			r.member(r.nsets, name).numbers = append(r.member(r.nsets, name).numbers, number)
		}
	}
}

func (r *inpReader) number(field []byte) (int64, error) {
	v, err := strconv.ParseInt(text(bytes.TrimSpace(field)), 10, 64)
	if err != nil {
		return 0, r.bad("%q stands where a number should", clip(bytes.TrimSpace(field)))
	}
	return v, nil
}

// inpVolumes are the solid elements by the node count in their name; letters that
// follow (R, I, H, M, T ...) change the formulation and not the mesh.
var inpVolumes = map[string]ElementType{"4": Tet4, "5": Pyramid5, "6": Wedge6, "8": Hex8, "10": Tet10, "13": Pyramid13, "15": Wedge15, "20": Hex20}

// inpElement tells the element of a TYPE: t for volumes, otherwise the nodes and
// corners of a face; nodes is 0 when the type is unknown.
func inpElement(kind string) (t ElementType, nodes, corners int) {
	digits := func(s string) string {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		return s[:n]
	}
	if rest, ok := strings.CutPrefix(kind, "C3D"); ok {
		t = inpVolumes[digits(rest)]
		return t, t.NodeCount(), 0
	}
	for _, prefix := range []string{"STRI", "CPS", "CPE", "CAX", "M3D", "SFM3D", "R3D", "DS", "S"} {
		if rest, ok := strings.CutPrefix(kind, prefix); ok {
			n, _ := strconv.Atoi(digits(rest))
			switch n {
			case 3, 6, 65:
				return 0, map[int]int{3: 3, 6: 6, 65: 6}[n], 3
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

func (r *inpReader) readElements(options map[string]string) (line []byte, ok bool, err error) {
	kind := strings.ToUpper(options["TYPE"])
	t, count, corners := inpElement(kind)
	if count == 0 {
		return nil, false, r.bad("element type %q is not read: use C3D4, C3D10, C3D8, C3D20, C3D6 or C3D15", clip([]byte(kind)))
	}
	var values []int64
	for {
		if line, ok = r.next(); !ok || line[0] == '*' {
			return line, ok, nil
		}
		start := max(1, r.line-1)
		values = values[:0]
		for {
			for _, f := range bytes.Split(bytes.TrimRight(line, ", \t"), []byte(",")) {
				v, err := r.number(f)
				if err != nil {
					return nil, false, err
				}
				values = append(values, v)
			}
			if len(values) > count {
				break
			}
			if line, ok = r.next(); !ok || line[0] == '*' {
				return nil, false, r.bad("an element of type %s has %d nodes instead of %d", kind, max(0, len(values)-1), count)
			}
		}
		if len(values) != count+1 {
			return nil, false, r.bad("element %d of type %s has %d nodes instead of %d", values[0], kind, len(values)-1, count)
		}
		if err := r.element(t, corners, start, values); err != nil {
			return nil, false, err
		}
		if name := options["ELSET"]; name != "" {
			r.member(r.elsets, name).numbers = append(r.member(r.elsets, name).numbers, values[0])
		}
	}
}

// element adds one element: its number, then its nodes.
func (r *inpReader) element(t ElementType, corners, line int, values []int64) error {
	number := values[0]
	if _, taken := r.elements[number]; taken || r.shells[number] != nil {
		return r.bad("element %d is defined twice", number)
	}
	var nodes [maxNodes]int32
	for k, v := range values[1:] {
		n, ok := r.b.find(v)
		if !ok {
			return r.bad("element %d names node %d, which the file does not define above", number, v)
		}
		nodes[k] = n
	}
	if t != 0 {
		r.elements[number] = r.b.addElement(t, number, line, nodes[:len(values)-1])
		return nil
	}
	r.shells[number] = slices.Clone(nodes[:len(values)-1])
	if corners > 0 {
		r.b.addFacet(nodes[:corners])
	}
	return nil
}

// member is the set of a name, made when needed. Names do not mind capitals.
func (r *inpReader) member(sets map[string]*inpSet, name string) *inpSet {
	key := strings.ToUpper(name)
	if sets[key] == nil {
		sets[key] = &inpSet{name: name}
	}
	return sets[key]
}

func (r *inpReader) set(sets map[string]*inpSet, name string, options map[string]string) (line []byte, ok bool, err error) {
	if name == "" {
		return nil, false, r.bad("a set has no name")
	}
	_, generate := options["GENERATE"]
	s := r.member(sets, name)
	for {
		if line, ok = r.next(); !ok || line[0] == '*' {
			return line, ok, nil
		}
		var values []int64
		for _, f := range bytes.Split(bytes.TrimRight(line, ", \t"), []byte(",")) {
			f = bytes.TrimSpace(f)
			v, err := strconv.ParseInt(text(f), 10, 64)
			if err == nil {
				values = append(values, v)
				continue
			}
			if len(f) == 0 || generate {
				return nil, false, r.bad("%q stands where a number should", clip(f))
			}
			s.sets = append(s.sets, strings.ToUpper(strings.Trim(string(f), `"`)))
		}
		if !generate {
			s.numbers = append(s.numbers, values...)
			continue
		}
		if len(values) == 2 {
			values = append(values, 1)
		}
		if len(values) != 3 || values[2] < 1 || values[2] > 1<<40 || values[1] < values[0] || values[0] < 0 || values[1] > 1<<40 {
			return nil, false, r.bad("GENERATE needs first, last and step")
		}
		count := (values[1]-values[0])/values[2] + 1
		if count > int64(len(r.data)) {
			return nil, false, r.bad("GENERATE makes more members than the file can define")
		}
		if err := r.b.take(r.line-1, 8*int(count), "the sets that GENERATE makes"); err != nil {
			return nil, false, err
		}
		for v := values[0]; v <= values[1]; v += values[2] {
			s.numbers = append(s.numbers, v)
		}
	}
}

// finishSets turns file numbers into indices and puts sets within sets.
func (r *inpReader) finishSets() error {
	for _, s := range r.nsets {
		set, err := r.members(r.nsets, s, 0)
		if err != nil {
			return err
		}
		for _, v := range set {
			if n, ok := r.b.find(v); ok {
				r.b.nodeSets[s.name] = append(r.b.nodeSets[s.name], n)
			}
		}
	}
	for _, s := range r.elsets {
		set, err := r.members(r.elsets, s, 0)
		if err != nil {
			return err
		}
		var nodes []int32
		for _, v := range set {
			if e, ok := r.elements[v]; ok {
				r.b.elementSets[s.name] = append(r.b.elementSets[s.name], e)
			}
			if shell := r.shells[v]; len(shell) > 0 {
				if err := r.b.take(0, len(shell), "the sets of surface elements"); err != nil {
					return err
				}
				nodes = append(nodes, shell...)
			}
		}
		// A set of shells marks part of the surface: it is kept by its nodes.
		if len(nodes) > 0 && r.b.nodeSets[s.name] == nil && r.b.elementSets[s.name] == nil {
			r.b.nodeSets[s.name] = nodes
		}
	}
	return nil
}

func (r *inpReader) members(sets map[string]*inpSet, s *inpSet, depth int) ([]int64, error) {
	all := s.numbers[:len(s.numbers):len(s.numbers)] // appending copies it
	for _, name := range s.sets {
		inner := sets[name]
		if inner == nil {
			return nil, errorAt(r.name, 0, fmt.Sprintf("set %q names the set %q, which the file does not define", clip([]byte(s.name)), clip([]byte(name))), "correct the name")
		}
		// Sets that hold each other several times over would take for ever.
		if r.visits++; depth > 20 || r.visits > len(r.data) {
			return nil, errorAt(r.name, 0, fmt.Sprintf("set %q holds itself or too many others", clip([]byte(s.name))), "correct the names")
		}
		more, err := r.members(sets, inner, depth+1)
		if err != nil {
			return nil, err
		}
		if err := r.b.take(0, 2*len(more), fmt.Sprintf("set %q and those that hold it", clip([]byte(s.name)))); err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// inpType is Abaqus's name of each element type.
var inpType = map[ElementType]string{Tet4: "C3D4", Hex8: "C3D8", Wedge6: "C3D6", Pyramid5: "C3D5", Tet10: "C3D10", Hex20: "C3D20", Wedge15: "C3D15", Pyramid13: "C3D13"}

// inpNumber writes a number in 20 characters at most. Abaqus and CalculiX read no
// more of it: the exponent would be cut off without a word.
func inpNumber(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	for digits := 16; len(s) > 20; digits-- {
		s = strconv.FormatFloat(x, 'g', digits, 64)
	}
	return s
}

// WriteINP writes nodes, elements and sets as an Abaqus or CalculiX input file:
// include it in a job with *INCLUDE. Coordinates keep all digits that fit into the
// 20 characters that those programs read, which are 13 at least. CalculiX has no
// pyramids.
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
	for _, name := range sortedNames(m.NodeSets) {
		if !m.impliedNodeSet(name) {
			writeINPSet(out, "NSET", name, m.NodeSets[name], nodes)
		}
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
