package rigid

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/numerics/num"
	"hapco/physics/worlds/rigid"
)

func init() {
	remarks := []string{"angular_momentum_about", "energy_reference", "reference_solution_case", "central_difference_formula"}
	verify.Register("rigid.continuous", verify.Runner{Run: runContinuous, Compare: compareSamples, Remarks: remarks})
	verify.Register("rigid.discrete", verify.Runner{Run: runDiscrete, Compare: compareRuns, Remarks: remarks})
	verify.Register("rigid.scalars", verify.Runner{Run: runScalars, Compare: compareScalars, Remarks: remarks})
}

// record is the JSON object of a sample or of results.
type record map[string]any

// initialIn is a body's state at the start. The attitude is a quaternion or a rotation vector.
type initialIn struct {
	Position *vec3       `json:"position_m,omitempty"`
	Velocity *vec3       `json:"velocity_m_s,omitempty"`
	Quat     *[4]float64 `json:"quaternion,omitempty"`
	Vector   *vec3       `json:"rotation_vector,omitempty"`
	Rate     *vec3       `json:"angular_velocity_body_rad_s,omitempty"`
	Spatial  *vec3       `json:"angular_velocity_rad_s,omitempty"`
}

// state is the state; at is where the case says it.
func (in *initialIn) state(at string) placed {
	p := placed{q: mgl64.QuatIdent()}
	if in.Vector != nil {
		p.q = frame.Exp(*in.Vector)
	}
	if in.Quat != nil {
		q := quat{W: in.Quat[0], V: vec3(in.Quat[1:])}
		refusal.Unless(math.Abs(q.Len()-1) < 1e-6, "%s.quaternion: its length is %g (cure: 1)", at, q.Len())
		q = q.Normalize()
		refusal.If(in.Vector != nil && !(math.Abs(q.Dot(p.q)) > 1-1e-9),
			"%s.quaternion and rotation_vector are different attitudes (cure: one of them)", at)
		p.q = q
	}
	if in.Position != nil {
		p.x = *in.Position
	}
	if in.Velocity != nil {
		p.v = *in.Velocity
	}
	if in.Spatial != nil {
		p.w = frame.Unrotate(p.q, *in.Spatial)
	}
	if in.Rate != nil {
		refusal.If(in.Spatial != nil && !(num.MaxAbs(in.Rate.Sub(p.w)) < 1e-9*(1+num.MaxAbs(p.w))),
			"%s.angular_velocity_body_rad_s and angular_velocity_rad_s are different rates (cure: one of them)", at)
		p.w = *in.Rate
	}
	return p
}

type rows3 [3][3]float64

func (r *rows3) mat() mat3 {
	return mat3{r[0][0], r[1][0], r[2][0], r[0][1], r[1][1], r[2][1], r[0][2], r[1][2], r[2][2]}
}

// freeBody is a body of the cases without joints; discrete cases say inertia_kg_m2 and what it is about.
type freeBody struct {
	Name         string    `json:"name,omitempty"`
	Mass         *float64  `json:"mass_kg,omitempty"`
	Inertia      *rows3    `json:"inertia_kg_m2,omitempty"`
	About        string    `json:"inertia_is_about,omitempty"`
	InertiaCom   *rows3    `json:"inertia_about_com_kg_m2,omitempty"`
	InertiaFixed *rows3    `json:"inertia_about_fixed_point_kg_m2,omitempty"`
	Fixed        *vec3     `json:"fixed_point_in_body_frame_from_com_m,omitempty"`
	Points       []vec3    `json:"contact_points_body_m,omitempty"`
	Sites        []site    `json:"sites,omitempty"`
	Initial      initialIn `json:"initial"`
}

type site struct {
	Point  vec3    `json:"point_body_m"`
	Charge float64 `json:"charge"`
}

type pulse struct {
	From   float64 `json:"from_s"`
	To     float64 `json:"to_s"`
	Moment vec3    `json:"moment_N_m"`
	Body   string  `json:"body,omitempty"`
}

