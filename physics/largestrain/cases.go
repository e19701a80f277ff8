package largestrain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/fem/solid"
	"hapco/physics/mesh"
	"hapco/physics/verify"
)

func init() {
	for kind, run := range map[string]func(context.Context, *verify.Input) (any, error){
		"material_points":       runPoints,
		"unit_element":          runElement,
		"assembly":              runAssembly,
		"static":                runStatic,
		"contact_punch":         runPunch,
		"dynamics":              runDynamics,
		"modal":                 runModal,
		"viscoelastic_material": runRelaxation,
		"viscoelastic_static":   runViscous,
	} {
		verify.Register("tissue."+kind, verify.Runner{Run: run, Compare: compare, Remarks: []string{"calculix"}})
	}
	for _, kind := range []string{"closed_form", "published"} {
		verify.Register("tissue."+kind, verify.Runner{Run: func(context.Context, *verify.Input) (any, error) {
			return nil, fmt.Errorf("kind %q is a table for tests, whose meshes and loads are free, and no experiment (cure: a case of another kind)", kind)
		}})
	}
}

type meshInput struct {
	Element  string       `json:"element"`
	Nodes    [][3]float64 `json:"nodes_m"`
	Elements [][]int      `json:"elements"`
}

var elements = map[string]struct {
	kind mesh.ElementType
	form solid.Formulation
}{
	"tet4":     {mesh.Tet4, solid.Full},
	"hex8":     {mesh.Hex8, solid.Full},
	"hex8_md":  {mesh.Hex8, solid.MeanDilatation},
	"hex8_ce":  {mesh.Hex8, solid.ElementRotation},
	"tet10":    {mesh.Tet10, solid.Full},
	"tet10_md": {mesh.Tet10, solid.MeanDilatation},
}

// body builds the mesh and its material.
func (in *meshInput) body(m *materialInput) (*solid.Body, error) {
	e, ok := elements[in.Element]
	if !ok {
		return nil, fmt.Errorf("mesh.element %q is unknown (cure: tet4, hex8, hex8_md, hex8_ce, tet10 or tet10_md)", in.Element)
	}
	law, err := m.law()
	if err != nil {
		return nil, err
	}
	msh := &mesh.Mesh{Blocks: []mesh.Block{{Type: e.kind}}}
	for _, x := range in.Nodes {
		msh.Nodes = append(msh.Nodes, mgl64.Vec3(x))
	}
	for i, nodes := range in.Elements {
		if len(nodes) != e.kind.NodeCount() {
			return nil, fmt.Errorf("mesh.elements[%d]: %d nodes, a %s has %d", i, len(nodes), in.Element, e.kind.NodeCount())
		}
		for _, n := range nodes {
			if n < 0 || n >= len(in.Nodes) {
				return nil, fmt.Errorf("mesh.elements[%d]: node %d does not exist (cure: 0 to %d)", i, n, len(in.Nodes)-1)
			}
			msh.Blocks[0].Nodes = append(msh.Blocks[0].Nodes, int32(n))
		}
	}
	if len(in.Elements) == 0 {
		return nil, errors.New("mesh.elements is empty (cure: one element at least)")
	}
	return solid.New(msh, e.form, law)
}

type materialInput struct {
	Law    string    `json:"law"`
	Young  float64   `json:"E_Pa"`
	Nu     float64   `json:"nu"`
	Mu     *float64  `json:"mu_Pa,omitempty"`
	Lambda *float64  `json:"lambda_Pa,omitempty"`
	Kappa  *float64  `json:"kappa_Pa,omitempty"`
	C10    *float64  `json:"c10_Pa,omitempty"`
	C01    *float64  `json:"c01_Pa,omitempty"`
	MuP    []float64 `json:"mu_p_Pa,omitempty"`
	AlphaP []float64 `json:"alpha_p,omitempty"`
}

// constants are those that the case states, or else those of E and nu.
func (m *materialInput) constants() (lambda, mu, kappa float64, err error) {
	if !(m.Young > 0) || !(m.Nu > -1 && m.Nu < 0.5) {
		return 0, 0, 0, fmt.Errorf("material: E = %g Pa, nu = %g (cure: E above 0, nu above -1 and below 0.5)", m.Young, m.Nu)
	}
	lambda, mu = solid.Lame(m.Young, m.Nu)
	kappa = lambda + 2*mu/3
	for _, c := range []struct {
		name string
		to   *float64
		from *float64
	}{{"lambda_Pa", &lambda, m.Lambda}, {"mu_Pa", &mu, m.Mu}, {"kappa_Pa", &kappa, m.Kappa}} {
		if c.from == nil {
			continue
		}
		if math.Abs(*c.from-*c.to) > 1e-9*math.Max(math.Abs(*c.to), m.Young) {
			return 0, 0, 0, fmt.Errorf("material.%s = %g, but E and nu give %g (cure: constants that agree)", c.name, *c.from, *c.to)
		}
		*c.to = *c.from
	}
	return lambda, mu, kappa, nil
}

