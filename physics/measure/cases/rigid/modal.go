package rigid

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/modes"
	"hapco/physics/numerics/num"
	"hapco/physics/worlds/rigid"
)

// modeIn is a mass-normalised mode of a beam along the body's X, its root at distance r0 from the origin: S and T are
// the integrals of rho A phi and of rho A phi x, x from the root.
type modeIn struct {
	Name      string  `json:"name,omitempty"`
	Direction int     `json:"direction"`
	Omega     float64 `json:"omega_rad_s"`
	S         float64 `json:"S"`
	T         float64 `json:"T"`
	Tip       float64 `json:"tip"`
}

// beamIn is what both cases of a modal beam say of it.
type beamIn struct {
	L     float64   `json:"L_m"`
	B     float64   `json:"b_m,omitempty"`
	H     float64   `json:"h_m,omitempty"`
	E     float64   `json:"E_Pa,omitempty"`
	Rho   float64   `json:"rho_kg_m3,omitempty"`
	Modes []modeIn  `json:"modes"`
	Zeta  float64   `json:"modal_damping_ratio"`
	R0    float64   `json:"beam_root_on_body_X_m"`
	End   float64   `json:"t_end_s"`
	Times []float64 `json:"sample_times_s"`
}

func (b *beamIn) check() {
	for i, m := range b.Modes {
		refusal.If(m.Direction < 0 || m.Direction > 2 || !(m.Omega > 0),
			"input.modes[%d]: a direction 0, 1 or 2 and a frequency above 0 belong there", i)
	}
	refusal.If(len(b.Modes) == 0 || !(b.Zeta >= 0) || !(b.L > 0),
		"input: modes, a length above 0 and a damping ratio of 0 or more belong there")
}

// load is what the inertia of the motion does to the modes: centrifugal and Euler forces on the undeformed beam,
//
//	Q_i = - int rho phi_i . (W x (W x X) + A x X) dx,  X = (r0 + x) e_1.
func (b *beamIn) load(w, a vec3, dst []float64) {
	e := vec3{1, 0, 0}
	acc := w.Cross(w.Cross(e)).Add(a.Cross(e))
	for i, m := range b.Modes {
		dst[i] = -acc[m.Direction] * (b.R0*m.S + m.T)
	}
}

// start makes the modal part of a motion, with the quasi-static coordinates under the load at time 0 and no rates.
func (b *beamIn) start(m *motion, w, a vec3) {
	o := &modal{zeta: b.Zeta}
	for i := range b.Modes {
		o.omega = append(o.omega, b.Modes[i].Omega)
	}
	m.modal = o
	m.state.qm, m.state.pm = make([]float64, len(b.Modes)), make([]float64, len(b.Modes))
	b.load(w, a, m.state.qm)
	for i, w := range o.omega {
		m.state.qm[i] /= w * w
	}
}

func (b *beamIn) sample(t float64, m *motion, name string) record {
	p := &m.state.body[0]
	d := describe(name, p)
	var tip vec3
	energy := 0.0
	for i, mode := range b.Modes {
		q, v := m.state.qm[i], m.state.pm[i]
		tip[mode.Direction] += mode.Tip * q
		energy += (v*v + mode.Omega*mode.Omega*q*q) / 2
	}
	d["modal_coordinates"], d["modal_rates"] = slices.Clone(m.state.qm), slices.Clone(m.state.pm)
	d["tip_displacement_body_m"], d["tip_position_m"] = tip, p.point(vec3{b.R0 + b.L, 0, 0}.Add(tip))
	return record{"t": t, "bodies": []record{d}, "modal_energy_J": energy}
}

type beamMembers struct {
	beamIn
	Om float64 `json:"Om_rad_s"`
	Tr float64 `json:"Tr_s"`
}

// spinUp is a hub's prescribed turn about Z: its angle, rate and acceleration. The rate rises as Om/Tr (t - Tr/(2 pi)
// sin(2 pi t/Tr)) up to Tr and then stays.
func spinUp(om, tr, t float64) (angle, rate, acc float64) {
	if t >= tr {
		return om * (t - tr/2), om, 0
	}
	k := 2 * math.Pi / tr
	return om / tr * (t*t/2 - (1-math.Cos(k*t))/(k*k)), om / tr * (t - math.Sin(k*t)/k), om / tr * (1 - math.Cos(k*t))
}