type penaltyIn struct {
	K   float64 `json:"stiffness_N_m"`
	C   float64 `json:"damping_c_s_m"`
	Mu  float64 `json:"friction_coefficient"`
	V0  float64 `json:"regularisation_speed_m_s"`
	Law string  `json:"law,omitempty"`
}

// bodiesIn are bodies without joints, and what turns and pulls at them.
type bodiesIn struct {
	Bodies  []freeBody `json:"bodies"`
	Pulses  []pulse    `json:"torques_space_frame,omitempty"`
	Gravity vec3       `json:"gravity_m_s2,omitempty"`
	Fixed   *vec3      `json:"fixed_point_m,omitempty"`
}

type freeInput struct {
	bodiesIn
	Contact *penaltyIn `json:"contact,omitempty"`
	E0      *float64   `json:"E0_N_per_charge,omitempty"`
	K       *float64   `json:"K_N_m2_per_charge,omitempty"`
	End     float64    `json:"t_end_s"`
	Times   []float64  `json:"sample_times_s"`
}

// member makes a body; fixed is the point in space that it turns about, or nil.
func (in *freeBody) member(at string, fixed *vec3) (member, placed) {
	var b member
	p := in.Initial.state(at + ".initial")
	if in.Mass != nil {
		b.mass = *in.Mass
		refusal.Unless(b.mass > 0, "%s.mass_kg: %g (cure: above 0)", at, b.mass)
	}
	refusal.If((fixed != nil) != (in.Fixed != nil),
		"%s: fixed_point_m and fixed_point_in_body_frame_from_com_m belong together (cure: both or none)", at)
	com, about := in.InertiaCom, in.InertiaFixed
	if in.Inertia != nil {
		switch in.About {
		case "", "centre of mass", "com":
			refusal.If(fixed != nil && in.About == "",
				"%s.inertia_is_about is missing (cure: fixed point, or centre of mass)", at)
			com = in.Inertia
		case "fixed point":
			about = in.Inertia
		default:
			panic(refusal.Of("%s.inertia_is_about: %q (cure: fixed point, or centre of mass)", at, in.About))
		}
	}
	refusal.If(fixed == nil && about != nil || com == nil && about == nil,
		"%s: no inertia about the centre of mass (cure: inertia_about_com_kg_m2)", at)
	if fixed != nil {
		refusal.If(in.Mass == nil, "%s.mass_kg is missing", at)
		b.pivot, b.arm = fixed, in.Fixed.Mul(-1)
		if com != nil {
			b.j = com.mat().Add(pointInertia(b.mass, b.arm))
		}
		if about != nil {
			refusal.If(com != nil && !(largestEntry(b.j.Sub(about.mat())) <= 1e-9*largestEntry(b.j)),
				"%s: the inertia about the fixed point is not that about the centre of mass moved there (cure: one of them)", at)
			b.j = about.mat()
		}
	} else {
		b.j = com.mat()
	}
	refusal.NeedAt(rigid.CheckInertia(b.j), "%s", at)
	b.inv = inverse(b.j)
	b.follow(&p)
	return b, p
}

// pointInertia is that of a point mass at r about the origin.
func pointInertia(m float64, r vec3) mat3 {
	return mgl64.Ident3().Mul(m * r.Dot(r)).Sub(r.OuterProd3(r).Mul(m))
}

func largestEntry(m mat3) (l float64) {
	for _, x := range m {
		l = max(l, math.Abs(x))
	}
	return l
}

func runContinuous(ctx context.Context, in *verify.Input) any {
	var members map[string]any
	refusal.Need(in.Decode(&members))
	has := func(name string) bool { _, ok := members[name]; return ok }
	switch {
	case has("Om_rad_s"):
		return runSpinUp(ctx, in)
	case has("modes"):
		return runModalTop(ctx, in)
	case has("support_friction"):
		return runSlider(ctx, in)
	case has("hinges") && has("initial"):
		return runPlanarChain(ctx, in)
	case has("hinges"):
		return runSpatialChain(ctx, in)
	}
	return runFree(ctx, in)
}

