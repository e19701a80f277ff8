package haptics_test

import (
	"math"
	"testing"

	"hapco/haptics"
)

// Derived gains keep every bound that the device's numbers set, at every rate.
func TestDerivedGainsKeepTheBounds(t *testing.T) {
	for _, l := range []haptics.DeviceLimits{
		haptics.DefaultLimits(),
		{Stiffness: 1000, Damping: 5, Mass: 0.045, Friction: 0.06, Viscous: 0.1, PositionStep: 23e-6},
		{Stiffness: 5000, Damping: 30, Mass: 0.2, Friction: 0.1, Viscous: 4.5, PositionStep: 10e-6, Delay: 1e-3, MaxTorque: 0.2},
		{Damping: 5, Mass: 0.2, Viscous: 1},
	} {
		for _, rate := range []float64{500, 1000, 4000} {
			g := haptics.DeriveGains(l, rate)
			T := 1 / rate
			if !(g.Stiffness > 0) || g.Margin < 2*(1-1e-12) || g.Stiffness > g.QuantumLimit/2*(1+1e-12) {
				t.Errorf("%g Hz: %+v", rate, g)
			}
			if l.Stiffness > 0 && g.Stiffness > l.Stiffness || g.Damping > l.Damping || g.Damping > 0.1*l.Mass/T*(1+1e-12) {
				t.Errorf("%g Hz: beyond the device: %+v", rate, g)
			}
			if l.Friction > 0 && g.Damping*l.PositionStep/T > l.Friction*(1+1e-12) {
				t.Errorf("%g Hz: one encoder step gives %g N of damping", rate, g.Damping*l.PositionStep/T)
			}
			if (l.MaxTorque > 0) != (g.AngleStiffness > 0) {
				t.Errorf("angle stiffness %g with torque %g", g.AngleStiffness, l.MaxTorque)
			}
		}
	}
}

// The limits are the printed rules: a 0.2 kg, 4.5 N s/m device with B = 5 is
// stable to 19 000 N/m at 1 kHz, 6333 with one tick of delay; without damping
// it is passive to 9000.
func TestGainLimitsAreTheRules(t *testing.T) {
	l := haptics.DeviceLimits{Mass: 0.2, Viscous: 4.5}
	g := haptics.Gains{Stiffness: 1000, Damping: 5}
	g.Check(l, 1000)
	if math.Abs(g.StableLimit-19000) > 1e-6 || math.Abs(g.Margin-19) > 1e-9 || g.PassiveLimit != 0 || !math.IsInf(g.QuantumLimit, 1) {
		t.Errorf("%+v", g)
	}
	l.Delay = 1e-3
	g.Check(l, 1000)
	if math.Abs(g.StableLimit-19000.0/3) > 1e-6 {
		t.Errorf("with delay: %g", g.StableLimit)
	}
	g = haptics.Gains{Stiffness: 1000}
	g.Check(l, 1000)
	if math.Abs(g.PassiveLimit-9000) > 1e-6 {
		t.Errorf("passive to %g", g.PassiveLimit)
	}
}
