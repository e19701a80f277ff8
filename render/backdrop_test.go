package render

import (
	"image"
	"testing"

	"github.com/go-gl/gl/v3.3-core/gl"
)

// What is kept while the camera stands still is what would be drawn: the picture of a still camera is that of a moving one, with
// the shadow of a body that moves, in each theme, at less than the full resolution, and where the tool goes below the ground.
func TestAStillCameraShowsWhatAMovingOneDoes(t *testing.T) {
	w := openWindow(t, 640, 400)
	bodies, s := fake(3)
	r := newRenderer(t, bodies)
	r.info.Software = true
	cam := fitted(s, 1.6)
	vp := Viewport{X: 40, Y: 20, Width: 560, Height: 350}
	opt := DefaultOptions()
	opt.Overlay, opt.Triad = false, false
	draw := func(forget bool) *image.NRGBA {
		if forget {
			r.backdrop.of = backdropOf{}
			r.shadow.age = -1
		}
		r.Draw(s, &cam, &opt, vp)
		gl.Finish()
		img := ReadPixels(0, 0, 640, 400)
		w.SwapBuffers()
		return img
	}
	check := func(what string, kept bool) {
		t.Helper()
		want := draw(true)
		var got *image.NRGBA
		for range 2 * shadowEvery {
			got = draw(false)
		}
		if r.backdrop.shown != kept {
			t.Errorf("%s: kept %v, want %v", what, r.backdrop.shown, kept)
		}
		differ := 0
		for y := 20; y < 370; y++ {
			for x := 40; x < 600; x++ {
				a, b := got.NRGBAAt(x, y), want.NRGBAAt(x, y)
				if d := max(int(a.R)-int(b.R), int(b.R)-int(a.R), int(a.G)-int(b.G), int(b.G)-int(a.G)); d > 3 {
					differ++
				}
			}
		}
		if differ > 560*350/100 { // rims lie over the ground in the one, and under it in the other
			keep(t, "still-"+what, got)
			keep(t, "moving-"+what, want)
			t.Errorf("%s: %d of %d pixels differ", what, differ, 560*350)
		}
	}
	move := func(by float64) {
		for i := range s.Surfaces {
			for n := range s.Surfaces[i].Vertices {
				s.Surfaces[i].Vertices[n][1] += by
			}
		}
	}
	check("at rest", true)
	move(0.5 * r.scene.size)
	check("lifted", true)
	vp.Scale = 2
	check("large", true)
	vp.Scale = 1
	vp.Resolution = 0.5
	check("coarse", true)
	vp.Resolution = 1
	opt.Ground = false
	check("without ground", true)
	opt.Ground = true
	move(-0.7 * r.scene.size)
	check("below the ground", false)
	move(0.2 * r.scene.size)
	cam.Orbit(0, -2)
	if check("from below", false); cam.Eye()[1] > r.scene.ground.y {
		t.Error("the eye is above the ground")
	}
}
