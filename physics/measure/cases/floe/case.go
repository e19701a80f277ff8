// Package floe holds the reference cases of ice floes against the world of that kind.
package floe

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/numerics/contact/lcp"
	"hapco/physics/worlds/floe"
)

func init() {
	remarks := []string{"conserve"}
	verify.Register("floe.trajectory", verify.Runner{Run: runTrajectory, Compare: compareMotion, Remarks: remarks})
	verify.Register("floe.impact", verify.Runner{Run: runImpact, Compare: compareMotion, Remarks: remarks})
	verify.Register("floe.lcp_set", verify.Runner{Run: runProblems, Compare: compareProblems, Remarks: remarks})
	verify.Register("floe.stress", verify.Runner{Run: runStress, Compare: compareStress, Remarks: remarks})
	verify.Register("floe.values", verify.Runner{Run: runValues, Compare: compareValues, Remarks: remarks})
}

// bodyState is where a floe is and how it moves.
type bodyState struct {
	Name     string    `json:"name"`
	Position floe.Vec2 `json:"position_m"`
	Angle    float64   `json:"angle_rad"`
	Velocity floe.Vec2 `json:"velocity_m_s"`
	Rate     float64   `json:"angular_velocity_rad_s"`
}

// bodyInput is a floe of a case; its polygon is about its centroid.
type bodyInput struct {
	bodyState
	Polygon   []floe.Vec2 `json:"polygon_m"`
	Density   float64     `json:"density_kg_m3"`
	Thickness float64     `json:"thickness_m"`
	Fixed     bool        `json:"fixed,omitempty"`
}

func (b *bodyInput) floe(at string) floe.Floe {
	f := floe.Floe{Outline: b.Polygon, Thickness: b.Thickness, Density: b.Density, Fixed: b.Fixed,
		Position: b.Position, Angle: b.Angle, Velocity: b.Velocity, Rate: b.Rate}
	if len(f.Outline) > 2 && !f.Fixed {
		s := floe.SectionOf(f.Outline)
		refusal.If(s.Centroid.Len() > 1e-6*s.Radius,
			"%s: polygon_m of %q is off its centroid by %.3g m (cure: vertices relative to the centroid)", at, b.Name, s.Centroid.Len())
	}
	return f
}

type flowInput struct {
	Density  float64    `json:"density_kg_m3"`
	Drag     float64    `json:"drag"`
	Velocity *floe.Vec2 `json:"velocity_m_s,omitempty"`
	Formula  string     `json:"velocity_formula,omitempty"`
	U0       *floe.Vec2 `json:"U0_m_s,omitempty"`
	U1       *floe.Vec2 `json:"U1_m_s,omitempty"`
	Omega    *float64   `json:"omega_1_s,omitempty"`
	Phase    float64    `json:"phase_rad,omitempty"`
}

func (in *flowInput) flow(path string) (f floe.Flow) {
	if in == nil {
		return f
	}
	f.Density, f.Drag = in.Density, in.Drag
	if in.Formula == "" {
		refusal.If(in.Velocity == nil || in.U0 != nil || in.U1 != nil || in.Omega != nil,
			"%s: either velocity_m_s, or velocity_formula with U0_m_s, U1_m_s and omega_1_s", path)
		f.Velocity = *in.Velocity
		return f
	}
	switch in.Formula {
	case "U0 + U1 sin(omega t)":
	case "U0 + U1 cos(omega t)":
		f.Phase = math.Pi / 2
	default:
		panic(refusal.Of("%s.velocity_formula %q is not understood (cure: U0 + U1 sin(omega t))", path, in.Formula))
	}
	refusal.If(in.U0 == nil || in.U1 == nil || in.Omega == nil,
		"%s: velocity_formula needs U0_m_s, U1_m_s and omega_1_s", path)
	f.Velocity, f.Swing, f.Rate = *in.U0, *in.U1, *in.Omega
	f.Phase += in.Phase
	return f
}

type contactInput struct {
	Friction    float64 `json:"friction,omitempty"`
	Restitution float64 `json:"restitution,omitempty"`
	Collision   float64 `json:"collision_distance_m"`
}

