package render

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

func testCamera() Camera {
	c := DefaultCamera()
	c.FitBounds(mgl64.Vec3{-0.1, -0.05, -0.06}, mgl64.Vec3{0.09, 0.07, 0.05}, 1.6)
	c.Orbit(0.4, -0.2)
	c.Pan(13, -27, 800)
	return c
}

// What the matrices draw, Project has to find, and Ray has to pass through.
func TestProjectAgreesWithMatrices(t *testing.T) {
	c := testCamera()
	const w, h = 1280, 800
	m := c.projection(1.6).Mul4(c.viewMatrix())
	for _, p := range []mgl64.Vec3{{0, 0, 0}, {0.08, 0.03, -0.02}, {-0.05, -0.04, 0.05}} {
		clip := m.Mul4x1(p.Vec4(1))
		wantX, wantY := (clip[0]/clip[3]+1)/2*w, (1-clip[1]/clip[3])/2*h
		x, y, depth, ok := c.project(p, w, h)
		if !ok || math.Hypot(x-wantX, y-wantY) > 1e-9*w {
			t.Errorf("Project(%v) = %g, %g; the matrices say %g, %g", p, x, y, wantX, wantY)
		}
		if math.Abs(depth-clip[3]) > 1e-12 || math.Abs(depth-c.depth(p)) > 1e-12 {
			t.Errorf("depth of %v = %g, want %g", p, depth, clip[3])
		}
		if z := clip[2] / clip[3]; !(z > -1 && z < 1) {
			t.Errorf("%v lies outside the clipping planes: z = %g", p, z)
		}
		origin, dir := c.Ray(x, y, w, h)
		if off := p.Sub(origin).Cross(dir).Len(); off > 1e-12 {
			t.Errorf("the ray through the pixel of %v misses it by %g m", p, off)
		}
	}
	if _, _, _, ok := c.project(c.Eye().Add(c.Backward()), w, h); ok {
		t.Error("a point behind the eye was projected")
	}
}

func TestMotionFollowsThePointer(t *testing.T) {
	c := testCamera()
	const w, h = 1280, 800
	p := mgl64.Vec3{0.02, 0.03, 0.01}
	x, y, depth, _ := c.project(p, w, h)
	q := p.Add(c.motion(40, -25, depth, h))
	qx, qy, qd, _ := c.project(q, w, h)
	if math.Hypot(qx-x-40, qy-y+25) > 1e-9*w || math.Abs(qd-depth) > 1e-12 {
		t.Errorf("40, -25 pixels became %g, %g", qx-x, qy-y)
	}
	// Panning carries the point in the target's plane along with the pointer.
	x, y, _, _ = c.project(c.Target, w, h)
	target := c.Target
	c.Pan(31, 17, h)
	qx, qy, _, _ = c.project(target, w, h)
	if math.Hypot(qx-x-31, qy-y-17) > 1e-9*w {
		t.Errorf("panning by 31, 17 moved the scene by %g, %g", qx-x, qy-y)
	}
}

func TestFitBoundsShowsEveryCorner(t *testing.T) {
	lo, hi := mgl64.Vec3{-0.3, -0.01, -0.05}, mgl64.Vec3{0.1, 0.02, 0.4}
	for _, aspect := range []float64{0.5, 1, 2.4} {
		c := DefaultCamera()
		c.FitBounds(lo, hi, aspect)
		width, height := int(1000*aspect), 1000
		reach := 0.0
		for i := range 8 {
			p := lo
			for a := range 3 {
				if i>>a&1 == 1 {
					p[a] = hi[a]
				}
			}
			x, y, _, ok := c.project(p, width, height)
			if !ok {
				t.Fatalf("aspect %g: corner %v is behind the eye", aspect, p)
			}
			reach = max(reach, math.Abs(2*x/float64(width)-1), math.Abs(2*y/float64(height)-1))
		}
		if reach > 1 || reach < 0.6 {
			t.Errorf("aspect %g: the box reaches %.2f of the way to the border", aspect, reach)
		}
	}
}

func TestZoomGoesThereAndBack(t *testing.T) {
	c := testCamera()
	before := c.view
	point := mgl64.Vec3{0.03, 0.05, 0.02}
	c.ZoomTo(point, 0.04)
	if !c.Zoomed() {
		t.Fatal("ZoomTo did not zoom")
	}
	last := c.Target.Sub(point).Len()
	for range 200 {
		point = point.Add(mgl64.Vec3{1e-6, 0, 0}) // the contact slides
		c.ZoomTo(point, 0.04)
		c.Update(1.0 / 60)
	}
	if d := c.Target.Sub(point).Len(); d > 1e-4 || d > last || math.Abs(c.Distance-0.04) > 1e-4 {
		t.Errorf("after zooming the camera is %g m off, at %g m", d, c.Distance)
	}
	c.Orbit(0.1, 0) // stays when zooming out
	c.ZoomBack()
	for range 300 {
		c.Update(1.0 / 60)
	}
	if c.Zoomed() || c.Update(1.0/60) {
		t.Error("still on the way after five seconds")
	}
	before.Yaw += 0.1
	if c.Target.Sub(before.Target).Len() > 1e-9 || math.Abs(c.Distance-before.Distance) > 1e-9 || math.Abs(c.Yaw-before.Yaw) > 1e-9 {
		t.Errorf("zoomed back to %+v, want %+v", c.view, before)
	}
}

func TestResetReturnsToTheFit(t *testing.T) {
	c := DefaultCamera()
	c.FitBounds(mgl64.Vec3{0, 0, 0}, mgl64.Vec3{1, 1, 1}, 1)
	want := c.view
	c.Orbit(2.5, 0.3)
	c.Pan(100, 100, 500)
	c.Dolly(0.2)
	c.Reset()
	for range 300 {
		c.Update(1.0 / 60)
	}
	if c.view != want {
		t.Errorf("reset to %+v, want %+v", c.view, want)
	}
}

func TestDollyKeepsLimits(t *testing.T) {
	c := testCamera()
	for range 500 {
		c.Dolly(0.8)
	}
	if !(c.Distance > 0) {
		t.Errorf("dollied to %g m", c.Distance)
	}
	near, far := c.clip()
	if !(near > 0 && near < far) {
		t.Errorf("clipping planes at %g and %g m", near, far)
	}
	d := c.Distance
	c.Dolly(math.NaN())
	c.Dolly(-1)
	if c.Distance != d {
		t.Error("a nonsensical factor moved the camera")
	}
	c.Orbit(0, 10)
	if c.Pitch > pitchLimit {
		t.Errorf("pitch %g passes the pole", c.Pitch)
	}
}