// sampleMotion advances to each time and lets take write the sample; at stops, which are times too, the motion only
// pauses.
func sampleMotion(ctx context.Context, m *motion, end float64, times, stops []float64, take func(t float64) record) []record {
	refusal.If(len(times) == 0 || !slices.IsSorted(times) || !(times[0] >= 0) || !(times[len(times)-1] <= end*(1+1e-12)),
		"input.sample_times_s: %d times up to t_end_s = %g belong there, ascending from 0", len(times), end)
	var samples []record
	for _, t := range times {
		for _, s := range stops {
			if s > m.t && s < t {
				m.advance(ctx, s)
			}
		}
		m.advance(ctx, t)
		samples = append(samples, take(t))
	}
	return samples
}

// describe is a body's part of a sample.
func describe(name string, p *placed) record {
	q := p.q
	if q.W < 0 {
		q = q.Scale(-1)
	}
	r := q.Mat4().Mat3()
	return record{
		"name": name, "position_m": p.x, "quaternion": [4]float64{q.W, q.V[0], q.V[1], q.V[2]},
		"rotation_matrix": [3]vec3{r.Row(0), r.Row(1), r.Row(2)},
		"velocity_m_s":    p.v, "angular_velocity_rad_s": p.omega(), "angular_velocity_body_rad_s": p.w,
	}
}

// kinetic energy of a body, and its angular momentum about the space origin.
func (b *member) kinetic(p *placed) float64 {
	e := p.w.Dot(b.j.Mul3x1(p.w)) / 2
	if b.pivot == nil {
		e += b.mass * p.v.Dot(p.v) / 2
	}
	return e
}

func (b *member) spin(p *placed) vec3 { return frame.Rotate(p.q, b.j.Mul3x1(p.w)) }

func (b *member) momentumAbout(p *placed, o vec3) vec3 {
	return p.x.Sub(o).Cross(p.v.Mul(b.mass)).Add(b.spin(p))
}

// free is the motion of bodies that no joint holds.
type free struct {
	motion
	in    *freeInput
	names map[string]int
	first []int // contact point of each body
}

// newFree checks the input and puts the bodies where they start.
func newFree(in *freeInput) *free {
	m := &free{in: in, names: map[string]int{}}
	points := 0
	for i := range in.Bodies {
		at := fmt.Sprintf("input.bodies[%d]", i)
		b := &in.Bodies[i]
		refusal.If(b.Mass == nil, "%s.mass_kg is missing", at)
		body, p := b.member(at, in.Fixed)
		refusal.If((len(b.Points) > 0) != (in.Contact != nil),
			"%s: contact_points_body_m and input.contact belong together", at)
		refusal.If((len(b.Sites) > 0) != (in.E0 != nil && in.K != nil),
			"%s: sites, E0_N_per_charge and K_N_m2_per_charge belong together", at)
		_, twice := m.names[b.Name]
		refusal.If(twice, "%s.name: %q is there already", at, b.Name)
		m.names[b.Name] = i
		m.first = append(m.first, points)
		points += len(b.Points)
		m.bodies = append(m.bodies, body)
		m.state.body = append(m.state.body, p)
	}
	refusal.If(len(in.Bodies) == 0, "input.bodies is empty")
	c := in.Contact
	refusal.If(c != nil && !(c.K > 0 && c.C >= 0 && c.Mu >= 0 && (c.V0 > 0 || c.Mu == 0)),
		"input.contact: a stiffness and a regularisation speed above 0, damping and friction of 0 or more belong there")
	m.force = m.load
	if c != nil {
		m.closed = make([]bool, points)
		lightest := m.bodies[0].mass
		for i := range m.bodies {
			lightest = min(lightest, m.bodies[i].mass)
		}
		m.longest = 1 / math.Sqrt(c.K*float64(points)/lightest)
		m.heights = func(s *state, dst []float64) {
			for i := range in.Bodies {
				for k, r := range in.Bodies[i].Points {
					dst[m.first[i]+k] = s.body[i].point(r)[2]
				}
			}
		}
	}
	m.prepare()
	return m
}

