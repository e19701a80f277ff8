package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/haptics/servo"
	"hapco/haptics/virtual"
	"hapco/physics/frame"
)

// play presses a hand onto a wall.
func play(t *testing.T, device, hand string, K, drag float64, c Case) Outcome {
	t.Helper()
	l := virtual.Devices[device]
	h, settle, seconds := Press(virtual.Hands[hand], 0.01, 0.02, drag)
	if c.Device.Hand.Release > 0 {
		h.Release = c.Device.Hand.Release
	}
	h.Tremor = c.Device.Hand.Tremor
	c.Rate, c.Seconds, c.Settle = 1000, seconds, settle
	c.Device = virtual.Config{Limits: l, Hand: h, Start: frame.At(mgl64.Vec3{0, 0.01, 0}), Seed: 1}
	p := haptics.DefaultParams(l, 1000)
	p.Coupling = c.Params.Coupling
	p.Passivity = p.Coupling == haptics.Virtual
	p.Ramp = 200 * time.Millisecond
	p.Continuous = 0 // a force that gives way to spare the motors would look like motion
	c.Params = p
	kernel := servo.NewKernel(1000, 4)
	defer kernel.Close()
	o, err := Run(c, kernel, &Wall{Stiffness: K, Mu: 0.3, Reach: 0.002})
	if err != nil {
		t.Fatal(err)
	}
	if o.Peak > 0.9*l.MaxForce*(1+1e-9) || o.Steepest > 3*l.SlewRate*(1+1e-9) || !o.Finite {
		t.Errorf("%s %s K=%g: peak %g N, slew %g N/s, finite %v", device, hand, K, o.Peak, o.Steepest, o.Finite)
	}
	return o
}

// With the virtual coupling no wall, hand, device or physics rate makes contact
// unstable; without it stiff walls do, as section 4.5 of the thesis says.
func TestVirtualCouplingIsStableWhereDirectIsNot(t *testing.T) {
	lost := 0
	for _, device := range []string{"touch", "desktop", "premium", "omega"} {
		for _, hand := range []string{"pinch", "grip", "firm"} {
			for _, K := range []float64{300, 1e4, 1e6} {
				for _, hz := range []float64{50, 100, 300, 1000} {
					name := fmt.Sprintf("%s %s K=%g physics %g Hz", device, hand, K, hz)
					o := play(t, device, hand, K, 0.01, Case{PhysicsHz: hz, Params: haptics.Params{Coupling: haptics.Virtual}})
					if !o.Stable {
						t.Errorf("%s: virtual coupling %+v", name, brief(o))
					}
					if device != "touch" && o.Peak < 0.05 {
						t.Errorf("%s: never pressed", name)
					}
					if K == 1e6 {
						if o := play(t, device, hand, K, 0, Case{PhysicsHz: hz}); !o.Stable {
							lost++
						}
					}
				}
			}
		}
	}
	if lost < 15 {
		t.Errorf("direct coupling on a wall of 1e6 N/m: only %d of 48 cases unstable; the test does not bite", lost)
	}
}

func brief(o Outcome) Outcome { o.Force, o.Speed = nil, nil; return o }

// Physics stalls for a second, or runs at 20 Hz; the hand lets go while it
// presses; the hand trembles: force stays bounded and steady.
func TestRoughTreatment(t *testing.T) {
	virt := haptics.Params{Coupling: haptics.Virtual}
	o := play(t, "desktop", "firm", 1e5, 0, Case{PhysicsHz: 1000, Params: virt, Stall: [2]float64{2, 2.9}})
	before, stalled := o.Force[1990], o.Force[2200]
	if !(before > 1) || stalled != 0 || o.Energy > 0.05 { // while it fades the hand goes in for nothing
		t.Errorf("stall: %g N before, %g N in it, energy %g J", before, stalled, o.Energy)
	}
	o = play(t, "desktop", "firm", 1e5, 0, Case{PhysicsHz: 1000, Params: virt, Stall: [2]float64{1.9, 2.2}})
	if !(o.Force[2990] > 0.5) {
		t.Errorf("after a stall of 0.3 s: %g N, want it back", o.Force[2990])
	}
	if o = play(t, "desktop", "grip", 1e5, 0.01, Case{PhysicsHz: 20, Params: virt}); o.Bounces > 0 || o.Shake > shakeLimit || o.Energy > 5*energyLimit {
		t.Errorf("physics at 20 Hz: %+v", brief(o))
	}
	o = play(t, "desktop", "firm", 1e5, 0, Case{PhysicsHz: 1000, Params: virt, Device: virtual.Config{Hand: virtual.Hand{Release: 2.2}}})
	if o.Energy > energyLimit || o.Shake > 0.2 || o.Force[len(o.Force)-1] != 0 {
		t.Errorf("release: %+v, last force %g", brief(o), o.Force[len(o.Force)-1])
	}
	o = play(t, "desktop", "firm", 1e5, 0.01, Case{PhysicsHz: 300, Params: virt, Device: virtual.Config{Hand: virtual.Hand{Tremor: 3e-4}}})
	if o.Energy > energyLimit || o.Bounces > 0 {
		t.Errorf("tremor: %+v", brief(o))
	}
}

