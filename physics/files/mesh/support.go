package mesh

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
)

// sideTolerance is how far a node may lie from a side of the bounding box and still count as on it, as a share of the
// box's diagonal.
const sideTolerance = 1e-6

// sides maps a side's name to its axis and end.
var sides = map[string]struct {
	axis int
	high bool
}{
	"left": {0, false}, "right": {0, true},
	"bottom": {1, false}, "top": {1, true},
	"back": {2, false}, "front": {2, true},
	"end": {0, false},
}

// Side lists the nodes on one side of the mesh's bounding box, ascending: left and right (X), bottom and top (Y), back
// and front (Z), end (the same as left).
func Side(m *Mesh, name string) ([]int32, error) {
	s, ok := sides[name]
	if !ok {
		return nil, fmt.Errorf("mesh: side %q is unknown (use left, right, bottom, top, back, front or end)", name)
	}
	low, high := m.Bounds()
	tolerance := sideTolerance * high.Sub(low).Len()
	var on []int32
	for n, x := range m.Nodes {
		d := x[s.axis] - low[s.axis]
		if s.high {
			d = high[s.axis] - x[s.axis]
		}
		if d <= tolerance {
			on = append(on, int32(n))
		}
	}
	return on, nil
}

// InBox lists the nodes inside a closed axis-parallel box, ascending. Corners in m.
func InBox(m *Mesh, low, high mgl64.Vec3) []int32 {
	var in []int32
	for n, x := range m.Nodes {
		if x[0] >= low[0] && x[0] <= high[0] && x[1] >= low[1] && x[1] <= high[1] && x[2] >= low[2] && x[2] <= high[2] {
			in = append(in, int32(n))
		}
	}
	return in
}

// supportWords are names of node sets that say what they are for.
var supportWords = []string{"support", "fixed", "clamp", "dirichlet", "encastre"}

// NamedSupport finds the node set whose name says that it is a support: one that contains support, fixed, clamp,
// dirichlet or encastre, the first in this order and then of the alphabet. name is "" when there is none.
func NamedSupport(m *Mesh) (name string, nodes []int32) {
	for _, word := range supportWords {
		for _, name := range sortedNames(m.NodeSets) {
			if strings.Contains(strings.ToLower(name), word) && len(m.NodeSets[name]) > 0 {
				return name, m.NodeSets[name]
			}
		}
	}
	return "", nil
}

// supportSlab is the share of the height that the default support takes.
const supportSlab = 0.05

// DefaultSupport chooses the nodes to hold where nothing says which (4.4.1: the Dirichlet conditions are then imposed
// arbitrarily): of every connected part the nodes in the lowest 5 % along Y, widened until three of them span a plane.
// said is a sentence for the user.
func DefaultSupport(m *Mesh) (nodes []int32, said string) {
	label, count := m.Components()
	byPart := make([][]int32, count)
	for n, l := range label {
		if l >= 0 {
			byPart[l] = append(byPart[l], int32(n))
		}
	}
	for _, part := range byPart {
		nodes = append(nodes, m.lowest(part)...)
	}
	nodes = sortedSet(nodes)
	said = fmt.Sprintf("no support is given: %d nodes in the lowest %g %% along Y are held", len(nodes), 100*supportSlab)
	if count > 1 {
		said = fmt.Sprintf("no support is given: %d nodes in the lowest %g %% along Y of each of the %d separate parts are held", len(nodes), 100*supportSlab, count)
	}
	return nodes, said
}

// lowest is the default support of one part.
func (m *Mesh) lowest(part []int32) []int32 {
	byHeight := slices.Clone(part)
	slices.SortStableFunc(byHeight, func(a, b int32) int { return cmp.Compare(m.Nodes[a][1], m.Nodes[b][1]) })
	bottom, top := m.Nodes[byHeight[0]][1], m.Nodes[byHeight[len(byHeight)-1]][1]
	limit := bottom + supportSlab*(top-bottom)
	take := 0
	for take < len(byHeight) && (m.Nodes[byHeight[take]][1] <= limit || !m.Spans(byHeight[:take])) {
		take++
	}
	return byHeight[:take]
}

// Spans reports whether three of the nodes are well off one line, so that holding them stops every rigid motion.
func (m *Mesh) Spans(nodes []int32) bool {
	if len(nodes) < 3 {
		return false
	}
	// The farthest node from the first gives the line; then the farthest from the line.
	a := m.Nodes[nodes[0]]
	var along mgl64.Vec3
	for _, n := range nodes {
		if d := m.Nodes[n].Sub(a); d.LenSqr() > along.LenSqr() {
			along = d
		}
	}
	length := along.Len()
	if length == 0 {
		return false
	}
	off := 0.0
	for _, n := range nodes {
		off = math.Max(off, m.Nodes[n].Sub(a).Cross(along).Len()/length)
	}
	return off > 1e-3*length
}
