package grain

import (
	"cmp"
	"fmt"
	"math"
	"runtime"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/budget"
	"hapco/physics/numerics/num"
)

// Grain is one grain as it starts.
type Grain struct {
	Radius   float64    // m
	Density  float64    // kg/m^3
	Position mgl64.Vec3 // m
	Velocity mgl64.Vec3 // m/s
}

// Config states a simulation. The switches Buoyancy, Drag, Solid, Interaction.Shifted
// and Interaction.Core go beyond the document; their zeros are its own model.
type Config struct {
	Step        float64 // time step, s; 0: StableStep
	Gravity     mgl64.Vec3
	Fluid       Fluid
	Interaction Interaction
	Grains      []Grain
	Room        int // for how many grains there is memory, where World.Add adds some; fewer than Grains: none are added
	Obstacles   []Shape

	Buoyancy bool // the fluid that a grain displaces lifts it
	Drag     Drag
	Solid    bool // no grain goes through an obstacle; else one with 48.12 epsilon does

	Threads int     // goroutines that work on a step; 0: one a processor, where there are grains enough
	Skin    float64 // how much farther than the cut-off neighbours are listed, in sigma; 0: 0.35
}

// check refuses what the model cannot run, with one line: what, where, cure.
func (c *Config) check() error {
	a := &c.Interaction
	switch {
	case !num.Positive(a.Sigma) || !num.Positive(a.Epsilon):
		return fmt.Errorf("grain: sigma %g m, epsilon %g J (cure: both above 0)", a.Sigma, a.Epsilon)
	case !(c.Step >= 0) || math.IsInf(c.Step, 0):
		return fmt.Errorf("grain: time step %g s (cure: above 0, or 0 to have it chosen)", c.Step)
	case !(c.Fluid.Density >= 0) || !(c.Fluid.Viscosity >= 0) || math.IsInf(c.Fluid.Density+c.Fluid.Viscosity, 0):
		return fmt.Errorf("grain: fluid of density %g kg/m^3 and viscosity %g Pa s (cure: 0 or more)", c.Fluid.Density, c.Fluid.Viscosity)
	case !num.FiniteVec(c.Gravity):
		return fmt.Errorf("grain: gravity %v m/s^2 (cure: finite numbers)", c.Gravity)
	case c.Threads < 0:
		return fmt.Errorf("grain: %d threads (cure: 1 or more, or 0 for all processors)", c.Threads)
	case !(c.Skin >= 0) || c.Skin > 10:
		return fmt.Errorf("grain: skin of %g sigma (cure: 0 to 10)", c.Skin)
	case a.Core > HardCore || c.Drag > SchillerNaumann:
		return fmt.Errorf("grain: core %d, drag %d (cure: a law that there is)", a.Core, c.Drag)
	}
	if err := CheckNumber(max(len(c.Grains), c.Room)); err != nil {
		return err
	}
	for i := range c.Grains {
		if err := c.Grains[i].check(i); err != nil {
			return err
		}
	}
	for i, s := range c.Obstacles {
		if err := CheckShape(s); err != nil {
			return fmt.Errorf("grain: obstacle %d: %w", i, err)
		}
	}
	return nil
}

func (g *Grain) check(i int) error {
	switch {
	case !num.Positive(g.Radius):
		return fmt.Errorf("grain: radius %g m of grain %d (cure: above 0)", g.Radius, i)
	case !num.Positive(g.Density):
		return fmt.Errorf("grain: density %g kg/m^3 of grain %d (cure: above 0)", g.Density, i)
	case !num.Positive(sphere(g.Radius) * g.Density):
		return fmt.Errorf("grain: radius %g m and density %g kg/m^3 of grain %d give no mass", g.Radius, g.Density, i)
	case !num.FiniteVec(g.Position) || !num.FiniteVec(g.Velocity):
		return fmt.Errorf("grain: position %v m, velocity %v m/s of grain %d (cure: finite numbers)", g.Position, g.Velocity, i)
	}
	return nil
}

// CheckNumber refuses a number of grains that this machine cannot hold, before anything is made for them.
func CheckNumber(n int) error {
	free, ok := budget.Free()
	if !ok {
		free = math.MaxUint64
	}
	return checkNumber(n, free)
}

// checkNumber refuses more grains than can be numbered, or than there is memory for, in bytes.
func checkNumber(n int, free uint64) error {
	switch {
	case n > MaxGrains:
		return fmt.Errorf("grain: %d grains (cure: at most %d)", n, MaxGrains)
	case uint64(n)*bytesPerGrain > free:
		return fmt.Errorf("grain: %d grains need about %d MB, %d are free (cure: fewer grains)", n, n*bytesPerGrain>>20, free>>20)
	}
	return nil
}

// StableStep is a time step that follows the fastest motion, s: a hundredth of sigma sqrt(m/eps) of the lightest grain,
// and less where the drag on any grain is stiffer than that (dt lambda/m at most 0.5 at the speeds of the start and at
// the terminal speed), or where weight takes a grain too far. 0 where there are no grains.
func (c *Config) StableStep() float64 {
	dt := math.Inf(1)
	for i := range c.Grains {
		g := &c.Grains[i]
		dt = min(dt, c.stepOf(g.Radius, g.Density, g.Velocity.Len()))
	}
	if math.IsInf(dt, 0) {
		return 0
	}
	return dt
}

// stepOf is the stable step of one grain, s.
func (c *Config) stepOf(radius, density, speed float64) float64 {
	a := &c.Interaction
	m := sphere(radius) * density
	dt := follows * a.Sigma * math.Sqrt(m/a.Epsilon)
	if a.Core == HardCore {
		dt /= harder
	}
	if g := c.Gravity.Len(); g > 0 && c.Fluid.Density > 0 {
		sinks := density
		if c.Buoyancy {
			sinks = math.Abs(density - c.Fluid.Density)
		}
		speed = max(speed, c.Fluid.TerminalSpeed(radius, sinks, g))
	}
	if l := c.Fluid.Coefficient(c.Drag, radius, speed); l > 0 {
		dt = min(dt, slows*m/l)
	}
	return min(dt, c.fallStep())
}

// fallStep is the longest step in which weight takes a grain no farther than a stride from where its speed does, s:
// else it would be behind a surface that was farther than all forces were expected to take it.
func (c *Config) fallStep() float64 { return math.Sqrt(stride * c.Interaction.Sigma / c.Gravity.Len()) }

// longestStep is the longest step in which a grain sees where it comes, and two grains, or a grain at an obstacle, do
// not gain energy from each other, s: 2/omega with omega^2 = 2 k/m and k the slope of the force at sigma, the steepest
// that it is. From there on every contact flings its grains apart.
func (c *Config) longestStep(radius, density float64) float64 {
	a := &c.Interaction
	pair := Interaction{Sigma: a.Sigma, Epsilon: a.Epsilon}
	dt := 2 * math.Sqrt(sphere(radius)*density/(2*pair.Slope(a.Sigma)))
	if a.Core == HardCore {
		dt /= harder
	}
	return min(dt, c.fallStep())
}

// threads is how many goroutines work on n grains, where nobody wants another number.
func threads(wanted, n int) int { return cmp.Or(wanted, min(runtime.GOMAXPROCS(0), 1+n/apiece)) }
