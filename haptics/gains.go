package haptics

import "math"

// Gains are a virtual coupling's, and how far they are from the edge.
//
// A sampled wall of stiffness K and damping B on a device with viscous friction b is stable while K < (b+B)/(T/2+td)
// (Gil and Hulin's linear rule), and passive while K T/2 + B < b (Colgate and Schenkel); quantised positions need K < 2
// c/D for Coulomb friction c and encoder step D (Abbott and Okamura). The stiffest thing that the hand can meet is the
// coupling itself, against a stylus held rigidly.
type Gains struct {
	Stiffness      float64 // N/m
	Damping        float64 // N s/m
	AngleStiffness float64 // N m/rad
	AngleDamping   float64 // N m s/rad
	StableLimit    float64 // K at the edge of stability with this damping, N/m
	PassiveLimit   float64 // K at the edge of passivity with this damping, N/m; 0: never passive
	QuantumLimit   float64 // K at which encoder steps make limit cycles, N/m; +Inf: not known
	Margin         float64 // StableLimit / Stiffness; 2 and more is comfortable
}

// DeriveGains are gains for a device at a rate in Hz: half the stability limit, capped by what the device renders;
// damping a tenth of m/T, so that the rule holds for light devices too, and less where encoder steps are coarse.
func DeriveGains(l DeviceLimits, rate float64) Gains {
	T := 1 / rate
	g := Gains{Damping: math.Min(l.Damping, 0.1*l.Mass/T)}
	if l.Friction > 0 && l.PositionStep > 0 {
		// one encoder step looks like a speed of D/T: its damping force must not overcome dry friction, or the device
		// hums
		g.Damping = math.Min(g.Damping, l.Friction*T/l.PositionStep)
	}
	g.Stiffness = 0.5 * (l.Viscous + g.Damping) / (T/2 + l.Delay)
	if l.Stiffness > 0 {
		g.Stiffness = math.Min(g.Stiffness, l.Stiffness)
	}
	if l.Friction > 0 && l.PositionStep > 0 {
		g.Stiffness = math.Min(g.Stiffness, 0.5*2*l.Friction/l.PositionStep)
	}
	if l.MaxTorque > 0 {
		// the full torque at about a third of a radian, damped over ten ticks
		g.AngleStiffness = 3 * l.MaxTorque
		g.AngleDamping = 10 * g.AngleStiffness * T
	}
	g.Check(l, rate)
	return g
}

// Check fills the limits and the margin of gains chosen by hand.
func (g *Gains) Check(l DeviceLimits, rate float64) {
	T := 1 / rate
	g.StableLimit = (l.Viscous + g.Damping) / (T/2 + l.Delay)
	g.PassiveLimit = math.Max(0, 2*(l.Viscous-g.Damping)/T)
	g.QuantumLimit = math.Inf(1)
	if l.Friction > 0 && l.PositionStep > 0 {
		g.QuantumLimit = 2 * l.Friction / l.PositionStep
	}
	g.Margin = g.StableLimit / g.Stiffness
}