// The stiffest stable wall lies near the linear rule where encoder steps and
// dry friction do not rule, and above nothing that the coupling derives.
func TestZWidth(t *testing.T) {
	l := haptics.DeviceLimits{MaxForce: 1e3, Stiffness: 1e5, Damping: 5, Mass: 0.2, Viscous: 4.5, MaxSpeed: 10, SlewRate: 1e6}
	kernel := func() Kernel {
		k := servo.NewKernel(1000, 4)
		t.Cleanup(k.Close)
		return k
	}
	z, err := ZWidth("bare", l, 1000, haptics.Direct, "pinch", kernel)
	if err != nil {
		t.Fatal(err)
	}
	if !(z.Stiffness > 0.4*z.Rule && z.Stiffness < 2.5*z.Rule) {
		t.Errorf("stiffest wall %g N/m, rule %g", z.Stiffness, z.Rule)
	}
	g := haptics.DeriveGains(l, 1000)
	v, err := ZWidth("bare", l, 1000, haptics.Virtual, "pinch", kernel)
	if err != nil {
		t.Fatal(err)
	}
	if !(v.Stiffness > 1.2*g.Stiffness) {
		t.Errorf("coupling is stable up to %g N/m, but %g is derived", v.Stiffness, g.Stiffness)
	}
}

// Energy is seen where there is some: a force that follows a circle the wrong
// way round puts work into the hand.
func TestEnergyIsMeasured(t *testing.T) {
	o := play(t, "desktop", "grip", 1e6, 0, Case{PhysicsHz: 1000})
	if o.Stable || !(o.Energy > 10*energyLimit) || !(o.Shake > shakeLimit) {
		t.Errorf("a bouncing wall: %+v", brief(o))
	}
}

func TestRipple(t *testing.T) {
	f := make([]float64, 2000)
	for i := range f {
		f[i] = 3 + math.Sin(2*math.Pi*100*float64(i)/1000)
	}
	if r := ripple(f, 1000); math.Abs(r-math.Sqrt(0.5)) > 0.05 {
		t.Errorf("100 Hz of amplitude 1: ripple %g", r)
	}
	for i := range f {
		f[i] = 3 + math.Sin(2*math.Pi*1*float64(i)/1000)
	}
	if r := ripple(f, 1000); r > 0.01 {
		t.Errorf("1 Hz: ripple %g", r)
	}
}

func TestPunctuality(t *testing.T) {
	dev, err := virtual.New(virtual.Config{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := servo.New(dev, 500)
	if err != nil {
		t.Fatal(err)
	}
	tm, err := Punctuality(context.Background(), l, 500, 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if tm.Ticks == 0 || !(tm.Wakeup.P50 <= tm.Wakeup.P99 && tm.Wakeup.P99 <= tm.Wakeup.Max) || tm.RealTime == "" {
		t.Errorf("%+v", tm)
	}
	if _, err := json.Marshal(tm); err != nil {
		t.Error(err)
	}
}

func TestParseCyclictest(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("Max CPUs = 2\n# /dev/cpu_dma_latency set to 0us\nThread 0 Interval: 1500\n")
	for i := range 100 {
		fmt.Fprintf(&doc, "       0:%8d:%8d\n", i, map[bool]int{false: 3000, true: 1500000}[i == 50])
	}
	tm, err := parseCyclictest(strings.NewReader(doc.String()), 1000)
	if err != nil {
		t.Fatal(err)
	}
	if tm.Ticks != 100 || tm.Missed != 1 || tm.Wakeup.P50 != 3 || tm.Wakeup.P99 != 1500 || tm.Wakeup.Max != 1500 ||
		tm.Period.P50 != 0 || tm.Period.Max != 1497 {
		t.Errorf("%+v", tm)
	}
	other := Timing{Ticks: 1, Missed: 2, late: []float64{7}, period: []float64{1}}
	tm.Merge(&other)
	if tm.Ticks != 101 || tm.Missed != 3 || len(tm.late) != 101 || tm.Wakeup.P50 != 3 || tm.Wakeup.Max != 1500 {
		t.Errorf("merged: %+v", tm)
	}
	for _, bad := range []string{"", "{}", "1:2\n", "a:b:c\n"} {
		if _, err := parseCyclictest(strings.NewReader(bad), 1000); err == nil {
			t.Errorf("%q accepted", bad)
		}
	}
}
