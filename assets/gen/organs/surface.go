package main

import (
	"cmp"
	"math"
	"slices"
)

// surface is a closed triangle mesh, counter-clockwise seen from outside.
type surface struct {
	organ *organ
	x     []vec
	t     [][3]int
}

// march finds the zero level on a grid whose cells are split into six tetrahedra each. The triangles are poor; remesh
// makes good ones of them.
func march(o *organ, cell float64) *surface {
	low, high := o.low, o.high
	var n [3]int
	for k := range n {
		n[k] = int(math.Ceil((high[k] - low[k]) / cell))
	}
	id := func(i, j, k int) int { return i + (n[0]+1)*(j+(n[1]+1)*k) }
	at := make([]vec, (n[0]+1)*(n[1]+1)*(n[2]+1))
	f := make([]float64, len(at))
	for k := 0; k <= n[2]; k++ {
		for j := 0; j <= n[1]; j++ {
			for i := 0; i <= n[0]; i++ {
				p := low.Add(vec{float64(i), float64(j), float64(k)}.Mul(cell))
				at[id(i, j, k)], f[id(i, j, k)] = p, o.field(p)
			}
		}
	}
	s := &surface{organ: o}
	crossing := map[[2]int]int{}
	cross := func(a, b int) int {
		key := [2]int{min(a, b), max(a, b)}
		if v, ok := crossing[key]; ok {
			return v
		}
		w := f[a] / (f[a] - f[b])
		// Keep away from the corners, so that no triangle vanishes.
		w = min(max(w, 0.05), 0.95)
		s.x = append(s.x, at[a].Mul(1-w).Add(at[b].Mul(w)))
		crossing[key] = len(s.x) - 1
		return len(s.x) - 1
	}
	add := func(a, b, c int, outward vec) {
		normal := s.x[b].Sub(s.x[a]).Cross(s.x[c].Sub(s.x[a]))
		if normal.Dot(outward) < 0 {
			b, c = c, b
		}
		s.t = append(s.t, [3]int{a, b, c})
	}
	// Kuhn's six tetrahedra along the diagonal 0-7; bit 0 is x, 1 is y, 2 is z.
	tets := [6][4]int{{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}}
	for k := range n[2] {
		for j := range n[1] {
			for i := range n[0] {
				for _, t := range tets {
					var in, out []int
					var center vec
					for _, c := range t {
						v := id(i+c&1, j+c>>1&1, k+c>>2&1)
						if f[v] < 0 {
							in = append(in, v)
						} else {
							out = append(out, v)
						}
						center = center.Add(at[v].Mul(0.25))
					}
					var inside, outside vec
					for _, v := range in {
						inside = inside.Add(at[v].Mul(1 / float64(len(in))))
					}
					for _, v := range out {
						outside = outside.Add(at[v].Mul(1 / float64(len(out))))
					}
					outward := outside.Sub(inside)
					switch {
					case len(in) == 1:
						add(cross(in[0], out[0]), cross(in[0], out[1]), cross(in[0], out[2]), outward)
					case len(out) == 1:
						add(cross(out[0], in[0]), cross(out[0], in[1]), cross(out[0], in[2]), outward)
					case len(in) == 2:
						a, b := cross(in[0], out[0]), cross(in[0], out[1])
						c, d := cross(in[1], out[1]), cross(in[1], out[0])
						add(a, b, c, outward)
						add(a, c, d, outward)
					}
				}
			}
		}
	}
	return s
}

// edges maps each directed edge to the triangle on its left.
func (s *surface) edges() map[[2]int]int {
	e := make(map[[2]int]int, 3*len(s.t))
	for i, t := range s.t {
		for k := range 3 {
			e[[2]int{t[k], t[(k+1)%3]}] = i
		}
	}
	return e
}

// scaled is the length of an edge in units of the size that is wanted there.
func (s *surface) scaled(a, b vec) float64 { return a.Sub(b).Len() / s.organ.edge(a.Add(b).Mul(0.5)) }

func (s *surface) normal(a, b, c vec) vec { return b.Sub(a).Cross(c.Sub(a)) }

// edge is an undirected edge and its length in wanted sizes.
type edge struct {
	a, b   int
	length float64
}

