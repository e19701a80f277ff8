package fill

import (
	"errors"
	"fmt"
	"slices"

	"hapco/physics/files/mesh"
)

// speck is the share of the whole volume below which a separate piece is dropped.
const speck = 0.01

// mesh removes what hangs on by a node or an edge only, and specks, and makes the mesh of the rest.
func (l *lattice) mesh() (*mesh.Mesh, error) {
	before := len(l.tets)
	for range 100 {
		if !l.dropHinges() {
			break
		}
	}
	dropped := before - len(l.tets)
	pieces := l.dropSpecks()
	if len(l.tets) == 0 {
		return nil, errors.New("nothing but loose tetrahedra are inside (use a smaller size)")
	}
	m := &mesh.Mesh{Format: "built-in mesher", Blocks: []mesh.Block{{Type: mesh.Tet4}}}
	used := used{of: l.nodes}
	for _, t := range l.tets {
		for _, n := range t {
			m.Blocks[0].Nodes = append(m.Blocks[0].Nodes, used.node(n))
		}
	}
	m.Nodes = used.nodes
	if dropped > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d tetrahedra that hung on by a node or an edge only were left out", dropped))
	}
	if pieces > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d separate pieces below %g %% of the volume were left out (a smaller size may join them)", pieces, 100*speck))
	}
	return m, nil
}

func (l *lattice) volume(t [4]int32) float64 {
	a := l.nodes[t[0]]
	return l.nodes[t[1]].Sub(a).Dot(l.nodes[t[2]].Sub(a).Cross(l.nodes[t[3]].Sub(a))) / 6
}

// The triangles of a tetrahedron, by the corner opposite.
var opposite = [4][3]int{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}

func triangle(t [4]int32, k int) [3]int32 {
	f := [3]int32{t[opposite[k][0]], t[opposite[k][1]], t[opposite[k][2]]}
	slices.Sort(f[:])
	return f
}

// neighbours are the tetrahedra across each side, -1 for none.
func (l *lattice) neighbours() [][4]int32 {
	type side struct{ tet, side int32 }
	open := make(map[[3]int32]side, len(l.tets))
	next := make([][4]int32, len(l.tets))
	for i, t := range l.tets {
		next[i] = [4]int32{-1, -1, -1, -1}
		for k := range t {
			key := triangle(t, k)
			if o, ok := open[key]; ok {
				next[i][k] = o.tet
				next[o.tet][o.side] = int32(i)
				delete(open, key)
			} else {
				open[key] = side{int32(i), int32(k)}
			}
		}
	}
	return next
}

// dropHinges removes, at every node and edge whose tetrahedra fall into groups that share no side there, all groups but
// the one of greatest volume.
func (l *lattice) dropHinges() bool {
	next := l.neighbours()
	atNode := make([][]int32, len(l.nodes))
	edges := map[[2]int32]int{}
	for i, t := range l.tets {
		for k, n := range t {
			atNode[n] = append(atNode[n], int32(i))
			if next[i][k] >= 0 {
				continue
			}
			f := triangle(t, k) // ascending
			edges[[2]int32{f[0], f[1]}]++
			edges[[2]int32{f[1], f[2]}]++
			edges[[2]int32{f[0], f[2]}]++
		}
	}
	doomed := make([]bool, len(l.tets))
	group := slices.Repeat([]int32{alien}, len(l.tets))
	for _, around := range atNode {
		l.doomAllButLargest(around, next, nil, group, doomed)
	}
	for e, sides := range edges {
		if sides == 2 {
			continue
		}
		var around []int32
		for _, i := range atNode[e[0]] {
			if slices.Contains(l.tets[i][:], e[1]) {
				around = append(around, i)
			}
		}
		l.doomAllButLargest(around, next, e[:], group, doomed)
	}
	return l.drop(doomed)
}

// flood groups some tetrahedra by the sides that they share among themselves and tells each group's volume; only sides
// that hold the given nodes count. group has the number of each, from 0; where it is alien, none.
func (l *lattice) flood(around []int32, next [][4]int32, hold, group []int32) (volumes []float64) {
	for _, i := range around {
		group[i] = -1
	}
	var stack []int32
	for _, start := range around {
		if group[start] >= 0 {
			continue
		}
		g := len(volumes)
		volumes = append(volumes, 0)
		group[start] = int32(g)
		stack = append(stack[:0], start)
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			volumes[g] += l.volume(l.tets[i])
			for k, j := range next[i] {
				if j >= 0 && group[j] == -1 && !slices.Contains(hold, l.tets[i][k]) {
					group[j] = int32(g)
					stack = append(stack, j)
				}
			}
		}
	}
	return volumes
}

// alien is the group of a tetrahedron that is not to be grouped.
const alien = -2

// doomAllButLargest dooms all groups of some tetrahedra but the one of greatest volume. Every tetrahedron around a node
// holds it, so that there no node need be given.
func (l *lattice) doomAllButLargest(around []int32, next [][4]int32, hold, group []int32, doomed []bool) {
	volumes := l.flood(around, next, hold, group)
	keep := int32(0)
	for g, v := range volumes {
		if v > volumes[keep] {
			keep = int32(g)
		}
	}
	for _, i := range around {
		doomed[i] = doomed[i] || group[i] != keep
		group[i] = alien
	}
}

func (l *lattice) drop(doomed []bool) bool {
	kept := l.tets[:0]
	for i, t := range l.tets {
		if !doomed[i] {
			kept = append(kept, t)
		}
	}
	changed := len(kept) < len(l.tets)
	l.tets = kept
	return changed
}

// dropSpecks removes small pieces that share no side with the rest and says how many.
func (l *lattice) dropSpecks() int {
	all, piece := make([]int32, len(l.tets)), make([]int32, len(l.tets))
	for i := range all {
		all[i] = int32(i)
	}
	volumes := l.flood(all, l.neighbours(), nil, piece)
	total := 0.0
	for _, v := range volumes {
		total += v
	}
	doomed := make([]bool, len(l.tets))
	specks := map[int32]bool{}
	for i, g := range piece {
		if volumes[g] < speck*total {
			doomed[i], specks[g] = true, true
		}
	}
	l.drop(doomed)
	return len(specks)
}

// merged is several meshes as one.
func merged(parts []*mesh.Mesh) *mesh.Mesh {
	if len(parts) == 1 {
		return parts[0]
	}
	m := &mesh.Mesh{Format: parts[0].Format}
	for _, p := range parts {
		base := int32(len(m.Nodes))
		m.Nodes = append(m.Nodes, p.Nodes...)
		m.Notes = append(m.Notes, p.Notes...)
		for _, b := range p.Blocks {
			block := mesh.Block{Type: b.Type}
			for _, n := range b.Nodes {
				block.Nodes = append(block.Nodes, base+n)
			}
			m.Blocks = append(m.Blocks, block)
		}
	}
	return m
}
