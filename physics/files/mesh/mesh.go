package mesh

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/unionfind"
)

// Block is a run of elements of one type.
type Block struct {
	Type  ElementType
	Nodes []int32 // flat connectivity, NodeCount indices an element
}

// Len is the number of elements of the block.
func (b *Block) Len() int {
	if n := b.Type.NodeCount(); n > 0 {
		return len(b.Nodes) / n
	}
	return 0
}

// Element is the connectivity of the block's element e. It aliases the block.
func (b *Block) Element(e int) []int32 {
	n := b.Type.NodeCount()
	return b.Nodes[e*n : (e+1)*n : (e+1)*n]
}

// Mesh is a volume mesh. Lengths are in metres once loaded.
//
// Elements are numbered through the blocks in order: element e of the mesh is element e - (elements of the blocks
// before) of its block.
type Mesh struct {
	Nodes       []mgl64.Vec3
	Blocks      []Block
	NodeSets    map[string][]int32 // named node sets, ids ascending
	ElementSets map[string][]int32 // named element sets, ids ascending

	File           string   // where the mesh was read from, "" when it was made
	Format         string   // that file's format, such as "Gmsh 2.2"; "" when it was made
	NodeNumbers    []int64  // the file's number of each node; nil when the mesh was made
	ElementNumbers []int64  // the file's number of each element; nil when the mesh was made
	Unused         []int64  // the file's numbers of the nodes that no element uses, which were left out
	Notes          []string // what reading changed, one sentence each

	elementLines []int32 // line of each element in File, for messages; may be nil
}

// Elements is the number of elements in all blocks.
func (m *Mesh) Elements() int {
	n := 0
	for i := range m.Blocks {
		n += m.Blocks[i].Len()
	}
	return n
}

// Element is one element of a mesh.
type Element struct {
	Type  ElementType
	Nodes []int32 // of its block
}

// All are the elements by their numbers in the mesh.
func (m *Mesh) All() iter.Seq2[int, Element] {
	return func(yield func(int, Element) bool) {
		number := 0
		for i := range m.Blocks {
			b := &m.Blocks[i]
			for e := range b.Len() {
				if !yield(number, Element{b.Type, b.Element(e)}) {
					return
				}
				number++
			}
		}
	}
}

// Scale multiplies all lengths by metresPerUnit, so that a mesh whose file counts in that unit is in metres afterwards.
func (m *Mesh) Scale(metresPerUnit float64) {
	for i := range m.Nodes {
		m.Nodes[i] = m.Nodes[i].Mul(metresPerUnit)
	}
}

// Bounds is the smallest axis-parallel box around all nodes, in m.
func (m *Mesh) Bounds() (low, high mgl64.Vec3) { return Bounds(m.Nodes) }

// Bounds is the smallest axis-parallel box around some points.
func Bounds(x []mgl64.Vec3) (low, high mgl64.Vec3) {
	if len(x) == 0 {
		return low, high
	}
	low, high = x[0], x[0]
	for _, p := range x[1:] {
		for k := range 3 {
			low[k] = math.Min(low[k], p[k])
			high[k] = math.Max(high[k], p[k])
		}
	}
	return low, high
}

// Volume is the sum of the elements' volumes, in m^3.
func (m *Mesh) Volume() float64 {
	sum := 0.0
	var x [MaxNodes]mgl64.Vec3
	for _, e := range m.All() {
		sum += volume(e.Type, m.Places(e.Nodes, &x))
	}
	return sum
}

// Places copies the positions of an element's nodes to x.
func (m *Mesh) Places(nodes []int32, x *[MaxNodes]mgl64.Vec3) []mgl64.Vec3 {
	for i, n := range nodes {
		x[i] = m.Nodes[n]
	}
	return x[:len(nodes)]
}

// Components finds the parts of the mesh that share no node with one another. label holds the part of each node (parts
// numbered by their lowest node, -1 for nodes without element), count the number of parts.
func (m *Mesh) Components() (label []int32, count int) {
	parts := unionfind.New(len(m.Nodes))
	used := make([]bool, len(m.Nodes))
	for _, e := range m.All() {
		for _, n := range e.Nodes {
			used[n] = true
			parts.Join(e.Nodes[0], n)
		}
	}
	label = make([]int32, len(m.Nodes))
	for i := range label {
		switch {
		case !used[i]:
			label[i] = -1
		case parts.Find(int32(i)) == int32(i):
			label[i] = int32(count)
			count++
		default:
			label[i] = label[parts.Find(int32(i))]
		}
	}
	return label, count
}

// renumber gives what is used new numbers, in the order of the old ones: index are those, -1 where a thing is not used,
// and kept the old numbers.
func renumber(used []bool) (index, kept []int32) {
	index = make([]int32, len(used))
	for n, is := range used {
		index[n] = -1
		if is {
			index[n] = int32(len(kept))
			kept = append(kept, int32(n))
		}
	}
	return index, kept
}

// sortedSet is ids ascending, each once.
func sortedSet(ids []int32) []int32 {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

var lengthUnits = map[string]float64{
	"m": 1, "metre": 1, "meter": 1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "µm": 1e-6, "μm": 1e-6, "micron": 1e-6,
	"in": 0.0254, "inch": 0.0254,
}

// LengthUnit is the length of a named unit in m: m, cm, mm, um, in.
func LengthUnit(name string) (float64, error) {
	metres, ok := lengthUnits[strings.ToLower(strings.TrimSpace(name))]
	if !ok {
		return 0, fmt.Errorf("mesh: length unit %q is unknown (use m, cm, mm, um or in)", name)
	}
	return metres, nil
}

// GuessUnit guesses the unit of a file from the diagonal of what it holds: the one that makes it nearest to the size of
// an organ in the hand, 0.1 m. next is the second best.
func GuessUnit(diagonal float64) (best, next string) {
	off := func(unit string) float64 { return math.Abs(math.Log(diagonal * lengthUnits[unit] / 0.1)) }
	units := []string{"m", "cm", "mm", "um"}
	slices.SortStableFunc(units, func(a, b string) int { return cmp.Compare(off(a), off(b)) })
	return units[0], units[1]
}