// sortedEdges lists the undirected edges by length, in a fixed order.
func (s *surface) sortedEdges(e map[[2]int]int) []edge {
	var out []edge
	for k := range e {
		if k[0] < k[1] {
			out = append(out, edge{k[0], k[1], s.scaled(s.x[k[0]], s.x[k[1]])})
		}
	}
	slices.SortFunc(out, func(p, q edge) int {
		return cmp.Or(cmp.Compare(p.length, q.length), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
	})
	return out
}

// remesh makes nearly equilateral triangles with edges near the wanted size (Botsch and Kobbelt, "A remeshing approach
// to multiresolution modeling", 2004): split long edges, collapse short ones, even out valences, smooth, project.
func (s *surface) remesh(rounds int) {
	for range rounds {
		s.split(4. / 3)
		s.collapse(4./5, 4./3)
		s.flip()
		for range 3 {
			s.smooth()
		}
	}
}

// split halves edges longer than limit, in wanted sizes, until none is left.
func (s *surface) split(limit float64) {
	for {
		e := s.edges()
		list := s.sortedEdges(e)
		touched := map[int]bool{}
		done := true
		for i := len(list) - 1; i >= 0; i-- {
			a, b := list[i].a, list[i].b
			if list[i].length <= limit {
				break
			}
			done = false
			l, r := e[[2]int{a, b}], e[[2]int{b, a}]
			if touched[l] || touched[r] {
				continue
			}
			touched[l], touched[r] = true, true
			c, d := s.third(l, a, b), s.third(r, b, a)
			m := len(s.x)
			s.x = append(s.x, s.organ.project(s.x[a].Add(s.x[b]).Mul(0.5)))
			s.t[l], s.t[r] = [3]int{a, m, c}, [3]int{b, m, d}
			s.t = append(s.t, [3]int{m, b, c}, [3]int{m, a, d})
		}
		if done {
			return
		}
	}
}

// third is the corner of triangle t that is neither a nor b.
func (s *surface) third(t, a, b int) int {
	for _, v := range s.t[t] {
		if v != a && v != b {
			return v
		}
	}
	panic("organs: a triangle names a node twice")
}

// rings lists the neighbours and the triangles of each node.
func (s *surface) rings() (neighbours, triangles [][]int) {
	neighbours, triangles = make([][]int, len(s.x)), make([][]int, len(s.x))
	for i, t := range s.t {
		for k := range 3 {
			neighbours[t[k]] = append(neighbours[t[k]], t[(k+1)%3])
			triangles[t[k]] = append(triangles[t[k]], i)
		}
	}
	return neighbours, triangles
}

// collapse contracts edges shorter than limit where the surface stays sound and no edge gets longer than longest.
func (s *surface) collapse(limit, longest float64) {
	for {
		e := s.edges()
		near, around := s.rings()
		touched := make([]bool, len(s.x))
		drop := make([]bool, len(s.t))
		count := 0
		for _, edge := range s.sortedEdges(e) {
			a, b := edge.a, edge.b
			if edge.length >= limit {
				break
			}
			if touched[a] || touched[b] || slices.ContainsFunc(near[a], func(v int) bool { return touched[v] }) || slices.ContainsFunc(near[b], func(v int) bool { return touched[v] }) {
				continue
			}
			common := 0
			for _, v := range near[a] {
				if slices.Contains(near[b], v) {
					common++
				}
			}
			m := s.organ.project(s.x[a].Add(s.x[b]).Mul(0.5))
			if common != 2 || !s.mayMove(a, b, m, near, around, longest) || !s.mayMove(b, a, m, near, around, longest) {
				continue
			}
			count++
			s.x[a] = m
			drop[e[[2]int{a, b}]], drop[e[[2]int{b, a}]] = true, true
			for _, t := range around[b] {
				for k := range 3 {
					if s.t[t][k] == b {
						s.t[t][k] = a
					}
				}
			}
			for _, v := range slices.Concat(near[a], near[b], []int{a, b}) {
				touched[v] = true
			}
		}
		if count == 0 {
			return
		}
		s.compact(drop)
	}
}

// mayMove tells whether node a may go to m when its edge to b vanishes.
func (s *surface) mayMove(a, b int, m vec, near, around [][]int, longest float64) bool {
	for _, v := range near[a] {
		if v != b && s.scaled(s.x[v], m) > longest {
			return false
		}
	}
	for _, t := range around[a] {
		if slices.Contains(s.t[t][:], b) {
			continue
		}
		var c [3]vec
		for k, v := range s.t[t] {
			c[k] = s.x[v]
			if v == a {
				c[k] = m
			}
		}
		before := s.normal(s.x[s.t[t][0]], s.x[s.t[t][1]], s.x[s.t[t][2]])
		after := s.normal(c[0], c[1], c[2])
		if after.Dot(before) < 0.3*after.Len()*before.Len() {
			return false
		}
	}
	return true
}

// compact removes triangles and the nodes that nothing uses.
func (s *surface) compact(drop []bool) {
	var t [][3]int
	index := make([]int, len(s.x))
	for i := range index {
		index[i] = -1
	}
	var x []vec
	for i := range s.t {
		if drop[i] {
			continue
		}
		var n [3]int
		for k, v := range s.t[i] {
			if index[v] < 0 {
				index[v] = len(x)
				x = append(x, s.x[v])
			}
			n[k] = index[v]
		}
		t = append(t, n)
	}
	s.x, s.t = x, t
}

// flip turns edges where that brings valences nearer to six and the two triangles stay sound.
func (s *surface) flip() {
	for range 5 {
		e := s.edges()
		valence := make([]int, len(s.x))
		for _, t := range s.t {
			for _, v := range t {
				valence[v]++
			}
		}
		touched := map[int]bool{}
		count := 0
		for _, edge := range s.sortedEdges(e) {
			a, b := edge.a, edge.b
			l, r := e[[2]int{a, b}], e[[2]int{b, a}]
			if touched[l] || touched[r] {
				continue
			}
			c, d := s.third(l, a, b), s.third(r, b, a)
			if _, there := e[[2]int{c, d}]; there {
				continue
			}
			if _, there := e[[2]int{d, c}]; there {
				continue
			}
			off := func(da, dc int) int {
				return abs(valence[a]+da-6) + abs(valence[b]+da-6) + abs(valence[c]+dc-6) + abs(valence[d]+dc-6)
			}
			if off(-1, 1) >= off(0, 0) {
				continue
			}
			n1, n2 := s.normal(s.x[a], s.x[d], s.x[c]), s.normal(s.x[d], s.x[b], s.x[c])
			before := s.normal(s.x[a], s.x[b], s.x[c]).Normalize().Add(s.normal(s.x[b], s.x[a], s.x[d]).Normalize())
			if n1.Dot(before) <= 0.6*n1.Len()*before.Len() || n2.Dot(before) <= 0.6*n2.Len()*before.Len() {
				continue
			}
			s.t[l], s.t[r] = [3]int{a, d, c}, [3]int{d, b, c}
			valence[a]--
			valence[b]--
			valence[c]++
			valence[d]++
			touched[l], touched[r] = true, true
			// Neighbouring triangles keep their edges, but e no longer knows them all.
			for _, t := range []int{l, r} {
				for k := range 3 {
					delete(e, [2]int{s.t[t][k], s.t[t][(k+1)%3]})
					e[[2]int{s.t[t][k], s.t[t][(k+1)%3]}] = t
				}
			}
			count++
		}
		if count == 0 {
			return
		}
	}
}

func abs(n int) int { return max(n, -n) }

// smooth moves every node towards the middle of its neighbours, along the surface, and back onto it.
func (s *surface) smooth() {
	near, _ := s.rings()
	next := make([]vec, len(s.x))
	for i := range s.x {
		var middle vec
		for _, v := range near[i] {
			middle = middle.Add(s.x[v].Mul(1 / float64(len(near[i]))))
		}
		n := s.organ.gradient(s.x[i])
		d := middle.Sub(s.x[i])
		if l := n.LenSqr(); l > 0 {
			d = d.Sub(n.Mul(d.Dot(n) / l))
		}
		next[i] = s.organ.project(s.x[i].Add(d.Mul(0.6)))
	}
	s.x = next
}
