package fill

import (
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

// solids splits a closed surface into bodies: an outer shell each, with the shells directly inside it, which are its
// cavities. Every shell is turned so that its triangles face away from the material.
func solids(s *mesh.Triangles) []*mesh.Triangles {
	shells := shellsOf(s)
	depth := make([]int, len(shells))
	within := make([][]bool, len(shells)) // within[i][j]: shell i lies in shell j
	for i := range shells {
		within[i] = make([]bool, len(shells))
		for j := range shells {
			if i != j && contains(s, shells[j], shells[i]) {
				within[i][j] = true
				depth[i]++
			}
		}
	}
	var out []*mesh.Triangles
	for i, outer := range shells {
		if depth[i]%2 == 1 {
			continue
		}
		group := slices.Clone(turned(s, outer, true))
		for j, inner := range shells {
			if within[j][i] && depth[j] == depth[i]+1 {
				group = append(group, turned(s, inner, false)...)
			}
		}
		out = append(out, compact(s, group))
	}
	return out
}

// shellsOf groups the triangles that hang together by edges.
func shellsOf(s *mesh.Triangles) [][]int32 {
	byEdge := map[[2]int32][]int32{}
	for t, n := range s.Triangles {
		for k := range n {
			a, b := n[k], n[(k+1)%3]
			e := [2]int32{min(a, b), max(a, b)}
			byEdge[e] = append(byEdge[e], int32(t))
		}
	}
	seen := make([]bool, len(s.Triangles))
	var shells [][]int32
	for start := range s.Triangles {
		if seen[start] {
			continue
		}
		seen[start] = true
		shell := []int32{int32(start)}
		for next := 0; next < len(shell); next++ {
			n := s.Triangles[shell[next]]
			for k := range n {
				a, b := n[k], n[(k+1)%3]
				for _, t := range byEdge[[2]int32{min(a, b), max(a, b)}] {
					if !seen[t] {
						seen[t] = true
						shell = append(shell, t)
					}
				}
			}
		}
		shells = append(shells, shell)
	}
	return shells
}

// contains reports whether a shell lies inside another. Most of a few of its nodes decide: one may lie on the other's
// surface.
func contains(s *mesh.Triangles, outer, inner []int32) bool {
	votes, asked := 0, 0
	for k := 0; k < len(inner); k += max(1, len(inner)/7) {
		// A triangle's middle, which no ray of another node passes.
		a, b, c := s.Corners(inner[k])
		p := a.Add(b).Add(c).Mul(1.0 / 3)
		passed := 0
		for _, t := range outer {
			if x, hit := ray(s, t, p[1], p[2]); hit && x < p[0] {
				passed++
			}
		}
		asked++
		if passed%2 == 1 {
			votes++
		}
	}
	return 2*votes > asked
}

// turned is a shell whose triangles all face outward or all inward.
func turned(s *mesh.Triangles, shell []int32, outward bool) [][3]int32 {
	var out [][3]int32
	for _, t := range shell {
		out = append(out, s.Triangles[t])
	}
	alone := mesh.Triangles{Nodes: s.Nodes, Triangles: out}
	if (alone.Volume() > 0) == outward {
		return out
	}
	for i, t := range out {
		out[i] = [3]int32{t[0], t[2], t[1]}
	}
	return out
}

// compact is a surface of some triangles and the nodes that they use.
func compact(s *mesh.Triangles, triangles [][3]int32) *mesh.Triangles {
	out := &mesh.Triangles{File: s.File, Format: s.Format}
	used := used{of: s.Nodes}
	for _, t := range triangles {
		out.Triangles = append(out.Triangles, [3]int32{used.node(t[0]), used.node(t[1]), used.node(t[2])})
	}
	out.Nodes = used.nodes
	return out
}

// used are those of some nodes that are used, in the order in which they are.
type used struct {
	of, nodes []mgl64.Vec3
	index     map[int32]int32
}

func (u *used) node(old int32) int32 {
	n, ok := u.index[old]
	if !ok {
		if u.index == nil {
			u.index = map[int32]int32{}
		}
		n = int32(len(u.nodes))
		u.index[old] = n
		u.nodes = append(u.nodes, u.of[old])
	}
	return n
}