type frameInput struct {
	Low     string    `json:"low"`
	High    string    `json:"high"`
	Point   floe.Vec2 `json:"point_m"`
	Normal  floe.Vec2 `json:"normal_low_to_high"`
	Tangent floe.Vec2 `json:"tangent,omitempty"`
}

// motionInput is the input of trajectories and impacts.
type motionInput struct {
	Bodies      []bodyInput  `json:"bodies"`
	Frames      []frameInput `json:"contacts,omitempty"`
	Contact     contactInput `json:"contact"`
	Environment struct {
		Body     floe.Vec2  `json:"body_acceleration_m_s2,omitempty"`
		Coriolis float64    `json:"coriolis_1_s,omitempty"`
		Air      *flowInput `json:"air,omitempty"`
		Water    *flowInput `json:"water,omitempty"`
	} `json:"environment,omitempty"`
	End     *float64  `json:"t_end_s,omitempty"`
	Times   []float64 `json:"sample_times_s"`
	MaxStep float64   `json:"suggested_max_step_s,omitempty"`

	Incline    any `json:"incline_rad,omitempty"`            // for reading: the body acceleration holds it
	Sequential any `json:"sequential_alternative,omitempty"` // for reading
}

func (in *motionInput) config() floe.Config {
	c := floe.Config{Friction: in.Contact.Friction, Restitution: in.Contact.Restitution, Collision: in.Contact.Collision,
		Repairs: floe.Recommended, MaxStep: in.MaxStep, Threads: 1}
	refusal.Unless(in.Contact.Collision > 0,
		"input.contact.collision_distance_m: %g (cure: above 0)", in.Contact.Collision)
	names := map[string]bool{}
	for i := range in.Bodies {
		b := &in.Bodies[i]
		refusal.If(names[b.Name], "input.bodies[%d].name: %q is taken (cure: another name)", i, b.Name)
		names[b.Name] = true
		c.Floes = append(c.Floes, b.floe(fmt.Sprintf("input.bodies[%d]", i)))
	}
	e := &in.Environment
	c.Environment.Coriolis, c.Environment.Body = e.Coriolis, e.Body
	c.Environment.Air, c.Environment.Water = e.Air.flow("input.environment.air"), e.Water.flow("input.environment.water")
	return c
}

// motion is what a trajectory or an impact gives.
type motion struct {
	Samples []sample `json:"samples"`
	Steps   int      `json:"steps"`
}

type sample struct {
	T       float64     `json:"t"`
	Bodies  []bodyState `json:"bodies"`
	Kinetic float64     `json:"kinetic_energy_J"`
}

func (m *motion) add(w *floe.World, bodies []bodyInput, t float64) {
	s := sample{T: t, Kinetic: w.Kinetic()}
	for i := range bodies {
		x := w.State(i)
		s.Bodies = append(s.Bodies, bodyState{bodies[i].Name, x.Position, x.Angle, x.Velocity, x.Rate})
	}
	m.Samples = append(m.Samples, s)
}

// accuracy of cases: how much of the time in which a force changes a velocity a step takes. The error of explicit Euler
// is about half of it.
const caseAccuracy = 2e-4

// longestCase bounds the steps of a case.
const longestCase = 50_000_000

func runTrajectory(ctx context.Context, in *verify.Input) any {
	input := verify.Of[motionInput](in)
	c := input.config()
	refusal.If(len(input.Frames) > 0, "input.contacts: a trajectory finds its contacts (cure: kind impact)")
	refusal.If(len(input.Times) == 0, "input.sample_times_s: none (cure: one or more)")
	end := input.Times[len(input.Times)-1]
	if input.End != nil {
		end = max(end, *input.End)
	}
	c.Accuracy = caseAccuracy
	if c.MaxStep == 0 && c.Environment.Body != (floe.Vec2{}) {
		c.MaxStep = 1e-5 * end
	}
	w, err := floe.New(c)
	refusal.NeedAt(err, "input")
	defer w.Close()
	out := &motion{}
	for i, t := range input.Times {
		refusal.If(!(t >= w.Time()*(1-1e-12)) || t > end,
			"input.sample_times_s[%d]: %g (cure: ascending times up to t_end_s)", i, t)
		if t == 0 { // after the collision of floes that touch at the start
			w.Begin()
		}
		for t-w.Time() > 1e-12*t {
			refusal.Need(ctx.Err())
			w.Advance(t-w.Time(), 1000)
			refusal.NeedAt(w.Err(), "input")
			refusal.If(w.Report().Steps > longestCase,
				"input: more than %d steps up to t = %g s", longestCase, w.Time())
		}
		out.add(w, input.Bodies, t)
	}
	out.Steps = w.Report().Steps
	return out
}

