package floe

import (
	"bytes"
	"context"

	_ "embed"
	"fmt"
	"math"
	"slices"

	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/machinery/cputime"
	"hapco/physics/worlds/floe"
)

//go:embed box2d/peer.cpp
var box2dSource []byte

// floePeer is Box2D beside ours: the same convex floes in a basin, without forces, friction or loss, so that the
// kinetic energy should stay as it is.
type floePeer struct {
	Floes   int       `json:"floes"`
	Seconds float64   `json:"seconds"` // of motion
	Rows    []peerRow `json:"rows"`
}

type peerRow struct {
	Who    string  `json:"who"`
	Step   float64 `json:"ms_a_step"`              // processor time
	Motion float64 `json:"ms_a_second"`            // processor time of a second of motion
	Energy float64 `json:"energy_change_relative"` // at the end
}

// basin is the field of the comparison. Box2D takes at most eight vertices.
func basin(n int) (floe.Config, error) {
	size := 8 * math.Sqrt(float64(n))
	f := floe.Field{Floes: n, Hi: floe.Vec2{size, size}, Cover: 0.5, Exponent: 1.8, Spread: 3, Thick: [2]float64{1, 1}, Seed: 2}
	floes, err := f.Make()
	if err != nil {
		return floe.Config{}, err
	}
	for i := range floes {
		p := &floes[i]
		for len(p.Outline) > 8 { // without the vertex that cuts off least
			least, at := math.Inf(1), 0
			for k, b := range p.Outline {
				a, c := p.Outline[(k+len(p.Outline)-1)%len(p.Outline)], p.Outline[(k+1)%len(p.Outline)]
				u, v := b.Sub(a), c.Sub(a)
				if area := math.Abs(u[0]*v[1] - u[1]*v[0]); area < least {
					least, at = area, k
				}
			}
			p.Outline = slices.Delete(p.Outline, at, at+1)
		}
		g := floe.SectionOf(p.Outline).Centroid
		for k := range p.Outline {
			p.Outline[k] = p.Outline[k].Sub(g)
		}
		p.Position = p.Position.Add(g)
		a := float64(i) * 2.399963
		p.Velocity = floe.Vec2{2 * math.Cos(a), 2 * math.Sin(a)}
	}
	return floe.Config{Floes: append(floe.Banks(f.Lo, f.Hi, 10, 0.1), floes...), Restitution: 1, Collision: 1e-3, Repairs: floe.Recommended, Threads: 1}, nil
}

// compareBox2D runs both.
func compareBox2D(ctx context.Context, n int, seconds float64) (*floePeer, error) {
	peer, err := output.Compile(ctx, "Box2D", "g++ libbox2d-dev", box2dSource, "-lbox2d")
	if err != nil {
		return nil, err
	}
	defer peer.Remove()
	c, err := basin(n)
	if err != nil {
		return nil, err
	}
	const dt = 1. / 60
	steps := int(seconds / dt)
	var in bytes.Buffer
	fmt.Fprintln(&in, steps, dt, c.Restitution, c.Friction, len(c.Floes))
	for _, f := range c.Floes {
		fixed := 0
		if f.Fixed {
			fixed = 1
		}
		fmt.Fprintln(&in, fixed, f.Density*f.Thickness, f.Position[0], f.Position[1], f.Velocity[0], f.Velocity[1], f.Rate, len(f.Outline))
		for _, p := range f.Outline {
			fmt.Fprintln(&in, p[0], p[1])
		}
	}
	var theirs struct {
		Seconds float64 `json:"seconds"`
		Start   float64 `json:"start"`
		End     float64 `json:"end"`
	}
	if err := peer.Run(ctx, &in, &theirs); err != nil {
		return nil, err
	}
	out := &floePeer{Floes: n, Seconds: seconds}
	out.Rows = append(out.Rows, peerRow{"Box2D, 60 steps a second", 1e3 * theirs.Seconds, 1e3 * theirs.Seconds / dt, theirs.End/theirs.Start - 1})
	for _, window := range []float64{dt, 0} {
		c.Window = window
		w, err := floe.New(c)
		if err != nil {
			return nil, err
		}
		start := cputime.Thread()
		w.Advance(seconds, 1<<30)
		used := (cputime.Thread() - start).Seconds()
		e, r := w.Energy(), w.Report()
		if w.Err() != nil {
			return nil, w.Err()
		}
		who := "HapCo, windows of 1/60 s"
		if window == 0 {
			who = "HapCo, from event to event"
		}
		out.Rows = append(out.Rows, peerRow{who, 1e3 * used / float64(r.Steps), 1e3 * used / seconds, e.Kinetic/e.Start - 1})
		w.Close()
	}
	return out, nil
}
