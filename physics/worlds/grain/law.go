package grain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/num"
)

// CutOff is the distance beyond which grains do not act on each other, in sigma.
const CutOff = 2.0

// f2 is f(2), the attraction that ends with a jump at the cut-off.
const f2 = 62.0 / 8192

// Core says what two grains do that are closer than sigma.
type Core uint8

const (
	// BoundedCore is the document's: a constant repulsion of 24 eps/sigma. A pair whose relative energy exceeds 24.06
	// eps passes through; an obstacle yields at 48.12 eps.
	BoundedCore Core = iota
	// HardCore goes on with the law of longer distances, down to Interaction.Limit: nothing below 16 000 eps passes
	// through at sigma/2. It needs smaller steps.
	HardCore
)

// hardLimit is where the hard core stops growing at the latest, in sigma.
const hardLimit = 0.5

// Interaction is the force between two grains.
type Interaction struct {
	Sigma   float64 // length scale, m
	Epsilon float64 // energy scale, J
	Shifted bool    // subtract the force at the cut-off, so that it ends without a jump
	Core    Core
	Limit   float64 // where a hard core stops growing, in sigma; 0: at hardLimit
}

// core is where the force stops growing, in sigma.
func (a *Interaction) core() float64 {
	if a.Core == HardCore {
		return min(max(a.Limit, hardLimit), 1)
	}
	return 1
}

// StableLimit is how far down a hard core may go so that steps can follow it, in sigma: a grain among twelve that press
// on it swings at omega^2 = 8 k/m at most, k being the slope of a pair's force, and omega dt is below 2.
func (a *Interaction) StableLimit(dt, mass float64) float64 {
	free := Interaction{Sigma: a.Sigma, Epsilon: a.Epsilon, Core: HardCore}
	spare := func(x float64) float64 { return mass - free.Slope(x*a.Sigma)*2*dt*dt }
	switch {
	case spare(hardLimit) >= 0:
		return hardLimit
	case spare(1) <= 0:
		return 1
	}
	return num.Bisect(spare, hardLimit, 1)
}

// unit is f(x), the force in units of 24 eps/sigma, positive where it attracts.
func (a *Interaction) unit(x float64) float64 {
	if x > CutOff || x <= 0 {
		return 0
	}
	x = max(x, a.core())
	x6 := x * x * x
	x6 *= x6
	f := (x6 - 2) / (x6 * x6 * x)
	if a.Shifted {
		f -= f2
	}
	return f
}

// Force is the force of a grain on another at distance r, N; positive where it attracts.
func (a *Interaction) Force(r float64) float64 {
	return 24 * a.Epsilon / a.Sigma * a.unit(r/a.Sigma)
}

// Slope is how the force changes with the distance, N/m.
func (a *Interaction) Slope(r float64) float64 {
	x := r / a.Sigma
	if !(x >= a.core() && x <= CutOff) {
		return 0
	}
	x2 := x * x
	x6 := x2 * x2 * x2
	return 24 * a.Epsilon / (a.Sigma * a.Sigma) * (26 - 7*x6) / (x6 * x6 * x2)
}

// push is the force of an obstacle on a grain, N, where the closest point of its surface lies so far from it, m: twice
// that of another grain there.
func (a *Interaction) push(e mgl64.Vec3) mgl64.Vec3 {
	d := e.Len()
	if d == 0 || !(d <= CutOff*a.Sigma) {
		return mgl64.Vec3{}
	}
	return e.Mul(2 * a.Force(d) / d)
}

// Potential is the energy of two grains at distance r, J: the integral of the force, 0 beyond the cut-off.
func (a *Interaction) Potential(r float64) float64 {
	x := r / a.Sigma
	if x >= CutOff {
		return 0
	}
	lennard := func(x float64) float64 {
		i := 1 / (x * x * x)
		i *= i
		return 4 * (i*i - i)
	}
	from := a.core()
	const end = 4 * (1./4096 - 1./64) // at the cut-off
	u := lennard(max(x, from)) - end
	if x < from {
		u -= 24 * a.bottom() * (from - x)
	}
	if a.Shifted {
		u += 24 * f2 * (CutOff - x)
	}
	return a.Epsilon * u
}

// bottom is f below the limit of the core, before it is shifted.
func (a *Interaction) bottom() float64 {
	unshifted := Interaction{Core: a.Core, Limit: a.Limit}
	return unshifted.unit(math.SmallestNonzeroFloat64)
}

// Barrier is the energy that lets two grains pass through each other, J; an obstacle has twice as much.
func (a *Interaction) Barrier() float64 { return a.Potential(0) }

// Equilibrium is the distance at which two grains rest, m; without the shift.
func (a *Interaction) Equilibrium() float64 { return math.Pow(2, 1.0/6) * a.Sigma }

// Stiffness is that of a pair at its equilibrium, N/m; without the shift.
func (a *Interaction) Stiffness() float64 {
	return 36 * math.Cbrt(4) * a.Epsilon / (a.Sigma * a.Sigma)
}

// Fluid is what the grains move in. Zeros are a vacuum.
type Fluid struct {
	Density   float64 // kg/m^3
	Viscosity float64 // dynamic, Pa s
}

// Air and Water are the document's fluids.
var (
	Air   = Fluid{Density: 1.3, Viscosity: 1.8e-5}
	Water = Fluid{Density: 1000, Viscosity: 1e-3}
)

// Drag is a law of the fluid's resistance.
type Drag uint8

const (
	// StokesNewton is the document's: Stokes below Re = 160/3, a drag coefficient of 0.45 above. It is continuous, and
	// three times too low just above.
	StokesNewton Drag = iota
	// SchillerNaumann is 24/Re (1 + 0.15 Re^0.687), but never below 0.44: measured for spheres up to Re = 2e5.
	SchillerNaumann
)

// Coefficient is lambda of a sphere of radius r at speed v, kg/s: the drag is -lambda times the velocity.
func (f *Fluid) Coefficient(law Drag, r, v float64) float64 {
	if law == SchillerNaumann {
		stokes := 6 * math.Pi * f.Viscosity * r
		newton := 0.5 * 0.44 * math.Pi * f.Density * r * r * v
		if f.Viscosity == 0 {
			return newton
		}
		re := 2 * f.Density * r * v / f.Viscosity
		return max(stokes*(1+0.15*math.Pow(re, 0.687)), newton)
	}
	if 3*f.Density*r*v < 80*f.Viscosity {
		return 6 * math.Pi * f.Viscosity * r
	}
	return 9 * math.Pi / 40 * f.Density * r * r * v
}

// TerminalSpeed is the speed at which drag balances the weight of a sphere under gravity g, m/s, by the document's law
// and without buoyancy.
func (f *Fluid) TerminalSpeed(radius, density, g float64) float64 {
	if radius*radius*radius < 120*f.Viscosity*f.Viscosity/(density*f.Density*g) {
		return 2 * density * radius * radius * g / (9 * f.Viscosity)
	}
	return math.Sqrt(160 * density * radius * g / (27 * f.Density))
}

// Sphere is the volume of a sphere, m^3.
func sphere(radius float64) float64 { return 4.0 / 3 * math.Pi * radius * radius * radius }
