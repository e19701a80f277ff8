package haptics_test

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
)

// fake is a device whose pose is set and whose force is kept.
type fake struct {
	y      atomic.Uint64
	force  atomic.Uint64
	writes atomic.Int64
	fail   atomic.Bool
	panics atomic.Bool
	closed atomic.Bool
}

func (d *fake) Name() string { return "fake" }
func (d *fake) Read() haptics.State {
	if d.panics.Load() {
		panic("device fell over")
	}
	return haptics.State{Pose: frame.At(mgl64.Vec3{0, math.Float64frombits(d.y.Load()), 0})}
}
func (d *fake) Write(f mgl64.Vec3) error {
	d.force.Store(math.Float64bits(f.Y()))
	d.writes.Add(1)
	if d.fail.Load() {
		return errors.New("unplugged")
	}
	return nil
}
func (d *fake) Close() error  { d.closed.Store(true); return nil }
func (d *fake) set(y float64) { d.y.Store(math.Float64bits(y)) }
func (d *fake) felt() float64 { return math.Float64frombits(d.force.Load()) }

// eventually waits for a condition of another goroutine.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("waited in vain: %s", what)
}

// The loop with a physics of its own speed: a press is felt, seen in Stats,
// Sample and records, and Stop lets go and closes the device.
func TestLoopEndToEnd(t *testing.T) {
	dev := new(fake)
	dev.set(0.01)
	l, err := haptics.NewLoop(dev, 1000)
	if err != nil {
		t.Fatal(err)
	}
	p := testParams()
	p.Stale, p.Fade = time.Second, time.Second // this machine may be busy
	l.SetParams(p)
	ended := make(chan error, 1)
	go func() { ended <- l.Run() }()
	quit := make(chan struct{})
	physics := make(chan struct{})
	go func() {
		defer close(physics)
		w := newWall(125, 0.3, 0.005, 1, 0)
		for {
			select {
			case <-quit:
				return
			case <-time.After(3 * time.Millisecond):
			}
			if s, newer := l.Sample(); newer {
				w.past = w.past[:0]
				m, _ := w.step(s.Stylus)
				m.Tick = s.Tick
				m.CopyTo(l.Models().Back())
				l.Models().Publish()
			}
		}
	}()
	eventually(t, "ramp done", func() bool { s := l.Stats(); return s.Ticks > 50 && s.Last.Flags&haptics.Ramping == 0 })
	dev.set(-0.01)
	eventually(t, "force", func() bool { return dev.felt() > 1 })
	eventually(t, "stats", func() bool { s := l.Stats(); return s.Force.Y() > 1 && s.Rate > 0 })
	var recs [64]haptics.Record
	if n := l.Drain(recs[:]); n == 0 || recs[0].Tick != 1 || recs[n-1].Tick != uint64(n) {
		t.Errorf("%d records, first tick %d", n, recs[0].Tick)
	}
	close(quit)
	<-physics
	if err := l.Stop(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if dev.felt() != 0 || !dev.closed.Load() {
		t.Errorf("after Stop: force %g, closed %v", dev.felt(), dev.closed.Load())
	}
	if err := l.Run(); err == nil {
		t.Error("a second Run did not complain")
	}
}

// A panic in the loop leaves the hand free.
func TestPanicReleases(t *testing.T) {
	dev := new(fake)
	l, err := haptics.NewLoop(dev, 500)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan any, 1)
	go func() {
		defer func() { ended <- recover() }()
		_ = l.Run()
	}()
	eventually(t, "ticks", func() bool { return dev.writes.Load() > 3 })
	dev.force.Store(math.Float64bits(5))
	dev.panics.Store(true)
	if <-ended == nil {
		t.Fatal("no panic")
	}
	if dev.felt() != 0 {
		t.Errorf("force %g after a panic", dev.felt())
	}
	_ = l.Stop()
}

// A device that fails says so in Stats, and is heard again when it is back.
func TestFailingDevice(t *testing.T) {
	dev := new(fake)
	l, err := haptics.NewLoop(dev, 500)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = l.Run() }()
	dev.fail.Store(true)
	eventually(t, "message", func() bool { return l.Stats().Message == "unplugged" && l.Stats().Errors > 0 })
	dev.fail.Store(false)
	eventually(t, "no such message", func() bool { return l.Stats().Message == "physics has not answered yet: no force until it does" })
	_ = l.Stop()
}

func TestRatesAreChecked(t *testing.T) {
	for _, r := range []float64{499, 4001, -1, math.NaN()} {
		if _, err := haptics.NewLoop(new(fake), r); err == nil {
			t.Errorf("rate %g accepted", r)
		}
	}
	p := haptics.DefaultParams(haptics.DefaultLimits(), 1000)
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	p.Reducer = math.NaN()
	if p.Validate() == nil {
		t.Error("a reducer that is no number accepted")
	}
}

// The pacer keeps absolute deadlines under made-up jitter and counts what it missed.
func TestPacer(t *testing.T) {
	p := haptics.NewPacer(0, 1000)
	ms := int64(1e6)
	for _, c := range []struct{ now, late, next int64 }{
		{1*ms + 10, 10, 2 * ms},
		{2*ms + 900_000, 900_000, 3 * ms},
		{3 * ms, 0, 4 * ms},
		{7*ms + 5, 3*ms + 5, 8 * ms}, // 5, 6, 7 passed
		{8 * ms, 0, 9 * ms},
	} {
		if late := p.Woke(c.now); late != c.late || p.Next() != c.next {
			t.Errorf("woke at %d: late %d next %d, want %d and %d", c.now, late, p.Next(), c.late, c.next)
		}
	}
	if p.Missed() != 3 {
		t.Errorf("missed %d, want 3", p.Missed())
	}
}

// Stop before Run has begun is safe: Run then does nothing to a closed device.
func TestStopBeforeRun(t *testing.T) {
	dev := new(fake)
	l, err := haptics.NewLoop(dev, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Stop(); err != nil || !dev.closed.Load() {
		t.Errorf("Stop: %v, closed %v", err, dev.closed.Load())
	}
	if err := l.Run(); err != nil || dev.writes.Load() != 0 {
		t.Errorf("Run after Stop: %v, %d writes", err, dev.writes.Load())
	}
}