func runSpinUp(ctx context.Context, in *verify.Input) any {
	input := verify.Of[beamMembers](in)
	beam := &input.beamIn
	beam.check()
	refusal.Unless(input.Tr > 0, "input.Tr_s: %g (cure: above 0)", input.Tr)
	m := &motion{bodies: []member{{mass: 1}}} // the hub turns as it is told
	m.state.body = []placed{{q: leaning(0)}}
	beam.start(m, vec3{}, vec3{})
	m.modal.load = func(t float64, _ *state, _ vec3, dst []float64) {
		_, w, a := spinUp(input.Om, input.Tr, t)
		beam.load(vec3{0, 0, w}, vec3{0, 0, a}, dst)
	}
	m.prepare()
	samples := sampleMotion(ctx, m, input.End, input.Times, []float64{input.Tr}, func(t float64) record {
		angle, w, _ := spinUp(input.Om, input.Tr, t)
		m.state.body[0] = placed{q: frame.Exp(vec3{0, 0, angle}), w: vec3{0, 0, w}}
		out := beam.sample(t, m, "body")
		m.state.body[0] = placed{q: leaning(0)}
		return out
	})
	return record{"samples": samples}
}

func runModalTop(ctx context.Context, in *verify.Input) any {
	var input struct {
		beamIn
		Inertia rows3     `json:"inertia_about_com_kg_m2"`
		Initial initialIn `json:"initial"`
	}
	refusal.Need(in.Decode(&input))
	beam := &input.beamIn
	beam.check()
	b := member{mass: 1, j: input.Inertia.mat()}
	refusal.NeedAt(rigid.CheckInertia(b.j), "input")
	b.inv = inverse(b.j)
	p := input.Initial.state("input.initial")
	m := &motion{bodies: []member{b}}
	m.state.body = []placed{p}
	rotor := rigid.NewRotor(b.j, p.q, p.w, none{})
	beam.start(m, p.w, rotor.A)
	m.modal.load = func(_ float64, s *state, a vec3, dst []float64) { beam.load(s.body[0].w, a, dst) }
	m.prepare()
	sample := func(t float64) record { return beam.sample(t, m, "body") }
	return record{"samples": sampleMotion(ctx, m, input.End, input.Times, nil, sample)}
}

func runScalars(ctx context.Context, in *verify.Input) any {
	var members map[string]any
	refusal.Need(in.Decode(&members))
	if _, ok := members["spin_rate_rad_s"]; ok {
		return runStretch(in)
	}
	return runBeamModes(ctx, in)
}

// runStretch gives the stretch of a spinning bar in closed form, by the linear theory and with the load on the deformed
// bar.
func runStretch(in *verify.Input) any {
	var b struct {
		L   float64 `json:"L_m"`
		A   float64 `json:"A_m2"`
		E   float64 `json:"E_Pa"`
		Rho float64 `json:"rho_kg_m3"`
		R0  float64 `json:"hub_radius_m"`
		Om  float64 `json:"spin_rate_rad_s"`
	}
	refusal.Need(in.Decode(&b))
	refusal.Unless(b.L > 0 && b.A > 0 && b.E > 0 && b.Rho > 0 && b.R0 >= 0 && b.Om > 0,
		"input: lengths, area, modulus, density and spin rate above 0 belong there")
	// E u'' + rho Om^2 (r0 + x) = 0, u(0) = 0, u'(L) = 0.
	linear := func(x float64) float64 {
		return b.Rho * b.Om * b.Om / b.E * ((b.R0*b.L+b.L*b.L/2)*x - b.R0*x*x/2 - x*x*x/6)
	}
	// With y = r0 + x + u: y'' = -k^2 y, y(0) = r0, y'(L) = 1.
	k := b.Om * math.Sqrt(b.Rho/b.E)
	refusal.Unless(k*b.L < math.Pi/2,
		"input.spin_rate_rad_s: %g: the bar has no equilibrium (cure: below %.4g)", b.Om, math.Pi/2/b.L*math.Sqrt(b.E/b.Rho))
	c := (1/k + b.R0*math.Sin(k*b.L)) / math.Cos(k*b.L)
	soft := func(x float64) float64 {
		s := math.Sin(k * x / 2)
		return -2*b.R0*s*s + c*math.Sin(k*x) - x
	}
	var x, u, v, force []float64
	for i := range 21 {
		at := b.L * float64(i) / 20
		x, u, v = append(x, at), append(u, linear(at)), append(v, soft(at))
		force = append(force, b.Rho*b.A*b.Om*b.Om*(b.R0*(b.L-at)+(b.L*b.L-at*at)/2))
	}
	mode := func(i int) (omega, s, t, tip float64) {
		g := (2*float64(i) - 1) * math.Pi / (2 * b.L)
		amp := math.Sqrt(2 / (b.Rho * b.A * b.L))
		sign := float64(1 - 2*((i+1)%2))
		return g * math.Sqrt(b.E/b.Rho), b.Rho * b.A * amp / g, b.Rho * b.A * amp * sign / (g * g), amp * sign
	}
	var modes []record
	partial := record{}
	sum := 0.0
	for i := 1; i <= 50; i++ {
		omega, s, t, tip := mode(i)
		load := b.Om * b.Om * (b.R0*s + t)
		sum += tip * load / (omega * omega)
		switch i {
		case 1, 2, 3, 5, 10, 20, 50:
			partial[fmt.Sprint(i)] = sum
		}
		if i <= 5 {
			modes = append(modes, record{"omega_rad_s": omega, "q_static_linear_theory": load / (omega * omega),
				"q_static_with_spin_softening": load / (omega*omega - b.Om*b.Om), "tip_value": tip,
				"integral_rhoA_phi": s, "integral_rhoA_phi_x": t})
		}
	}
	return record{"scalars": record{"x_m": x, "u_linear_theory_m": u, "u_with_spin_softening_m": v, "axial_force_N": force,
		"tip_stretch_linear_theory_m": linear(b.L), "tip_stretch_with_spin_softening_m": soft(b.L),
		"relative_error_of_linear_theory":  linear(b.L)/soft(b.L) - 1,
		"tip_stretch_partial_modal_sums_m": partial, "modes": modes}}
}

