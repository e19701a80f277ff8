package tissue

import (
	"context"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/numerics/fem/solid"
)

func init() {
	for kind, run := range map[string]func(context.Context, *verify.Input) any{
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
	verify.Register("tissue.closed_form", verify.Runner{Run: runClosedForm, Compare: compare, Restate: restateTable, Remarks: []string{"formula"}})
	verify.Register("tissue.published", verify.Runner{Run: runCook, Compare: compare, Remarks: []string{"mesh_rule", "linear_plane_stress"}})
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
func (in *meshInput) body(m *materialInput) *solid.Body {
	e, ok := elements[in.Element]
	refusal.Unless(ok, "mesh.element %q is unknown (cure: tet4, hex8, hex8_md, hex8_ce, tet10 or tet10_md)", in.Element)
	law := m.law()
	msh := &mesh.Mesh{Blocks: []mesh.Block{{Type: e.kind}}}
	for _, x := range in.Nodes {
		msh.Nodes = append(msh.Nodes, mgl64.Vec3(x))
	}
	for i, nodes := range in.Elements {
		refusal.If(len(nodes) != e.kind.NodeCount(),
			"mesh.elements[%d]: %d nodes, a %s has %d", i, len(nodes), in.Element, e.kind.NodeCount())
		for _, n := range nodes {
			refusal.If(n < 0 || n >= len(in.Nodes), "mesh.elements[%d]: node %d does not exist (cure: 0 to %d)", i, n, len(in.Nodes)-1)
			msh.Blocks[0].Nodes = append(msh.Blocks[0].Nodes, int32(n))
		}
	}
	refusal.If(len(in.Elements) == 0, "mesh.elements is empty (cure: one element at least)")
	return refusal.Must(solid.New(msh, e.form, law))
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
func (m *materialInput) constants() (lambda, mu, kappa float64) {
	refusal.Unless(m.Young > 0 && m.Nu > -1 && m.Nu < 0.5,
		"material: E = %g Pa, nu = %g (cure: E above 0, nu above -1 and below 0.5)", m.Young, m.Nu)
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
		refusal.If(math.Abs(*c.from-*c.to) > 1e-9*math.Max(math.Abs(*c.to), m.Young),
			"material.%s = %g, but E and nu give %g (cure: constants that agree)", c.name, *c.from, *c.to)
		*c.to = *c.from
	}
	return lambda, mu, kappa
}

func (m *materialInput) law() solid.Law {
	lambda, mu, kappa := m.constants()
	refusal.If((m.C10 != nil || m.C01 != nil) != (m.Law == "mooney_rivlin"),
		"material: law %q and c10_Pa, c01_Pa do not fit (cure: both of them with mooney_rivlin, none otherwise)", m.Law)
	isOgden := slices.Contains([]string{"ogden", "ogden1", "ogden2"}, m.Law)
	refusal.If((m.MuP != nil || m.AlphaP != nil) != isOgden,
		"material: law %q and mu_p_Pa, alpha_p do not fit (cure: both of them with ogden, none otherwise)", m.Law)
	switch m.Law {
	case "linear":
		return solid.Linear{Lambda: lambda, Mu: mu}
	case "corotational", "corotational_element":
		return solid.Corotational{Lambda: lambda, Mu: mu}
	case "stvk":
		return solid.StVenantKirchhoff{Lambda: lambda, Mu: mu}
	case "neo_hookean_log":
		return solid.NeoHookeanLog{Lambda: lambda, Mu: mu}
	case "neo_hookean_isovol":
		return solid.NeoHookeanIsovol(mu, kappa)
	case "mooney_rivlin":
		refusal.If(m.C10 == nil || m.C01 == nil, "material: mooney_rivlin needs c10_Pa and c01_Pa")
		return solid.MooneyRivlin{C10: *m.C10, C01: *m.C01, Kappa: kappa}
	case "ogden", "ogden1", "ogden2":
		refusal.If(len(m.MuP) == 0 || len(m.MuP) != len(m.AlphaP) || slices.Contains(m.AlphaP, 0),
			"material: ogden needs as many mu_p_Pa as alpha_p, and no alpha_p of 0")
		return solid.Ogden{Mu: m.MuP, Alpha: m.AlphaP, Kappa: kappa}
	}
	panic(refusal.Of("material.law %q is unknown (cure: linear, corotational, corotational_element, stvk, neo_hookean_log, neo_hookean_isovol, mooney_rivlin or ogden)", m.Law))
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

func flat(v [][3]float64) (out []float64) {
	for _, x := range v {
		out = append(out, x[:]...)
	}
	return out
}
