package pointer

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/haptics/servo"
	"hapco/physics/frame"
	"hapco/physics/local"
)

const tick = 1e-3

// floor is a physics that answers late: a floor y = 0 of stiffness K, found
// only when the stylus is within reach, published every so many ticks for the
// pose that the stylus had some ticks ago.
type floor struct {
	K            float64
	reach        float64
	every, delay int
	past         []frame.Pose
	model        local.Model
}

func (w *floor) step(p frame.Pose) (fresh bool) {
	w.past = append(w.past, p)
	n := len(w.past)
	if n%w.every != 0 || n <= w.delay {
		return false
	}
	at := w.past[n-1-w.delay]
	m := &w.model
	m.Origin, m.Rotation, m.Period = at.Position, at.Rotation, time.Duration(w.every)*time.Millisecond
	if at.Position.Y() > w.reach {
		m.SetN(0)
		return true
	}
	m.SetN(1)
	m.Frame[0] = [3]mgl64.Vec3{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}
	m.Arm[0] = mgl64.Vec3{}
	m.Mu[0] = 0.3
	clear(m.W)
	for k := range 3 {
		m.W[4*k] = 1 / w.K
	}
	m.Free[0], m.Free[1], m.Free[2] = at.Position.Y(), at.Position.X(), at.Position.Z()
	m.R[0], m.R[1], m.R[2] = math.Max(0, -w.K*at.Position.Y()), 0, 0
	m.FillRigid()
	return true
}

// Whatever the tissue's stiffness, and however late physics answers, the
// stylus comes to rest where spring and tissue balance; it does not oscillate,
// does not leave the surface again, and is never further in than the hand.
func TestStableOnAnyTissue(t *testing.T) {
	for _, K := range []float64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7} {
		for _, late := range []int{1, 2, 5, 10, 20} {
			for _, k := range []float64{50, 200, 2000} {
				for _, reach := range []float64{0.002, 0} {
					name := fmt.Sprintf("K=%g late=%dms k=%g reach=%g", K, late, k, reach)
					d := New(frame.At(mgl64.Vec3{0, 0.02, 0}), k, 0.5)
					w := &floor{K: K, reach: reach, every: late, delay: late}
					local.Make(&w.model, 1)
					kernel := servo.NewKernel(1/tick, 1)
					defer kernel.Close()
					p := haptics.DefaultParams(haptics.LimitsOf(d), 1/tick)
					p.Coupling, p.Passivity, p.Budget, p.AngleStiffness = haptics.Virtual, false, 0, 0
					p.Stiffness, p.Damping = d.Spring()
					p.MaxForce, p.Continuous, p.Ramp = 1000, 0, 10*time.Millisecond
					d.SetHand(mgl64.Vec3{0, -0.01, 0})
					var rec haptics.Record
					stylus := frame.At(mgl64.Vec3{0, 0.02, 0})
					fresh := false
					var lo, hi float64
					touched := 0
					for i := range 1000 {
						in := haptics.Input{State: d.advance(tick)}
						kernel.Tick(&in, &w.model, fresh, &p, &rec)
						_ = d.Write(rec.Force)
						stylus = kernel.Tool(in.Pose)
						fresh = w.step(stylus)
						if in.Pose.Position.Y()-1e-9 > stylus.Position.Y() && rec.Raw[1] > 0 {
							t.Fatalf("%s: stylus below the hand at tick %d", name, i)
						}
						if rec.Raw[1] > 0 && touched == 0 {
							touched = i
						}
						if touched > 0 && i > touched+2*late && rec.Raw[1] == 0 {
							t.Fatalf("%s: bounced at tick %d", name, i)
						}
						if i == 800 {
							lo, hi = stylus.Position.Y(), stylus.Position.Y()
						}
						if i > 800 {
							lo, hi = math.Min(lo, stylus.Position.Y()), math.Max(hi, stylus.Position.Y())
						}
					}
					want := -0.01 * k / (k + K)
					if hi-lo > 1e-8 || math.Abs(stylus.Position.Y()-want) > 1e-7 {
						t.Errorf("%s: rests at %.9f m within %.1e, want %.9f", name, stylus.Position.Y(), hi-lo, want)
					}
					stretch := k * (stylus.Position.Y() + 0.01)
					if math.Abs(d.Force().Y()-stretch) > 1e-4*stretch+1e-6 {
						t.Errorf("%s: force %g, spring stretch %g", name, d.Force().Y(), stretch)
					}
				}
			}
		}
	}
}

