package render

import (
	"math"

	"hapco/physics"
)

// Grains of sand, snow or water look like a heap, not like balls, where each knows its neighbours: those shade it, and
// its surface leans to that of the heap.

// grainKinds are the values of physics.Frame.Grains; ball.frag knows their places, from 1. swell is how much larger
// than it touches a grain is drawn, so that those of a heap meet.
var grainKinds = map[string]struct{ kind, swell float32 }{"sand": {1, 1.08}, "snow": {2, 1.25}, "water": {3, 1.4}}

// mostGrains is how many may know their neighbours: finding those of so many takes some milliseconds.
const mostGrains = 10_000

// grains finds the neighbours of grains, in cells of a grid.
type grains struct {
	points     []physics.Point
	head, next []int32
}

// build copies the grains with their neighbours in place of Scalar: the sum of the directions to them, each component in
// 64 steps, and their number, up to 12.
func (h *grains) build(points []physics.Point, swell float32) []physics.Point {
	h.points = append(h.points[:0], points...)
	lo, hi := [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}, [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32}
	most := float32(0)
	for i := range points {
		for a, x := range points[i].Position {
			lo[a], hi[a] = min(lo[a], x), max(hi[a], x)
		}
		most = max(most, points[i].Radius)
	}
	cell := 2.5 * most
	var n [3]int
	for a := range n {
		for !((hi[a]-lo[a])/cell < 64) { // grains that fly far make the cells larger
			cell *= 2
		}
	}
	for a := range n {
		n[a] = int((hi[a]-lo[a])/cell) + 1
	}
	h.head, h.next = h.head[:0], h.next[:0]
	for range n[0] * n[1] * n[2] {
		h.head = append(h.head, -1)
	}
	at := func(p *[3]float32) (c [3]int) {
		for a := range c {
			c[a] = int((p[a] - lo[a]) / cell)
		}
		return c
	}
	for i := range points {
		c := at(&points[i].Position)
		k := (c[2]*n[1]+c[1])*n[0] + c[0]
		h.next = append(h.next, h.head[k])
		h.head[k] = int32(i)
	}
	for i := range points {
		p := &points[i]
		var sum [3]float32
		count := float32(0)
		c := at(&p.Position)
		for z := max(c[2]-1, 0); z <= min(c[2]+1, n[2]-1); z++ {
			for y := max(c[1]-1, 0); y <= min(c[1]+1, n[1]-1); y++ {
				for x := max(c[0]-1, 0); x <= min(c[0]+1, n[0]-1); x++ {
					for j := h.head[(z*n[1]+y)*n[0]+x]; j >= 0; j = h.next[j] {
						q := &points[j]
						dx, dy, dz := q.Position[0]-p.Position[0], q.Position[1]-p.Position[1], q.Position[2]-p.Position[2]
						d2, reach := dx*dx+dy*dy+dz*dz, 1.25*(p.Radius+q.Radius)
						if d2 == 0 || d2 > reach*reach {
							continue
						}
						d := float32(math.Sqrt(float64(d2)))
						sum[0], sum[1], sum[2], count = sum[0]+dx/d, sum[1]+dy/d, sum[2]+dz/d, count+1
					}
				}
			}
		}
		q := &h.points[i]
		q.Radius *= 0.8 + (swell-0.8)*min(count/5, 1) // a heap closes, what flies alone is small
		packed := min(count, 12) * (63.0 / 12)
		packed = float32(int(packed))
		for _, s := range sum {
			packed = 64*packed + float32(int(31.5*(1+min(max(s/5, -1), 1))))
		}
		q.Scalar = packed
	}
	return h.points
}
