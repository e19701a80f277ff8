package tissue

import (
	"context"
	"math"
	"regexp"
	"strconv"
	"strings"

	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/numerics/fem/solid"
)

// runPoints evaluates a law at deformation gradients.
func runPoints(_ context.Context, in *verify.Input) any {
	var c struct {
		Material materialInput `json:"material"`
		Block    *struct {
			Area   float64 `json:"area_A0_m2"`
			Length float64 `json:"length_L0_m"`
			Note   string  `json:"note,omitempty"`
		} `json:"block,omitempty"`
		Homogeneous []struct {
			Name    string        `json:"name"`
			F       [3][3]float64 `json:"F"`
			Stretch *float64      `json:"stretch,omitempty"`
			Gamma   *float64      `json:"gamma,omitempty"`
		} `json:"homogeneous,omitempty"`
		Random []struct {
			F  [3][3]float64  `json:"F"`
			DF *[3][3]float64 `json:"dF,omitempty"`
		} `json:"random,omitempty"`
	}
	refusal.Need(in.Decode(&c))
	law := c.Material.law()
	out := map[string]any{}
	var list []map[string]any
	for i, h := range c.Homogeneous {
		f := mat3(h.F)
		uniaxial, biaxial := strings.HasPrefix(h.Name, "uniaxial_stress"), strings.HasPrefix(h.Name, "equibiaxial_stress")
		lateral, nominal := 0.0, 0.0
		if uniaxial || biaxial {
			refusal.If(h.Stretch == nil, "homogeneous[%d].stretch is missing", i)
			lateral, nominal = freeStretch(law, *h.Stretch, h.F[2][2], biaxial)
			refusal.Unless(lateral > 0, "homogeneous[%d]: no side stretch frees the sides of stress", i)
		}
		// The file's digits end at the thirteenth: where a free side or a rotation is meant, the stress is that of the
		// exact one.
		if math.Abs(lateral-f[8]) < 1e-11 {
			f[8] = lateral
			if uniaxial {
				f[4] = lateral
			}
		}
		if c := f.TMul(&f); f.Det() > 0 && nearUnit(&c) {
			f = solid.Rotation(&f)
		}
		var p solid.Mat3
		law.Stress(&p, &f)
		s := solid.Second(law, &f)
		cauchy := p.MulT(&f)
		for k := range cauchy {
			cauchy[k] /= f.Det()
		}
		r := map[string]any{"W_J_per_m3": law.Energy(&f), "P_Pa": rows3(&p), "S_Pa": rows3(&s), "cauchy_Pa": rows3(&cauchy)}
		if uniaxial || biaxial {
			r["lateral_stretch"], r["nominal_stress_Pa"] = lateral, nominal
			if uniaxial && c.Block != nil {
				r["reaction_force_N"] = nominal * c.Block.Area
			}
		}
		list = append(list, r)
	}
	if list != nil {
		out["homogeneous"] = list
	}
	list = nil
	for _, q := range c.Random {
		list = append(list, tangentAt(law, mat3(q.F), q.DF))
	}
	if list != nil {
		out["random"] = list
	}
	return scaled{out, c.Material.Young}
}

// tangentAt is a law's energy, stress and tangent at a deformation gradient, and the stress that a change of it makes.
func tangentAt(law solid.Law, f solid.Mat3, df *[3][3]float64) map[string]any {
	var p solid.Mat3
	var a solid.Mat9
	law.Stress(&p, &f)
	law.Tangent(&a, &f)
	var rows [9][9]float64
	for i := range 9 {
		copy(rows[i][:], a[9*i:])
	}
	r := map[string]any{"W_J_per_m3": law.Energy(&f), "P_Pa": rows3(&p), "A_9x9_Pa": rows}
	if df != nil {
		d, dp := mat3(*df), solid.Mat3{}
		for i := range 9 {
			for j := range 9 {
				dp[i] += a[9*i+j] * d[j]
			}
		}
		r["dP_Pa"] = rows3(&dp)
	}
	return r
}

// nearUnit tells whether a matrix is the unit matrix but for rounding of its source.
func nearUnit(c *solid.Mat3) bool {
	for k, v := range c {
		if math.Abs(v-solid.Identity[k]) > 1e-12 {
			return false
		}
	}
	return true
}

// freeStretch finds the stretch of the sides that carry no stress, near a first guess, and the nominal stress along the
// others; 0: there is none.
func freeStretch(law solid.Law, stretch, side float64, biaxial bool) (lateral, nominal float64) {
	var p solid.Mat3
	var a solid.Mat9
	for range 60 {
		f := solid.Mat3{0: stretch, 4: side, 8: side}
		if biaxial {
			f[4] = stretch
		}
		law.Stress(&p, &f)
		law.Tangent(&a, &f)
		slope := a[80]
		if !biaxial {
			slope += a[9*8+4]
		}
		d := -p[8] / slope
		side += d
		if !(side > 0) {
			break
		}
		if math.Abs(d) <= 4e-16*side {
			return side, p[0]
		}
		if math.Abs(d) <= 1e-14 {
			lateral = side
		}
	}
	return lateral, p[0]
}

