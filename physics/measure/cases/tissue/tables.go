package tissue

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/fem/solid"
	"hapco/physics/numerics/num"
)

// restateTable separates where the rows of a table are taken from what is expected there.
func restateTable(members map[string]any) map[string]any {
	list, ok := members["expected"].([]any)
	if !ok {
		return members
	}
	var places, results []any
	for _, entry := range list {
		row, ok := entry.(map[string]any)
		if !ok {
			return members
		}
		at, result := map[string]any{}, map[string]any{}
		for key, v := range row {
			kappa, isKappa := strings.CutPrefix(key, kappaKey)
			switch {
			case key == "PL2_over_EI" || key == "stretch" || key == "inner_stretch":
				at[key] = v
				continue
			case key == "published": // the same, to fewer digits
				continue
			case isKappa:
				if k, err := strconv.ParseFloat(kappa, 64); err == nil {
					kappas, _ := at["kappa_over_mu"].([]any)
					at["kappa_over_mu"] = append(kappas, k)
				}
			}
			result[key] = v
		}
		places, results = append(places, at), append(results, result)
	}
	members = maps.Clone(members)
	members["rows"], members["expected"] = places, map[string]any{"rows": results}
	return members
}

const kappaKey = "kappa_over_mu_"

// closedForm is one of the tables: of the elastica, of incompressible materials under simple loads, of a sphere that is
// inflated, or of the schemes in time.
type closedForm struct {
	Rows []struct {
		Load    *float64  `json:"PL2_over_EI,omitempty"`
		Stretch *float64  `json:"stretch,omitempty"`
		Inner   *float64  `json:"inner_stretch,omitempty"`
		Kappa   []float64 `json:"kappa_over_mu,omitempty"` // bulk moduli besides an infinite one
	} `json:"rows,omitempty"`
	Parameters struct {
		Mu     float64   `json:"mu_Pa,omitempty"`
		C10    float64   `json:"c10_Pa,omitempty"`
		C01    float64   `json:"c01_Pa,omitempty"`
		MuP    []float64 `json:"ogden_mu_Pa,omitempty"`
		AlphaP []float64 `json:"ogden_alpha,omitempty"`
		A      float64   `json:"A_m,omitempty"`
		B      float64   `json:"B_m,omitempty"`
	} `json:"parameters,omitempty"`
	Fall *struct {
		V0   float64 `json:"v0_m_s"`
		Z0   float64 `json:"z0_m"`
		G    float64 `json:"g"`
		H    float64 `json:"h_s"`
		N    []int   `json:"n"`
		Note string  `json:"note,omitempty"`
	} `json:"free_fall,omitempty"`
	Swings []swing `json:"oscillator,omitempty"`
}

type swing struct {
	Mass  float64 `json:"m_kg"`
	K     float64 `json:"k_N_m"`
	X0    float64 `json:"x0_m"`
	V0    float64 `json:"v0_m_s"`
	H     float64 `json:"h_s"`
	Steps []int   `json:"n"`
}

// runClosedForm computes a table by the laws and schemes themselves.
func runClosedForm(ctx context.Context, in *verify.Input) any {
	c := verify.Of[closedForm](in)
	out := map[string]any{}
	var rows []any
	for i, r := range c.Rows {
		refusal.Need(ctx.Err())
		row := map[string]any{}
		switch {
		case r.Load != nil && *r.Load > 0:
			row["tip_rotation_rad"], row["deflection_over_L"], row["shortening_over_L"] = elastica(*r.Load)
		case r.Stretch != nil && *r.Stretch > 0:
			c.limits(*r.Stretch, row)
		case r.Inner != nil && *r.Inner > 0 && c.Parameters.A > 0 && c.Parameters.B > c.Parameters.A && c.Parameters.Mu > 0:
			c.inflate(fmt.Sprintf("expected[%d]", i), *r.Inner, r.Kappa, row)
		default:
			panic(refusal.Of("expected[%d] does not state where it is taken (cure: PL2_over_EI, stretch, or inner_stretch with A_m < B_m and mu_Pa among the parameters, above 0)", i))
		}
		rows = append(rows, row)
	}
	if rows != nil {
		out["rows"] = rows
	}
	if f := c.Fall; f != nil {
		lambda, mu := solid.Lame(5000, 0.4)
		all := inTime(ctx, "free_fall", [3]int{2, 1, 1}, solid.NeoHookeanLog{Lambda: lambda, Mu: mu}, 1000, false, -f.G, 0, f.V0, f.H, f.N)
		for _, z := range all {
			for i := range z {
				z[i] += f.Z0
			}
		}
		out["free_fall"] = map[string]any{"implicit_euler_z_m": all[0], "newmark_z_m": all[1]}
	}
	var swings []any
	for i, s := range c.Swings {
		refusal.Unless(s.K > 0 && s.Mass > 0,
			"oscillator[%d]: m = %g kg, k = %g N/m (cure: both above 0)", i, s.Mass, s.K)
		// a cube of 1 m that does not swell: half of its mass is at its end
		all := inTime(ctx, fmt.Sprintf("oscillator[%d]", i), [3]int{1, 1, 1}, solid.Linear{Mu: s.K / 2}, 2*s.Mass, true, 0, s.X0, s.V0, s.H, s.Steps)
		swings = append(swings, map[string]any{"implicit_euler_x_m": all[0], "newmark_x_m": all[1]})
	}
	if swings != nil {
		out["oscillator"] = swings
	}
	refusal.If(len(out) == 0, "there is no table (cure: expected with rows, free_fall or oscillator)")
	return out
}

