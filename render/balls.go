package render

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/gl/v3.3-core/gl"

	"hapco/physics"
)

// Balls are drawn in clumps of those that follow each other in the frame, nearest clump first: worlds that list
// neighbours one after the other then have little drawn that is hidden later. A clump whose balls are small on the
// screen is drawn as points, at a fraction of the cost.

const (
	clumpSize   = 128 // balls
	spriteLimit = 12  // pixels of radius, below which the eye does not miss the exact shape
)

type clump struct {
	start, end int32
	away       float32 // from the eye to the mean place, along the view, m
	nearest    float32 // of the balls, m
	radius     float32 // of the largest, m
}

// clumps are the order in which a frame's balls are drawn.
type clumps struct {
	list         []clump
	vao          uint32
	limit        float64 // in place of spriteLimit, for tests; 0: that
	first, count []int32 // of clumps drawn as points
}

// sort finds the clumps and puts the nearest first.
func (c *clumps) sort(balls []float32, cam *Camera) {
	c.list = c.list[:0]
	eye, back := cam.Eye(), cam.Backward()
	x, y, z := float32(back[0]), float32(back[1]), float32(back[2])
	at := float32(eye.Dot(back))
	n := len(balls) / pointFloats
	for i := 0; i < n; i += clumpSize {
		k := clump{start: int32(i), end: int32(min(i+clumpSize, n)), nearest: math.MaxFloat32}
		for j := i; j < int(k.end); j++ {
			b := balls[pointFloats*j : pointFloats*j+4 : pointFloats*j+4]
			d := at - (x*b[0] + y*b[1] + z*b[2])
			k.away += d
			k.nearest = min(k.nearest, d)
			k.radius = max(k.radius, b[3])
		}
		k.away /= float32(k.end - k.start)
		c.list = append(c.list, k)
	}
	slices.SortFunc(c.list, func(a, b clump) int { return cmp.Compare(a.away, b.away) })
}

// drawBalls draws the balls of the frame. The surface program is in use before and after.
func (r *Renderer) drawBalls(vp Viewport) {
	c := &r.clumps
	if len(c.list) == 0 {
		return
	}
	pixels := vp.resolution() / float64(r.uniforms.frame.right[3]) // drawn for a metre at unit depth
	limit := float64(spriteLimit)
	if c.limit > 0 {
		limit = c.limit
	}
	c.first, c.count = c.first[:0], c.count[:0]
	gl.UseProgram(r.prog.ball.id)
	gl.Uniform1f(r.prog.ball.at[uGrains], r.scene.things.grains)
	for i := range c.list {
		k := &c.list[i]
		if float64(k.radius)*pixels < limit*float64(k.nearest) {
			c.first, c.count = append(c.first, k.start), append(c.count, k.end-k.start)
		} else {
			r.balls.drawRun(k.start, k.end)
		}
	}
	if len(c.first) > 0 {
		gl.BindVertexArray(c.vao)
		gl.Enable(gl.PROGRAM_POINT_SIZE)
		gl.UseProgram(r.prog.sprite.id)
		gl.Uniform1f(r.prog.sprite.at[uGrains], r.scene.things.grains)
		gl.Uniform1f(r.prog.sprite.at[uPixels], float32(pixels))
		gl.MultiDrawArrays(gl.POINTS, &c.first[0], &c.count[0], int32(len(c.first)))
		gl.Disable(gl.PROGRAM_POINT_SIZE)
	}
	gl.UseProgram(r.prog.surface.id)
}

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
