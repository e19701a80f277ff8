package ui

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/render"
)

// meet looks at a scene for the first time.
func (a *app) meet() {
	s := a.snap
	lo, hi, ok := render.Bounds(s, nil, a.info.Shapes...)
	if !ok {
		lo, hi = mgl64.Vec3{-0.1, -0.1, -0.1}, mgl64.Vec3{0.1, 0.1, 0.1}
	}
	a.centre, a.size = lo.Add(hi).Mul(0.5), max(hi.Sub(lo).Len(), 1e-4)
	a.grip = gripOf(s, a.driven, a.needle())
	a.reach = 0
	held, down := s.Stylus.Point(a.grip), a.needle()
	for i := range s.Surfaces {
		if !a.driven[i] {
			continue
		}
		for _, p := range s.Surfaces[i].Vertices {
			a.reach = max(a.reach, p.Sub(held).Dot(down))
		}
	}
	a.frameView(lo, hi)
	a.mouse = sceneMouse{held: true}
	start := s.Stylus.Position
	if p := a.session.Pointer(); p != nil {
		start = p.Hand()
		p.SetClutch(false)
	}
	a.mouse.hand.set(start.Add(a.gripArm()))
	a.forgetChanges()
	if a.studying.page != nil {
		a.studyMeets()
		return
	}
	a.beginQuestion()
	for i, p := range a.pages { // the scene compares something: show it
		if p.key >= 0 && a.values[p.key] > 0 {
			a.page = i
		}
	}
}

// gripOf is where the mouse holds the tool, in the stylus's frame: its origin,
// or, where that is not in the tool but a corner of the scene, the middle of the
// tool's end.
func gripOf(s *physics.Frame, driven []bool, needle mgl64.Vec3) mgl64.Vec3 {
	others := make([]bool, len(driven))
	for i := range driven {
		others[i] = !driven[i]
	}
	lo, hi, ok := render.Bounds(s, others)
	at := s.Stylus.Position
	inside := true
	for k := range 3 {
		inside = inside && at[k] >= lo[k] && at[k] <= hi[k]
	}
	if !ok || inside {
		return mgl64.Vec3{}
	}
	end, far := math.Inf(-1), math.Inf(1)
	each := func(f func(p mgl64.Vec3)) {
		for i := range s.Surfaces {
			if driven[i] {
				for _, p := range s.Surfaces[i].Vertices {
					f(p)
				}
			}
		}
	}
	each(func(p mgl64.Vec3) { end, far = max(end, p.Dot(needle)), min(far, p.Dot(needle)) })
	var sum mgl64.Vec3
	n := 0.0
	each(func(p mgl64.Vec3) {
		if p.Dot(needle) >= end-0.05*(end-far) {
			sum, n = sum.Add(p), n+1
		}
	})
	if !(n > 0) {
		return mgl64.Vec3{}
	}
	return s.Stylus.InversePoint(sum.Mul(1 / n))
}

// held is where the mouse holds the tool, and gripArm the way there from the
// stylus's origin, world, m.
func (a *app) held() mgl64.Vec3    { return a.snap.Stylus.Point(a.grip) }
func (a *app) gripArm() mgl64.Vec3 { return a.held().Sub(a.snap.Stylus.Position) }

// frameView places the camera as the scene asks, or around the bodies.
func (a *app) frameView(lo, hi mgl64.Vec3) {
	w, h := max(a.scene.w, 1), max(a.scene.h, 1)
	if a.scene.w == 0 { // before the first layout
		w, h = float64(a.width)*0.7, float64(a.height)*0.7
	}
	a.cam = render.DefaultCamera()
	view := a.session.View()
	if view.Eye == view.Target {
		a.cam.FitBounds(lo, hi, w/h)
	} else {
		aim(&a.cam, view)
		a.cam.SetBounds(lo, hi)
	}
	a.cam.SetHome()
	a.zooming = false
}

// needle is the direction in which the stylus points: down its own y axis.
func (a *app) needle() mgl64.Vec3 {
	if a.snap == nil {
		return mgl64.Vec3{0, -1, 0}
	}
	d := a.snap.Stylus.Rotation.Rotate(mgl64.Vec3{0, -1, 0})
	if !(d.Len() > 0.5) {
		return mgl64.Vec3{0, -1, 0}
	}
	return d.Normalize()
}