// inTime is how far the top of a cube of 1 m has moved up after so many steps, by implicit Euler and by Newmark, m. It
// stands on its bottom, or is free. where is its place in the case.
func inTime(ctx context.Context, where string, cells [3]int, law solid.Law, density float64, stands bool, acceleration, x0, v0, h float64, steps []int) (all [2][]float64) {
	refusal.If(len(steps) == 0 || steps[0] < 0 || !slices.IsSorted(steps) || steps[len(steps)-1] > 1e6 || !(h > 0),
		"%s: n = %v, h = %g s (cure: ascending numbers of steps, up to a million, and h above 0)", where, steps, h)
	m := refusal.Must(mesh.Box(mgl64.Vec3{}, mgl64.Vec3{1, 1, 1}, cells))
	b, err := solid.New(m, solid.Full, law)
	refusal.NeedAt(err, "%s", where)
	var fixed []int32
	if stands {
		fixed = m.NodeSets["back"]
	}
	top := m.NodeSets["front"]
	for i, scheme := range []equilibrium.Scheme{{}, equilibrium.AverageAcceleration} {
		d, err := equilibrium.NewDynamics(b, fixed, scheme, h, density, true, 0, 0)
		refusal.NeedAt(err, "%s", where)
		defer d.Close()
		d.Tolerance = 1e-13
		for n, mass := range b.LumpedMass(density) {
			if !slices.Contains(fixed, int32(n)) {
				d.Load[3*n+2], d.V[3*n+2] = mass*acceleration, v0
				d.X[3*n+2] += x0
			}
		}
		refusal.NeedAt(d.Begin(ctx), "%s", where)
		step := 0
		for _, n := range steps {
			for ; step < n; step++ {
				refusal.NeedAt(d.Advance(ctx), "%s", where)
			}
			all[i] = append(all[i], d.X[3*top[0]+2]-m.Nodes[top[0]][2])
		}
	}
	return all
}

// principal are Cauchy's stresses of a law at principal stretches, Pa.
func principal(law solid.Law, l mgl64.Vec3) (s mgl64.Vec3) {
	f := solid.Mat3{0: l[0], 4: l[1], 8: l[2]}
	var p solid.Mat3
	law.Stress(&p, &f)
	j := f.Det()
	return mgl64.Vec3{p[0] * l[0] / j, p[4] * l[1] / j, p[8] * l[2] / j}
}

// limits are the stresses along the first axis of materials that keep their volume, where the third axis has none: the
// pressure, whatever it is, is no part of a difference of stresses.
func (c *closedForm) limits(l float64, row map[string]any) {
	p := &c.Parameters
	for name, law := range map[string]solid.Law{
		"neo_hookean":   solid.NeoHookeanIsovol(p.Mu, p.Mu),
		"mooney_rivlin": solid.MooneyRivlin{C10: p.C10, C01: p.C01, Kappa: p.C10 + p.C01},
		"ogden":         solid.Ogden{Mu: p.MuP, Alpha: p.AlphaP, Kappa: p.Mu},
	} {
		along := func(l mgl64.Vec3) float64 { s := principal(law, l); return s[0] - s[2] }
		uniaxial := along(mgl64.Vec3{l, 1 / math.Sqrt(l), 1 / math.Sqrt(l)})
		row[name] = map[string]any{"uniaxial_nominal_Pa": uniaxial / l, "uniaxial_cauchy_Pa": uniaxial,
			"equibiaxial_cauchy_Pa": along(mgl64.Vec3{l, l, 1 / (l * l)}), "pure_shear_cauchy_Pa": along(mgl64.Vec3{l, 1, 1 / l})}
	}
}