func (m *materialInput) law() (solid.Law, error) {
	lambda, mu, kappa, err := m.constants()
	if err != nil {
		return nil, err
	}
	if extra := m.C10 != nil || m.C01 != nil; extra != (m.Law == "mooney_rivlin") {
		return nil, fmt.Errorf("material: law %q and c10_Pa, c01_Pa do not fit (cure: both of them with mooney_rivlin, none otherwise)", m.Law)
	}
	isOgden := m.Law == "ogden" || m.Law == "ogden1" || m.Law == "ogden2"
	if extra := m.MuP != nil || m.AlphaP != nil; extra != isOgden {
		return nil, fmt.Errorf("material: law %q and mu_p_Pa, alpha_p do not fit (cure: both of them with ogden, none otherwise)", m.Law)
	}
	switch {
	case m.Law == "linear":
		return solid.Linear{Lambda: lambda, Mu: mu}, nil
	case m.Law == "corotational", m.Law == "corotational_element":
		return solid.Corotational{Lambda: lambda, Mu: mu}, nil
	case m.Law == "stvk":
		return solid.StVenantKirchhoff{Lambda: lambda, Mu: mu}, nil
	case m.Law == "neo_hookean_log":
		return solid.NeoHookeanLog{Lambda: lambda, Mu: mu}, nil
	case m.Law == "neo_hookean_isovol":
		return solid.NeoHookeanIsovol(mu, kappa), nil
	case m.Law == "mooney_rivlin":
		if m.C10 == nil || m.C01 == nil {
			return nil, errors.New("material: mooney_rivlin needs c10_Pa and c01_Pa")
		}
		return solid.MooneyRivlin{C10: *m.C10, C01: *m.C01, Kappa: kappa}, nil
	case isOgden:
		if len(m.MuP) == 0 || len(m.MuP) != len(m.AlphaP) || slices.Contains(m.AlphaP, 0) {
			return nil, errors.New("material: ogden needs as many mu_p_Pa as alpha_p, and no alpha_p of 0")
		}
		return solid.Ogden{Mu: m.MuP, Alpha: m.AlphaP, Kappa: kappa}, nil
	}
	return nil, fmt.Errorf("material.law %q is unknown (cure: linear, corotational, corotational_element, stvk, neo_hookean_log, neo_hookean_isovol, mooney_rivlin or ogden)", m.Law)
}

func mat3(f [3][3]float64) (m solid.Mat3) {
	for i := range 3 {
		copy(m[3*i:], f[i][:])
	}
	return m
}

func rows3(m *solid.Mat3) (f [3][3]float64) {
	for i := range 3 {
		copy(f[i][:], m[3*i:])
	}
	return f
}

func triples(v []float64) [][3]float64 {
	out := make([][3]float64, len(v)/3)
	for i := range out {
		copy(out[i][:], v[3*i:])
	}
	return out
}

func flat(v [][3]float64) []float64 {
	var out []float64
	for _, x := range v {
		out = append(out, x[:]...)
	}
	return out
}

// runPoints evaluates a law at deformation gradients.
func runPoints(_ context.Context, in *verify.Input) (any, error) {
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
	if err := in.Decode(&c); err != nil {
		return nil, err
	}
	law, err := c.Material.law()
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	var list []map[string]any
	for i, h := range c.Homogeneous {
		f := mat3(h.F)
		uniaxial, biaxial := strings.HasPrefix(h.Name, "uniaxial_stress"), strings.HasPrefix(h.Name, "equibiaxial_stress")
		lateral, nominal := 0.0, 0.0
		if uniaxial || biaxial {
			if h.Stretch == nil {
				return nil, fmt.Errorf("homogeneous[%d].stretch is missing", i)
			}
			if lateral, nominal, err = freeStretch(law, *h.Stretch, h.F[2][2], biaxial); err != nil {
				return nil, fmt.Errorf("homogeneous[%d]: %w", i, err)
			}
		}
		// The file's digits end at the thirteenth: where a free side or a rotation is
		// meant, the stress is that of the exact one.
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
		f := mat3(q.F)
		var p solid.Mat3
		var a solid.Mat9
		law.Stress(&p, &f)
		law.Tangent(&a, &f)
		var square [9][9]float64
		for i := range 9 {
			copy(square[i][:], a[9*i:])
		}
		r := map[string]any{"W_J_per_m3": law.Energy(&f), "P_Pa": rows3(&p), "A_9x9_Pa": square}
		if q.DF != nil {
			d, dp := mat3(*q.DF), solid.Mat3{}
			for i := range 9 {
				for j := range 9 {
					dp[i] += a[9*i+j] * d[j]
				}
			}
			r["dP_Pa"] = rows3(&dp)
		}
		list = append(list, r)
	}
	if list != nil {
		out["random"] = list
	}
	return scaled{out, c.Material.Young}, nil
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

// freeStretch finds the stretch of the sides that carry no stress, near a first
// guess, and the nominal stress along the others.
func freeStretch(law solid.Law, stretch, side float64, biaxial bool) (lateral, nominal float64, err error) {
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
			return side, p[0], nil
		}
		if math.Abs(d) <= 1e-14 {
			lateral = side
		}
	}
	if lateral > 0 {
		return lateral, p[0], nil
	}
	return 0, 0, errors.New("no side stretch frees the sides of stress")
}

