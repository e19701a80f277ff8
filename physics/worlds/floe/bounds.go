package floe

import (
	"math"
	"slices"
)

// nansenNumber is N_a = sqrt(rho_a C_a/(rho_w C_w)): floes drift with about N_a times the wind.
func (e *Environment) nansenNumber() float64 {
	return math.Sqrt(e.Air.Density * e.Air.Drag / (e.Water.Density * e.Water.Drag))
}

// Bounds are the bounds on the step of explicit Euler for one floe, from the one-dimensional model of section 3.2.2.1.
// The areal density rho h stands where the report prints rho. +Inf where there is no bound.
type Bounds struct {
	Nansen  float64
	K       []float64 // |N_a U_a + U_w| at each time, m/s
	Euler   []float64 // (3.6) at each time, s
	KMax    float64
	Minus   float64 // 3/4 of (3.7) at x = KMax, s
	Plus    float64 // 3/4 of (3.7) at x = -KMax, s
	Balance float64 // the term without three quarters, s
	Max     float64 // the smallest of these three, s
}

// StepBounds computes (3.6), (3.7) and the three-quarter rule for wind and current speeds at some times of an interval,
// and the areal density in kg/m^2.
func (e *Environment) StepBounds(areal float64, wind, current []float64) Bounds {
	var b Bounds
	e.stepBounds(&b, areal, wind, current)
	return b
}

func (e *Environment) stepBounds(b *Bounds, areal float64, wind, current []float64) {
	na := e.nansenNumber()
	kappa := e.Water.Density * e.Water.Drag / areal
	*b = Bounds{Nansen: na, K: b.K[:0], Euler: b.Euler[:0]}
	least := func(x float64) float64 { // a step is a positive number, or without bound
		if !(x > 0) {
			return math.Inf(1)
		}
		return x
	}
	stiff := math.Sqrt(e.Air.Density * e.Air.Drag * e.Water.Density * e.Water.Drag)
	windMax := 0.0
	for i := range wind {
		ua, uw := wind[i], current[i]
		k := math.Abs(na*ua + uw)
		l := kappa * (na*na*ua*ua + (na*ua+2*uw)*(na*ua+2*uw))
		b.K = append(b.K, k)
		b.Euler = append(b.Euler, min(least(areal/(2*math.Abs(ua)*stiff)), least(2*k/l)))
		b.KMax = max(b.KMax, k)
		windMax = max(windMax, math.Abs(ua))
	}
	minus, plus := math.Inf(-1), math.Inf(-1)
	for i := range wind {
		ua, uw := wind[i], current[i]
		minus = max(minus, -kappa*(na*na*ua*ua-(uw-b.KMax)*(uw-b.KMax)))
		plus = max(plus, kappa*(na*na*ua*ua+(uw+b.KMax)*(uw+b.KMax)))
	}
	b.Minus, b.Plus = math.Inf(1), math.Inf(1)
	if minus > 0 {
		b.Minus = least(threeQuarters * 2 * b.KMax / minus)
	}
	if plus > 0 {
		b.Plus = least(threeQuarters * 2 * b.KMax / plus)
	}
	b.Balance = least(areal / (2 * windMax * stiff))
	b.Max = min(b.Minus, b.Plus, b.Balance)
}

// euler is how long a step of explicit Euler may be at present, and what that takes.
type euler struct {
	bound         float64 // s
	bounds        Bounds
	wind, current [2]float64 // speeds now, and as far ahead as a step may go, m/s
}

// swinging is how fast the flow changes, 1/s: 0 where it is steady.
func (f *Flow) swinging() float64 {
	if f.Swing == (Vec2{}) {
		return 0
	}
	return math.Abs(f.Rate)
}

// marginBound is how long no floe leaves what neighbours are listed for.
func (w *World) marginBound() float64 {
	dt := math.Inf(1)
	for i := range w.bodies {
		b := &w.bodies[i]
		if speed := b.speed(); speed > 0 {
			dt = min(dt, b.margin/2/speed)
		}
	}
	return dt
}

// eulerBound is the longest step that the forces allow: by the accuracy that is asked for, and by (3.6), (3.7) and the
// three-quarter rule over all of the step.
func (w *World) eulerBound() float64 {
	dt := w.marginBound()
	for _, most := range [2]float64{w.config.MaxStep, w.config.Window} {
		if most > 0 {
			dt = min(dt, most)
		}
	}
	e := &w.config.Environment
	if swing := max(e.Air.swinging(), e.Water.swinging()); swing > 0 {
		dt = min(dt, resolved/swing)
	}
	fastest := math.Abs(e.Coriolis)
	k := e.Water.Density * e.Water.Drag
	u := e.Water.at(w.time)
	thinnest := math.Inf(1) // areal density, kg/m^2
	for i := range w.bodies {
		if b := &w.bodies[i]; k > 0 && !b.fixed && !b.tool {
			areal := b.density * b.thickness
			thinnest = min(thinnest, areal)
			fastest = max(fastest, 2*k/areal*(length(u.Sub(b.v))+math.Abs(b.rate)*b.Radius))
		}
	}
	if fastest > 0 {
		dt = min(dt, w.config.Accuracy/fastest)
	}
	if math.IsInf(thinnest, 1) {
		return dt
	}
	ahead := w.time
	if !math.IsInf(dt, 1) {
		ahead += dt
	}
	for i, t := range [2]float64{w.time, ahead} {
		w.euler.wind[i], w.euler.current[i] = e.Air.at(t).Len(), e.Water.at(t).Len()
	}
	if e.Air.Density*e.Air.Drag > 0 && w.euler.wind != [2]float64{} || w.euler.current != [2]float64{} {
		// What the floes come to rest at, even where they are slow now.
		b := &w.euler.bounds
		e.stepBounds(b, thinnest, w.euler.wind[:], w.euler.current[:])
		dt = min(dt, b.Max, slices.Min(b.Euler), w.config.Accuracy*thinnest/(2*k*b.KMax))
	}
	return dt
}