// inflate finds the pressure that stretches the inner surface of a neo-Hookean sphere by l, and how far the outer one,
// which is free, is stretched then. where is its place in the case.
func (c *closedForm) inflate(where string, l float64, kappas []float64, row map[string]any) {
	p := &c.Parameters
	outer := math.Cbrt(1 + (l*l*l-1)*math.Pow(p.A/p.B, 3))
	// without a change of volume: dp = 2 (s_theta - s_r) dr/r, Simpson's rule in ln r
	law := solid.NeoHookeanIsovol(p.Mu, p.Mu)
	const n = 2000
	from, to := math.Log(l*p.A), math.Log(outer*p.B)
	pressure := 0.0
	for i := range n + 1 {
		r := math.Exp(from + (to-from)*float64(i)/n)
		round := r / math.Cbrt(r*r*r-(l*l*l-1)*p.A*p.A*p.A)
		s := principal(law, mgl64.Vec3{1 / (round * round), round, round})
		weight := float64(2 + 2*(i%2))
		if i == 0 || i == n {
			weight = 1
		}
		pressure += weight * 2 * (s[1] - s[0]) * (to - from) / (3 * n)
	}
	row["outer_stretch"], row["pressure_incompressible_Pa"] = outer, pressure
	for _, k := range kappas {
		exact, stretch, ok := c.inflateSoft(l, k, pressure)
		refusal.Unless(ok, "%s: no pressure stretches the sphere by %g with a bulk modulus of %g shear moduli", where, l, k)
		row[kappaKey+strconv.FormatFloat(k, 'g', -1, 64)] = map[string]any{"pressure_Pa": exact, "outer_stretch": stretch}
	}
}

// inflateSoft is inflate for a bulk modulus of k shear moduli, from a first guess of the pressure. Of the first
// Piola-Kirchhoff stress, dP_R/dR = 2 (P_T - P_R)/R.
func (c *closedForm) inflateSoft(l, k, guess float64) (pressure, outer float64, ok bool) {
	p := &c.Parameters
	law := solid.NeoHookeanIsovol(p.Mu, k*p.Mu)
	along := func(out, round float64) (radial, round2 float64) {
		f := solid.Mat3{0: out, 4: round, 8: round}
		var s solid.Mat3
		law.Stress(&s, &f)
		return s[0], s[4]
	}
	out := 0.0 // dr/dR, from the last place
	// rate is that of r and of the radial stress over R
	rate := func(at float64, y [4]float64) [4]float64 {
		round, radial := y[0]/at, y[1]
		for range 50 { // Newton's method
			s, _ := along(out, round)
			high, _ := along(out*(1+1e-6), round)
			low, _ := along(out*(1-1e-6), round)
			step := (radial - s) / ((high - low) / (2e-6 * out))
			if out += step; math.Abs(step) < 1e-15*out {
				break
			}
		}
		_, s := along(out, round)
		return [4]float64{out, 2 * (s - radial) / at}
	}
	left := func(pressure float64) float64 { // on the outer surface
		const n = 1000
		h := (p.B - p.A) / n
		at, y := p.A, [4]float64{l * p.A, -pressure * l * l}
		out = 1 / (l * l)
		for range n {
			y, at = rungeKutta(at, y, h, rate), at+h
		}
		outer = y[0] / p.B
		return y[1]
	}
	before, pressure := 0.99*guess, guess
	was := left(before)
	for range 30 { // the secant method
		now := left(pressure)
		next := pressure - now*(pressure-before)/(now-was)
		if !num.Finite(next) {
			break
		}
		before, was, pressure = pressure, now, next
		if math.Abs(pressure-before) < 1e-13*math.Abs(pressure) {
			return pressure, outer, true
		}
	}
	return 0, 0, false
}

