package render

import (
	"image"
	"math"
	"strconv"
	"syscall"
	"testing"

	"github.com/go-gl/gl/v3.3-core/gl"

	"hapco/physics"
)

// BenchmarkFrame draws whole frames of an organ of 2562 surface nodes, shows
// them, and waits. Its ns/op is what a window's frame costs without its panel.
func BenchmarkFrame(b *testing.B) {
	for _, c := range []struct {
		name string
		edit func(*Options)
	}{
		{"shaded", func(*Options) {}},
		{"edges", func(o *Options) { o.Bodies = []BodyView{{Mode: Edges}} }},
		{"wireframe", func(o *Options) { o.Bodies = []BodyView{{Mode: Wireframe}} }},
		{"transparent", func(o *Options) { o.Bodies = []BodyView{{Mode: Transparent}} }},
		{"stress", func(o *Options) { o.Bodies = []BodyView{{Field: true}} }},
		{"bare", func(o *Options) { *o = Options{} }},
		{"noshadow", func(o *Options) { o.Shadow = false }},
		{"noground", func(o *Options) { o.Ground = false }},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := openWindow(b, 1280, 800) // here: the context belongs to this goroutine's thread
			bodies, s := fake(4)
			r := newRenderer(b, bodies)
			cam := fitted(s, 1.6)
			vp := Viewport{Width: 1280, Height: 800}
			opt := DefaultOptions()
			c.edit(&opt)
			r.Draw(s, &cam, &opt, vp) // compiles what the driver compiles late
			w.SwapBuffers()
			gl.Finish()
			before := cpuSeconds(b)
			b.ReportAllocs()
			for b.Loop() {
				r.Draw(s, &cam, &opt, vp)
				w.SwapBuffers()
				gl.Finish()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "fps")
			b.ReportMetric((cpuSeconds(b)-before)*1e3/float64(b.N), "cpu-ms/frame") // all threads; does not count what others run
		})
	}
}

// heap is a frame of n balls that lie about as grains do, in an order that follows space.
func heap(n int) *physics.Frame {
	side := int(math.Ceil(math.Cbrt(float64(n) / 2)))
	f := new(physics.Frame)
	for i := range n {
		k := float64(i)
		x, y, z := float64(i%side), float64(i/side/(2*side)), float64(i/side%(2*side))
		f.Points = append(f.Points, physics.Point{Radius: 0.45, Color: [3]float32{0.85, 0.7, 0.45},
			Position: [3]float32{float32(x + 0.3*math.Sin(7*k)), float32(y + 0.3*math.Sin(11*k)), float32(z + 0.3*math.Sin(13*k))}})
	}
	return f
}

// Small balls, drawn as points, look like those of their exact shape: the same heap from
// the same place, once as each, differs by little. A ball in front hides one behind in
// either way.
func TestSmallBallsLookLikeLargeOnes(t *testing.T) {
	w := openWindow(t, 1280, 800)
	f := heap(1000)
	f.Points[999].Color = [3]float32{0.9, 0.1, 0.1}
	cam := DefaultCamera()
	lo, hi, _ := Bounds(f, nil)
	cam.FitBounds(lo.Sub(hi).Mul(0.6), hi.Sub(lo).Mul(1.2), 1.6)
	vp := Viewport{Width: 1280, Height: 800}
	opt := Options{}
	picture := func(limit float64) *image.NRGBA {
		r := newRenderer(t, nil)
		r.clumps.limit = limit
		r.Draw(f, &cam, &opt, vp)
		r.Draw(f, &cam, &opt, vp) // what one frame leaves must not spoil the next
		gl.Finish()
		img := ReadPixels(0, 0, 1280, 800)
		w.SwapBuffers()
		return img
	}
	points, exact := picture(1e9), picture(1e-9)
	keep(t, "balls-points", points)
	keep(t, "balls-exact", exact)
	differ, balls, off := 0, 0, 0
	for i := 0; i < len(exact.Pix); i += 4 {
		d := 0
		for k := range 3 {
			e := int(exact.Pix[i+k]) - int(points.Pix[i+k])
			d = max(d, e, -e)
		}
		if exact.Pix[i] > exact.Pix[i+2]+20 { // the balls are yellow and red, the background blue
			balls++
			off += d
		}
		if d > 40 {
			differ++
		}
	}
	if balls < 20000 || float64(off) > 12*float64(balls) || differ > balls/8 {
		t.Errorf("of %d pixels of balls %d differ much; they differ by %.1f of 255", balls, differ, float64(off)/float64(max(1, balls)))
	}
}

// BenchmarkBalls draws heaps of grains that fill the picture.
func BenchmarkBalls(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			w := openWindow(b, 1280, 800)
			s := heap(n)
			r := newRenderer(b, nil)
			cam := DefaultCamera()
			lo, hi, _ := Bounds(s, nil)
			cam.FitBounds(lo, hi, 1.6)
			vp := Viewport{Width: 1280, Height: 800}
			opt := DefaultOptions()
			r.Draw(s, &cam, &opt, vp)
			w.SwapBuffers()
			gl.Finish()
			keep(b, "balls-"+strconv.Itoa(n), ReadPixels(0, 0, 1280, 800))
			before := cpuSeconds(b)
			b.ReportAllocs()
			for b.Loop() {
				r.Draw(s, &cam, &opt, vp)
				w.SwapBuffers()
				gl.Finish()
			}
			cpu := (cpuSeconds(b) - before) / float64(b.N)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "fps")
			b.ReportMetric(cpu*1e3, "cpu-ms/frame")
		})
	}
}

// BenchmarkBuild is the CPU part alone.
func BenchmarkBuild(b *testing.B) {
	bodies, s := fake(4)
	var sc scene
	sc.reset(&physics.Info{Surfaces: bodies, Fields: []physics.Field{{Name: "von Mises stress", Unit: "Pa"}}})
	cam := fitted(s, 1.6)
	opt := DefaultOptions()
	vp := Viewport{Width: 1280, Height: 800}
	sc.build(s, &cam, &opt, vp)
	b.ReportAllocs()
	for b.Loop() {
		sc.build(s, &cam, &opt, vp)
	}
}

// cpuSeconds is the processor time this process has used.
func cpuSeconds(tb testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9
}
