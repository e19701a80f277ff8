package scene

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/num"
)

// objectFile is what an object file says: the thesis's figure 4.23. Young, Mesh and the matrices are in SI units.
type objectFile struct {
	Young, Poisson float64 // Pa, -
	Mesh           *mesh.Mesh
	Surface        *mesh.Surface // the file's triangles, or the boundary of Mesh
	Fixed          []int32       // Dirichlet nodes, ascending; empty when the file gives none
	Stiffness      []float64     // K, 3n x 3n row-major, N/m; nil when the file gives none
	Flexibility    []float64     // K^-1, m/N, zero in rows and columns of fixed nodes; nil when not given or not valid
}

// objectMagic opens every object file.
const objectMagic = "hapco object 1"

// parseObject reads an object file; docs/scene-format.md describes the format. A supplied K^-1 that is not the
// flexibility of the object (not symmetric, not positive, not the inverse of a supplied K) is left out, and Mesh.Notes
// says so.
func parseObject(name string, data []byte) (*objectFile, error) {
	p := objectParser{name: name, unitLength: 1, unitPressure: 1, seen: map[string]int{}}
	p.tokenize(string(data))
	return refusal.Caught(p.parse)
}

type token struct {
	text string
	line int
}

type objectParser struct {
	name   string
	tokens []token
	pos    int
	lines  int // of the file

	unitLength, unitPressure float64
	first                    int // number of the first node
	seen                     map[string]int

	o         objectFile
	triangles [][3]int32
}

func (p *objectParser) tokenize(text string) {
	for i, line := range strings.Split(text, "\n") {
		p.lines = i + 1
		line, _, _ = strings.Cut(line, "#")
		for _, f := range strings.Fields(line) {
			p.tokens = append(p.tokens, token{f, i + 1})
		}
	}
}

func (p *objectParser) errorAt(line int, cure, format string, args ...any) refusal.Fault {
	return refusal.Of("object: %s", setting.OneLine(fmt.Sprintf("%s:%d: %s (%s)", p.name, line, fmt.Sprintf(format, args...), cure)))
}

// next takes one token; what names it in the message when the file ends.
func (p *objectParser) next(what string) token {
	if p.pos >= len(p.tokens) {
		panic(p.errorAt(p.lines, "the file is cut short; write it again", "the file ends where %s should be", what))
	}
	t := p.tokens[p.pos]
	p.pos++
	return t
}

func (p *objectParser) number(what string) float64 {
	t := p.next(what)
	x, bad := strconv.ParseFloat(t.text, 64)
	if bad != nil || !num.Finite(x) {
		panic(p.errorAt(t.line, "write a finite number", "%s: %q is not a number", what, clip(t.text)))
	}
	return x
}

// integer takes a whole number in [low, high].
func (p *objectParser) integer(what string, low, high int) int {
	t := p.next(what)
	n, bad := strconv.Atoi(t.text)
	if bad != nil {
		panic(p.errorAt(t.line, "write a whole number", "%s: %q is not a whole number", what, clip(t.text)))
	}
	if n < low || n > high {
		panic(p.errorAt(t.line, fmt.Sprintf("from %d to %d", low, high), "%s: %d is out of range", what, n))
	}
	return n
}

