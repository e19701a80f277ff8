package tissue

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/mat"

	"hapco/physics/numerics/flex"
)

// coarseNodes chooses, of the nodes whose compliance is wanted, those to compute first, and how the others follow them
// until they are ready themselves. Nearness is along the surface: the two sides of a thin lobe do not follow each
// other.
type coarseNodes struct {
	rest []mgl64.Vec3 // surface nodes
	to   [][]int32    // of each surface node: those with an edge to it, ascending

	wanted []int32  // surface nodes, in the order of the compliance
	held   []bool   // surface nodes that cannot move
	source []int32  // of each surface node: its number among sources; -1
	nodes  []int32  // surface nodes of the sources
	number []int32  // of each source among those that are ready; -1 for one that is held
	ready  []int32  // surface nodes
	near   [][]from // of each surface node: the nearest sources, nearest first
	queue  fronts
}

// from is a source and the way to it, m.
type from struct {
	source int32
	way    float64
}

// newCoarseNodes begins with no node ready.
func newCoarseNodes(b *body) *coarseNodes {
	n := len(b.rest)
	c := &coarseNodes{rest: b.rest, to: make([][]int32, n), held: b.info.Fixed, source: make([]int32, n), near: make([][]from, n)}
	for i := range c.source {
		c.source[i] = -1
	}
	c.wanted = b.chosen
	if b.rows == nil {
		c.wanted = make([]int32, n)
		for i := range c.wanted {
			c.wanted[i] = int32(i)
		}
	}
	for _, t := range b.info.Triangles {
		for k, node := range t {
			c.to[node] = append(c.to[node], t[(k+1)%3], t[(k+2)%3])
		}
	}
	for i := range c.to {
		slices.Sort(c.to[i])
		c.to[i] = slices.Compact(c.to[i])
	}
	return c
}

// add makes a node a source: one that others follow.
func (c *coarseNodes) add(node int32) {
	if c.source[node] >= 0 {
		return
	}
	s := int32(len(c.nodes))
	c.source[node] = s
	c.nodes = append(c.nodes, node)
	c.number = append(c.number, -1)
	// Dijkstra from the source, as far as it is among a node's nearest: who has nearer ones hands those on to the nodes
	// behind, too.
	c.queue = append(c.queue[:0], front{node, 0})
	for len(c.queue) > 0 {
		at := heap.Pop(&c.queue).(front)
		if !c.hear(at.node, from{s, at.way}) {
			continue
		}
		for _, next := range c.to[at.node] {
			heap.Push(&c.queue, front{next, at.way + c.rest[at.node].Sub(c.rest[next]).Len()})
		}
	}
}

// admit numbers chosen nodes: their rows are what becomes ready next.
func (c *coarseNodes) admit(chosen []int32) {
	for _, node := range chosen {
		c.number[c.source[node]] = int32(len(c.ready))
		c.ready = append(c.ready, node)
	}
}

// hear notes a source at a node; it is false where that changes nothing.
func (c *coarseNodes) hear(node int32, f from) bool {
	list := c.near[node]
	at := len(list)
	for i, other := range list {
		if other.source == f.source {
			return false
		}
		if f.way < other.way && at == len(list) {
			at = i
		}
	}
	if at == flex.SpreadMost {
		return false
	}
	if len(list) == flex.SpreadMost {
		list = list[:len(list)-1]
	}
	c.near[node] = slices.Insert(list, at, f)
	return true
}

// farthest makes sources of the wanted nodes that are farthest from all sources, one after the other, until count more
// of them can move or none is left. It returns those that can move; they are to be admitted before spread is asked for.
func (c *coarseNodes) farthest(count int) (chosen []int32) {
	for len(chosen) < count {
		best, way := int32(-1), 0.0
		for _, node := range c.wanted {
			if c.source[node] >= 0 {
				continue
			}
			d := math.Inf(1)
			if list := c.near[node]; len(list) > 0 {
				d = list[0].way
			}
			if best < 0 || d > way {
				best, way = node, d
			}
		}
		if best < 0 {
			break
		}
		c.add(best)
		if !c.held[best] {
			chosen = append(chosen, best)
		}
	}
	return chosen
}

