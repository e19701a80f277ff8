// Package grain holds the reference cases of grains against the world of that kind.
package grain

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/worlds/grain"
)

func init() {
	remarks := []string{"evidence"}
	verify.Register("grain.trajectory", verify.Runner{Run: runMotion, Compare: compareTrajectory, Remarks: remarks})
	verify.Register("grain.sums", verify.Runner{Run: runMotion, Compare: compareSums, Remarks: remarks})
	verify.Register("grain.table", verify.Runner{Run: runTable, Compare: compareTable, Remarks: remarks})
	verify.Register("grain.closest_point", verify.Runner{Run: runClosest, Compare: compareClosest, Remarks: remarks})
}

// motionInput is the input of trajectories and sums.
type motionInput struct {
	Dt          float64      `json:"time_step_s"`
	Steps       int          `json:"steps"`
	Gravity     mgl64.Vec3   `json:"gravity_m_s2"`
	Fluid       fluidInput   `json:"fluid"`
	Interaction forceInput   `json:"interaction"`
	Particles   []grainInput `json:"particles"`
	Obstacles   []obstacleIn `json:"obstacles"`
	Times       []float64    `json:"sample_times_s"`
}

type fluidInput struct {
	Density   float64 `json:"density_kg_m3"`
	Viscosity float64 `json:"viscosity_Pa_s"`
}

type forceInput struct {
	Sigma   float64 `json:"sigma_m"`
	Epsilon float64 `json:"epsilon_J"`
}

type grainInput struct {
	Radius   float64    `json:"radius_m"`
	Density  float64    `json:"density_kg_m3"`
	Position mgl64.Vec3 `json:"position_m"`
	Velocity mgl64.Vec3 `json:"velocity_m_s"`
}

// obstacleIn has the members of every kind of obstacle; each kind needs its own.
type obstacleIn struct {
	Kind   string      `json:"kind"`
	Origin *mgl64.Vec3 `json:"origin_m,omitempty"`
	Center *mgl64.Vec3 `json:"center_m,omitempty"`
	Normal *mgl64.Vec3 `json:"normal,omitempty"`
	Axis   *mgl64.Vec3 `json:"axis,omitempty"`
	Along  *mgl64.Vec3 `json:"length_direction,omitempty"`
	Radius *float64    `json:"radius_m,omitempty"`
	Length *float64    `json:"length_m,omitempty"`
	Width  *float64    `json:"width_m,omitempty"`
	Height *float64    `json:"height_m,omitempty"`
}

// obstacleMembers are those of each kind.
var obstacleMembers = map[string][]string{
	"plane":     {"origin_m", "normal"},
	"rectangle": {"origin_m", "normal", "length_direction", "length_m", "width_m"},
	"brick":     {"origin_m", "normal", "length_direction", "length_m", "width_m", "height_m"},
	"sphere":    {"center_m", "radius_m"},
	"cylinder":  {"center_m", "axis", "radius_m", "length_m"},
}

