package rigid

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"hapco/physics/frame"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/worlds/rigid"
)

// link is a body of a chain of pendulums: its upper hinge is on the lower hinge of the one before, the first one's at
// the origin.
type link struct {
	Name     string     `json:"name"`
	Mass     float64    `json:"mass_kg"`
	Length   *float64   `json:"length_m,omitempty"`
	Upper    vec3       `json:"upper_hinge_in_body_frame_from_com_m"`
	Lower    *vec3      `json:"lower_hinge_in_body_frame_from_com_m,omitempty"`
	LowerEnd *vec3      `json:"lower_end_in_body_frame_from_com_m,omitempty"`
	Inertia  rows3      `json:"inertia_about_com_kg_m2"`
	Initial  *initialIn `json:"initial,omitempty"`
}

// chain is the motion of pendulums joined by ideal hinges.
type chain struct {
	motion
	links []link
	lower []vec3
	g     vec3
}

func newChain(links []link, g vec3) *chain {
	c := &chain{links: links, g: g}
	for i := range links {
		l := &links[i]
		at := fmt.Sprintf("input.bodies[%d]", i)
		b := member{mass: l.Mass, j: l.Inertia.mat()}
		refusal.Unless(b.mass > 0, "%s.mass_kg: %g (cure: above 0)", at, b.mass)
		refusal.NeedAt(rigid.CheckInertia(b.j), "%s", at)
		b.inv = inverse(b.j)
		refusal.If(l.Lower != nil && l.LowerEnd != nil, "%s: a lower hinge and a lower end (cure: one of them)", at)
		lower := cmp.Or(l.Lower, l.LowerEnd)
		refusal.If(lower == nil, "%s.lower_hinge_in_body_frame_from_com_m is missing", at)
		c.lower = append(c.lower, *lower)
		c.bodies = append(c.bodies, b)
		c.state.body = append(c.state.body, placed{})
	}
	refusal.If(len(links) == 0, "input.bodies is empty")
	c.force = c.weights(g)
	c.joints = func(s *state, rows []row) []row {
		for i := range c.bodies {
			if p := &s.body[i]; i == 0 {
				rows = ballRows(rows, i, p, c.links[i].Upper, -1, nil, vec3{})
			} else {
				rows = ballRows(rows, i, p, c.links[i].Upper, i-1, &s.body[i-1], c.lower[i-1])
			}
		}
		return rows
	}
	c.correct = c.hang
	return c
}

// hang puts each body where its hinge is: rounding and the error of integration do not pull the joints open.
func (c *chain) hang(s *state) {
	var x, v vec3
	for i := range s.body {
		p := &s.body[i]
		p.x = x.Sub(frame.Rotate(p.q, c.links[i].Upper))
		p.v = v.Sub(frame.Rotate(p.q, p.w.Cross(c.links[i].Upper)))
		x, v = p.point(c.lower[i]), p.velocity(c.lower[i])
	}
}

// ballRows keeps the point ra of body a, in its frame, on the point rb of body b, or where it is in space (b = -1).
func ballRows(rows []row, a int, pa *placed, ra vec3, b int, pb *placed, rb vec3) []row {
	arm := frame.Rotate(pa.q, ra)
	w := pa.omega()
	bias := w.Cross(w.Cross(arm))
	var other vec3
	if b >= 0 {
		other = frame.Rotate(pb.q, rb)
		w := pb.omega()
		bias = bias.Sub(w.Cross(w.Cross(other)))
	}
	for k := range 3 {
		var e vec3
		e[k] = 1
		rows = append(rows, row{body: [2]int{a, b}, lin: [2]vec3{e, e.Mul(-1)},
			ang: [2]vec3{arm.Cross(e), other.Cross(e).Mul(-1)}, bias: bias[k]})
	}
	return rows
}

// planeRows keep a body from turning out of the plane xz.
func planeRows(rows []row, a int) []row {
	for _, e := range [2]vec3{{1, 0, 0}, {0, 0, 1}} {
		rows = append(rows, row{body: [2]int{a, -1}, ang: [2]vec3{e, {}}})
	}
	return rows
}