// eulerBernoulli are the closed forms of a slender beam, clamped or free.
func eulerBernoulli(l, b, h, e, rho float64) record {
	area := b * h
	mass := rho * area * l
	clamped := func(x float64) float64 { return math.Cos(x) + 1/math.Cosh(x) } // cos cosh + 1 = 0
	free := func(x float64) float64 { return math.Cos(x) - 1/math.Cosh(x) }
	bending := func(f func(float64) float64, from int, inertia float64) (hz []float64) {
		for n := range 5 {
			beta := num.Bisect(f, float64(n+from)*math.Pi, float64(n+from+1)*math.Pi) / l
			hz = append(hz, beta*beta*math.Sqrt(e*inertia/(rho*area))/(2*math.Pi))
		}
		return hz
	}
	out := record{"mass_kg": mass, "area_m2": area, "tip_extension_unit_axial_load_m": l / (e * area)}
	for axis, inertia := range map[string]float64{"y": h * b * b * b / 12, "z": b * h * h * h / 12} {
		out["clamped_free_bending_"+axis+"_Hz"] = bending(clamped, 0, inertia)
		out["free_free_bending_"+axis+"_Hz"] = bending(free, 1, inertia)
		out["tip_deflection_"+axis+"_unit_tip_load_m"] = l * l * l / (3 * e * inertia)
		out["tip_deflection_"+axis+"_unit_uniform_load_m_per_N_m"] = l * l * l * l / (8 * e * inertia)
	}
	c := math.Sqrt(e / rho)
	var cf, ff []float64
	for n := 1; n <= 3; n++ {
		cf = append(cf, float64(2*n-1)*c/(4*l))
		ff = append(ff, float64(n)*c/(2*l))
	}
	out["clamped_free_axial_Hz"], out["free_free_axial_Hz"] = cf, ff
	var modes []record
	for n := range 5 {
		x := num.Bisect(clamped, float64(n)*math.Pi, float64(n+1)*math.Pi)
		// sigma = (sinh - sin)/(cosh + cos), both over cosh against overflow
		sigma := (math.Tanh(x) - math.Sin(x)/math.Cosh(x)) / (1 + math.Cos(x)/math.Cosh(x))
		sign := float64(1 - 2*(n%2))
		modes = append(modes, record{"beta_L": x, "sigma": sigma, "tip_value_mass_normalised": 2 * sign / math.Sqrt(mass),
			"integral_rhoA_phi": 2 * sigma * math.Sqrt(mass) / x, "integral_rhoA_phi_x": 2 * math.Sqrt(mass) * l / (x * x)})
	}
	out["clamped_free_bending_modes"] = modes
	return out
}