// runElement evaluates one element.
func runElement(_ context.Context, in *verify.Input) (any, error) {
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
	if err := in.Decode(&c); err != nil {
		return nil, err
	}
	b, err := c.Mesh.body(&c.Material)
	if err != nil {
		return nil, err
	}
	n := len(c.Mesh.Nodes)
	if len(c.Mesh.Elements) != 1 || len(c.Deformed) != n || len(c.V) != 3*n || b.Mesh.Blocks[0].Type.NodeCount() != n {
		return nil, fmt.Errorf("one element, and for each of its %d nodes a place in deformed_nodes_m and three numbers in v", n)
	}
	x := flat(c.Deformed)
	order := make([]int, 0, 3*n) // element's unknowns by node
	for _, id := range c.Mesh.Elements[0] {
		order = append(order, 3*id, 3*id+1, 3*id+2)
	}
	matrix := func(k []float64) [][]float64 {
		out := make([][]float64, 3*n)
		for i := range out {
			out[i] = make([]float64, 3*n)
		}
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
		square := make([][]float64, n)
		for i := range square {
			square[i] = make([]float64, n)
		}
		for i := range n {
			for j := range n {
				square[order[3*i]/3][order[3*j]/3] = m[n*i+j]
			}
		}
		out["mass"] = map[string]any{"density_kg_m3": c.Mass.Density, "volume_m3": b.Volume(), "lumped_per_node_kg": b.LumpedMass(c.Mass.Density), "consistent_nxn_kg": square}
	}
	return out, nil
}

// cosines is a vector stated in words: v_k = round(cos(a k), d).
var cosines = regexp.MustCompile(`^v_k = round\(cos\(([0-9.eE+-]+) k\), ([0-9]+)\)`)

// vector is a list of numbers or a rule for them.
func vector(v any, n int) ([]float64, error) {
	if list, ok := v.([]any); ok {
		out := make([]float64, n)
		if err := verify.Decode(list, &out, "v"); err != nil {
			return nil, err
		}
		if len(out) != n {
			return nil, fmt.Errorf("v: %d numbers where %d belong", len(out), n)
		}
		return out, nil
	}
	words, _ := v.(string)
	m := cosines.FindStringSubmatch(words)
	if m == nil {
		return nil, errors.New("v: neither numbers nor \"v_k = round(cos(0.7 k), 6)\"")
	}
	a, err := strconv.ParseFloat(m[1], 64)
	digits, err2 := strconv.Atoi(m[2])
	if err != nil || err2 != nil || digits > 15 {
		return nil, fmt.Errorf("v: %q has a number that cannot be read", words)
	}
	out, unit := make([]float64, n), math.Pow(10, float64(digits))
	for k := range out {
		out[k] = math.RoundToEven(math.Cos(a*float64(k))*unit) / unit
	}
	return out, nil
}

// runAssembly evaluates a mesh at given places for several laws.
func runAssembly(ctx context.Context, in *verify.Input) (any, error) {
	var c struct {
		Mesh      meshInput       `json:"mesh"`
		Materials []materialInput `json:"materials"`
		Deformed  [][3]float64    `json:"deformed_nodes_m"`
		V         any             `json:"v"`
	}
	if err := in.Decode(&c); err != nil {
		return nil, err
	}
	if len(c.Deformed) != len(c.Mesh.Nodes) {
		return nil, fmt.Errorf("deformed_nodes_m: %d places for %d nodes", len(c.Deformed), len(c.Mesh.Nodes))
	}
	x := flat(c.Deformed)
	v, err := vector(c.V, len(x))
	if err != nil {
		return nil, err
	}
	var results []map[string]any
	least := math.Inf(1)
	for i := range c.Materials {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := c.Mesh.body(&c.Materials[i])
		if err != nil {
			return nil, fmt.Errorf("materials[%d]: %w", i, err)
		}
		f, kv := make([]float64, len(x)), make([]float64, len(x))
		b.Forces(f, x)
		b.MulTangent(kv, x, v)
		least, _ = b.MinJ(x)
		results = append(results, map[string]any{"energy_J": b.Energy(x), "internal_force_N": triples(f), "K_v_norm_N": size(kv), "v_K_v": inner(v, kv),
			"K_v_first_20_nodes_N": triples(kv)[:min(20, len(kv)/3)]})
	}
	return map[string]any{"results": results, "min_J": least}, nil
}