// weights are the forces of bodies that nothing but their weight acts on.
func (m *motion) weights(g vec3) func(t float64, s *state, loads []load) {
	return func(_ float64, s *state, loads []load) {
		for i := range m.bodies {
			loads[i].weigh(&m.bodies[i], &s.body[i], g.Mul(m.bodies[i].mass))
		}
	}
}

func (m *motion) energy(g vec3) (e float64) {
	for i := range m.bodies {
		p := &m.state.body[i]
		e += m.bodies[i].kinetic(p) - m.bodies[i].mass*g.Dot(p.x)
	}
	return e
}

func (c *chain) momentum() (l vec3) {
	for i := range c.bodies {
		l = l.Add(c.bodies[i].momentumAbout(&c.state.body[i], vec3{}))
	}
	return l
}

func (c *chain) sample(t float64) record {
	var bodies []record
	for i := range c.bodies {
		bodies = append(bodies, describe(c.links[i].Name, &c.state.body[i]))
	}
	return record{"t": t, "bodies": bodies, "energy_J": c.energy(c.g), "angular_momentum": c.momentum()}
}

func runSpatialChain(ctx context.Context, in *verify.Input) any {
	var input struct {
		Bodies  []link    `json:"bodies"`
		Hinges  string    `json:"hinges"`
		Gravity vec3      `json:"gravity_m_s2"`
		End     float64   `json:"t_end_s"`
		Times   []float64 `json:"sample_times_s"`
	}
	refusal.Need(in.Decode(&input))
	c := newChain(input.Bodies, input.Gravity)
	for i := range input.Bodies {
		at := fmt.Sprintf("input.bodies[%d].initial", i)
		start := input.Bodies[i].Initial
		refusal.If(start == nil, "%s is missing", at)
		refusal.If(start.Position != nil || start.Velocity != nil,
			"%s: the hinges give position and velocity (cure: leave them out)", at)
		c.state.body[i] = start.state(at)
	}
	c.hang(&c.state)
	c.prepare()
	return record{"samples": sampleMotion(ctx, &c.motion, input.End, input.Times, nil, c.sample)}
}

// leaning is the attitude at an angle from -z towards +x: a turn by -angle about y.
func leaning(angle float64) quat { return frame.Exp(vec3{0, -angle, 0}) }

// angleOf is the angle of a leaning body, that of all its turns which is nearest to near.
func angleOf(q quat, near float64) float64 {
	a := -2 * math.Atan2(q.V[1], q.W)
	return a + 2*math.Pi*math.Round((near-a)/(2*math.Pi))
}

// planarInput is a chain of pendulums in a plane, with or without a wall.
type planarInput struct {
	Bodies  []link `json:"bodies"`
	Hinges  string `json:"hinges"`
	Initial struct {
		Angles []float64 `json:"angles_rad"`
		Rates  []float64 `json:"angle_rates_rad_s"`
	} `json:"initial"`
	Convention string    `json:"angle_convention,omitempty"`
	Gravity    vec3      `json:"gravity_m_s2"`
	End        float64   `json:"t_end_s"`
	Times      []float64 `json:"sample_times_s"`
	Wall       *struct {
		X   float64 `json:"x_m"`
		K   float64 `json:"stiffness_N_m"`
		C   float64 `json:"damping_c_s_m"`
		Law string  `json:"law,omitempty"`
	} `json:"wall,omitempty"`
}

