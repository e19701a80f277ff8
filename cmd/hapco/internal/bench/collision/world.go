package collision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/cmd/hapco/internal/bench/scale"
	"hapco/physics/files/scene"
	"hapco/physics/numerics/flex"
	"hapco/physics/worlds/tissue"
)

// collisionSlab is a slab of soft tissue whose top has 2 n^2 triangles, under a flat rigid tool of 36 nodes that are as
// far apart as the slab's. Lengths in mm.
const collisionSlab = `
title = "collision"
about = "a flat tool on a slab"
friction = 0.3
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "tool"
role = "driven"
rigid = true
position = [-3, 0.05, -0.6]
contact_surface = "bottom"
[body.box]
origin = [-6.25, 0, -6.25]
size = [12.5, 4, 12.5]
elements = [5, 1, 5]
[[body]]
name = "slab"
E = 20
nu = 0.4
clamp = "bottom"
contact_surface = "top"
[body.box]
origin = [-%[2]g, -20, -%[2]g]
size = [%[3]g, 20, %[3]g]
elements = [%[1]d, 4, %[1]d]
[[pair]]
bodies = ["tool", "slab"]
contact = %[4]q
[contact]
tolerance = 1e-4
ddc_tolerance = 2
anchored = true
normals = "smooth"
`

// world measures the detection of a physics step.
func (c *Command) world(ctx context.Context, kind string) (Point, error) {
	n := 71
	if c.Quick || c.Triangles < 10000 {
		n = 22
	}
	p := Point{Name: "slab", Kind: kind, Triangles: 2 * n * n, Queries: Queries}
	contact := "one"
	if kind == kindWorldFull {
		contact = "full"
	}
	const cell = 2.5
	size := cell * float64(n)
	fmt.Fprintf(os.Stderr, "hapco: physics step over %d triangles, compliance of their nodes first\n", p.Triangles)
	s, err := scene.Parse("collision.toml", fmt.Appendf(nil, collisionSlab, n, size/2, size, contact))
	if err != nil {
		return p, fmt.Errorf("bench collision: %w", err)
	}
	build := tissue.Builder{WholeSurface: 1} // what may touch: the top
	if !c.NoCache {
		build.Cache = flex.DefaultCache()
	}
	w, _, err := build.New(ctx, s, nil)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return p, err
		}
		return p, app.BadInput(fmt.Errorf("bench collision: %w", err))
	}
	way := scale.Path{Down: 2e-3, Along: mgl64.Vec3{6e-3, 0, 1.2e-3}, Times: 2, Away: 0.05e-3, Step: 0.05e-3}
	var wall, near []float64
	for i, at := range way.Points() {
		if i%64 == 0 && ctx.Err() != nil {
			return p, ctx.Err()
		}
		pose := w.StartPose()
		pose.Position = pose.Position.Add(at)
		w.Step(pose)
		if st := w.Stats(); i >= 20 { // before, it warms up
			wall = append(wall, float64(st.Timing.Collision)/float64(time.Microsecond))
			near = append(near, float64(st.Stick+st.Slip+st.Open))
		}
	}
	p.Steps, p.Median, p.P99, p.P10 = len(wall), output.Rank(wall, 0.5), output.Rank(wall, 0.99), output.Rank(wall, 0.1)
	p.Near = int(output.Rank(near, 0.5))
	p.Rate = 1e6 * float64(p.Queries) / p.Median
	return p, nil
}
