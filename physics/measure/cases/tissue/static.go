package tissue

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/fem/solid"
)

// runAssembly evaluates a mesh at given places for several laws.
func runAssembly(ctx context.Context, in *verify.Input) any {
	var c struct {
		Mesh      meshInput       `json:"mesh"`
		Materials []materialInput `json:"materials"`
		Deformed  [][3]float64    `json:"deformed_nodes_m"`
		V         any             `json:"v"`
	}
	refusal.Need(in.Decode(&c))
	refusal.If(len(c.Deformed) != len(c.Mesh.Nodes),
		"deformed_nodes_m: %d places for %d nodes", len(c.Deformed), len(c.Mesh.Nodes))
	x := flat(c.Deformed)
	v := vector(c.V, len(x))
	var results []map[string]any
	least := math.Inf(1)
	for i := range c.Materials {
		refusal.Need(ctx.Err())
		at := fmt.Sprintf("materials[%d]", i)
		b := refusal.In(at, func() *solid.Body { return c.Mesh.body(&c.Materials[i]) })
		f, kv := make([]float64, len(x)), make([]float64, len(x))
		b.Forces(f, x)
		b.MulTangent(kv, x, v)
		least, _ = b.MinJ(x)
		results = append(results, map[string]any{"energy_J": b.Energy(x), "internal_force_N": triples(f), "K_v_norm_N": equilibrium.Norm(kv), "v_K_v": equilibrium.Inner(v, kv),
			"K_v_first_20_nodes_N": triples(kv)[:min(20, len(kv)/3)]})
	}
	return map[string]any{"results": results, "min_J": least}
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

// heldInput is a body with the nodes that hold it.
type heldInput struct {
	Mesh     meshInput     `json:"mesh"`
	Material materialInput `json:"material"`
	Fixed    []int         `json:"fixed_nodes"`
}

func (in *heldInput) body() *solid.Body { return in.Mesh.body(&in.Material) }

func (in *heldInput) fixed() []int32 { return in.nodes("fixed_nodes", in.Fixed) }

func (in *heldInput) nodes(name string, nodes []int) []int32 {
	return nodeList(name, nodes, len(in.Mesh.Nodes))
}

// nodeList checks the nodes of a list.
func nodeList(name string, nodes []int, n int) []int32 {
	var out []int32
	for i, id := range nodes {
		refusal.If(id < 0 || id >= n, "%s[%d]: node %d does not exist (cure: 0 to %d)", name, i, id, n-1)
		out = append(out, int32(id))
	}
	return out
}

// nodalForces fills loads from rows of node, fx, fy, fz.
func nodalForces(load []float64, rows [][4]float64) {
	for i, r := range rows {
		n := int(r[0])
		refusal.If(float64(n) != r[0] || n < 0 || 3*n >= len(load),
			"nodal_forces_N[%d]: node %g does not exist (cure: 0 to %d)", i, r[0], len(load)/3-1)
		for k := range 3 {
			load[3*n+k] += r[1+k]
		}
	}
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
	heldInput
	Prescribed [][3]float64 `json:"prescribed"`
	Forces     [][4]float64 `json:"nodal_forces_N"`
}

// runStatic finds an equilibrium.
func runStatic(ctx context.Context, in *verify.Input) any {
	c := verify.Of[staticInput](in)
	b := c.body()
	s := refusal.Must(equilibrium.NewStatics(b, c.fixed()))
	defer s.Close()
	nodalForces(s.Load, c.Forces)
	var dofs []int
	for i, p := range c.Prescribed {
		n, axis := int(p[0]), int(p[1])
		refusal.If(float64(n) != p[0] || float64(axis) != p[1],
			"prescribed[%d]: node %g, axis %g (cure: whole numbers)", i, p[0], p[1])
		refusal.NeedAt(s.Prescribe(int32(n), axis, p[2]), "prescribed[%d]", i)
		dofs = append(dofs, 3*n+axis)
	}
	refusal.Need(s.Solve(ctx))
	u := displacements(b, s.X)
	low, high := b.Mesh.Bounds()
	edges := high.Sub(low)
	reactions := make([]float64, len(u))
	s.Reactions(reactions)
	least, _ := b.MinJ(s.X)
	most := longest(triples(u))
	out := map[string]any{"energy_J": b.Energy(s.X), "norm2_m": equilibrium.Norm(u), "max_norm_m": most, "max_over_size": most / max(edges[0], edges[1], edges[2]),
		"min_J": least, "displacements_m": triples(u)}
	if len(c.Fixed) > 0 {
		out["reaction_fixed_sum_N"] = sumOf(reactions, nodeDofs(c.Fixed))
	}
	if len(dofs) > 0 {
		out["reaction_prescribed_sum_N"] = sumOf(reactions, dofs)
	}
	derived(&c, b, s.X, reactions, out)
	return out
}

// runPunch presses a flat punch into a box.
func runPunch(ctx context.Context, in *verify.Input) any {
	var c struct {
		heldInput
		Punch  []int     `json:"punch_nodes"`
		Axes   []int     `json:"prescribed_axes"`
		Same   bool      `json:"unilateral_equals_bilateral,omitempty"`
		Depths []float64 `json:"depths_m"`
	}
	refusal.Need(in.Decode(&c))
	refusal.If(!slices.Contains(c.Axes, 2) || len(c.Punch) == 0 || len(c.Depths) == 0,
		"a punch has nodes and depths, and presses along axis 2: prescribed_axes holds 2")
	b, fixed := c.body(), c.fixed()
	c.nodes("punch_nodes", c.Punch)
	s := refusal.Must(equilibrium.NewStatics(b, fixed))
	defer s.Close()
	var path []map[string]any
	var u, pressing []float64
	reactions := make([]float64, 3*len(c.Mesh.Nodes))
	for _, depth := range c.Depths {
		for _, n := range c.Punch {
			for _, axis := range c.Axes {
				v := 0.0
				if axis == 2 {
					v = -depth
				}
				refusal.Need(s.Prescribe(int32(n), axis, v))
			}
		}
		refusal.Need(s.Solve(ctx))
		s.Reactions(reactions)
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
	return map[string]any{"path": path, "final_nodal_forces_on_punch_nodes_N": triples(pressing), "displacements_m": triples(u)}
}