func runPlanarChain(ctx context.Context, in *verify.Input) any {
	input := verify.Of[planarInput](in)
	c := newChain(input.Bodies, input.Gravity)
	n := len(c.bodies)
	refusal.If(len(input.Initial.Angles) != n || len(input.Initial.Rates) != n,
		"input.initial: %d angles and %d rates of %d bodies", len(input.Initial.Angles), len(input.Initial.Rates), n)
	refusal.If(input.Gravity[1] != 0,
		"input.gravity_m_s2: the pendulums move in the plane xz (cure: no gravity along y)")
	for i := range n {
		l := &input.Bodies[i]
		refusal.If(l.Initial != nil || l.Upper[1] != 0 || c.lower[i][1] != 0,
			"input.bodies[%d]: the pendulums move in the plane xz, and input.initial starts them (cure: hinges with y = 0 and no initial)", i)
		c.state.body[i] = placed{q: leaning(input.Initial.Angles[i]), w: vec3{0, -input.Initial.Rates[i], 0}}
	}
	joints := c.joints
	c.joints = func(s *state, rows []row) []row {
		rows = joints(s, rows)
		for i := range n {
			rows = planeRows(rows, i)
		}
		return rows
	}
	wall := input.Wall
	if wall != nil {
		refusal.Unless(wall.K > 0 && wall.C >= 0,
			"input.wall: a stiffness above 0 and a damping of 0 or more belong there")
		c.closed = make([]bool, 1)
		c.longest = 1 / math.Sqrt(wall.K/c.bodies[n-1].mass)
		c.heights = func(s *state, dst []float64) { dst[0] = wall.X - s.body[n-1].point(c.lower[n-1])[0] }
		weights := c.force
		c.force = func(t float64, s *state, loads []load) {
			weights(t, s, loads)
			if c.closed[0] {
				tip, p := c.lower[n-1], &s.body[n-1]
				f := -wall.K * (p.point(tip)[0] - wall.X) * (1 + wall.C*p.velocity(tip)[0])
				loads[n-1].push(&c.bodies[n-1], p, vec3{f, 0, 0}, tip)
			}
		}
	}
	c.hang(&c.state)
	c.prepare()
	angles := slices.Clone(input.Initial.Angles)
	hang := c.correct
	c.correct = func(s *state) {
		hang(s)
		for i := range angles { // an interval turns nothing by half a turn
			angles[i] = angleOf(s.body[i].q, angles[i])
		}
	}
	samples := sampleMotion(ctx, &c.motion, input.End, input.Times, nil, func(t float64) record {
		out := c.sample(t)
		rates := make([]float64, n)
		for i := range rates {
			rates[i] = -c.state.body[i].w[1]
		}
		out["angles_rad"], out["angle_rates_rad_s"] = slices.Clone(angles), rates
		if wall != nil {
			d := max(0, c.state.body[n-1].point(c.lower[n-1])[0]-wall.X)
			out["contact_spring_energy_J"] = wall.K * d * d / 2
		}
		return out
	})
	out := record{"samples": samples}
	if wall != nil {
		events := []record{}
		for _, e := range c.events {
			events = append(events, record{"t": e.t, "closed": e.closed})
		}
		out["contact_events"] = events
	}
	return out
}

// sliderPart is a slider, or the pendulum on it.
type sliderPart struct {
	Name       string   `json:"name"`
	Mass       float64  `json:"mass_kg"`
	Constraint string   `json:"constraint,omitempty"`
	InertiaY   *float64 `json:"inertia_about_com_y_kg_m2,omitempty"`
	Inertia    *rows3   `json:"inertia_about_com_kg_m2,omitempty"`
	Axis       string   `json:"hinge_axis,omitempty"`
	Hinge      *vec3    `json:"hinge_in_body_frame_from_com_m,omitempty"`
	OnSlider   *vec3    `json:"hinge_on_slider_m,omitempty"`
}

// sliderInput is a pendulum on a slider with friction.
type sliderInput struct {
	Bodies  []sliderPart `json:"bodies"`
	Initial struct {
		X     float64 `json:"slider_x_m"`
		Angle float64 `json:"angle_rad"`
		V     float64 `json:"slider_vx_m_s"`
		Rate  float64 `json:"angle_rate_rad_s"`
	} `json:"initial"`
	Convention string `json:"angle_convention,omitempty"`
	Gravity    vec3   `json:"gravity_m_s2"`
	Friction   struct {
		Mu  float64 `json:"friction_coefficient"`
		V0  float64 `json:"regularisation_speed_m_s"`
		Law string  `json:"law,omitempty"`
	} `json:"support_friction"`
	End   float64   `json:"t_end_s"`
	Times []float64 `json:"sample_times_s"`
}

