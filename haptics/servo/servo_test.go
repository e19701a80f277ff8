package servo

import (
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/haptics/pointer"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
)

// fake is a device in Go whose pose is set and whose force is kept.
type fake struct {
	y, force atomic.Uint64
	fail     atomic.Bool
	stuck    atomic.Bool
	closed   atomic.Bool
}

func (d *fake) Name() string { return "fake" }
func (d *fake) Read() haptics.State {
	for d.stuck.Load() {
		time.Sleep(time.Millisecond)
	}
	return haptics.State{Pose: frame.At(mgl64.Vec3{0, math.Float64frombits(d.y.Load()), 0})}
}
func (d *fake) Write(f mgl64.Vec3) error {
	d.force.Store(math.Float64bits(f.Y()))
	if d.fail.Load() {
		return errors.New("unplugged")
	}
	return nil
}
func (d *fake) Close() error  { d.closed.Store(true); return nil }
func (d *fake) set(y float64) { d.y.Store(math.Float64bits(y)) }
func (d *fake) felt() float64 { return math.Float64frombits(d.force.Load()) }

// ticks lets the servo make n ticks, and looks at each turn.
func ticks(t *testing.T, s *Servo, n uint64, look func()) {
	t.Helper()
	from := s.Stats().Ticks
	testkit.Eventually(t, "ticks", func() bool { look(); return s.Stats().Ticks >= from+n })
}

// ground fills m with one contact on a floor y = 0 of stiffness K for a stylus at p.
func ground(m *local.Model, p mgl64.Vec3, K float64) {
	m.SetN(0)
	m.Origin, m.Rotation, m.Period = p, mgl64.QuatIdent(), 3*time.Millisecond
	m.Sequence++
	if p.Y() > 0.005 {
		return
	}
	m.SetN(1)
	m.Frame[0] = [3]mgl64.Vec3{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}
	m.Arm[0], m.Mu[0] = mgl64.Vec3{}, 0.3
	clear(m.W)
	m.W[0], m.W[4], m.W[8] = 1/K, 1/K, 1/K
	m.Free[0], m.Free[1], m.Free[2] = p.Y(), p.X(), p.Z()
	m.R[0], m.R[1], m.R[2] = math.Max(0, -K*p.Y()), 0, 0
	m.FillRigid()
}

// physics answers samples until quit is closed; done is closed then. While
// stalled it says nothing.
func physics(s haptics.Servo, quit chan struct{}, stalled *atomic.Bool) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case <-time.After(2 * time.Millisecond):
			}
			if a, newer := s.Sample(); newer && !stalled.Load() {
				ground(s.Models().Back(), a.Stylus.Position, 500)
				s.Models().Publish()
			}
		}
	}()
	return done
}

func quickParams(dev haptics.Device) haptics.Params {
	p := haptics.DefaultParams(haptics.LimitsOf(dev), 1000)
	p.Ramp = 50 * time.Millisecond
	p.Stale, p.Fade = time.Second, 500*time.Millisecond // the machine may be busy
	p.SlowSpeed, p.FastSpeed = 900, 1000
	p.Continuous = 0
	return p
}