// runImpact lets bodies that touch at given contacts collide once.
func runImpact(_ context.Context, in *verify.Input) any {
	input := verify.Of[motionInput](in)
	c := input.config()
	w, err := floe.Overlapping(c)
	refusal.NeedAt(err, "input")
	defer w.Close()
	var hits []floe.Contact
	index := map[string]int{}
	for i := range input.Bodies {
		index[input.Bodies[i].Name] = i
	}
	for i, f := range input.Frames {
		a, okA := index[f.Low]
		b, okB := index[f.High]
		n := f.Normal
		refusal.If(!okA || !okB || a == b,
			"input.contacts[%d]: between %q and %q (cure: two names of input.bodies)", i, f.Low, f.High)
		refusal.Unless(math.Abs(n.Len()-1) <= 1e-6,
			"input.contacts[%d].normal_low_to_high: %v (cure: a unit vector)", i, f.Normal)
		hits = append(hits, floe.Contact{A: a, B: b, Point: f.Point, Normal: n})
	}
	refusal.NeedAt(w.Collide(hits), "input")
	out := &motion{}
	for i, t := range input.Times {
		refusal.If(t != 0, "input.sample_times_s[%d]: %g (cure: 0, an impact takes no time)", i, t)
		out.add(w, input.Bodies, t)
	}
	return out
}

type problemInput struct {
	Name          string      `json:"name"`
	N             int         `json:"n"`
	M             [][]float64 `json:"M"`
	Q             []float64   `json:"q"`
	Contacts      any         `json:"contacts,omitempty"` // from here on: what M and q were made of
	Configuration any         `json:"configuration,omitempty"`
	Friction      any         `json:"friction,omitempty"`
	InverseMass   []float64   `json:"inverse_mass_diagonal,omitempty"`
	Before        []float64   `json:"W_minus,omitempty"`
	J             [][]float64 `json:"J,omitempty"`
	D             [][]float64 `json:"D,omitempty"`
}

type problemsInput struct {
	Problems []problemInput `json:"problems"`
}

type problems struct {
	Problems []solution `json:"problems"`
}

type solution struct {
	Name     string    `json:"name"`
	Z        []float64 `json:"z,omitempty"`
	Status   string    `json:"status"`
	Pivots   int       `json:"pivots"`
	Residual float64   `json:"residual"`
}

// runProblems solves complementarity problems.
func runProblems(_ context.Context, in *verify.Input) any {
	input := verify.Of[problemsInput](in)
	var a lcp.Attempts
	out := &problems{}
	for i := range input.Problems {
		p := &input.Problems[i]
		n := len(p.Q)
		refusal.If(p.N != n || len(p.M) != n || n == 0,
			"input.problems[%d]: M of %d rows, q of %d, n = %d (cure: the same number)", i, len(p.M), n, p.N)
		m := make([]float64, 0, n*n)
		for k, row := range p.M {
			refusal.If(len(row) != n, "input.problems[%d].M[%d]: %d numbers (cure: %d)", i, k, len(row), n)
			m = append(m, row...)
		}
		z := make([]float64, n)
		res := a.Solve(m, p.Q, z)
		s := solution{Name: p.Name, Status: res.Status.String(), Pivots: res.Pivots, Residual: lcp.Violation(m, p.Q, z)}
		if res.Status == lcp.Solved {
			s.Z = z
		}
		out.Problems = append(out.Problems, s)
	}
	return out
}

type plateInput struct {
	Polygon   []floe.Vec2 `json:"polygon_m"`
	Thickness float64     `json:"thickness_m"`
	Density   float64     `json:"density_kg_m3"`
	Young     float64     `json:"young_Pa"`
	Poisson   float64     `json:"poisson"`
}

