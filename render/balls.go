package render

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/gl/v3.3-core/gl"
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
	pixels := vp.resolution() / float64(r.frame.right[3]) // drawn for a metre at unit depth
	limit := float64(spriteLimit)
	if c.limit > 0 {
		limit = c.limit
	}
	c.first, c.count = c.first[:0], c.count[:0]
	gl.UseProgram(r.ballProg.id)
	gl.Uniform1f(r.ballProg.at[uGrains], r.scene.grains)
	for i := range c.list {
		k := &c.list[i]
		if float64(k.radius)*pixels < limit*float64(k.nearest) {
			c.first, c.count = append(c.first, k.start), append(c.count, k.end-k.start)
		} else {
			r.balls.drawRun(k.start, k.end)
		}
	}
	if len(c.first) > 0 {
		if c.vao == 0 {
			c.vao = vertexArray(r.balls.data.id, 4, 4)
		}
		gl.BindVertexArray(c.vao)
		gl.Enable(gl.PROGRAM_POINT_SIZE)
		gl.UseProgram(r.spriteProg.id)
		gl.Uniform1f(r.spriteProg.at[uGrains], r.scene.grains)
		gl.Uniform1f(r.spriteProg.at[uPixels], float32(pixels))
		gl.MultiDrawArrays(gl.POINTS, &c.first[0], &c.count[0], int32(len(c.first)))
		gl.Disable(gl.PROGRAM_POINT_SIZE)
	}
	gl.UseProgram(r.surfaceProg.id)
}

func (c *clumps) delete() {
	if c.vao != 0 {
		gl.DeleteVertexArrays(1, &c.vao)
	}
	*c = clumps{}
}