// sumOf adds up forces on some dofs, by axis.
func sumOf(forces []float64, dofs []int) any {
	var sum [3]float64
	scale := 0.0
	for _, d := range dofs {
		sum[d%3] += forces[d]
		scale += math.Abs(forces[d])
	}
	if math.Max(math.Abs(sum[0]), math.Max(math.Abs(sum[1]), math.Abs(sum[2]))) <= 1e-11*scale {
		return roundOff{scale}
	}
	return sum
}

func nodeDofs(nodes []int) (dofs []int) {
	for _, n := range nodes {
		dofs = append(dofs, 3*n, 3*n+1, 3*n+2)
	}
	return dofs
}

// nodeList checks the nodes of a list.
func nodeList(name string, nodes []int, n int) ([]int32, error) {
	var out []int32
	for i, id := range nodes {
		if id < 0 || id >= n {
			return nil, fmt.Errorf("%s[%d]: node %d does not exist (cure: 0 to %d)", name, i, id, n-1)
		}
		out = append(out, int32(id))
	}
	return out, nil
}

// nodalForces fills loads from rows of node, fx, fy, fz.
func nodalForces(load []float64, rows [][4]float64) error {
	for i, r := range rows {
		n := int(r[0])
		if float64(n) != r[0] || n < 0 || 3*n >= len(load) {
			return fmt.Errorf("nodal_forces_N[%d]: node %g does not exist (cure: 0 to %d)", i, r[0], len(load)/3-1)
		}
		for k := range 3 {
			load[3*n+k] += r[1+k]
		}
	}
	return nil
}

// displacements of places x.
func displacements(b *solid.Body, x []float64) []float64 {
	u := b.Rest()
	for i := range u {
		u[i] = x[i] - u[i]
	}
	return u
}

func longest(u [][3]float64) float64 {
	most := 0.0
	for _, v := range u {
		most = math.Max(most, mgl64.Vec3(v).Len())
	}
	return most
}

type staticInput struct {
	Mesh       meshInput     `json:"mesh"`
	Material   materialInput `json:"material"`
	Fixed      []int         `json:"fixed_nodes"`
	Prescribed [][3]float64  `json:"prescribed"`
	Forces     [][4]float64  `json:"nodal_forces_N"`
}

// runStatic finds an equilibrium.
func runStatic(ctx context.Context, in *verify.Input) (any, error) {
	var c staticInput
	if err := in.Decode(&c); err != nil {
		return nil, err
	}
	b, err := c.Mesh.body(&c.Material)
	if err != nil {
		return nil, err
	}
	fixed, err := nodeList("fixed_nodes", c.Fixed, len(c.Mesh.Nodes))
	if err != nil {
		return nil, err
	}
	s, err := NewStatics(b, fixed)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := nodalForces(s.Load, c.Forces); err != nil {
		return nil, err
	}
	var dofs []int
	for i, p := range c.Prescribed {
		n, axis := int(p[0]), int(p[1])
		if float64(n) != p[0] || float64(axis) != p[1] {
			return nil, fmt.Errorf("prescribed[%d]: node %g, axis %g (cure: whole numbers)", i, p[0], p[1])
		}
		if err := s.Prescribe(int32(n), axis, p[2]); err != nil {
			return nil, fmt.Errorf("prescribed[%d]: %w", i, err)
		}
		dofs = append(dofs, 3*n+axis)
	}
	if err := s.Solve(ctx); err != nil {
		return nil, err
	}
	u := displacements(b, s.X)
	low, high := b.Mesh.Bounds()
	edges := high.Sub(low)
	reactions := make([]float64, len(u))
	s.Reactions(reactions)
	least, _ := b.MinJ(s.X)
	most := longest(triples(u))
	out := map[string]any{"energy_J": b.Energy(s.X), "norm2_m": size(u), "max_norm_m": most, "max_over_size": most / max(edges[0], edges[1], edges[2]),
		"min_J": least, "displacements_m": triples(u)}
	if len(c.Fixed) > 0 {
		out["reaction_fixed_sum_N"] = sumOf(reactions, nodeDofs(c.Fixed))
	}
	if len(dofs) > 0 {
		out["reaction_prescribed_sum_N"] = sumOf(reactions, dofs)
	}
	special(&c, b, s.X, reactions, out)
	return out, nil
}