func (in *plateInput) plate(path string, triangles int, loaded []floe.Vec2) *floe.Plate {
	outline, _, err := floe.Outline(in.Polygon)
	refusal.NeedAt(err, "%s.polygon_m", path)
	p, err := floe.NewPlate(outline, floe.Elastic{Young: in.Young, Poisson: in.Poisson, Thickness: in.Thickness, Density: in.Density}, triangles, loaded)
	refusal.NeedAt(err, "%s", path)
	return p
}

type loadInput struct {
	Type  string     `json:"type"`
	Point *floe.Vec2 `json:"point_m,omitempty"`
	Force *floe.Vec2 `json:"force_N,omitempty"`
	From  *floe.Vec2 `json:"from_m,omitempty"`
	To    *floe.Vec2 `json:"to_m,omitempty"`
	Start *floe.Vec2 `json:"traction_start_Pa,omitempty"`
	End   *floe.Vec2 `json:"traction_end_Pa,omitempty"`
}

type stressInput struct {
	Plate  plateInput  `json:"plate"`
	Loads  []loadInput `json:"loads"`
	Relief bool        `json:"inertia_relief"`
	Points []floe.Vec2 `json:"points_m"`
	Order  string      `json:"stress_order,omitempty"`
}

type stresses struct {
	Points []stressAt `json:"points"`
}

type stressAt struct {
	X         floe.Vec2  `json:"x_m"`
	Stress    [3]float64 `json:"stress_Pa"`
	Principal float64    `json:"sigma1_Pa"`
}

// caseTriangles is how fine the meshes of cases are.
const caseTriangles = 4000

func runStress(_ context.Context, in *verify.Input) any {
	input := verify.Of[stressInput](in)
	refusal.If(input.Order != "" && input.Order != "xx,yy,xy", "input.stress_order: %q (cure: xx,yy,xy)", input.Order)
	var forces []floe.PointForce
	var edges []floe.EdgeForce
	var loaded []floe.Vec2
	for i, l := range input.Loads {
		switch {
		case l.Type == "point" && l.Point != nil && l.Force != nil && l.From == nil && l.To == nil && l.Start == nil && l.End == nil:
			forces = append(forces, floe.PointForce{At: *l.Point, Force: *l.Force})
			loaded = append(loaded, *l.Point)
		case l.Type == "edge" && l.From != nil && l.To != nil && l.Start != nil && l.End != nil && l.Point == nil && l.Force == nil:
			edges = append(edges, floe.EdgeForce{From: *l.From, To: *l.To, Start: *l.Start, End: *l.End})
			loaded = append(loaded, *l.From, *l.To)
		default:
			panic(refusal.Of("input.loads[%d]: type %q (cure: point with point_m and force_N, or edge with from_m, to_m, traction_start_Pa and traction_end_Pa)", i, l.Type))
		}
	}
	p := input.Plate.plate("input.plate", caseTriangles, loaded)
	refusal.NeedAt(p.Load(forces, edges, input.Relief), "input.loads")
	out := &stresses{}
	for i, x := range input.Points {
		s, ok := p.At(x)
		refusal.Unless(ok, "input.points_m[%d]: outside the polygon (cure: a point of the floe)", i)
		v, _ := s.Principal()
		out.Points = append(out.Points, stressAt{x, s, v})
	}
	return out
}

// results is what a case of kind values gives.
type results struct {
	Values   map[string]any `json:"values"`
	Contacts []contactAt    `json:"contacts,omitempty"`
}

type contactAt struct {
	Low    string    `json:"low"`
	High   string    `json:"high"`
	Point  floe.Vec2 `json:"point_m"`
	Normal floe.Vec2 `json:"normal_low_to_high"`
	Gap    float64   `json:"gap_m"`
}

// orInfinite is a number, or the word for what JSON has no number for.
func orInfinite(x float64) any {
	if math.IsInf(x, 1) {
		return "infinite"
	}
	return x
}

