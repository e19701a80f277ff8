package tissue

import (
	"context"
	"fmt"
	"math"
	"slices"

	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/fem/solid"
)

type newmarkInput struct {
	Beta  float64 `json:"beta"`
	Gamma float64 `json:"gamma"`
}

// scheme by its name.
func scheme(name string, n *newmarkInput) equilibrium.Scheme {
	switch {
	case name == "implicit_euler" && n == nil:
		return equilibrium.Scheme{}
	case name == "newmark" && n == nil:
		return equilibrium.AverageAcceleration
	case name == "newmark" && n.Beta > 0 && n.Gamma > 0:
		return equilibrium.Scheme{Newmark: true, Beta: n.Beta, Gamma: n.Gamma}
	}
	panic(refusal.Of("scheme %q (cure: implicit_euler, or newmark with beta and gamma above 0)", name))
}

func lumpedMass(name string) bool {
	refusal.If(name != "lumped" && name != "consistent", "mass %q (cure: lumped or consistent)", name)
	return name == "lumped"
}

// runDynamics moves a body through time.
func runDynamics(ctx context.Context, in *verify.Input) any {
	var c struct {
		heldInput
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
		Field        [3]float64   `json:"acceleration_field_m_s2"`
		Note         string       `json:"acceleration_note,omitempty"`
		Forces       [][4]float64 `json:"nodal_forces_N"`
		Displaced    [][3]float64 `json:"initial_displacements_m,omitempty"`
		InitialSpeed [][3]float64 `json:"initial_velocities_m_s,omitempty"`
	}
	refusal.Need(in.Decode(&c))
	refusal.If(!(c.Step > 0) || c.Steps < 1 || c.Steps > 1_000_000 || !(c.Density > 0),
		"h_s = %g, steps = %d, density_kg_m3 = %g (cure: all above 0)", c.Step, c.Steps, c.Density)
	b, fixed := c.body(), c.fixed()
	how := scheme(c.Scheme, c.Newmark)
	lumped := lumpedMass(c.Mass)
	d := refusal.Must(equilibrium.NewDynamics(b, fixed, how, c.Step, c.Density, lumped, c.Rayleigh.Alpha, c.Rayleigh.Beta))
	defer d.Close()
	for i, m := range b.LumpedMass(c.Density) {
		for k := range 3 {
			d.Load[3*i+k] = m * c.Field[k]
		}
	}
	nodalForces(d.Load, c.Forces)
	for _, start := range []struct {
		name string
		from [][3]float64
		to   []float64
	}{{"initial_displacements_m", c.Displaced, d.X}, {"initial_velocities_m_s", c.InitialSpeed, d.V}} {
		refusal.If(start.from != nil && len(start.from) != len(c.Mesh.Nodes),
			"%s: %d vectors for %d nodes", start.name, len(start.from), len(c.Mesh.Nodes))
		for i, v := range flat(start.from) {
			start.to[i] += v
		}
	}
	refusal.Need(d.Begin(ctx))
	var states []map[string]any
	var elastic, kinetic []float64
	var linear, angular [][3]float64
	var at []int
	note := func(step int) {
		p, l := d.Momenta()
		at, linear, angular = append(at, step), append(linear, p), append(angular, l)
	}
	note(0)
	samples := slices.Compact([]int{1, max(1, c.Steps/2), c.Steps})
	for step := 1; step <= c.Steps; step++ {
		refusal.NeedAt(d.Advance(ctx), "step %d", step)
		elastic, kinetic = append(elastic, b.Energy(d.X)), append(kinetic, d.Kinetic())
		if slices.Contains(samples, step) {
			states = append(states, map[string]any{"step": step, "displacements_m": triples(displacements(b, d.X)), "velocities_m_s": triples(d.V)})
			note(step)
		}
	}
	out := map[string]any{"states": states, "elastic_energy_J": elastic, "kinetic_energy_J": kinetic}
	if len(fixed) == 0 {
		out["momenta"] = map[string]any{"linear_kg_m_s": linear, "angular_kg_m2_s": angular, "at_steps": at}
	}
	return out
}

// runModal finds frequencies, and the swing after a release.
func runModal(ctx context.Context, in *verify.Input) any {
	var c struct {
		heldInput
		Density float64 `json:"density_kg_m3"`
		Modal   []struct {
			Element string `json:"element"`
			Mass    string `json:"mass"`
		} `json:"modal"`
		Release *releaseInput `json:"release,omitempty"`
	}
	refusal.Need(in.Decode(&c))
	fixed := c.fixed()
	const count = 4
	var modal []map[string]any
	for i, m := range c.Modal {
		own := c.Mesh
		own.Element = m.Element
		b := refusal.In(fmt.Sprintf("modal[%d]", i), func() *solid.Body { return own.body(&c.Material) })
		lumped := lumpedMass(m.Mass)
		w := refusal.Must(equilibrium.Frequencies(ctx, b, fixed, c.Density, lumped, count))
		modal = append(modal, map[string]any{"first_4_frequencies_rad_s": w, "first_period_s": 2 * math.Pi / w[0]})
	}
	out := map[string]any{"modal": modal}
	if c.Release == nil {
		return out
	}
	mean := c.Release.swing(ctx, c.body(), fixed, c.Mesh.Nodes, c.Density)
	out["release"] = map[string]any{"mean_tip_ux_m": mean}
	return out
}

// releaseInput is a body that is let go from its equilibrium under a load along x.
type releaseInput struct {
	Tips    []int        `json:"tip_nodes"`
	Load    float64      `json:"load_per_tip_node_N"`
	Step    float64      `json:"h_s"`
	Newmark newmarkInput `json:"newmark"`
	Steps   int          `json:"steps"`
}

// swing is the mean displacement of the tips along x, from the release on, m.
func (r *releaseInput) swing(ctx context.Context, b *solid.Body, fixed []int32, nodes [][3]float64, density float64) (mean []float64) {
	tips := nodeList("release.tip_nodes", r.Tips, len(nodes))
	how := scheme("newmark", &r.Newmark)
	refusal.If(len(tips) == 0 || !(r.Step > 0) || r.Steps < 1 || r.Steps > 1_000_000,
		"release: tip_nodes is empty, or h_s or steps is not above 0")
	s := refusal.Must(equilibrium.NewStatics(b, fixed))
	defer s.Close()
	for _, n := range tips {
		s.Load[3*n] = r.Load
	}
	refusal.Need(s.Solve(ctx))
	d := refusal.Must(equilibrium.NewDynamics(b, fixed, how, r.Step, density, true, 0, 0))
	defer d.Close()
	copy(d.X, s.X)
	refusal.Need(d.Begin(ctx))
	for step := 0; ; step++ {
		sum := 0.0
		for _, n := range tips {
			sum += d.X[3*n] - nodes[n][0]
		}
		mean = append(mean, sum/float64(len(tips)))
		if step == r.Steps {
			return mean
		}
		refusal.NeedAt(d.Advance(ctx), "release: step %d", step+1)
	}
}