// runPunch presses a flat punch into a box.
func runPunch(ctx context.Context, in *verify.Input) (any, error) {
	var c struct {
		Mesh     meshInput     `json:"mesh"`
		Material materialInput `json:"material"`
		Fixed    []int         `json:"fixed_nodes"`
		Punch    []int         `json:"punch_nodes"`
		Axes     []int         `json:"prescribed_axes"`
		Same     bool          `json:"unilateral_equals_bilateral,omitempty"`
		Depths   []float64     `json:"depths_m,omitempty"`
	}
	if err := in.Decode(&c); err != nil {
		return nil, err
	}
	if !slices.Contains(c.Axes, 2) || len(c.Punch) == 0 {
		return nil, errors.New("a punch has nodes, and presses along axis 2: prescribed_axes holds 2")
	}
	b, err := c.Mesh.body(&c.Material)
	if err != nil {
		return nil, err
	}
	fixed, err := nodeList("fixed_nodes", c.Fixed, len(c.Mesh.Nodes))
	if err != nil {
		return nil, err
	}
	if _, err := nodeList("punch_nodes", c.Punch, len(c.Mesh.Nodes)); err != nil {
		return nil, err
	}
	s, err := NewStatics(b, fixed)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	// The path that the kind describes: eight steps of a twentieth of the height. It
	// ends where the equilibrium is no longer stable, or the punch meets less
	// resistance to each further step: there something under it snaps.
	depths, open := c.Depths, false
	if depths == nil {
		low, high := b.Mesh.Bounds()
		for i := range 8 {
			depths = append(depths, float64(i+1)*(high[2]-low[2])/20)
		}
		open = true
	}
	var path []map[string]any
	var u, pressing []float64
	stiffness, force, reached := 0.0, 0.0, 0.0
	reactions := make([]float64, 3*len(c.Mesh.Nodes))
	for _, depth := range depths {
		for _, n := range c.Punch {
			for _, axis := range c.Axes {
				v := 0.0
				if axis == 2 {
					v = -depth
				}
				if err := s.Prescribe(int32(n), axis, v); err != nil {
					return nil, err
				}
			}
		}
		if err := s.Solve(ctx); err != nil {
			if open && len(path) > 0 && errors.Is(err, ErrNoEquilibrium) {
				break
			}
			return nil, err
		}
		s.Reactions(reactions)
		total := 0.0
		for _, n := range c.Punch {
			total -= reactions[3*n+2]
		}
		now := (total - force) / (depth - reached)
		if open && now < stiffness {
			break
		}
		stiffness, force, reached = now, total, depth
		least := math.Inf(1)
		pressing = pressing[:0]
		for _, n := range c.Punch {
			least = math.Min(least, -reactions[3*n+2])
			pressing = append(pressing, reactions[3*n:3*n+3]...)
		}
		minJ, _ := b.MinJ(s.X)
		u = displacements(b, s.X)
		path = append(path, map[string]any{"depth_m": depth, "force_on_box_N": sumOf(reactions, nodeDofs(c.Punch)), "min_pressing_force_N": least,
			"energy_J": b.Energy(s.X), "min_J": minJ})
	}
	return map[string]any{"path": path, "final_nodal_forces_on_punch_nodes_N": triples(pressing), "displacements_m": triples(u)}, nil
}

type newmarkInput struct {
	Beta  float64 `json:"beta"`
	Gamma float64 `json:"gamma"`
}

// scheme by its name.
func scheme(name string, n *newmarkInput) (Scheme, error) {
	switch {
	case name == "implicit_euler" && n == nil:
		return Scheme{}, nil
	case name == "newmark" && n == nil:
		return AverageAcceleration, nil
	case name == "newmark" && n.Beta > 0 && n.Gamma > 0:
		return Scheme{Newmark: true, Beta: n.Beta, Gamma: n.Gamma}, nil
	}
	return Scheme{}, fmt.Errorf("scheme %q (cure: implicit_euler, or newmark with beta and gamma above 0)", name)
}

func lumpedMass(name string) (bool, error) {
	if name != "lumped" && name != "consistent" {
		return false, fmt.Errorf("mass %q (cure: lumped or consistent)", name)
	}
	return name == "lumped", nil
}