// node takes the number of a node and returns its index.
func (p *objectParser) node(what string) int32 {
	return int32(p.integer(what, p.first, p.first+len(p.o.Mesh.Nodes)-1) - p.first)
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// objectSections are in the order in which they may depend on one another.
var objectSections = []string{"length", "pressure", "first", "material", "nodes", "elements", "triangles", "fixed", "stiffness", "flexibility", "end"}

func (p *objectParser) parse() *objectFile {
	p.o.Mesh = &mesh.Mesh{File: p.name, Format: "HapCo object"}
	for i, w := range strings.Fields(objectMagic) {
		if i >= len(p.tokens) || p.tokens[i].text != w {
			panic(p.errorAt(1, "start the file with the line "+objectMagic, "this is no object file"))
		}
	}
	p.pos = 3
	for p.seen["end"] == 0 {
		t := p.next("the section end")
		place := slices.Index(objectSections, t.text)
		if place < 0 {
			panic(p.errorAt(t.line, setting.Suggest(t.text, objectSections, ""), "unknown section %q", clip(t.text)))
		}
		if before, twice := p.seen[t.text]; twice && t.text != "elements" {
			panic(p.errorAt(t.line, "keep one", "the section %s stands in line %d already", t.text, before))
		}
		p.seen[t.text] = t.line
		if t.text == "end" {
			break
		}
		if len(p.o.Mesh.Nodes) == 0 && place > slices.Index(objectSections, "nodes") {
			panic(p.errorAt(t.line, "put the section nodes before it", "the section %s speaks of nodes that are not there yet", t.text))
		}
		if p.seen["nodes"]+p.seen["material"] > 0 && place < slices.Index(objectSections, "material") {
			panic(p.errorAt(t.line, "put it before material and nodes", "the section %s comes too late", t.text))
		}
		p.section(t)
	}
	if p.pos < len(p.tokens) {
		panic(p.errorAt(p.tokens[p.pos].line, "nothing may follow", "text after the section end"))
	}
	p.finish()
	return &p.o
}

func (p *objectParser) section(t token) {
	switch t.text {
	case "length":
		p.unitLength = p.unit("length", "m, cm, mm, um or in", func(name string) float64 {
			f, _ := mesh.LengthUnit(name)
			return f
		})
	case "pressure":
		p.unitPressure = p.unit("pressure", "Pa, kPa, MPa or GPa", func(name string) float64 {
			return setting.Pressures[name]
		})
	case "first":
		p.first = p.integer("number of the first node", 0, 1)
	case "material":
		p.material(t.line)
	case "nodes":
		p.nodes()
	case "elements":
		p.readElements()
	case "triangles":
		p.readTriangles()
	case "fixed":
		p.readFixed()
	case "stiffness":
		p.o.Stiffness = p.matrix("stiffness", t.line, 1/p.unitLength)
	case "flexibility":
		p.o.Flexibility = p.matrix("flexibility", t.line, p.unitLength)
	}
}

// unit takes the name of a unit; factor is 0 of an unknown one.
func (p *objectParser) unit(of, known string, factor func(name string) float64) float64 {
	t := p.next("the unit of " + of)
	f := factor(t.text)
	if f == 0 {
		panic(p.errorAt(t.line, known, "unknown unit of %s %q", of, clip(t.text)))
	}
	return f
}

func (p *objectParser) material(line int) {
	p.o.Young = p.number("E")
	p.o.Poisson = p.number("nu")
	if !(p.o.Young > 0) {
		panic(p.errorAt(line, "Young's modulus must be above 0", "E = %g", p.o.Young))
	}
	if !(p.o.Poisson > -1 && p.o.Poisson < 0.5) {
		panic(p.errorAt(line, "Poisson's ratio lies above -1 and below 0.5", "nu = %g", p.o.Poisson))
	}
	p.o.Young *= p.unitPressure
}

func (p *objectParser) nodes() {
	n := p.integer("number of nodes", 1, math.MaxInt32)
	for range n {
		var x mgl64.Vec3
		for k := range x {
			x[k] = setting.Times(p.number("a node's coordinate"), p.unitLength)
		}
		p.o.Mesh.Nodes = append(p.o.Mesh.Nodes, x)
	}
}

func (p *objectParser) readElements() {
	t := p.next("the kind of elements")
	kind, ok := map[string]mesh.ElementType{"tet4": mesh.Tet4, "hex8": mesh.Hex8}[t.text]
	if !ok {
		panic(p.errorAt(t.line, "tet4 or hex8", "unknown kind of elements %q", clip(t.text)))
	}
	n := p.integer("number of elements", 1, math.MaxInt32)
	block := mesh.Block{Type: kind}
	for range n {
		for range kind.NodeCount() {
			block.Nodes = append(block.Nodes, p.node("an element's node"))
		}
	}
	p.o.Mesh.Blocks = append(p.o.Mesh.Blocks, block)
}

func (p *objectParser) readTriangles() {
	n := p.integer("number of triangles", 1, math.MaxInt32)
	for range n {
		var t [3]int32
		line := p.lines
		if p.pos < len(p.tokens) {
			line = p.tokens[p.pos].line
		}
		for k := range t {
			t[k] = p.node("a triangle's node")
		}
		if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
			panic(p.errorAt(line, "name three different nodes", "a triangle names a node twice"))
		}
		p.triangles = append(p.triangles, t)
	}
}

func (p *objectParser) readFixed() {
	n := p.integer("number of fixed nodes", 0, len(p.o.Mesh.Nodes))
	for range n {
		p.o.Fixed = append(p.o.Fixed, p.node("a fixed node"))
	}
	slices.Sort(p.o.Fixed)
	p.o.Fixed = slices.Compact(p.o.Fixed)
}

// matrix reads 3n rows of 3n numbers.
func (p *objectParser) matrix(what string, line int, scale float64) []float64 {
	n := 3 * len(p.o.Mesh.Nodes)
	order := p.integer("order of the "+what, 0, math.MaxInt32)
	if order != n {
		panic(p.errorAt(line, fmt.Sprintf("it has three rows a node: %d", n), "the %s has the order %d", what, order))
	}
	if len(p.tokens)-p.pos < n*n {
		panic(p.errorAt(p.lines, "the file is cut short; write it again", "the file ends inside the %s", what))
	}
	m := make([]float64, n*n)
	for i := range m {
		m[i] = p.number("an entry of the "+what) * scale
	}
	return m
}

