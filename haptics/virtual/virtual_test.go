package virtual

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
)

// bare is a device without dry friction and encoder steps.
func bare(m, b float64) haptics.DeviceLimits {
	return haptics.DeviceLimits{MaxForce: 1e9, Mass: m, Viscous: b}
}

// The largest stable stiffness of a sampled wall follows Gil and Hulin's rule
// K = b/(T/2 + td) where damping is small: devices of 0.2 kg and 0.6 kg, no
// delay and one tick of delay.
func TestStabilityEdgeOfASampledWall(t *testing.T) {
	for _, c := range []struct {
		m, b  float64
		delay int
		rule  float64
	}{
		{0.2, 4.5, 0, 9000}, {0.2, 4.5, 1, 3000}, {0.6, 6.5, 0, 13000}, {0.6, 6.5, 1, 4333}, {0.045, 0.1, 0, 200},
	} {
		grows := func(K float64) bool {
			d, err := New(Config{Limits: bare(c.m, c.b), Rate: 1000, Delay: c.delay})
			if err != nil {
				t.Fatal(err)
			}
			d.v = mgl64.Vec3{1e-3, 0, 0}
			early, late := 0.0, 0.0
			const n = 20000
			for i := range n {
				x := d.Read().Pose.Position.X()
				_ = d.Write(mgl64.Vec3{-K * x, 0, 0})
				if i < n/10 {
					early = math.Max(early, math.Abs(x))
				} else if i > n-n/10 {
					late = math.Max(late, math.Abs(x))
				}
			}
			return late > early
		}
		lo, hi := 0.5*c.rule, 1.5*c.rule
		for range 20 {
			if mid := (lo + hi) / 2; grows(mid) {
				hi = mid
			} else {
				lo = mid
			}
		}
		if math.Abs(lo-c.rule) > 0.03*c.rule {
			t.Errorf("m %g b %g delay %d: edge at %.0f N/m, rule %.0f", c.m, c.b, c.delay, lo, c.rule)
		}
	}
}

// A hand's spring carries a steady force with the stretch that it should.
func TestHandHoldsAgainstForce(t *testing.T) {
	for name, h := range Hands {
		d, err := New(Config{Limits: bare(0.05, 0.1), Hand: h})
		if err != nil {
			t.Fatal(err)
		}
		for range 5000 {
			d.Read()
			_ = d.Write(mgl64.Vec3{1, 0, 0})
		}
		if x, _ := d.True(); math.Abs(x.X()-1/h.Stiffness) > 1e-3/h.Stiffness {
			t.Errorf("%s: gave way by %g m, want %g", name, x.X(), 1/h.Stiffness)
		}
	}
}

// A stroke arrives, smoothly; a hand that lets go leaves the device where it is.
func TestStrokeAndRelease(t *testing.T) {
	h := Hands["firm"]
	to := mgl64.Vec3{0.05, -0.02, 0.01}
	h.Path = []Point{{0.1, mgl64.Vec3{}}, {0.6, to}}
	h.Release = 2
	d, err := New(Config{Limits: Devices["desktop"], Hand: h, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for range 1900 {
		d.Read()
	}
	// friction leaves the hand's spring a little stretched
	if x, _ := d.True(); x.Sub(to).Len() > 2*0.06/h.Stiffness {
		t.Errorf("stroke ended at %v, want %v", x, to)
	}
	for range 200 {
		d.Read()
	}
	before, _ := d.True()
	for range 1000 {
		d.Read()
	}
	if x, v := d.True(); v.Len() != 0 || x.Sub(before).Len() > 1e-12 {
		t.Errorf("moves on its own after release: %v", v)
	}
	// released: a force above dry friction moves it freely, one below does not
	for range 100 {
		_ = d.Write(mgl64.Vec3{0, 0.05, 0})
		d.Read()
	}
	if x, _ := d.True(); x.Sub(before).Len() > 1e-12 {
		t.Error("moved by less than its dry friction")
	}
	for range 100 {
		_ = d.Write(mgl64.Vec3{0, 0.5, 0})
		d.Read()
	}
	if x, _ := d.True(); x.Y()-before.Y() < 1e-3 {
		t.Error("not moved by more than its dry friction")
	}
}

// Readings are encoder steps; the same seed repeats them to the bit, another does not.
func TestEncodersAndSeed(t *testing.T) {
	h := Hands["firm"]
	h.Tremor = 3e-4
	run := func(seed uint64) (out []mgl64.Vec3) {
		d, err := New(Config{Limits: Devices["desktop"], Hand: h, Start: frame.At(mgl64.Vec3{0.1, 0, 0}), Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for range 2000 {
			s := d.Read()
			true_, _ := d.True()
			if e := s.Pose.Position.Sub(true_); math.Abs(e[0]) > 12e-6 || math.Abs(e[1]) > 12e-6 {
				t.Fatalf("reading off by %v", e)
			}
			_ = d.Write(s.Velocity.Mul(-0.1))
			out = append(out, s.Pose.Position)
		}
		return out
	}
	a, b, c := run(1), run(1), run(2)
	same := true
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("tick %d differs between runs of one seed", i)
		}
		same = same && a[i] == c[i]
	}
	if same {
		t.Error("another seed gave the same run")
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range a {
		lo, hi = math.Min(lo, p[1]), math.Max(hi, p[1])
	}
	if hi-lo < 1e-5 || hi-lo > 1e-3 {
		t.Errorf("tremor moves the stylus by %g m", hi-lo)
	}
}

// Work is the energy that the force put in: all of it stays as motion without friction.
func TestWorkIsKineticEnergy(t *testing.T) {
	d, err := New(Config{Limits: bare(0.1, 0)})
	if err != nil {
		t.Fatal(err)
	}
	for range 500 {
		_ = d.Write(mgl64.Vec3{0.3, 0, 0})
		d.Read()
	}
	_, v := d.True()
	if e := 0.5 * 0.1 * v.Dot(v); math.Abs(d.Work()-e) > 1e-3*e {
		t.Errorf("work %g J, kinetic energy %g J", d.Work(), e)
	}
}

func TestBadConfigs(t *testing.T) {
	for name, c := range map[string]Config{
		"no mass": {Limits: haptics.DeviceLimits{MaxForce: 1}},
		"NaN":     {Limits: Devices["touch"], Hand: Hand{Stiffness: math.NaN()}},
		"path":    {Limits: Devices["touch"], Hand: Hand{Path: []Point{{1, mgl64.Vec3{}}, {1, mgl64.Vec3{}}}}},
		"delay":   {Limits: Devices["touch"], Delay: 17},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestTickAllocatesNothing(t *testing.T) {
	h := Hands["grip"]
	h.Tremor, h.Path = 1e-4, []Point{{0, mgl64.Vec3{}}, {1, mgl64.Vec3{0, 1, 0}}}
	d, err := New(Config{Limits: Devices["touch"], Hand: h})
	if err != nil {
		t.Fatal(err)
	}
	if a := testing.AllocsPerRun(100, func() { d.Read(); _ = d.Write(mgl64.Vec3{0, 1, 0}) }); a != 0 {
		t.Errorf("%g allocations a tick", a)
	}
}
