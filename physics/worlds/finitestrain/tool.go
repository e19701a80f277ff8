package finitestrain

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/files/scene"
)

// newTool is the shape of a driven body: a core with a radius where it has one, else its surface.
func newTool(b *scene.Body, from *scene.Solid) (*Shape, error) {
	t := &b.Shape.Tool
	if b.Shape.Kind == scene.ToolShape {
		switch t.Kind {
		case scene.SphereTool:
			return &Shape{Round: t.Radius}, nil
		case scene.CapsuleTool, scene.ProbeTool: // nothing touches the end of a probe's shaft
			return &Shape{Core: [2]mgl64.Vec3{{}, {0, t.Length, 0}}, Round: t.Radius}, nil
		}
	}
	s := &Shape{Triangles: from.Surface.Triangles, Points: from.Surface.Places(from.Mesh)}
	if from.Solid == nil {
		if _, err := collision.NewField(s.Triangles, s.Points); err != nil {
			return nil, fmt.Errorf("tool: %w", err)
		}
	}
	return s, nil
}

// shadow is the area of the largest shadow that a closed surface throws along an axis, m2; of one that is not convex an
// upper bound.
func shadow(x []mgl64.Vec3, triangles [][3]int32) float64 {
	var sum mgl64.Vec3
	for _, t := range triangles {
		n := x[t[1]].Sub(x[t[0]]).Cross(x[t[2]].Sub(x[t[0]]))
		for c := range sum {
			sum[c] += math.Abs(n[c]) / 4
		}
	}
	return max(sum[0], sum[1], sum[2])
}
