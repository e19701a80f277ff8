package grain

import (
	"math"
	"slices"

	"hapco/physics/numerics/num"
)

// grid divides space into cells as wide as the reach of the neighbour lists, so that neighbours lie in adjacent cells.
// It repeats itself in all directions: a grain that flies off comes to lie in the cell of another place, where its
// neighbours do too, and the distances tell them apart. So the number of cells follows the number of grains, wherever
// they are.
type grid struct {
	n     [3]int     // cells along x, y, z; at least 3
	low   [3]float64 // corner of cell (0, 0, 0), m
	width float64    // of a cell, m
	start []int32    // first grain of each cell, x fastest; one more at the end
}

// cellOf is the number of the cell of a place. A place that is no number gets one too.
func (g *grid) cellOf(x, y, z float64) int32 {
	cx := wrap((x-g.low[0])/g.width, g.n[0])
	cy := wrap((y-g.low[1])/g.width, g.n[1])
	cz := wrap((z-g.low[2])/g.width, g.n[2])
	return int32((cz*g.n[1]+cy)*g.n[0] + cx)
}

// wrap is floor(s) modulo n.
func wrap(s float64, n int) int {
	if s >= 0 && s < float64(n) {
		return int(s)
	}
	f := math.Floor(s)
	f -= float64(n) * math.Floor(f/float64(n))
	if !(f >= 0 && f < float64(n)) {
		return 0
	}
	return int(f)
}

// fit makes the grid cover the box from lo to hi, with at most two cells a grain, and tells whether its size has
// changed. A grid that is a little too large or too small stays.
func (g *grid) fit(lo, hi [3]float64, width float64, grains int) bool {
	var need [3]int
	for k := range need {
		cells := (hi[k] - lo[k]) / width
		if !(cells < 1<<20) {
			cells = 1 << 20
		}
		need[k] = max(3, int(cells)+2) // a layer that stays empty parts the ends
	}
	for most := max(27, 2*grains); need[0]*need[1]*need[2] > most; {
		k := slices.Index(need[:], slices.Max(need[:]))
		need[k] = max(3, need[k]/2)
	}
	same := g.width == width
	for k := range need {
		same = same && need[k] <= g.n[k] && g.n[k] <= 2*need[k]+4
	}
	if same {
		return false
	}
	for k := range need { // room to move before the next change
		need[k] += 1 + need[k]/16
	}
	g.n, g.low, g.width = need, lo, width
	cells := need[0]*need[1]*need[2] + 1
	g.start = num.Grow(g.start, cells)
	return true
}

// around lists the ranges of grains that may be neighbours of those in cell (x, y, z) and come later in the half of the
// cells that counts each pair once: the next cell of the row, and three cells of four further rows. The first range
// begins with the cell's own grains.
func (g *grid) around(x, y, z int, dst *[10][2]int32) [][2]int32 {
	nx, ny, nz := g.n[0], g.n[1], g.n[2]
	k := 0
	add := func(lo, hi int32) {
		if lo < hi {
			dst[k] = [2]int32{lo, hi}
			k++
		}
	}
	span := func(row, from, to int) { // cells of a row that repeats itself
		row *= nx
		add(g.start[row+max(from, 0)], g.start[row+min(to, nx)])
		if from < 0 {
			add(g.start[row+nx-1], g.start[row+nx])
		}
		if to > nx {
			add(g.start[row], g.start[row+1])
		}
	}
	up, down := (y+1)%ny, (y+ny-1)%ny
	above := (z + 1) % nz
	span(z*ny+y, x, x+2)
	for _, r := range [4]int{z*ny + up, above*ny + down, above*ny + y, above*ny + up} {
		span(r, x-1, x+2)
	}
	return dst[:k]
}