// stops are the times at which a moment begins or ends.
func (m *free) stops() (stops []float64) {
	for i, u := range m.in.Pulses {
		refusal.Unless(u.From < u.To, "input.torques_space_frame[%d]: from %g s to %g s", i, u.From, u.To)
		_, ok := m.names[u.Body]
		refusal.Unless(ok || u.Body == "", "input.torques_space_frame[%d].body: %q is no body", i, u.Body)
		stops = append(stops, u.From, u.To)
	}
	slices.Sort(stops)
	return stops
}

// load gives weights, moments, contact forces and those of the charged wall.
func (m *free) load(t float64, s *state, loads []load) {
	for i := range m.bodies {
		b, p, l := &m.bodies[i], &s.body[i], &loads[i]
		l.weigh(b, p, m.in.Gravity.Mul(b.mass))
		for _, u := range m.in.Pulses {
			if t >= u.From && t < u.To && (u.Body == "" || m.names[u.Body] == i) {
				l.moment = l.moment.Add(u.Moment)
			}
		}
		for k, r := range m.in.Bodies[i].Points {
			if m.closed[m.first[i]+k] {
				l.push(b, p, m.in.Contact.onPlane(p, r), r)
			}
		}
		for _, site := range m.in.Bodies[i].Sites {
			z := p.point(site.Point)[2]
			l.push(b, p, vec3{0, 0, site.Charge * (-*m.in.E0 + *m.in.K/(z*z))}, site.Point)
		}
	}
}

// sample is the state and its sums.
func (m *free) sample(t float64) record {
	out := record{"t": t}
	var bodies []record
	var kin, pot, spring float64
	var momentum vec3
	touching := 0
	for i := range m.bodies {
		b, p := &m.bodies[i], &m.state.body[i]
		bodies = append(bodies, describe(m.in.Bodies[i].Name, p))
		kin += b.kinetic(p)
		pot -= b.mass * m.in.Gravity.Dot(p.x)
		for _, s := range m.in.Bodies[i].Sites {
			z := p.point(s.Point)[2]
			pot += s.Charge * (*m.in.E0*z + *m.in.K/z)
		}
		for _, r := range m.in.Bodies[i].Points {
			if z := p.point(r)[2]; z < 0 {
				spring += m.in.Contact.K * z * z / 2
				touching++
			}
		}
		if m.in.E0 != nil {
			momentum = momentum.Add(b.momentumAbout(p, vec3{}))
		} else {
			momentum = momentum.Add(b.spin(p))
		}
	}
	out["bodies"], out["angular_momentum"] = bodies, momentum
	out["energy_J"], out["kinetic_energy_J"], out["potential_energy_J"] = kin+pot, kin, pot
	if m.in.Contact != nil {
		out["contact_spring_energy_J"], out["points_in_contact"] = spring, touching
	}
	return out
}

func runFree(ctx context.Context, in *verify.Input) any {
	input := verify.Of[freeInput](in)
	m := newFree(&input)
	out := record{"samples": sampleMotion(ctx, &m.motion, input.End, input.Times, m.stops(), m.sample)}
	if input.Contact != nil {
		events := []record{}
		for _, e := range m.events {
			events = append(events, record{"t": e.t, "point": e.point, "closed": e.closed})
		}
		out["contact_events"] = events
	}
	if len(m.bodies) == 1 && input.Contact == nil && input.E0 == nil && len(input.Pulses) == 0 {
		p := input.Bodies[0].Initial.state("input.bodies[0].initial")
		if s := topScalars(&m.bodies[0], &p, input.Gravity); s != nil {
			out["scalars"] = s
		}
	}
	return out
}

// onPlane is the force of the plane z = 0 on the point r of a body: a spring with damping, and Coulomb's friction
// smoothed by tanh.
func (c *penaltyIn) onPlane(p *placed, r vec3) vec3 {
	u := p.velocity(r)
	n := -c.K * p.point(r)[2] * (1 - c.C*u[2])
	f := vec3{0, 0, n}
	if w := math.Hypot(u[0], u[1]); w > 0 {
		t := c.Mu * n * math.Tanh(w/c.V0) / w
		f[0], f[1] = -t*u[0], -t*u[1]
	}
	return f
}