// finish checks what the sections say together.
func (p *objectParser) finish() {
	for _, s := range []string{"material", "nodes", "elements"} {
		if _, ok := p.seen[s]; !ok {
			panic(p.errorAt(p.lines, "add it", "the section %s is missing", s))
		}
	}
	m := p.o.Mesh
	if err := m.Check(); err != nil {
		panic(refusal.Of("object: %w", err))
	}
	used := make([]bool, len(m.Nodes))
	for _, b := range m.Blocks {
		for _, id := range b.Nodes {
			used[id] = true
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		panic(p.errorAt(p.seen["nodes"], "remove it", "node %d belongs to no element", i+p.first))
	}
	p.o.Surface = m.Surface()
	if p.triangles != nil {
		p.useTriangles()
	}
	n := 3 * len(m.Nodes)
	if p.o.Stiffness != nil {
		if i, j, ok := symmetric(p.o.Stiffness, n); !ok {
			panic(p.errorAt(p.seen["stiffness"], "a stiffness matrix is symmetric", "entries (%d, %d) and (%d, %d) of the stiffness differ", i, j, j, i))
		}
	}
	if p.o.Flexibility != nil {
		if why := p.badFlexibility(n); why != "" {
			p.o.Flexibility = nil
			m.Notes = append(m.Notes, "the file's flexibility is not used and computed instead: "+why)
		}
	}
}

// useTriangles replaces the surface by the file's, turned outwards.
func (p *objectParser) useTriangles() {
	s, m := p.o.Surface, p.o.Mesh
	for i, t := range p.triangles {
		for k, n := range t {
			if p.triangles[i][k] = s.Index[n]; s.Index[n] < 0 {
				panic(p.errorAt(p.seen["triangles"], "use nodes of the boundary", "node %d of a triangle lies inside the body", int(n)+p.first))
			}
		}
	}
	own := mesh.Triangles{Nodes: s.Places(m), Triangles: p.triangles}
	own.FaceOutwards()
	m.Notes = append(m.Notes, own.Notes...)
	s.Triangles = own.Triangles
}

// symmetryTolerance is relative to the largest entry; files print few digits.
const symmetryTolerance = 1e-6

// symmetric finds the first pair of entries that differ.
func symmetric(a []float64, n int) (i, j int, ok bool) {
	largest := 0.0
	for _, x := range a {
		largest = max(largest, math.Abs(x))
	}
	for i := range n {
		for j := range i {
			if !(math.Abs(a[i*n+j]-a[j*n+i]) <= symmetryTolerance*largest) {
				return i, j, false
			}
		}
	}
	return 0, 0, true
}

// badFlexibility says why the file's K^-1 cannot be the object's, or "".
func (p *objectParser) badFlexibility(n int) string {
	a := p.o.Flexibility
	if i, j, ok := symmetric(a, n); !ok {
		return fmt.Sprintf("entries (%d, %d) and (%d, %d) differ", i, j, j, i)
	}
	fixed := make([]bool, n)
	for _, f := range p.o.Fixed {
		for k := range 3 {
			fixed[3*int(f)+k] = true
		}
	}
	if len(p.o.Fixed) == 0 {
		return "the file fixes no node"
	}
	for i := range n {
		if !fixed[i] && !(a[i*n+i] > 0) {
			return fmt.Sprintf("entry (%d, %d) is not above 0", i, i)
		}
		for j := range n {
			if fixed[i] && a[i*n+j] != 0 {
				return fmt.Sprintf("entry (%d, %d) belongs to a fixed node and is not 0", i, j)
			}
		}
	}
	if p.o.Stiffness == nil {
		return ""
	}
	return p.badInverse(fixed)
}

// badInverse tries K K^-1 x = x on the free components with a vector x that looks random, which no wrong entry gets
// past but by chance.
func (p *objectParser) badInverse(fixed []bool) string {
	n := len(fixed)
	x, y := make([]float64, n), make([]float64, n)
	state := uint64(1)
	for i := range x {
		if !fixed[i] {
			state = state*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
			x[i] = 0.5 + float64(state>>11)/(1<<53)
		}
	}
	for i := range y {
		for j := range x {
			y[i] += p.o.Flexibility[i*n+j] * x[j]
		}
	}
	for i := range n {
		if fixed[i] {
			continue
		}
		sum, size := 0.0, 0.0
		for j := range n {
			t := p.o.Stiffness[i*n+j] * y[j]
			sum += t
			size += math.Abs(t)
		}
		if !(math.Abs(sum-x[i]) <= inverseTolerance*max(size, 1)) {
			return fmt.Sprintf("it is not the inverse of the stiffness (row %d)", i)
		}
	}
	return ""
}

// inverseTolerance allows for matrices printed with some seven digits.
const inverseTolerance = 1e-5