// runDynamics moves a body through time.
func runDynamics(ctx context.Context, in *verify.Input) (any, error) {
	var c struct {
		Mesh     meshInput     `json:"mesh"`
		Material materialInput `json:"material"`
		Density  float64       `json:"density_kg_m3"`
		Mass     string        `json:"mass"`
		Scheme   string        `json:"scheme"`
		Newmark  *newmarkInput `json:"newmark,omitempty"`
		Step     float64       `json:"h_s"`
		Steps    int           `json:"steps"`
		Rayleigh struct {
			Alpha float64 `json:"alpha"`
			Beta  float64 `json:"beta"`
			Note  string  `json:"note,omitempty"`
		} `json:"rayleigh"`
		Fixed        []int        `json:"fixed_nodes"`
		Field        [3]float64   `json:"acceleration_field_m_s2"`
		Note         string       `json:"acceleration_note,omitempty"`
		Forces       [][4]float64 `json:"nodal_forces_N"`
		Displaced    [][3]float64 `json:"initial_displacements_m,omitempty"`
		InitialSpeed [][3]float64 `json:"initial_velocities_m_s,omitempty"`
	}
	if err := in.Decode(&c); err != nil {
		return nil, err
	}
	if !(c.Step > 0) || c.Steps < 1 || c.Steps > 1_000_000 || !(c.Density > 0) {
		return nil, fmt.Errorf("h_s = %g, steps = %d, density_kg_m3 = %g (cure: all above 0)", c.Step, c.Steps, c.Density)
	}
	b, err := c.Mesh.body(&c.Material)
	if err != nil {
		return nil, err
	}
	fixed, err := nodeList("fixed_nodes", c.Fixed, len(c.Mesh.Nodes))
	if err != nil {
		return nil, err
	}
	how, err := scheme(c.Scheme, c.Newmark)
	if err != nil {
		return nil, err
	}
	lumped, err := lumpedMass(c.Mass)
	if err != nil {
		return nil, err
	}
	d, err := NewDynamics(b, fixed, how, c.Step, c.Density, lumped, c.Rayleigh.Alpha, c.Rayleigh.Beta)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for i, m := range b.LumpedMass(c.Density) {
		for k := range 3 {
			d.Load[3*i+k] = m * c.Field[k]
		}
	}
	if err := nodalForces(d.Load, c.Forces); err != nil {
		return nil, err
	}
	for _, start := range []struct {
		name string
		from [][3]float64
		to   []float64
	}{{"initial_displacements_m", c.Displaced, d.X}, {"initial_velocities_m_s", c.InitialSpeed, d.V}} {
		if start.from != nil && len(start.from) != len(c.Mesh.Nodes) {
			return nil, fmt.Errorf("%s: %d vectors for %d nodes", start.name, len(start.from), len(c.Mesh.Nodes))
		}
		for i, v := range flat(start.from) {
			start.to[i] += v
		}
	}
	if err := d.Begin(ctx); err != nil {
		return nil, err
	}
	var states []map[string]any
	var elastic, kinetic []float64
	var linear, angular [][3]float64
	var at []int
	note := func(step int) {
		p, l := d.Momenta()
		at, linear, angular = append(at, step), append(linear, p), append(angular, l)
	}
	note(0)
	samples := []int{1, max(1, c.Steps/2), c.Steps}
	samples = slices.Compact(samples)
	for step := 1; step <= c.Steps; step++ {
		if err := d.Advance(ctx); err != nil {
			return nil, fmt.Errorf("step %d: %w", step, err)
		}
		elastic, kinetic = append(elastic, b.Energy(d.X)), append(kinetic, d.Kinetic())
		if slices.Contains(samples, step) {
			states = append(states, map[string]any{"step": step, "displacements_m": triples(displacements(b, d.X)), "velocities_m_s": triples(append([]float64(nil), d.V...))})
			note(step)
		}
	}
	out := map[string]any{"states": states, "elastic_energy_J": elastic, "kinetic_energy_J": kinetic}
	if len(fixed) == 0 {
		out["momenta"] = map[string]any{"linear_kg_m_s": linear, "angular_kg_m2_s": angular, "at_steps": at}
	}
	return out, nil
}