// discreteInput is a table of runs of the integrators, of one body.
type discreteInput struct {
	End *float64 `json:"t_end_s,omitempty"`
	bodiesIn
	Runs []struct {
		Algorithm string  `json:"algorithm"`
		Rule      string  `json:"torque_rule"`
		H         float64 `json:"h_s"`
		Steps     int     `json:"steps"`
		Samples   []int   `json:"sample_steps"`
	} `json:"runs"`
}

// pulses are moments of constant direction in space, each from its beginning until before its end.
type pulses []pulse

func (u pulses) Moment(t float64, _ quat) (sum vec3) {
	for i := range u {
		if t >= u[i].From && t < u[i].To {
			sum = sum.Add(u[i].Moment)
		}
	}
	return sum
}

func runDiscrete(ctx context.Context, in *verify.Input) any {
	input := verify.Of[discreteInput](in)
	refusal.If(len(input.Bodies) != 1, "input.bodies: %d bodies (cure: one)", len(input.Bodies))
	body := &input.Bodies[0]
	refusal.If(len(body.Points) > 0 || len(body.Sites) > 0,
		"input.bodies[0]: contact points and sites belong to continuous cases")
	b, start := body.member("input.bodies[0]", input.Fixed)
	if b.pivot == nil && b.mass == 0 {
		b.mass = 1 // it falls, if at all, whatever its mass
		refusal.If(input.Gravity != (vec3{}), "input.bodies[0].mass_kg is missing")
	}
	var torque rigid.Torque = none{}
	switch {
	case b.pivot != nil && len(input.Pulses) > 0:
		panic(refusal.Of("input: torques_space_frame and a fixed point (cure: one of them)"))
	case b.pivot != nil:
		torque = &rigid.Weight{Arm: b.arm, Force: input.Gravity.Mul(b.mass)}
	case len(input.Pulses) > 0:
		torque = pulses(input.Pulses)
	}
	var runs []record
	for i, r := range input.Runs {
		at := fmt.Sprintf("input.runs[%d]", i)
		a, err := rigid.ParseAlgorithm(r.Algorithm)
		refusal.NeedAt(err, "%s.algorithm", at)
		rule, err := rigid.ParseRule(r.Rule)
		refusal.NeedAt(err, "%s.torque_rule", at)
		refusal.If(!a.Suits(rule) || rule == rigid.EnergyConserving && len(input.Pulses) > 0,
			"%s: %s has no torque rule %q here", at, a, rule)
		refusal.If(!(r.H > 0) || r.Steps < 0 || len(r.Samples) == 0 || !slices.IsSorted(r.Samples) || r.Samples[0] < 0 || r.Samples[len(r.Samples)-1] > r.Steps,
			"%s: a step above 0 and ascending sample_steps from 0 to steps belong there", at)
		rotor := rigid.NewRotor(b.j, start.q, start.w, torque)
		x, v := start.x, start.v
		var samples []record
		for n, k := 0, 0; ; n++ {
			for ; k < len(r.Samples) && r.Samples[k] == n; k++ {
				p := placed{x, rotor.R, v, rotor.W}
				b.follow(&p)
				d := describe(body.Name, &p)
				d["angular_acceleration_body_rad_s2"] = rotor.A
				samples = append(samples, record{"t": float64(n) * r.H, "step": n, "bodies": []record{d},
					"energy_J": b.kinetic(&p) - b.mass*input.Gravity.Dot(p.x), "angular_momentum": b.spin(&p)})
			}
			if n == r.Steps {
				break
			}
			if n%1000 == 0 {
				refusal.Need(ctx.Err())
			}
			refusal.Unless(rotor.Step(a, rule, r.H, torque),
				"%s: %s finds no solution of step %d: the body turns too far in %g s (cure: a shorter h_s)", at, a, n, r.H)
			// Central differences under a constant acceleration.
			x = x.Add(v.Mul(r.H)).Add(input.Gravity.Mul(r.H * r.H / 2))
			v = v.Add(input.Gravity.Mul(r.H))
		}
		runs = append(runs, record{"algorithm": r.Algorithm, "torque_rule": r.Rule, "h_s": r.H, "steps": r.Steps, "samples": samples})
	}
	refusal.If(len(runs) == 0, "input.runs is empty")
	return record{"runs": runs}
}