func runSlider(ctx context.Context, in *verify.Input) any {
	input := verify.Of[sliderInput](in)
	refusal.If(len(input.Bodies) != 2 || input.Bodies[1].Hinge == nil || input.Bodies[1].Inertia == nil && input.Bodies[1].InertiaY == nil,
		"input.bodies: a slider and a pendulum with its hinge and inertia belong there")
	slider, arm := &input.Bodies[0], &input.Bodies[1]
	refusal.If(slider.Hinge != nil || slider.Inertia != nil || arm.Axis != "" && arm.Axis != "y" || input.Gravity[1] != 0 || arm.Hinge[1] != 0,
		"input.bodies: the slider does not turn, and the pendulum turns about y in the plane xz")
	refusal.Unless(slider.Mass > 0 && arm.Mass > 0, "input.bodies: masses above 0 belong there")
	f := &input.Friction
	refusal.Unless(f.Mu >= 0 && (f.V0 > 0 || f.Mu == 0),
		"input.support_friction: a coefficient of 0 or more and a speed above 0 belong there")
	body := member{mass: arm.Mass}
	if arm.Inertia != nil {
		body.j = arm.Inertia.mat()
		y := arm.InertiaY
		refusal.If(y != nil && math.Abs(*y-body.j.At(1, 1)) > 1e-9**y,
			"input.bodies[1]: inertia_about_com_y_kg_m2 is not that of inertia_about_com_kg_m2 (cure: one of them)")
	} else {
		body.j = mat3{*arm.InertiaY, 0, 0, 0, *arm.InertiaY, 0, 0, 0, *arm.InertiaY} // only y counts
	}
	refusal.NeedAt(rigid.CheckInertia(body.j), "input.bodies[1]")
	body.inv = inverse(body.j)
	var on vec3
	if arm.OnSlider != nil {
		on = *arm.OnSlider
	}
	m := &motion{bodies: []member{{mass: slider.Mass}, body}}
	m.state.body = []placed{
		{x: vec3{input.Initial.X, 0, 0}, q: leaning(0), v: vec3{input.Initial.V, 0, 0}},
		{q: leaning(input.Initial.Angle), w: vec3{0, -input.Initial.Rate, 0}},
	}
	m.correct = func(s *state) {
		a, b := &s.body[0], &s.body[1]
		a.x, a.v = vec3{a.x[0], 0, 0}, vec3{a.v[0], 0, 0}
		b.x = a.x.Add(on).Sub(frame.Rotate(b.q, *arm.Hinge))
		b.v = a.v.Sub(frame.Rotate(b.q, b.w.Cross(*arm.Hinge)))
	}
	m.correct(&m.state)
	m.force = m.weights(input.Gravity)
	m.joints = func(s *state, rows []row) []row {
		rail := row{body: [2]int{0, -1}, lin: [2]vec3{{0, 0, 1}, {}}}
		if f.Mu > 0 {
			rail.drag = vec3{-f.Mu * math.Tanh(s.body[0].v[0]/f.V0), 0, 0}
		}
		rows = append(rows, rail, row{body: [2]int{0, -1}, lin: [2]vec3{{0, 1, 0}, {}}})
		return planeRows(ballRows(rows, 1, &s.body[1], *arm.Hinge, 0, &s.body[0], on), 1)
	}
	m.prepare()
	angle := input.Initial.Angle
	correct := m.correct
	m.correct = func(s *state) {
		correct(s)
		angle = angleOf(s.body[1].q, angle)
	}
	samples := sampleMotion(ctx, m, input.End, input.Times, nil, func(t float64) record {
		a, b := &m.state.body[0], &m.state.body[1]
		m.accelerate(m.t, &m.state)
		return record{"t": t, "bodies": []record{describe(slider.Name, a), describe(arm.Name, b)},
			"energy_J": m.energy(input.Gravity), "angular_momentum": nil,
			"horizontal_momentum": slider.Mass*a.v[0] + arm.Mass*b.v[0], "angle_rad": angle, "angle_rate_rad_s": -b.w[1],
			"support_normal_force_N": m.rows[0].bias}
	})
	return record{"samples": samples}
}
