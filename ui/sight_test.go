package ui

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/render"
)

// A way towards what is nearest leads there, whatever it is: a surface, a turned body, grains.
func TestWayToTheNearestMeetsIt(t *testing.T) {
	s := newFake("x")
	r := rand.New(rand.NewPCG(3, 4))
	s.info.Shapes = []physics.Shape{{Vertices: s.ball, Triangles: s.info.Surfaces[0].Triangles}}
	turn := mgl64.QuatRotate(0.7, mgl64.Vec3{1, 2, 3}.Normalize())
	s.frame.Instances = []physics.Instance{{Pose: frame.Pose{Position: mgl64.Vec3{0.05, 0.06, 0}, Rotation: turn}}}
	for range 40 {
		s.frame.Points = append(s.frame.Points, physics.Point{Position: [3]float32{-0.05 + 0.01*r.Float32(), 0.06 * r.Float32(), 0.01 * r.Float32()}, Radius: 0.002})
	}
	s.frame.Surfaces = []physics.Surface{{}, {Vertices: s.slab}}
	vp := newViewport(base{scene: &scene{info: s.info, snap: &s.frame}})
	vp.view.Bodies = make([]render.BodyView, 2)
	for range 300 {
		p := mgl64.Vec3{0.2 * (r.Float64() - 0.5), 0.01 + 0.2*r.Float64(), 0.2 * (r.Float64() - 0.5)}
		if p.Sub(s.frame.Instances[0].Pose.Position).Len() < ballRadius {
			continue // within it
		}
		way := vp.toward(p)
		d := vp.cast(p, way).t
		if math.IsInf(d, 1) {
			t.Fatalf("from %v: nothing is met along %v", p, way)
		}
		for range 50 {
			u := mgl64.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.Normalize()
			if other := vp.cast(p, u).t; other < d-1e-9 {
				t.Fatalf("from %v: %g m along %v, %g m along %v", p, d, way, other, u)
			}
		}
	}
}