// runElement evaluates one element.
func runElement(_ context.Context, in *verify.Input) any {
	var c struct {
		Mesh     meshInput     `json:"mesh"`
		Material materialInput `json:"material"`
		Deformed [][3]float64  `json:"deformed_nodes_m"`
		V        []float64     `json:"v"`
		Mass     *struct {
			Density    float64 `json:"density_kg_m3"`
			Volume     any     `json:"volume_m3,omitempty"` // the others are results
			Lumped     any     `json:"lumped_per_node_kg,omitempty"`
			Consistent any     `json:"consistent_nxn_kg,omitempty"`
		} `json:"mass,omitempty"`
	}
	refusal.Need(in.Decode(&c))
	b := c.Mesh.body(&c.Material)
	n := len(c.Mesh.Nodes)
	refusal.If(len(c.Mesh.Elements) != 1 || len(c.Deformed) != n || len(c.V) != 3*n || b.Mesh.Blocks[0].Type.NodeCount() != n,
		"one element, and for each of its %d nodes a place in deformed_nodes_m and three numbers in v", n)
	x := flat(c.Deformed)
	order := make([]int, 0, 3*n) // element's unknowns by node
	for _, id := range c.Mesh.Elements[0] {
		order = append(order, 3*id, 3*id+1, 3*id+2)
	}
	matrix := func(k []float64) [][]float64 {
		out := square(3 * n)
		for i := range order {
			for j := range order {
				out[order[i]][order[j]] = k[3*n*i+j]
			}
		}
		return out
	}
	f, kv := make([]float64, 3*n), make([]float64, 3*n)
	b.Forces(f, x)
	b.MulTangent(kv, x, c.V)
	out := map[string]any{"energy_J": b.Energy(x), "internal_force_N": triples(f), "tangent_N_per_m": matrix(b.ElementTangent(0, x, false)), "K_v_N": kv}
	if c.Mesh.Element == "hex8_ce" {
		out["tangent_approx_R_K0_RT_N_per_m"] = matrix(b.ElementTangent(0, x, true))
	}
	if c.Material.Law == "stvk" && (c.Mesh.Element == "tet4" || c.Mesh.Element == "hex8") {
		split := map[string]any{}
		for part, name := range []string{"Ke", "Ksigma", "Ku"} {
			k := matrix(b.ElementSplit(0, x, part))
			norm, kv := 0.0, make([]float64, 3*n)
			for i, row := range k {
				for j, v := range row {
					norm += v * v
					kv[i] += v * c.V[j]
				}
			}
			split[name+"_v_N"], split[name+"_frobenius"] = kv, math.Sqrt(norm)
		}
		out["thesis_split_1_16"] = split
	}
	if c.Mass != nil {
		m := solid.ElementMass(b.Mesh, &b.Mesh.Blocks[0], 0, c.Mass.Density)
		full := square(n)
		for i := range n {
			for j := range n {
				full[order[3*i]/3][order[3*j]/3] = m[n*i+j]
			}
		}
		out["mass"] = map[string]any{"density_kg_m3": c.Mass.Density, "volume_m3": b.Volume(), "lumped_per_node_kg": b.LumpedMass(c.Mass.Density), "consistent_nxn_kg": full}
	}
	return out
}

// square is a matrix of n rows and columns.
func square(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
	}
	return rows
}

// cosines is a vector stated in words: v_k = round(cos(a k), d).
var cosines = regexp.MustCompile(`^v_k = round\(cos\(([0-9.eE+-]+) k\), ([0-9]+)\)`)

// vector is a list of numbers or a rule for them.
func vector(v any, n int) []float64 {
	if list, ok := v.([]any); ok {
		out := make([]float64, n)
		refusal.Need(verify.Decode(list, &out, "v"))
		refusal.If(len(out) != n, "v: %d numbers where %d belong", len(out), n)
		return out
	}
	words, _ := v.(string)
	m := cosines.FindStringSubmatch(words)
	refusal.If(m == nil, "v: neither numbers nor \"v_k = round(cos(0.7 k), 6)\"")
	a, err := strconv.ParseFloat(m[1], 64)
	digits, err2 := strconv.Atoi(m[2])
	refusal.If(err != nil || err2 != nil || digits > 15, "v: %q has a number that cannot be read", words)
	out, unit := make([]float64, n), math.Pow(10, float64(digits))
	for k := range out {
		out[k] = math.RoundToEven(math.Cos(a*float64(k))*unit) / unit
	}
	return out
}
