package floe

import (
	"math"
	"slices"

	"hapco/physics/numerics/num"
)

// neighbours lists the pairs of floes that may meet before they are listed again: their boxes, with the margins of
// both, overlap. A fast floe has a wide margin. A grid of square cells sorts the boxes; a box that would lie in many
// cells, as that of a bank, is held against all others.
type neighbours struct {
	pairs []pair
	valid bool

	large       []int32
	start, fill []int32 // by cell: where its floes begin in items
	items       []int32

	first  []int32 // by floe: where its pairs go in sorted
	sorted []pair
	radii  []float64 // for medianRadius, m
}

type pair struct{ a, b int32 }

// list makes the list anew where some floe has gone half its margin, and says so. A step may take it as far again.
func (w *World) list() (anew bool) {
	n := &w.near
	stale := !n.valid
	for i := range w.bodies {
		stale = stale || w.bodies[i].travel > w.bodies[i].margin/2
	}
	if !stale {
		return false
	}
	n.valid = true
	n.pairs = n.pairs[:0]
	if g, some := w.grid(); some {
		w.listCells(&g)
	}
	for k, i := range n.large {
		for j := range w.bodies {
			a, b := &w.bodies[i], &w.bodies[j]
			if at, ok := slices.BinarySearch(n.large, int32(j)); ok && at <= k || !w.mayMeet(a, b) {
				continue
			}
			n.pairs = append(n.pairs, pair{min(i, int32(j)), max(i, int32(j))})
		}
	}
	n.sort(len(w.bodies))
	return true
}

// cells are squares that cover the floes but the large ones.
type cells struct {
	lo, hi Vec2
	size   float64
	nx, ny int
}

// along are the cells of a floe's box along axis k.
func (g *cells) along(b *body, k int) (int, int) {
	return int(math.Floor((b.lo[k] - b.margin - g.lo[k]) / g.size)), int(math.Floor((b.hi[k] + b.margin - g.lo[k]) / g.size))
}

// large tells that a floe's box has too many cells.
func (g *cells) large(b *body) bool {
	return (b.hi[0]-b.lo[0]+2*b.margin)*(b.hi[1]-b.lo[1]+2*b.margin) > largeCells*g.size*g.size ||
		max(b.hi[0]-b.lo[0], b.hi[1]-b.lo[1]) > largeCells*g.size
}

// grid gives the floes their margins, and finds the cells for them; some is false where all are large.
func (w *World) grid() (g cells, some bool) {
	n := &w.near
	r := w.medianRadius()
	least := listMargin*r + w.config.Collision
	g = cells{lo: Vec2{math.Inf(1), math.Inf(1)}, hi: Vec2{math.Inf(-1), math.Inf(-1)}, size: 2*r + 2*least}
	n.large = n.large[:0]
	for i := range w.bodies {
		b := &w.bodies[i]
		b.travel = 0
		b.margin = max(least, listWindows*w.config.Window*b.speed())
		if g.large(b) {
			n.large = append(n.large, int32(i))
			continue
		}
		for k := range 2 {
			g.lo[k], g.hi[k] = min(g.lo[k], b.lo[k]-b.margin), max(g.hi[k], b.hi[k]+b.margin)
		}
	}
	small := float64(len(w.bodies) - len(n.large))
	if small == 0 {
		return g, false
	}
	// No more cells than some per floe, however far these are spread.
	wide, high := g.hi[0]-g.lo[0], g.hi[1]-g.lo[1]
	if area := wide * high; area > 8*small*g.size*g.size {
		g.size = math.Sqrt(area / (8 * small))
	}
	if long := max(wide, high); long > 64*small*g.size {
		g.size = long / (64 * small)
	}
	g.nx, g.ny = int(wide/g.size)+1, int(high/g.size)+1
	return g, true
}

// listCells lists the pairs that share a cell.
func (w *World) listCells(g *cells) {
	n, nx, ny := &w.near, g.nx, g.ny
	n.start = num.Grow(n.start, nx*ny+1)
	clear(n.start)
	each := func(visit func(i int32, c int)) {
		l := 0
		for i := range w.bodies {
			if l < len(n.large) && n.large[l] == int32(i) {
				l++
				continue
			}
			x0, x1 := g.along(&w.bodies[i], 0)
			y0, y1 := g.along(&w.bodies[i], 1)
			for y := max(y0, 0); y <= min(y1, ny-1); y++ {
				for x := max(x0, 0); x <= min(x1, nx-1); x++ {
					visit(int32(i), y*nx+x)
				}
			}
		}
	}
	each(func(_ int32, c int) { n.start[c+1]++ })
	for c := range nx * ny {
		n.start[c+1] += n.start[c]
	}
	n.items = num.Grow(n.items, int(n.start[nx*ny]))
	n.fill = append(n.fill[:0], n.start...)
	each(func(i int32, c int) {
		n.items[n.fill[c]] = i
		n.fill[c]++
	})
	for c := range nx * ny {
		in := n.items[n.start[c]:n.start[c+1]]
		for k, i := range in {
			for _, j := range in[k+1:] {
				a, b := &w.bodies[i], &w.bodies[j]
				if !w.mayMeet(a, b) {
					continue
				}
				// A pair in several cells counts in the first of them.
				ax, _ := g.along(a, 0)
				bx, _ := g.along(b, 0)
				ay, _ := g.along(a, 1)
				by, _ := g.along(b, 1)
				if c == min(max(ay, by, 0), ny-1)*nx+min(max(ax, bx, 0), nx-1) {
					n.pairs = append(n.pairs, pair{i, j})
				}
			}
		}
	}
}

// sort brings the pairs into the order of their first floes, so that what is next in the list is near in memory.
func (n *neighbours) sort(bodies int) {
	n.first = num.Grow(n.first, bodies+1)
	clear(n.first)
	for _, p := range n.pairs {
		n.first[p.a+1]++
	}
	for i := range bodies {
		n.first[i+1] += n.first[i]
	}
	n.sorted = num.Grow(n.sorted, len(n.pairs))
	for _, p := range n.pairs {
		n.sorted[n.first[p.a]] = p
		n.first[p.a]++
	}
	n.pairs, n.sorted = n.sorted, n.pairs
}

// mayMeet tells whether two floes may meet before the next listing.
func (w *World) mayMeet(a, b *body) bool {
	return !(a.fixed && b.fixed) && !(w.hand != nil && w.hand.up && (a.tool || b.tool)) && boxesNear(a, b, a.margin+b.margin)
}

// boxesNear tells whether the boxes of two floes are at most d apart along each axis.
func boxesNear(a, b *body, d float64) bool {
	return a.lo[0]-d <= b.hi[0] && b.lo[0]-d <= a.hi[0] && a.lo[1]-d <= b.hi[1] && b.lo[1]-d <= a.hi[1]
}
