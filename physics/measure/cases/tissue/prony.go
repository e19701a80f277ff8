package tissue

import (
	"context"
	"fmt"

	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/fem/solid"
)

type pronyInput struct {
	G      []float64 `json:"g"`
	Tau    []float64 `json:"tau_s"`
	Target string    `json:"target,omitempty"`
}

func (p *pronyInput) series(law solid.Law, target string) solid.Prony {
	out := solid.Prony{G: p.G, Tau: p.Tau, All: target == "all"}
	refusal.Unless(len(p.G) == len(p.Tau) && out.Infinity() >= 0, "prony: as many g as tau_s, and a sum of g of 1 at most")
	for i := range p.G {
		refusal.Unless(p.G[i] >= 0 && p.Tau[i] > 0, "prony: g = %g, tau_s = %g (cure: 0 or more, above 0)", p.G[i], p.Tau[i])
	}
	refusal.If(target != "all" && target != "iso", "prony target %q (cure: iso or all)", target)
	refusal.If(target == "iso" && !solid.Splits(law),
		"prony target iso: the law has no isochoric part (cure: neo_hookean_isovol, mooney_rivlin or ogden, or target all)")
	return out
}

// runRelaxation evaluates a Prony series.
func runRelaxation(_ context.Context, in *verify.Input) any {
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
	refusal.Need(in.Decode(&c))
	plain := c.Prony.series(nil, "all")
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
			refusal.If(n < 1 || n > 1_000_000 || !(r.Step > 0),
				"discrete_step_relaxation: n = %d, h_s = %g (cure: 1 or more, above 0)", n, r.Step)
			g = append(g, g0*heldStrain(plain, r.Step, n))
		}
		out["discrete_step_relaxation"] = map[string]any{"G_Pa": g}
	}
	var histories []map[string]any
	for i := range c.Histories {
		h := &c.Histories[i]
		refusal.Unless(c.Step > 0, "step_s = %g (cure: above 0)", c.Step)
		at := fmt.Sprintf("histories[%d]", i)
		law := refusal.In(at, h.Material.law)
		series := refusal.In(at, func() solid.Prony { return c.Prony.series(law, h.Target) })
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
	return out
}

// heldStrain is the modulus over the instantaneous one at the end of step n, when the strain grows during the first
// step and is held.
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
func runViscous(ctx context.Context, in *verify.Input) any {
	var c struct {
		heldInput
		Prony pronyInput `json:"prony"`
		Step  float64    `json:"step_s"`
		Steps int        `json:"steps"`
		Top   []int      `json:"top_nodes"`
		Path  []float64  `json:"top_uz_m"`
	}
	refusal.Need(in.Decode(&c))
	refusal.If(!(c.Step > 0) || len(c.Path) != c.Steps,
		"step_s = %g, %d steps, %d values of top_uz_m (cure: a step above 0, and a value for each)", c.Step, c.Steps, len(c.Path))
	b := c.body()
	law := c.Material.law()
	series := c.Prony.series(law, c.Prony.Target)
	fixed, top := c.fixed(), c.nodes("top_nodes", c.Top)
	refusal.If(c.Mesh.Element == "hex8_ce",
		"mesh.element hex8_ce is linear and has no viscoelastic form (cure: hex8 or hex8_md)")
	s := refusal.Must(equilibrium.NewStatics(b, fixed))
	defer s.Close()
	memory := solid.NewViscous(b, law, series)
	reactions := make([]float64, 3*len(c.Mesh.Nodes))
	var force []any
	for _, uz := range c.Path {
		for _, n := range top {
			for axis, v := range []float64{0, 0, uz} {
				refusal.Need(s.Prescribe(n, axis, v))
			}
		}
		memory.Begin(c.Step)
		refusal.Need(s.Solve(ctx))
		s.Reactions(reactions)
		force = append(force, sumOf(reactions, nodeDofs(c.Top)))
		memory.End(c.Step, s.X)
	}
	return map[string]any{"force_on_top_nodes_N": force, "displacements_m": triples(displacements(b, s.X))}
}