// The C loop behind a device in Go: a press is felt and seen; physics stalls
// and the force fades; Stop lets go.
func TestServoEndToEnd(t *testing.T) {
	dev := new(fake)
	dev.set(0.01)
	s, err := New(dev, 1000)
	if err != nil {
		t.Fatal(err)
	}
	p := quickParams(dev)
	s.SetParams(p)
	bad := p
	bad.MaxForce = math.NaN()
	s.SetParams(bad) // ignored
	ended := make(chan error, 1)
	go func() { ended <- s.Run() }()
	quit := make(chan struct{})
	var stalled atomic.Bool
	done := physics(s, quit, &stalled)
	testkit.Eventually(t, "ramp", func() bool { st := s.Stats(); return st.Ticks > 100 && st.Last.Flags&haptics.Ramping == 0 })
	dev.set(-0.01)
	testkit.Eventually(t, "force", func() bool { return dev.felt() > 1 })
	testkit.Eventually(t, "steady rate", func() bool { return s.Stats().Rate > 100 })
	var st haptics.Stats
	testkit.Eventually(t, "force in the numbers", func() bool { st = s.Stats(); return st.Force.Y() > 1 && st.Raw.Y() > 1 })
	if st.RealTime == "" || !strings.Contains(st.RealTime, ";") {
		t.Errorf("says nothing of its priority: %q", st.RealTime)
	}
	if st.Gains.Margin < 1.5 {
		t.Errorf("stats %+v", st)
	}
	stalled.Store(true)
	testkit.Eventually(t, "fade", func() bool { return dev.felt() == 0 && s.Stats().Last.Flags&haptics.Stale != 0 })
	if m := s.Stats().Message; !strings.Contains(m, "physics") {
		t.Errorf("message %q", m)
	}
	stalled.Store(false)
	testkit.Eventually(t, "recovery", func() bool { return dev.felt() > 1 })

	recs := make([]haptics.Record, 100)
	last := uint64(0)
	for range 5 {
		n := s.Drain(recs)
		for _, r := range recs[:n] {
			if r.Tick != last+1 {
				t.Fatalf("record %d follows %d", r.Tick, last)
			}
			last = r.Tick
		}
	}
	if last == 0 {
		t.Error("no records")
	}
	close(quit)
	<-done
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if dev.felt() != 0 || !dev.closed.Load() {
		t.Errorf("after Stop: force %g, closed %v", dev.felt(), dev.closed.Load())
	}
	if s.Run() == nil {
		t.Error("a second Run did not complain")
	}
}

// A driver that hangs or fails ends in zero force and a message, and may come back.
func TestHangingDriver(t *testing.T) {
	dev := new(fake)
	s, err := New(dev, 500)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Run() }()
	testkit.Eventually(t, "ticks", func() bool { return s.Stats().Ticks > 10 && s.Stats().Last.Flags&haptics.DeviceLost == 0 })
	dev.stuck.Store(true)
	testkit.Eventually(t, "lost", func() bool { return s.Stats().Last.Flags&haptics.DeviceLost != 0 })
	dev.stuck.Store(false)
	testkit.Eventually(t, "back", func() bool { return s.Stats().Last.Flags&haptics.DeviceLost == 0 })
	dev.fail.Store(true)
	testkit.Eventually(t, "message", func() bool { return s.Stats().Message == "unplugged" })
	dev.fail.Store(false)
	testkit.Eventually(t, "no message", func() bool { return s.Stats().Message != "unplugged" })
	_ = s.Stop()
}

// The mouse's spring is the coupling: pressing with it shows its own stiffness.
func TestPointerUnderTheServo(t *testing.T) {
	dev := pointer.New(frame.At(mgl64.Vec3{0, 0.01, 0}), 100, 0.5)
	s, err := New(dev, 1000)
	if err != nil {
		t.Fatal(err)
	}
	p := quickParams(dev)
	p.Passivity = false
	s.SetParams(p)
	go func() { _ = s.Run() }()
	quit := make(chan struct{})
	var stalled atomic.Bool
	done := physics(s, quit, &stalled)
	testkit.Eventually(t, "ramp", func() bool { st := s.Stats(); return st.Ticks > 100 && st.Last.Flags&haptics.Ramping == 0 })
	dev.SetHand(mgl64.Vec3{0, -0.012, 0})
	testkit.Eventually(t, "1 N: 100 and 500 N/m in series over 12 mm", func() bool { return math.Abs(dev.Force().Y()-1) < 1e-3 })
	close(quit)
	<-done
	_ = s.Stop()
}

func TestRatesAreChecked(t *testing.T) {
	for _, r := range []float64{499, 4001, math.NaN()} {
		if _, err := New(new(fake), r); err == nil {
			t.Errorf("rate %g accepted", r)
		}
	}
	p := haptics.DefaultParams(haptics.DefaultLimits(), 1000)
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	if p.Reducer = math.NaN(); p.Validate() == nil {
		t.Error("a reducer that is no number accepted")
	}
}