// No flick of the mouse moves the stylus faster than allowed.
func TestSpeedIsLimited(t *testing.T) {
	d := New(frame.At(mgl64.Vec3{}), 200, 0.5)
	d.SetHand(mgl64.Vec3{1, 2, 3})
	last := mgl64.Vec3{}
	for range 100 {
		s := d.advance(tick)
		if v := s.Pose.Position.Sub(last).Len() / tick; v > 0.5*(1+1e-9) || math.Abs(v-s.Velocity.Len()) > 1e-9 {
			t.Fatalf("moved at %g m/s, told %g", v, s.Velocity.Len())
		}
		last = s.Pose.Position
	}
	for range 20000 {
		d.advance(tick)
	}
	if d.hand.Sub(mgl64.Vec3{1, 2, 3}).Len() > 1e-9 {
		t.Errorf("never arrived: %v", d.hand)
	}
}

// With the clutch open the stylus stays; when it closes, nothing jumps and the
// hand's further motion counts from there.
func TestClutch(t *testing.T) {
	d := New(frame.At(mgl64.Vec3{}), 200, 1)
	run := func(n int) haptics.State {
		var s haptics.State
		for range n {
			s = d.advance(tick)
		}
		return s
	}
	d.SetHand(mgl64.Vec3{0.1, 0, 0})
	at := run(2000).Pose.Position
	d.SetClutch(true)
	d.SetHand(mgl64.Vec3{0.3, 0, 0})
	s := run(2000)
	if !s.Clutched || s.Pose.Position.Sub(at).Len() > 1e-12 {
		t.Errorf("moved with the clutch open: %v", s)
	}
	d.SetClutch(false)
	if s := run(2000); s.Clutched || s.Pose.Position.Sub(at).Len() > 1e-12 {
		t.Errorf("jumped when the clutch closed: %v", s)
	}
	d.SetHand(mgl64.Vec3{0.35, 0.01, 0})
	want := at.Add(mgl64.Vec3{0.05, 0.01, 0})
	if s := run(2000); s.Pose.Position.Sub(want).Len() > 1e-9 || d.Hand().Sub(want).Len() > 1e-9 {
		t.Errorf("at %v, want %v", s.Pose.Position, want)
	}
}

// A pose is never torn: readers see whole poses or keep the last one.
func TestNeverTorn(t *testing.T) {
	d := New(frame.At(mgl64.Vec3{}), 200, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 20000 {
			x := float64(i%7) / 10
			d.SetHand(mgl64.Vec3{x, x, x})
		}
	}()
	whole := 0
	for {
		p, _, ok := d.target()
		if ok {
			whole++
			if p[0] != p[1] || p[1] != p[2] {
				t.Fatalf("torn: %v", p)
			}
		}
		select {
		case <-done:
			if whole == 0 {
				t.Error("never read a whole pose")
			}
			return
		default:
		}
	}
}

func TestBadTargetsAreIgnored(t *testing.T) {
	d := New(frame.At(mgl64.Vec3{1, 1, 1}), 200, 1)
	d.SetHand(mgl64.Vec3{math.NaN(), 0, 0})
	d.SetHand(mgl64.Vec3{0, math.Inf(1), 0})
	d.SetRotation(mgl64.Quat{})
	d.SetRotation(mgl64.Quat{W: math.NaN()})
	if s := d.advance(tick); s.Pose != frame.At(mgl64.Vec3{1, 1, 1}) {
		t.Errorf("moved to %v", s.Pose)
	}
	d.SetStiffness(math.NaN())
	if k := d.Stiffness(); k != 1 {
		t.Errorf("stiffness %g", k)
	}
}

func TestReadAllocatesNothing(t *testing.T) {
	d := New(frame.Identity(), 200, 1)
	if a := testing.AllocsPerRun(100, func() { d.SetHand(mgl64.Vec3{1, 0, 0}); d.Read(); _ = d.Write(mgl64.Vec3{}) }); a != 0 {
		t.Errorf("%g allocations", a)
	}
}