func (o *obstacleIn) shape() (s grain.Shape, err error) {
	needs := obstacleMembers[o.Kind]
	if needs == nil {
		return nil, fmt.Errorf("kind %q is unknown (cure: plane, rectangle, brick, sphere or cylinder)", o.Kind)
	}
	given := map[string]bool{"origin_m": o.Origin != nil, "center_m": o.Center != nil, "normal": o.Normal != nil,
		"axis": o.Axis != nil, "length_direction": o.Along != nil, "radius_m": o.Radius != nil,
		"length_m": o.Length != nil, "width_m": o.Width != nil, "height_m": o.Height != nil}
	maps.DeleteFunc(given, func(_ string, there bool) bool { return !there })
	for _, name := range needs {
		if !given[name] {
			err = fmt.Errorf("%s of a %s is missing", name, o.Kind)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case len(given) != len(needs):
		return nil, fmt.Errorf("a %s has %d sizes and directions, %d are given", o.Kind, len(needs), len(given))
	}
	switch o.Kind {
	case "plane":
		s = &grain.Plane{Origin: *o.Origin, Normal: *o.Normal}
	case "rectangle":
		s = &grain.Rectangle{Origin: *o.Origin, Normal: *o.Normal, Along: *o.Along, Length: *o.Length, Width: *o.Width}
	case "brick":
		s = &grain.Brick{Origin: *o.Origin, Normal: *o.Normal, Along: *o.Along, Length: *o.Length, Width: *o.Width, Height: *o.Height}
	case "sphere":
		s = &grain.Ball{Center: *o.Center, Radius: *o.Radius}
	case "cylinder":
		s = &grain.Cylinder{Center: *o.Center, Axis: *o.Axis, Radius: *o.Radius, Length: *o.Length}
	}
	return s, grain.CheckShape(s)
}

// motion is what a trajectory or sums gives.
type motion struct {
	Samples  []sample `json:"samples"`
	Sums     []sums   `json:"sums"`
	Impulses impulses `json:"impulses_N_s"`
}

type sample struct {
	Step     int          `json:"step"`
	T        float64      `json:"t"`
	Position []mgl64.Vec3 `json:"position_m"`
	Velocity []mgl64.Vec3 `json:"velocity_m_s"`
}

type sums struct {
	Step      int        `json:"step"`
	T         float64    `json:"t"`
	Momentum  mgl64.Vec3 `json:"momentum_kg_m_s"`
	Angular   mgl64.Vec3 `json:"angular_momentum_kg_m2_s"`
	Kinetic   float64    `json:"kinetic_energy_J"`
	Potential float64    `json:"potential_energy_J"`
	Centroid  mgl64.Vec3 `json:"centroid_m"`
	Nearest   *float64   `json:"min_pair_distance_m"` // null of a single grain
	Centred   float64    `json:"energy_centred_J"`
}

type impulses struct {
	Gravity  mgl64.Vec3   `json:"gravity"`
	Drag     mgl64.Vec3   `json:"drag"`
	Pair     mgl64.Vec3   `json:"pair"`
	Obstacle []mgl64.Vec3 `json:"obstacle"`
	Start    mgl64.Vec3   `json:"momentum_start"`
	End      mgl64.Vec3   `json:"momentum_end"`
	Residual mgl64.Vec3   `json:"residual"`
}

func (in *motionInput) config() grain.Config {
	c := grain.Config{Step: in.Dt, Gravity: in.Gravity, Fluid: grain.Fluid(in.Fluid),
		Interaction: grain.Interaction{Sigma: in.Interaction.Sigma, Epsilon: in.Interaction.Epsilon}}
	refusal.Unless(in.Dt > 0, "input.time_step_s: %g (cure: above 0)", in.Dt)
	for i := range in.Particles {
		p := &in.Particles[i]
		c.Grains = append(c.Grains, grain.Grain{Radius: p.Radius, Density: p.Density, Position: p.Position, Velocity: p.Velocity})
	}
	for i := range in.Obstacles {
		s, err := in.Obstacles[i].shape()
		refusal.NeedAt(err, "input.obstacles[%d]", i)
		c.Obstacles = append(c.Obstacles, s)
	}
	return c
}

func runMotion(ctx context.Context, in *verify.Input) any {
	input := verify.Of[motionInput](in)
	c := input.config()
	refusal.If(input.Steps < 0 || len(input.Times) == 0,
		"input: %d steps and %d sample times (cure: 0 steps or more, one sample or more)", input.Steps, len(input.Times))
	w, err := grain.Overlapping(c) // the model says what grains inside each other do
	refusal.NeedAt(err, "input")
	defer w.Close()
	out, at := &motion{}, 0
	for i, t := range input.Times {
		step := math.Round(t / input.Dt)
		refusal.If(!(math.Abs(step*input.Dt-t) <= 1e-3*input.Dt) || step > float64(input.Steps) || int(step) < at,
			"input.sample_times_s[%d]: %g (cure: ascending multiples of the time step, up to the last step)", i, t)
		advance(ctx, w, int(step)-at)
		at = int(step)
		out.add(w, at, t)
	}
	advance(ctx, w, input.Steps-at)
	b := w.Balance()
	out.Impulses = impulses{Gravity: b.Gravity, Drag: b.Drag, Pair: b.Pair, Start: b.Start, End: b.End, Residual: b.Residual,
		Obstacle: append([]mgl64.Vec3{}, b.Obstacles...)} // in JSON a list where there are none
	return out
}

// advance takes so many steps.
func advance(ctx context.Context, w *grain.World, steps int) {
	for ; steps > 0; steps -= 100 {
		refusal.Need(ctx.Err())
		w.Step(min(100, steps))
	}
}

func (m *motion) add(w *grain.World, step int, t float64) {
	s := sample{Step: step, T: t, Position: make([]mgl64.Vec3, w.N()), Velocity: make([]mgl64.Vec3, w.N())}
	for i := range w.N() {
		s.Position[i], s.Velocity[i] = w.Position(i), w.Velocity(i)
	}
	m.Samples = append(m.Samples, s)
	all := w.Sums()
	line := sums{Step: step, T: t, Momentum: all.Momentum, Angular: all.AngularMomentum, Kinetic: all.Kinetic,
		Potential: all.Potential, Centroid: all.Centroid, Centred: all.Centred}
	if w.N() > 1 {
		line.Nearest = new(nearest(s.Position))
	}
	m.Sums = append(m.Sums, line)
}

// nearest is the least distance of two of the points.
func nearest(at []mgl64.Vec3) float64 {
	at = slices.Clone(at)
	slices.SortFunc(at, func(a, b mgl64.Vec3) int { return cmp.Compare(a[0], b[0]) })
	least := math.Inf(1)
	for i, a := range at {
		for _, b := range at[i+1:] {
			if b[0]-a[0] >= least {
				break
			}
			least = min(least, a.Sub(b).Len())
		}
	}
	return least
}

// into reads a member that a case must have of what is expected.
func into(c *verify.Case, name string, to any) {
	refusal.Unless(c.Want(name, to), "expected.%s is missing", name)
}

// compareTrajectory compares places and velocities component by component, sums and impulses.
func compareTrajectory(c *verify.Case, outputs any) []verify.Check {
	ours := outputs.(*motion)
	var want []sample
	into(c, "samples", &want)
	refusal.If(len(want) != len(ours.Samples),
		"expected.samples has %d entries, sample_times_s %d", len(want), len(ours.Samples))
	var checks []verify.Check
	for i := range want {
		a, b := &want[i], &ours.Samples[i]
		refusal.If(a.Step != b.Step || len(a.Position) != len(b.Position) || len(a.Velocity) != len(b.Velocity),
			"expected.samples[%d] is of another step or number of particles than the input", i)
		for k := range a.Position {
			for x := range 3 {
				checks = append(checks,
					verify.Absolute(fmt.Sprintf("samples[%d].position_m[%d][%d]", i, k, x), a.Position[k][x], b.Position[k][x], c.Tol("position_m", 1e-10)),
					verify.Absolute(fmt.Sprintf("samples[%d].velocity_m_s[%d][%d]", i, k, x), a.Velocity[k][x], b.Velocity[k][x], c.Tol("velocity_m_s", 1e-10)))
			}
		}
	}
	if c.Expected["sums"] == nil {
		return checks
	}
	return append(checks, compareSums(c, outputs)...)
}

// compareSums compares the sums, each relative to a scale of its own: momenta to that of grains which all move in the
// same direction with the same energy, lengths at the farthest grain or sigma, energies to themselves.
func compareSums(c *verify.Case, outputs any) []verify.Check {
	ours := outputs.(*motion)
	list, ok := c.Expected["sums"].([]any)
	refusal.If(!ok || len(list) != len(ours.Sums),
		"expected.sums has not the %d entries of sample_times_s", len(ours.Sums))
	tol := c.Tol("sums_relative", 1e-9)
	input := verify.Of[motionInput](&c.Input)
	mass, farthest := 0.0, 0.0
	for _, p := range input.Particles {
		mass += 4.0 / 3 * math.Pi * p.Radius * p.Radius * p.Radius * p.Density
		for _, x := range p.Position {
			farthest = max(farthest, math.Abs(x))
		}
	}
	var checks []verify.Check
	for i, v := range list {
		b := &ours.Sums[i]
		members, _ := v.(map[string]any)
		full := map[string]any{"energy_centred_J": 0.0} // it may be missing
		maps.Copy(full, members)
		var a sums
		refusal.Need(verify.Decode(full, &a, fmt.Sprintf("expected.sums[%d]", i)))
		refusal.If(a.Step != b.Step, "expected.sums[%d] is of step %d, the sample of step %d", i, a.Step, b.Step)
		p := math.Sqrt(2 * mass * a.Kinetic)
		relative := func(name string, scale float64, want, got []float64) {
			for x := range want {
				k := verify.Absolute(fmt.Sprintf("sums[%d].%s[%d]", i, name, x), want[x], got[x], tol)
				switch {
				case scale > 0:
					k.Error /= scale
				case k.Error <= 1e-300: // both 0
					k.Error = 0
				}
				checks = append(checks, k)
			}
		}
		relative("momentum_kg_m_s", p, a.Momentum[:], b.Momentum[:])
		relative("angular_momentum_kg_m2_s", p*farthest, a.Angular[:], b.Angular[:])
		relative("centroid_m", farthest, a.Centroid[:], b.Centroid[:])
		relative("kinetic_energy_J", a.Kinetic, []float64{a.Kinetic}, []float64{b.Kinetic})
		relative("potential_energy_J", max(math.Abs(a.Potential), a.Kinetic), []float64{a.Potential}, []float64{b.Potential})
		if a.Nearest != nil && b.Nearest != nil {
			relative("min_pair_distance_m", input.Interaction.Sigma, []float64{*a.Nearest}, []float64{*b.Nearest})
		}
		if members["energy_centred_J"] != nil {
			relative("energy_centred_J", max(math.Abs(a.Potential), a.Kinetic), []float64{a.Centred}, []float64{b.Centred})
		}
	}
	most := 0.0
	for _, b := range ours.Sums {
		most = max(most, math.Sqrt(2*mass*b.Kinetic))
	}
	return append(checks, compareImpulses(c, &ours.Impulses, most, tol)...)
}

// compareImpulses compares the momentum balance relative to its largest part, or to scale.
func compareImpulses(c *verify.Case, ours *impulses, scale, tol float64) []verify.Check {
	var want impulses
	if !c.Want("impulses_N_s", &want) {
		return nil
	}
	refusal.If(len(want.Obstacle) != len(ours.Obstacle),
		"expected.impulses_N_s.obstacle has another number of entries than input.obstacles")
	type part struct {
		name      string
		want, got mgl64.Vec3
	}
	parts := []part{
		{"gravity", want.Gravity, ours.Gravity}, {"drag", want.Drag, ours.Drag}, {"pair", want.Pair, ours.Pair},
		{"momentum_start", want.Start, ours.Start}, {"momentum_end", want.End, ours.End}, {"residual", want.Residual, ours.Residual},
	}
	for i := range want.Obstacle {
		parts = append(parts, part{fmt.Sprintf("obstacle[%d]", i), want.Obstacle[i], ours.Obstacle[i]})
	}
	for _, p := range parts {
		scale = max(scale, p.want.Len())
	}
	scale = cmp.Or(scale, 1)
	var checks []verify.Check
	for _, p := range parts {
		for x := range 3 {
			k := verify.Absolute(fmt.Sprintf("impulses_N_s.%s[%d]", p.name, x), p.want[x], p.got[x], tol)
			checks = append(checks, k.Over(scale))
		}
	}
	return checks
}

// runTable gives friction coefficients, or pair forces.
func runTable(_ context.Context, in *verify.Input) any {
	var probe struct {
		Air   *fluidInput `json:"air,omitempty"`
		Water *fluidInput `json:"water,omitempty"`
		Rows  []struct {
			Fluid  string  `json:"fluid"`
			Radius float64 `json:"radius_m"`
			Speed  float64 `json:"speed_m_s"`
		} `json:"rows,omitempty"`
		Sigma    *float64  `json:"sigma_m,omitempty"`
		Epsilon  *float64  `json:"epsilon_J,omitempty"`
		Distance []float64 `json:"distance_m,omitempty"`
	}
	refusal.Need(in.Decode(&probe))
	values := []float64{}
	switch {
	case probe.Rows != nil && probe.Distance == nil && probe.Sigma == nil && probe.Epsilon == nil:
		fluids := map[string]*fluidInput{"air": probe.Air, "water": probe.Water}
		for i, r := range probe.Rows {
			f := fluids[r.Fluid]
			refusal.If(f == nil, "input.rows[%d].fluid: %q is not given", i, r.Fluid)
			refusal.If(!(f.Density >= 0) || !(f.Viscosity >= 0) || !(r.Radius > 0) || !(r.Speed >= 0),
				"input.rows[%d]: a radius above 0, a speed and a fluid of 0 or more belong there", i)
			fluid := grain.Fluid(*f)
			values = append(values, fluid.Coefficient(grain.StokesNewton, r.Radius, r.Speed))
		}
	case probe.Rows == nil && probe.Distance != nil && probe.Sigma != nil && probe.Epsilon != nil && probe.Air == nil && probe.Water == nil:
		a := grain.Interaction{Sigma: *probe.Sigma, Epsilon: *probe.Epsilon}
		if !(a.Sigma > 0) || !(a.Epsilon > 0) { // JSON holds no infinity
			panic(refusal.Of("input: sigma %g m, epsilon %g J (cure: both above 0)", a.Sigma, a.Epsilon))
		}
		for _, r := range probe.Distance {
			values = append(values, a.Force(r))
		}
	default:
		panic(refusal.Of("input holds neither air, water and rows nor sigma_m, epsilon_J and distance_m"))
	}
	return map[string]any{"values": values}
}

// compareTable compares each value relative to itself.
func compareTable(c *verify.Case, outputs any) []verify.Check {
	ours := outputs.(map[string]any)["values"].([]float64)
	var want []float64
	into(c, "values", &want)
	refusal.If(len(want) != len(ours), "expected.values has %d entries, the input %d", len(want), len(ours))
	var checks []verify.Check
	for i := range want {
		k := verify.Absolute(fmt.Sprintf("values[%d]", i), want[i], ours[i], c.Tol("relative", 1e-12))
		checks = append(checks, k.Over(cmp.Or(math.Abs(want[i]), 1)))
	}
	return checks
}

// runClosest gives the closest points of an obstacle; null where there is none.
func runClosest(_ context.Context, in *verify.Input) any {
	var input struct {
		Obstacle obstacleIn   `json:"obstacle"`
		Points   []mgl64.Vec3 `json:"points_m"`
	}
	refusal.Need(in.Decode(&input))
	s, err := input.Obstacle.shape()
	refusal.NeedAt(err, "input.obstacle")
	closest := make([]*mgl64.Vec3, len(input.Points))
	for i, p := range input.Points {
		if k, ok := s.Closest(p); ok {
			closest[i] = &k
		}
	}
	return map[string]any{"closest_m": closest}
}

// compareClosest compares the points that are judged.
func compareClosest(c *verify.Case, outputs any) []verify.Check {
	ours := outputs.(map[string]any)["closest_m"].([]*mgl64.Vec3)
	var want []mgl64.Vec3
	into(c, "closest_m", &want)
	judged := slices.Repeat([]bool{true}, len(want))
	c.Want("judged", &judged)
	refusal.If(len(want) != len(ours) || len(judged) != len(want),
		"expected.closest_m has %d entries, judged %d, the input %d points", len(want), len(judged), len(ours))
	var checks []verify.Check
	for i := range want {
		if !judged[i] {
			continue
		}
		got := mgl64.Vec3{math.NaN(), math.NaN(), math.NaN()}
		if ours[i] != nil {
			got = *ours[i]
		}
		distance := got.Sub(want[i]).Len()
		for x := range 3 {
			k := verify.Absolute(fmt.Sprintf("closest_m[%d][%d]", i, x), want[i][x], got[x], c.Tol("position_m", 1e-12))
			k.Error = distance
			checks = append(checks, k)
		}
	}
	return checks
}
