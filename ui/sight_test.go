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
	s.snap.Instances = []physics.Instance{{Pose: frame.Pose{Position: mgl64.Vec3{0.05, 0.06, 0}, Rotation: turn}}}
	for range 40 {
		s.snap.Points = append(s.snap.Points, physics.Point{Position: [3]float32{-0.05 + 0.01*r.Float32(), 0.06 * r.Float32(), 0.01 * r.Float32()}, Radius: 0.002})
	}
	s.snap.Surfaces = []physics.Surface{{}, {Vertices: s.slab}}
	vp := newViewport(base{scene: &scene{info: s.info, snap: &s.snap.Frame}})
	vp.view.Bodies = make([]render.BodyView, 2)
	for range 300 {
		p := mgl64.Vec3{0.2 * (r.Float64() - 0.5), 0.01 + 0.2*r.Float64(), 0.2 * (r.Float64() - 0.5)}
		if p.Sub(s.snap.Instances[0].Pose.Position).Len() < ballRadius {
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

// ofBody sees a rigid body, and nothing else.
type ofBody struct {
	floor
	vp *viewport
}

func (b ofBody) sight(from, dir mgl64.Vec3, radius float64) sighting {
	return b.vp.sight(from, dir, radius)
}

func (b ofBody) ahead(dir mgl64.Vec3) float64 { return 0.01 }

func (b ofBody) aimAt(from, dir mgl64.Vec3) { b.vp.aimAt(from, dir) }

func (b ofBody) aimed() bool { return b.vp.aimed() }

func (b ofBody) gone(from, dir mgl64.Vec3) mgl64.Vec3 { return b.vp.gone(from, dir) }

// A push goes after a body that moves away from under the pointer, as fast as a hand may go, until it touches it. One
// that spins in its place is pressed where it is.
func TestPushGoesAfterWhatItWasAimedAt(t *testing.T) {
	l := testLens()
	for _, c := range []struct{ speed, spin float64 }{{speed: 0.4}, {speed: 3}, {spin: 30}} {
		s := newFake("x")
		s.info.Surfaces, s.snap.Surfaces = nil, nil
		s.info.Shapes = []physics.Shape{{Vertices: s.ball, Triangles: newFake("x").info.Surfaces[0].Triangles}}
		s.snap.Instances = []physics.Instance{{Pose: frame.Pose{Position: l.eye.Add(l.forward.Mul(0.5)), Rotation: mgl64.QuatIdent()}}}
		vp := newViewport(base{scene: &scene{info: s.info, snap: &s.snap.Frame}})
		pose := &s.snap.Frame.Instances[0].Pose
		side := l.forward.Cross(mgl64.Vec3{0, 1, 0}).Normalize()
		var h hand
		h.set(l.eye.Add(l.forward.Mul(0.4)))
		x, y, _ := l.project(pose.Position)
		in := handFrame(l, x, y)
		in.bodies = ofBody{vp: vp}
		for range 30 {
			h.step(&in)
		}
		free := h.place
		in.button = true
		for k := range 60 {
			pose.Position = pose.Position.Add(side.Mul(c.speed * in.dt))
			pose.Rotation = mgl64.QuatRotate(c.spin*in.dt*float64(k), l.forward)
			before := h.place
			in.touched = h.position().Sub(pose.Position).Len() < ballRadius
			if h.step(&in); h.push == 0 {
				free = h.place
			}
			if d := h.place.Sub(before).Len(); !(d <= topSpeed*in.size*in.dt*1.001) {
				t.Fatalf("%+v: %g m in a frame", c, d)
			}
		}
		off := pose.Position.Sub(h.position())
		off = off.Sub(h.along.Mul(off.Dot(h.along)))
		switch went := h.place.Sub(free).Dot(side); {
		case c.speed == 0 && h.place.Sub(free).Len() > 1e-9:
			t.Errorf("a body that spins in its place moves the hand by %v", h.place.Sub(free))
		case c.speed == 0.4 && !(off.Len() < 1.2*ballRadius):
			t.Errorf("the push passes the body by %g m", off.Len())
		case c.speed == 3 && !(went > 0.8*topSpeed*in.size):
			t.Errorf("after a body that is faster than a hand it has gone %g m in a second", went)
		}
		in.touched = true
		pose.Position = pose.Position.Add(side)
		if before := h.place; c.speed > 0 {
			if h.step(&in); h.place != before {
				t.Error("it goes on after it touches")
			}
		}
	}
}