// beamModes is how many modes of each support a modal_beam case lists.
const beamModes = 8

// runBeamModes computes the modes of a prismatic beam, clamped and free, and its compliance at the tip, with finite
// elements, beside the closed forms.
func runBeamModes(ctx context.Context, in *verify.Input) any {
	var b struct {
		L   float64 `json:"L_m"`
		B   float64 `json:"b_m"`
		H   float64 `json:"h_m"`
		E   float64 `json:"E_Pa"`
		Nu  float64 `json:"nu"`
		Rho float64 `json:"rho_kg_m3"`
	}
	refusal.Need(in.Decode(&b))
	refusal.Unless(b.L > 0 && b.B > 0 && b.H > 0, "input: lengths above 0 belong there")
	across := [2]int{4, 4}
	switch {
	case b.B > 2*b.H:
		across = [2]int{6, 2}
	case b.H > 2*b.B:
		across = [2]int{2, 6}
	}
	along := min(max(int(1.6*b.L/min(b.B, b.H)), 24), 80)
	box, err := mesh.Box(mgl64.Vec3{0, -b.B / 2, -b.H / 2}, mgl64.Vec3{b.L, b.B, b.H}, [3]int{along, across[0], across[1]})
	refusal.NeedAt(err, "input")
	material := fem.Material{Young: b.E, Poisson: b.Nu, Density: b.Rho}
	var lists [2][]record
	compliance := record{}
	for k, fixed := range [2][]int32{box.NodeSets["left"], nil} {
		m, err := modes.Solve(ctx, box, material, modes.Options{Count: beamModes, Fixed: fixed})
		refusal.NeedAt(err, "input")
		for i, w := range m.Omega {
			lists[k] = append(lists[k], record{"f_Hz": w / (2 * math.Pi), "type": beamMode(m, i)})
		}
		if fixed == nil {
			continue
		}
		for axis, name := range [3]string{"x", "y", "z"} {
			c, err := m.Compliance(endTraction(m.Mesh, b.L, axis))
			refusal.NeedAt(err, "input")
			compliance[name] = c
		}
	}
	return record{"scalars": record{"euler_bernoulli": eulerBernoulli(b.L, b.B, b.H, b.E, b.Rho),
		"fem_3d": record{"clamped_free_Hz": lists[0], "free_free_Hz": lists[1], "tip_compliance_m_per_N": compliance}}}
}

// endTraction is 1 N spread evenly over the end x = l of a mesh of quadratic hexahedra: of each face -1/12 at the
// corners and 1/3 at the middles.
func endTraction(m *mesh.Mesh, l float64, axis int) []float64 {
	f := make([]float64, 3*len(m.Nodes))
	faces := 0
	for i := range m.Blocks {
		b := &m.Blocks[i]
		for e := range b.Len() {
			var on []int32
			for _, n := range b.Element(e) {
				if math.Abs(m.Nodes[n][0]-l) < 1e-9*l {
					on = append(on, n)
				}
			}
			if len(on) == 8 { // corners come before middles
				faces++
				for k, n := range on {
					share := 1.0 / 3
					if k < 4 {
						share = -1.0 / 12
					}
					f[3*int(n)+axis] += share
				}
			}
		}
	}
	for i := range f {
		f[i] /= float64(faces)
	}
	return f
}

// beamMode names a mode by what moves most: the mean of a section along x, y or z, or its turn.
func beamMode(m *modes.Modes, mode int) string {
	type section struct{ n, x, y, z, turn, arm float64 }
	sections := map[float64]*section{}
	for n, at := range m.Mesh.Nodes {
		s := sections[at[0]]
		if s == nil {
			s = &section{}
			sections[at[0]] = s
		}
		u := m.Phi[mode][3*n : 3*n+3]
		s.n++
		s.x, s.y, s.z = s.x+u[0], s.y+u[1], s.z+u[2]
		s.turn += at[1]*u[2] - at[2]*u[1]
		s.arm += at[1]*at[1] + at[2]*at[2]
	}
	var sum [4]float64
	for _, s := range sections {
		for k, v := range [4]float64{s.x / s.n, s.y / s.n, s.z / s.n, s.turn / math.Sqrt(s.arm*s.n)} {
			sum[k] += v * v
		}
	}
	best := 0
	for k := range sum {
		if sum[k] > sum[best] {
			best = k
		}
	}
	return [4]string{"axial", "bending_y", "bending_z", "torsion"}[best]
}
