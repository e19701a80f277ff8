package mesh

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/num"
)

// thin is the volume, as a share of the cube of the element's longest edge, below which an element counts as flat:
// rounding then decides the sign of its volume. A regular tetrahedron has 0.118.
const thin = 1e-10

// Fault is what makes an element unfit for computing.
type Fault uint8

// The faults of an element, and none.
const (
	Sound        Fault = iota
	BadIndex           // names a node that does not exist
	RepeatedNode       // names a node twice
	Inverted           // turned inside out, or folded at a corner
	Flat               // without volume, or with a corner that is no number
)

// Check reports the first thing that makes the mesh unfit for computing: a coordinate that is not a number, a node
// index out of range, an element that names a node twice, is turned inside out or has no volume. The message names the
// element by the file's number and says how many are like it.
func (m *Mesh) Check() error {
	if m.Elements() == 0 {
		return m.errorAt(0, "the mesh holds no volume element", "use a volume mesh, or fill the surface with `hapco mesh tetrahedralize`")
	}
	if len(m.Nodes) > math.MaxInt32/3 {
		return m.errorAt(0, fmt.Sprintf("%d nodes are more than can be numbered", len(m.Nodes)), "use a coarser mesh")
	}
	for n, x := range m.Nodes {
		if !num.FiniteVec(x) {
			return m.errorAt(0, fmt.Sprintf("node %d has the coordinates %g %g %g", m.NodeNumber(n), x[0], x[1], x[2]), "correct or remove it")
		}
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if n := b.Type.NodeCount(); n == 0 || len(b.Nodes)%n != 0 {
			return m.errorAt(0, fmt.Sprintf("element block %d has type %d and %d node indices", i, b.Type, len(b.Nodes)), "give whole elements of a known type")
		}
	}
	var first Element
	place, kind, count := 0, Sound, 0
	for k, e := range m.All() {
		f := m.fault(e)
		if kind == Sound && f != Sound {
			first, place, kind, count = e, k, f, 0
		}
		if f == kind {
			count++
		}
	}
	if kind == Sound {
		return nil
	}
	return m.elementError(first, place, kind, count)
}

// Faults examines every element by itself.
func (m *Mesh) Faults() []Fault {
	all := make([]Fault, 0, m.Elements())
	for _, e := range m.All() {
		all = append(all, m.fault(e))
	}
	return all
}

func (m *Mesh) fault(e Element) Fault {
	for i, n := range e.Nodes {
		if n < 0 || int(n) >= len(m.Nodes) {
			return BadIndex
		}
		if slices.Contains(e.Nodes[:i], n) {
			return RepeatedNode
		}
	}
	var buf [MaxNodes]mgl64.Vec3
	x := m.Places(e.Nodes, &buf)
	size := longestEdge(x[:e.Type.Corners()])
	least := leastJacobian(e.Type, x)
	limit := thin * size * size * size
	switch {
	case least < -limit:
		return Inverted
	case !(least > limit):
		return Flat
	}
	return Sound
}

var faultWords = [...]struct{ what, cure string }{
	BadIndex:     {"names a node that does not exist", "save the mesh again with all its nodes"},
	RepeatedNode: {"names the same node twice", "remove the collapsed element or mesh the part again"},
	Inverted:     {"is folded: its mapping turns inside out at a corner", "swap two of its nodes or mesh the part again"},
	Flat:         {"is flat: it has no volume", "remove it, collapse its shortest edge, or mesh the part again"},
}

// elementError words the fault of an element, which is number e, and of which there are count.
func (m *Mesh) elementError(element Element, e int, kind Fault, count int) error {
	what, cure := faultWords[kind].what, faultWords[kind].cure
	if kind == Inverted {
		var buf [MaxNodes]mgl64.Vec3
		if v := volume(element.Type, m.Places(element.Nodes, &buf)); !(v > 0) {
			what = fmt.Sprintf("is inverted: its volume is %.3g in the file's units", v)
		}
	}
	what = fmt.Sprintf("%s %d %s", element.Type, m.ElementNumber(e), what)
	if total := m.Elements(); total > 1 {
		what += fmt.Sprintf("; %d of %d elements are like this", count, total)
	}
	line := 0
	if e < len(m.elementLines) {
		line = int(m.elementLines[e])
	}
	return m.errorAt(line, what, cure)
}

// ElementNumber is the file's number of element e, or e when there is none.
func (m *Mesh) ElementNumber(e int) int64 {
	if e < len(m.ElementNumbers) {
		return m.ElementNumbers[e]
	}
	return int64(e)
}

// NodeNumber is the file's number of node n, or n when there is none.
func (m *Mesh) NodeNumber(n int) int64 {
	if n < len(m.NodeNumbers) {
		return m.NodeNumbers[n]
	}
	return int64(n)
}

func (m *Mesh) errorAt(line int, what, cure string) error { return errorAt(m.File, line, what, cure) }

// errorAt is the form of all messages of this package: file, line, what, cure.
func errorAt(file string, line int, what, cure string) refusal.Fault {
	where := file
	if line > 0 {
		where = fmt.Sprintf("%s:%d", file, line)
	}
	if where != "" {
		where += ": "
	}
	return refusal.Of("mesh: %s%s (%s)", where, what, cure)
}

func longestEdge(x []mgl64.Vec3) float64 {
	longest := 0.0
	for i := range x {
		for j := range i {
			longest = math.Max(longest, x[i].Sub(x[j]).Len())
		}
	}
	return longest
}

// leastJacobian is the smallest determinant of the element's mapping, scaled to a volume: for a tetrahedron its volume,
// for others the smallest over the corners of the corner tetrahedron's volume. A pyramid's apex is left out, where the
// mapping has no determinant of its own.
func leastJacobian(t ElementType, x []mgl64.Vec3) float64 {
	least := math.Inf(1)
	for _, c := range t.shape().frames {
		least = math.Min(least, tetVolume(x[c[0]], x[c[1]], x[c[2]], x[c[3]]))
	}
	return least
}