// runValues does what the members of the input ask for.
func runValues(_ context.Context, in *verify.Input) any {
	var probe struct {
		Mass   any `json:"polygon_m,omitempty"`
		Bodies any `json:"bodies,omitempty"`
		Step   any `json:"ice_density_kg_m3,omitempty"`
		Split  any `json:"body,omitempty"`
		Plate  any `json:"plate,omitempty"`
	}
	_ = in.Decode(&probe) // it stops at members that belong to the others; those found first decide
	kinds := []struct {
		there any
		run   func(in *verify.Input) *results
	}{{probe.Mass, runMass}, {probe.Bodies, runDetect}, {probe.Step, runStep}, {probe.Split, runSplit}, {probe.Plate, runFracture}}
	for _, k := range kinds {
		if k.there != nil {
			return k.run(in)
		}
	}
	panic(refusal.Of("input: nothing to compute (cure: polygon_m, bodies, ice_density_kg_m3, body or plate)"))
}

func runMass(in *verify.Input) *results {
	var input struct {
		Polygon   []floe.Vec2 `json:"polygon_m"`
		Density   float64     `json:"density_kg_m3"`
		Thickness float64     `json:"thickness_m"`
	}
	refusal.Need(in.Decode(&input))
	outline, _, err := floe.Outline(input.Polygon)
	refusal.NeedAt(err, "input.polygon_m")
	s := floe.SectionOf(outline)
	areal := input.Density * input.Thickness
	return &results{Values: map[string]any{"area_m2": s.Area, "centroid_m": s.Centroid, "mass_kg": areal * s.Area,
		"inertia_kg_m2": areal * s.Polar, "bounding_radius_about_centroid_m": s.Radius}}
}

func runDetect(in *verify.Input) *results {
	var input struct {
		Bodies  []bodyInput  `json:"bodies"`
		Contact contactInput `json:"contact"`
	}
	refusal.Need(in.Decode(&input))
	refusal.If(len(input.Bodies) != 2, "input.bodies: %d (cure: two)", len(input.Bodies))
	var f [2]floe.Floe
	for i := range f {
		f[i] = input.Bodies[i].floe(fmt.Sprintf("input.bodies[%d]", i))
	}
	n, err := floe.Near(&f[0], &f[1], input.Contact.Collision)
	refusal.NeedAt(err, "input.bodies")
	out := &results{Values: map[string]any{"distance_m": n.Distance, "disc_gap_m": n.Discs}, Contacts: []contactAt{}}
	if n.Discs > 0 {
		out.Values["disc_time_bound_s"] = orInfinite(n.Time)
	} else {
		out.Values["overlap_time_bound_s"] = orInfinite(n.Time)
	}
	for _, c := range n.Contacts {
		out.Contacts = append(out.Contacts, contactAt{input.Bodies[0].Name, input.Bodies[1].Name, c.Point, c.Normal, c.Gap})
	}
	return out
}

func runStep(in *verify.Input) *results {
	var input struct {
		Ice       float64   `json:"ice_density_kg_m3"`
		Thickness float64   `json:"thickness_m"`
		Air       float64   `json:"air_density_kg_m3"`
		AirDrag   float64   `json:"air_drag"`
		Water     float64   `json:"water_density_kg_m3"`
		WaterDrag float64   `json:"water_drag"`
		Wind      []float64 `json:"wind_m_s"`
		Current   []float64 `json:"current_m_s"`
		Times     any       `json:"times_s,omitempty"` // for reading: the bounds take the extremes over the interval
	}
	refusal.Need(in.Decode(&input))
	refusal.If(len(input.Wind) != len(input.Current) || len(input.Wind) == 0,
		"input: %d winds and %d currents (cure: one of each at each time)", len(input.Wind), len(input.Current))
	refusal.If(!(input.Ice*input.Thickness > 0) || !(input.Water*input.WaterDrag > 0) || !(input.Air*input.AirDrag >= 0),
		"input: densities, thickness and drag (cure: above 0)")
	e := floe.Environment{Air: floe.Flow{Density: input.Air, Drag: input.AirDrag}, Water: floe.Flow{Density: input.Water, Drag: input.WaterDrag}}
	b := e.StepBounds(input.Ice*input.Thickness, input.Wind, input.Current)
	euler := make([]any, len(b.Euler))
	for i, x := range b.Euler {
		euler[i] = orInfinite(x)
	}
	return &results{Values: map[string]any{"nansen": b.Nansen, "K_m_s": b.K, "dt36_s": euler, "K_max_m_s": b.KMax,
		"term_minus_s": orInfinite(b.Minus), "term_plus_s": orInfinite(b.Plus), "term_balance_s": orInfinite(b.Balance), "dt_max_s": orInfinite(b.Max)}}
}