// nearest makes sources of up to count wanted nodes: those in touch that are not yet, then those among the within
// nearest to a point of the body's frame.
func (c *coarseNodes) nearest(point mgl64.Vec3, touched []int32, count, within int) (chosen []int32) {
	take := func(node int32) {
		if c.source[node] < 0 && !c.held[node] && len(chosen) < count {
			c.add(node)
			chosen = append(chosen, node)
		}
	}
	type candidate struct {
		node int32
		d    float64
	}
	list := make([]candidate, 0, len(c.wanted))
	for _, node := range c.wanted {
		if slices.Contains(touched, node) {
			take(node)
		}
		if !c.held[node] {
			list = append(list, candidate{node, c.rest[node].Sub(point).LenSqr()})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.d, b.d), cmp.Compare(a.node, b.node)) })
	for _, x := range list[:min(within, len(list))] {
		take(x.node)
	}
	return chosen
}

// spread says how every wanted node follows the sources.
func (c *coarseNodes) spread() []flex.Spread {
	out := make([]flex.Spread, len(c.wanted))
	for i, node := range c.wanted {
		if c.held[node] {
			continue
		}
		s := &out[i]
		if k := c.source[node]; k >= 0 {
			s.Count, s.Ready[0], s.Weight[0] = 1, c.number[k], 1
			continue
		}
		list := c.near[node]
		weights := c.follow(node, list)
		for k, f := range list {
			if number := c.number[f.source]; number >= 0 {
				s.Ready[s.Count], s.Weight[s.Count] = number, weights[k]
				s.Count++
			}
		}
	}
	return out
}

// follow are the weights with which a node follows its nearest sources: those of least squares about the node (moving
// least squares with linear functions), so that a surface that shifts or tilts as a whole is followed exactly; where
// the sources lie all to one side, by distance only. They sum to 1.
func (c *coarseNodes) follow(node int32, list []from) (w [flex.SpreadMost]float64) {
	if len(list) == 0 {
		return w
	}
	reach := 1.05 * list[len(list)-1].way
	sum := 0.0
	var near [flex.SpreadMost]float64
	if !(reach > 0) { // nodes at one place
		w[0] = 1
		return w
	}
	for k, f := range list {
		x := 1/max(f.way, 1e-6*reach) - 1/reach // falls to nearly nothing at the farthest
		near[k] = x * x
		sum += near[k]
	}
	for k := range list {
		near[k] /= sum
	}
	moment := mat.NewSymDense(4, nil)
	trace := 0.0
	row := func(k int) [4]float64 {
		d := c.rest[c.nodes[list[k].source]].Sub(c.rest[node]).Mul(1 / reach)
		return [4]float64{1, d[0], d[1], d[2]}
	}
	for k := range list {
		p := row(k)
		for i := range 4 {
			for j := i; j < 4; j++ {
				moment.SetSym(i, j, moment.At(i, j)+near[k]*p[i]*p[j])
			}
			if i > 0 {
				trace += near[k] * p[i] * p[i]
			}
		}
	}
	for i := 1; i < 4; i++ { // across the surface there is nothing to tell slopes from
		moment.SetSym(i, i, moment.At(i, i)+1e-3*trace)
	}
	var solve mat.Cholesky
	var a mat.VecDense
	if !solve.Factorize(moment) || solve.SolveVecTo(&a, mat.NewVecDense(4, []float64{1, 0, 0, 0})) != nil {
		return near
	}
	size, total := 0.0, 0.0
	for k := range list {
		p := row(k)
		w[k] = near[k] * (a.AtVec(0) + a.AtVec(1)*p[1] + a.AtVec(2)*p[2] + a.AtVec(3)*p[3])
		size += math.Abs(w[k])
		total += w[k]
	}
	if !(size < 2) || !(total > 0.5) { // far outside of what the sources surround
		return near
	}
	for k := range list {
		w[k] /= total
	}
	return w
}

// front is where a wave from a source has come to.
type front struct {
	node int32
	way  float64
}

type fronts []front

func (f fronts) Len() int           { return len(f) }
func (f fronts) Less(i, j int) bool { return f[i].way < f[j].way }
func (f fronts) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *fronts) Push(x any)        { *f = append(*f, x.(front)) }
func (f *fronts) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}