// runModal finds frequencies, and the swing after a release.
func runModal(ctx context.Context, in *verify.Input) (any, error) {
	var c struct {
		Mesh     meshInput     `json:"mesh"`
		Material materialInput `json:"material"`
		Density  float64       `json:"density_kg_m3"`
		Fixed    []int         `json:"fixed_nodes"`
		Modal    []struct {
			Element string `json:"element"`
			Mass    string `json:"mass"`
		} `json:"modal"`
		Release *struct {
			Tips    []int        `json:"tip_nodes"`
			Load    float64      `json:"load_per_tip_node_N"`
			Step    float64      `json:"h_s"`
			Newmark newmarkInput `json:"newmark"`
			Steps   int          `json:"steps"`
		} `json:"release,omitempty"`
	}
	if err := in.Decode(&c); err != nil {
		return nil, err
	}
	fixed, err := nodeList("fixed_nodes", c.Fixed, len(c.Mesh.Nodes))
	if err != nil {
		return nil, err
	}
	const count = 4
	var modal []map[string]any
	for i, m := range c.Modal {
		own := c.Mesh
		own.Element = m.Element
		b, err := own.body(&c.Material)
		if err != nil {
			return nil, fmt.Errorf("modal[%d]: %w", i, err)
		}
		lumped, err := lumpedMass(m.Mass)
		if err != nil {
			return nil, fmt.Errorf("modal[%d]: %w", i, err)
		}
		w, err := Frequencies(ctx, b, fixed, c.Density, lumped, count)
		if err != nil {
			return nil, err
		}
		modal = append(modal, map[string]any{"first_4_frequencies_rad_s": w, "first_period_s": 2 * math.Pi / w[0]})
	}
	out := map[string]any{"modal": modal}
	r := c.Release
	if r == nil {
		return out, nil
	}
	tips, err := nodeList("release.tip_nodes", r.Tips, len(c.Mesh.Nodes))
	if err != nil {
		return nil, err
	}
	how, err := scheme("newmark", &r.Newmark)
	if err != nil {
		return nil, err
	}
	if len(tips) == 0 || !(r.Step > 0) || r.Steps < 1 || r.Steps > 1_000_000 {
		return nil, errors.New("release: tip_nodes is empty, or h_s or steps is not above 0")
	}
	b, err := c.Mesh.body(&c.Material)
	if err != nil {
		return nil, err
	}
	s, err := NewStatics(b, fixed)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for _, n := range tips {
		s.Load[3*n] = r.Load
	}
	if err := s.Solve(ctx); err != nil {
		return nil, err
	}
	d, err := NewDynamics(b, fixed, how, r.Step, c.Density, true, 0, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	copy(d.X, s.X)
	if err := d.Begin(ctx); err != nil {
		return nil, err
	}
	var mean []float64
	for step := 0; ; step++ {
		sum := 0.0
		for _, n := range tips {
			sum += d.X[3*n] - c.Mesh.Nodes[n][0]
		}
		mean = append(mean, sum/float64(len(tips)))
		if step == r.Steps {
			break
		}
		if err := d.Advance(ctx); err != nil {
			return nil, fmt.Errorf("release: step %d: %w", step+1, err)
		}
	}
	out["release"] = map[string]any{"mean_tip_ux_m": mean}
	return out, nil
}

type pronyInput struct {
	G      []float64 `json:"g"`
	Tau    []float64 `json:"tau_s"`
	Target string    `json:"target,omitempty"`
}

func (p *pronyInput) series(law solid.Law, target string) (solid.Prony, error) {
	out := solid.Prony{G: p.G, Tau: p.Tau, All: target == "all"}
	if len(p.G) != len(p.Tau) || !(out.Infinity() >= 0) {
		return out, errors.New("prony: as many g as tau_s, and a sum of g of 1 at most")
	}
	for i := range p.G {
		if !(p.G[i] >= 0) || !(p.Tau[i] > 0) {
			return out, fmt.Errorf("prony: g = %g, tau_s = %g (cure: 0 or more, above 0)", p.G[i], p.Tau[i])
		}
	}
	if target != "all" && target != "iso" {
		return out, fmt.Errorf("prony target %q (cure: iso or all)", target)
	}
	if target == "iso" && !law.Splits() {
		return out, errors.New("prony target iso: the law has no isochoric part (cure: neo_hookean_isovol, mooney_rivlin or ogden, or target all)")
	}
	return out, nil
}

// runRelaxation evaluates a Prony series.
func runRelaxation(_ context.Context, in *verify.Input) (any, error) {
	var c struct {
		Prony         pronyInput `json:"prony"`
		Instantaneous struct {
			Young float64 `json:"E_Pa"`
			Nu    float64 `json:"nu"`
			G0    float64 `json:"G0_Pa"`
		} `json:"instantaneous"`
		Relaxation *struct {
			T []float64 `json:"t_s"`
		} `json:"relaxation,omitempty"`
		Complex *struct {
			Omega []float64 `json:"omega_rad_s"`
		} `json:"complex_modulus,omitempty"`
		Discrete *struct {
			Step float64 `json:"h_s"`
			Rule string  `json:"rule,omitempty"`
			N    []int   `json:"n"`
		} `json:"discrete_step_relaxation,omitempty"`
		Step      float64 `json:"step_s,omitempty"`
		Histories []struct {
			Material materialInput   `json:"material"`
			Target   string          `json:"target"`
			F        [][3][3]float64 `json:"F_history"`
		} `json:"histories,omitempty"`
	}
	if err := in.Decode(&c); err != nil {
		return nil, err
	}
	plain, err := c.Prony.series(nil, "all")
	if err != nil {
		return nil, err
	}
	g0 := c.Instantaneous.G0
	out := map[string]any{}
	if r := c.Relaxation; r != nil {
		var g []float64
		for _, t := range r.T {
			g = append(g, g0*plain.At(t))
		}
		out["relaxation"] = map[string]any{"G_Pa": g}
	}
	if r := c.Complex; r != nil {
		var storage, loss []float64
		for _, w := range r.Omega {
			s, l := plain.Complex(w)
			storage, loss = append(storage, g0*s), append(loss, g0*l)
		}
		out["complex_modulus"] = map[string]any{"storage_Pa": storage, "loss_Pa": loss}
	}
	if r := c.Discrete; r != nil {
		var g []float64
		for _, n := range r.N {
			if n < 1 || n > 1_000_000 || !(r.Step > 0) {
				return nil, fmt.Errorf("discrete_step_relaxation: n = %d, h_s = %g (cure: 1 or more, above 0)", n, r.Step)
			}
			g = append(g, g0*heldStrain(plain, r.Step, n))
		}
		out["discrete_step_relaxation"] = map[string]any{"G_Pa": g}
	}
	var histories []map[string]any
	for i := range c.Histories {
		h := &c.Histories[i]
		if !(c.Step > 0) {
			return nil, fmt.Errorf("step_s = %g (cure: above 0)", c.Step)
		}
		law, err := h.Material.law()
		if err != nil {
			return nil, fmt.Errorf("histories[%d]: %w", i, err)
		}
		series, err := c.Prony.series(law, h.Target)
		if err != nil {
			return nil, fmt.Errorf("histories[%d]: %w", i, err)
		}
		var m solid.Memory
		var p [][3][3]float64
		step, relaxing := series.Split(law, c.Step)
		for _, rows := range h.F {
			f := mat3(rows)
			q := m.Stays(series, c.Step)
			s := solid.Second(step, &f)
			for k := range s {
				s[k] += q[k]
			}
			now := f.Mul(&s)
			p = append(p, rows3(&now))
			own := solid.Second(relaxing, &f)
			m.Take(series, c.Step, &own)
		}
		histories = append(histories, map[string]any{"P_Pa": p})
	}
	if histories != nil {
		out["histories"] = histories
	}
	return out, nil
}

// heldStrain is the modulus over the instantaneous one at the end of step n, when
// the strain grows during the first step and is held.
func heldStrain(p solid.Prony, h float64, n int) float64 {
	var m solid.Memory
	one := solid.Mat3{0: 1}
	var q solid.Mat3
	for range n {
		q = m.Stays(p, h)
		m.Take(p, h, &one)
	}
	return p.Factor(h) + q[0]
}

// runViscous presses a viscoelastic body between plates.
func runViscous(ctx context.Context, in *verify.Input) (any, error) {
	var c struct {
		Mesh     meshInput     `json:"mesh"`
		Material materialInput `json:"material"`
		Prony    pronyInput    `json:"prony"`
		Step     float64       `json:"step_s"`
		Steps    int           `json:"steps"`
		Fixed    []int         `json:"fixed_nodes"`
		Top      []int         `json:"top_nodes"`
		Path     []float64     `json:"top_uz_m"`
	}
	if err := in.Decode(&c); err != nil {
		return nil, err
	}
	if !(c.Step > 0) || len(c.Path) != c.Steps {
		return nil, fmt.Errorf("step_s = %g, %d steps, %d values of top_uz_m (cure: a step above 0, and a value for each)", c.Step, c.Steps, len(c.Path))
	}
	b, err := c.Mesh.body(&c.Material)
	if err != nil {
		return nil, err
	}
	law, err := c.Material.law()
	if err != nil {
		return nil, err
	}
	series, err := c.Prony.series(law, c.Prony.Target)
	if err != nil {
		return nil, err
	}
	fixed, err := nodeList("fixed_nodes", c.Fixed, len(c.Mesh.Nodes))
	if err != nil {
		return nil, err
	}
	top, err := nodeList("top_nodes", c.Top, len(c.Mesh.Nodes))
	if err != nil {
		return nil, err
	}
	if c.Mesh.Element == "hex8_ce" {
		return nil, errors.New("mesh.element hex8_ce is linear and has no viscoelastic form (cure: hex8 or hex8_md)")
	}
	s, err := NewStatics(b, fixed)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	memory := solid.NewViscous(b, law, series)
	reactions := make([]float64, 3*len(c.Mesh.Nodes))
	var force []any
	for _, uz := range c.Path {
		for _, n := range top {
			for axis, v := range []float64{0, 0, uz} {
				if err := s.Prescribe(n, axis, v); err != nil {
					return nil, err
				}
			}
		}
		memory.Begin(c.Step)
		if err := s.Solve(ctx); err != nil {
			return nil, err
		}
		s.Reactions(reactions)
		force = append(force, sumOf(reactions, nodeDofs(c.Top)))
		memory.End(c.Step, s.X)
	}
	return map[string]any{"force_on_top_nodes_N": force, "displacements_m": triples(displacements(b, s.X))}, nil
}
