package collision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/cmd/hapco/internal/bench/scale"
	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/flex"
	"hapco/physics/worlds/tissue"
)

// world measures the detection of a physics step: of a slab whose top has 2 n^2 triangles, under a tool of 36 nodes
// that are as far apart as the slab's.
func (c *Command) world(ctx context.Context, kind string) Point {
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
	build := tissue.Builder{WholeSurface: 1} // what may touch: the top
	if !c.NoCache {
		build.Cache = flex.DefaultCache()
	}
	w, _, err := build.New(ctx, scale.Slab(5*cell, 5, size, 20, n, 4, contact), nil)
	if err != nil && !errors.Is(err, context.Canceled) {
		err = app.BadInput(fmt.Errorf("bench collision: %w", err))
	}
	refusal.Need(err)
	var wall, near []float64
	for i, at := range scale.SlabPath.Points() {
		if i%64 == 0 {
			refusal.Need(ctx.Err())
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
	return p
}