// runCook loads Cook's membrane.
func runCook(ctx context.Context, in *verify.Input) any {
	var c struct {
		Nonlinear *struct {
			Law   string  `json:"law"`
			Mu    float64 `json:"mu"`
			Kappa float64 `json:"kappa"`
			Total float64 `json:"F_total"`
			Cells []int   `json:"cells_per_side"`
		} `json:"nonlinear,omitempty"`
		Strain *struct {
			Young  float64   `json:"E"`
			Nu     any       `json:"nu"`
			Total  float64   `json:"F_total"`
			Tips   []float64 `json:"published_tip_uy,omitempty"`
			Source string    `json:"published_source,omitempty"`
			Cells  []int     `json:"cells_per_side"`
		} `json:"linear_plane_strain,omitempty"`
	}
	refusal.Need(in.Decode(&c))
	solve := func(where string, n int, form solid.Formulation, law solid.Law, total float64) (tip mgl64.Vec3, energy float64) {
		refusal.If(n < 1 || n > 100, "%s: cells_per_side: %d (cure: 1 to 100)", where, n)
		m, fixed, loads, corner := cookMembrane(n, total)
		return planeStrain(ctx, m, form, law, fixed, loads, corner)
	}
	out := map[string]any{}
	if t := c.Nonlinear; t != nil {
		refusal.If(t.Law != "neo_hookean_isovol", "nonlinear.law %q (cure: neo_hookean_isovol)", t.Law)
		law := solid.NeoHookeanIsovol(t.Mu, t.Kappa)
		var rows []any
		for _, n := range t.Cells {
			row := map[string]any{}
			for name, form := range map[string]solid.Formulation{"hex8_md": solid.MeanDilatation, "hex8": solid.Full} {
				row[name+"_tip_u"], row[name+"_energy"] = solve("nonlinear", n, form, law, t.Total)
			}
			rows = append(rows, row)
		}
		out["nonlinear"] = rows
	}
	if t := c.Strain; t != nil {
		nu, ok := fraction(t.Nu)
		refusal.Unless(ok, "linear_plane_strain.nu: %v (cure: a number, or two with / between them)", t.Nu)
		lambda, mu := solid.Lame(t.Young, nu)
		var rows []any
		for _, n := range t.Cells {
			tip, _ := solve("linear_plane_strain", n, solid.Full, solid.Linear{Lambda: lambda, Mu: mu}, t.Total)
			rows = append(rows, map[string]any{"hex8_plane_strain_tip_u": tip})
		}
		out["linear_plane_strain"] = rows
	}
	refusal.If(len(out) == 0, "there is no table (cure: nonlinear or linear_plane_strain, of Cook's membrane)")
	return out
}

// fraction reads a number, or "1/3".
func fraction(v any) (x float64, ok bool) {
	words, isText := v.(string)
	if !isText {
		x, ok = v.(float64)
		return x, ok
	}
	above, below, _ := strings.Cut(words, "/")
	a, err := strconv.ParseFloat(above, 64)
	b, err2 := strconv.ParseFloat(below, 64)
	return a / b, err == nil && err2 == nil && b != 0
}

// cookMembrane is Cook's membrane of n x n cells, with the load on the nodes of its right side as the table states it.
func cookMembrane(n int, total float64) (m *mesh.Mesh, fixed []int32, loads map[int32]float64, corner int32) {
	m = refusal.Must(mesh.Box(mgl64.Vec3{}, mgl64.Vec3{1, 1, 1}, [3]int{n, n, 1}))
	loads = map[int32]float64{}
	for i, p := range m.Nodes {
		a, b := p[0], p[1]
		m.Nodes[i] = mgl64.Vec3{48 * a, 44*a + b*(44-28*a), p[2]}
		if a == 0 {
			fixed = append(fixed, int32(i))
		}
		if a == 1 {
			share := total / float64(2*n) // half on each face
			if b == 0 || b == 1 {
				share /= 2
			}
			loads[int32(i)] = share
			if b == 1 {
				corner = int32(i)
			}
		}
	}
	return m, fixed, loads, corner
}

// planeStrain is how far a corner goes, and the energy, where loads act along y and nothing moves along z.
func planeStrain(ctx context.Context, m *mesh.Mesh, form solid.Formulation, law solid.Law, fixed []int32, loads map[int32]float64, corner int32) (tip mgl64.Vec3, energy float64) {
	b := refusal.Must(solid.New(m, form, law))
	s := refusal.Must(equilibrium.NewStatics(b, fixed))
	defer s.Close()
	for i := range m.Nodes {
		refusal.Need(s.Prescribe(int32(i), 2, 0))
	}
	for n, f := range loads {
		s.Load[3*n+1] = f
	}
	refusal.Need(s.Solve(ctx))
	u := displacements(b, s.X)
	return mgl64.Vec3(u[3*corner : 3*corner+3]), b.Energy(s.X)
}