func runSplit(in *verify.Input) *results {
	var input struct {
		Body      bodyInput `json:"body"`
		Point     floe.Vec2 `json:"crack_point_m"`
		Direction floe.Vec2 `json:"crack_direction"`
	}
	refusal.Need(in.Decode(&input))
	whole := input.Body.floe("input.body")
	parts, err := whole.Split(input.Point, input.Direction)
	refusal.NeedAt(err, "input")
	type part struct {
		*floe.Floe
		floe.Measure
	}
	var m [2]part
	var momentum floe.Vec2
	kinetic, angular := 0.0, 0.0
	for i := range m {
		m[i].Floe = &parts[i]
		m[i].Measure, err = parts[i].Measure()
		refusal.NeedAt(err, "input")
		p := &m[i]
		momentum = momentum.Add(p.Velocity.Mul(p.Mass))
		angular += p.Mass*(p.Position[0]*p.Velocity[1]-p.Position[1]*p.Velocity[0]) + p.Inertia*p.Rate
		kinetic += (p.Mass*p.Velocity.LenSqr() + p.Inertia*p.Rate*p.Rate) / 2
	}
	slices.SortFunc(m[:], func(x, y part) int {
		return cmp.Or(cmp.Compare(y.Area, x.Area), cmp.Compare(x.Position[0], y.Position[0]))
	})
	return &results{Values: map[string]any{
		"fragments_area_m2":                []float64{m[0].Area, m[1].Area},
		"fragments_centroid_m":             []floe.Vec2{m[0].Position, m[1].Position},
		"fragments_inertia_kg_m2":          []float64{m[0].Inertia, m[1].Inertia},
		"fragments_mass_kg":                []float64{m[0].Mass, m[1].Mass},
		"fragments_velocity_m_s":           []floe.Vec2{m[0].Velocity, m[1].Velocity},
		"fragments_angular_velocity_rad_s": []float64{m[0].Rate, m[1].Rate},
		"kinetic_energy_J":                 kinetic, "momentum_kg_m_s": momentum, "angular_momentum_kg_m2_s": angular,
	}}
}

// runFracture finds the impulse at which a floe breaks. Stresses are linear in it.
func runFracture(in *verify.Input) *results {
	var input struct {
		Plate     plateInput `json:"plate"`
		Point     floe.Vec2  `json:"contact_point_m"`
		Direction *floe.Vec2 `json:"impulse_direction,omitempty"`
		Duration  float64    `json:"contact_duration_s"`
		Strength  float64    `json:"tensile_strength_Pa"`
		Away      float64    `json:"exclusion_radius_m"`
		Impulses  []float64  `json:"impulses_Ns"`
	}
	refusal.Need(in.Decode(&input))
	f := floe.Fracture{Young: input.Plate.Young, Poisson: input.Plate.Poisson, Strength: input.Strength, Duration: input.Duration, Away: input.Away}
	refusal.NeedAt(f.Check(), "input")
	p := input.Plate.plate("input.plate", caseTriangles, []floe.Vec2{input.Point})
	d := p.Inward(input.Point)
	if input.Direction != nil {
		d = *input.Direction
	}
	refusal.Unless(d.Len() > 0, "input.impulse_direction (cure: not 0)")
	stress, at, crack, err := f.Critical(p, []floe.PointForce{{At: input.Point, Force: d.Normalize().Mul(1 / f.Duration)}})
	refusal.NeedAt(err, "input")
	critical := f.Strength / stress
	broken := make([]bool, len(input.Impulses))
	for i, x := range input.Impulses {
		broken[i] = x >= critical
	}
	values := map[string]any{"critical_impulse_Ns": critical, "fractured": broken, "crack_point_m": at, "crack_direction": crack,
		"crack_x_m": at[0], "crack_y_m": at[1]}
	return &results{Values: values}
}
