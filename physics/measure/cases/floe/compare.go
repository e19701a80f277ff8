package floe

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/numerics/contact/lcp"
	"hapco/physics/worlds/floe"
)

// compareMotion holds each body of each sample against the case, within the tolerances that it states. Of an impact
// only velocities count.
func compareMotion(c *verify.Case, outputs any) []verify.Check {
	ours := outputs.(*motion)
	input := verify.Of[motionInput](&c.Input)
	var want []struct {
		T      float64 `json:"t"`
		Bodies []struct {
			Name     string    `json:"name"`
			Position floe.Vec2 `json:"position_m,omitempty"`
			Angle    float64   `json:"angle_rad,omitempty"`
			Velocity floe.Vec2 `json:"velocity_m_s"`
			Rate     float64   `json:"angular_velocity_rad_s"`
		} `json:"bodies"`
		Kinetic *float64 `json:"kinetic_energy_J,omitempty"`
	}
	c.Want("samples", &want)
	most := 1e-6
	for _, s := range want {
		if s.Kinetic != nil {
			most = max(most, *s.Kinetic)
		}
	}
	var checks []verify.Check
	add := func(name, tolerance string, e, want, got float64) {
		if tol := c.Tol(tolerance, 0); tol > 0 {
			checks = append(checks, verify.Check{Name: name, Expected: want, Ours: got, Error: e, Tolerance: tol})
		}
	}
	for i, s := range want {
		refusal.If(i >= len(ours.Samples) || math.Abs(ours.Samples[i].T-s.T) > 1e-9*max(1, math.Abs(s.T)),
			"expected.samples[%d] is of t = %g s, which is no sample time", i, s.T)
		for _, b := range s.Bodies {
			at := slices.IndexFunc(ours.Samples[i].Bodies, func(o bodyState) bool { return o.Name == b.Name })
			refusal.If(at < 0, "expected.samples[%d]: no body is called %q", i, b.Name)
			g := &ours.Samples[i].Bodies[at]
			where := fmt.Sprintf("samples[%d].%s.", i, b.Name)
			if c.Kind == "trajectory" {
				d := g.Position.Sub(b.Position)
				add(where+"position_m", "position_m", d.Len(), b.Position.Len(), g.Position.Len())
				add(where+"angle_rad", "angle_rad", math.Abs(math.Remainder(g.Angle-b.Angle, 2*math.Pi)), b.Angle, g.Angle)
			}
			d := g.Velocity.Sub(b.Velocity)
			add(where+"velocity_m_s", "velocity_m_s", d.Len(), b.Velocity.Len(), g.Velocity.Len())
			add(where+"angular_velocity_rad_s", "angular_velocity_rad_s", math.Abs(g.Rate-b.Rate), b.Rate, g.Rate)
		}
		if s.Kinetic != nil {
			add(fmt.Sprintf("samples[%d].kinetic_energy_J", i), "energy_rel", math.Abs(ours.Samples[i].Kinetic-*s.Kinetic)/most, *s.Kinetic, ours.Samples[i].Kinetic)
		}
	}
	return append(checks, compareField(c, &input, ours)...)
}

// compareField looks at what a drift without reference positions has to show: no overlap, floes within the channel, and
// a mean way downwind.
func compareField(c *verify.Case, input *motionInput, ours *motion) []verify.Check {
	var dx float64
	var inside floe.Vec2
	hasDx, hasInside := c.Want("mean_dx_min_m", &dx), c.Want("inside_y_m", &inside)
	if !hasDx && !hasInside {
		return nil
	}
	floes := make([]floe.Floe, len(input.Bodies))
	for i := range floes {
		floes[i] = input.Bodies[i].floe(fmt.Sprintf("input.bodies[%d]", i))
	}
	mean, free, out, deep := 0.0, 0.0, 0.0, 0.0
	for k, s := range ours.Samples {
		for i := range floes {
			f := &floes[i]
			f.Position, f.Angle = s.Bodies[i].Position, s.Bodies[i].Angle
			if f.Fixed {
				continue
			}
			m := refusal.Must(f.Measure())
			out = max(out, inside[0]-m.Low[1], m.High[1]-inside[1])
			if k == len(ours.Samples)-1 {
				mean += s.Bodies[i].Position[0] - input.Bodies[i].Position[0]
				free++
			}
		}
		deep += float64(overlaps(floes, input.Contact.Collision))
	}
	checks := []verify.Check{verify.Absolute("overlapping pairs in all samples", 0, deep, 0.5)}
	if hasInside {
		checks = append(checks, verify.Check{Name: "outside inside_y_m, m", Ours: out, Error: max(0, out), Tolerance: 1e-6})
	}
	if hasDx {
		checks = append(checks, verify.Check{Name: "mean_dx_min_m (at least)", Expected: dx, Ours: mean / free, Error: max(0, dx-mean/free), Tolerance: 1e-9})
	}
	return checks
}

// overlaps counts the pairs that are in each other; two obstacles are none.
func overlaps(floes []floe.Floe, collision float64) (count int) {
	for i := range floes {
		for j := range i {
			a, b := &floes[i], &floes[j]
			if a.Fixed && b.Fixed || far(a, b) {
				continue
			}
			n := refusal.Must(floe.Near(a, b, collision))
			if n.Overlap {
				count++
			}
		}
	}
	return count
}

// far tells that the discs around two floes are apart.
func far(a, b *floe.Floe) bool {
	return a.Position.Sub(b.Position).Len() > floe.SectionOf(a.Outline).Radius+floe.SectionOf(b.Outline).Radius
}

// compareProblems asks for z >= 0, w >= 0 and z'w = 0, for a ray where there is no solution, and for one of the listed
// velocities where all are listed.
func compareProblems(c *verify.Case, outputs any) []verify.Check {
	ours := outputs.(*problems)
	input := verify.Of[problemsInput](&c.Input)
	var want []struct {
		Name       string `json:"name"`
		Solvable   *bool  `json:"solvable,omitempty"`
		Unique     bool   `json:"velocity_unique,omitempty"`
		Singular   any    `json:"singular_modes,omitempty"`
		Velocities []any  `json:"velocity_solutions,omitempty"` // objects with W_plus, and more for reading
		All        any    `json:"all_solutions,omitempty"`
		Note       any    `json:"note,omitempty"`
	}
	c.Want("problems", &want)
	var checks []verify.Check
	for _, e := range want {
		at := slices.IndexFunc(input.Problems, func(p problemInput) bool { return p.Name == e.Name })
		refusal.If(at < 0, "expected.problems: %q is not in input.problems", e.Name)
		p, s := &input.Problems[at], &ours.Problems[at]
		if e.Solvable != nil && !*e.Solvable {
			k := verify.Check{Name: e.Name + " ends in a ray", Tolerance: 0.5}
			if s.Status != lcp.Ray.String() {
				k.Error = 1
			}
			checks = append(checks, k)
			continue
		}
		if s.Z == nil {
			checks = append(checks, verify.Check{Name: e.Name + " has no solution: " + s.Status, Error: math.Inf(1)})
			continue
		}
		residual := lcp.Violation(slices.Concat(p.M...), p.Q, s.Z)
		checks = append(checks, verify.Absolute(e.Name+".residual", 0, residual, c.Tol("residual", 1e-8)))
		if len(e.Velocities) > 0 && (e.Unique || e.Singular == nil || e.Singular == 0.0) {
			least := math.Inf(1)
			w := p.velocities(s.Z)
			for k, v := range e.Velocities {
				members, _ := v.(map[string]any)
				var plus []float64
				refusal.Need(verify.Decode(members["W_plus"], &plus, fmt.Sprintf("expected %s.velocity_solutions[%d].W_plus", e.Name, k)))
				refusal.If(len(plus) != len(w),
					"expected %s.velocity_solutions[%d].W_plus has %d numbers, W_minus %d", e.Name, k, len(plus), len(w))
				worst := 0.0
				for i := range plus {
					worst = max(worst, math.Abs(w[i]-plus[i]))
				}
				least = min(least, worst)
			}
			checks = append(checks, verify.Absolute(e.Name+".W_plus", 0, least, c.Tol("velocity", 1e-6)))
		}
	}
	return checks
}

// velocities after the impulses z: W+ = W- + X (J lambda + D beta~).
func (p *problemInput) velocities(z []float64) []float64 {
	w := slices.Clone(p.Before)
	for i := range w {
		for j, x := range p.J[i] {
			w[i] += p.InverseMass[i] * x * z[j]
		}
		for j, x := range p.D[i] {
			w[i] += p.InverseMass[i] * x * z[len(p.J[i])+j]
		}
	}
	return w
}

// compareStress holds stresses against those expected, relative to a scale.
func compareStress(c *verify.Case, outputs any) []verify.Check {
	ours := outputs.(*stresses)
	var want []struct {
		X         floe.Vec2  `json:"x_m"`
		Stress    [3]float64 `json:"stress_Pa"`
		Principal any        `json:"sigma1_Pa,omitempty"`
	}
	c.Want("points", &want)
	scale, tol := c.Tol("stress_scale_Pa", 1), c.Tol("relative_to_scale", 1e-2)
	var checks []verify.Check
	for i, e := range want {
		at := slices.IndexFunc(ours.Points, func(s stressAt) bool { return s.X.Sub(e.X).Len() < 1e-6 })
		refusal.If(at < 0, "expected.points[%d] is no point of input.points_m", i)
		for j, name := range [3]string{"xx", "yy", "xy"} {
			k := verify.Absolute(fmt.Sprintf("points[%d].%s", i, name), e.Stress[j], ours.Points[at].Stress[j], tol)
			checks = append(checks, k.Over(scale))
		}
	}
	return checks
}

// compareValues holds each named value against the case, relative to its largest number, and contacts by the closest
// one.
func compareValues(c *verify.Case, outputs any) []verify.Check {
	ours := outputs.(*results)
	values, _ := c.Expected["values"].(map[string]any)
	var checks []verify.Check
	rel, abs := c.Tol("relative", 1e-9), c.Tol("absolute", 0)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v, part := values[name], *c
		part.Expected, part.Tolerance = map[string]any{name: v}, nil
		all := verify.CompareNumbers(&part, map[string]any{name: ours.Values[name]})
		// What is 0 but for round-off is compared as it is.
		scale := 0.0
		for _, k := range all {
			scale = max(scale, math.Abs(k.Expected))
		}
		slack := 1e-12
		if scale < abs {
			slack = abs
		}
		for _, k := range all {
			if k.Error = math.Abs(k.Ours - k.Expected); k.Expected != k.Expected {
				k.Error = math.Inf(1) // a word, or a truth value, that differs
			}
			k.Tolerance = rel
			k.Error *= rel / (rel*scale + slack)
			checks = append(checks, k)
		}
	}
	var want []struct {
		Point  floe.Vec2 `json:"point_m"`
		Normal floe.Vec2 `json:"normal_low_to_high"`
		Gap    float64   `json:"gap_m"`
		Low    any       `json:"low,omitempty"`
		High   any       `json:"high,omitempty"`
	}
	if !c.Want("contacts", &want) {
		return checks
	}
	checks = append(checks, verify.Absolute("number of contacts", float64(len(want)), float64(len(ours.Contacts)), 0.5))
	for i, e := range want {
		if len(ours.Contacts) == 0 {
			break
		}
		away := func(g contactAt) float64 { return g.Point.Sub(e.Point).Len() }
		g := slices.MinFunc(ours.Contacts, func(a, b contactAt) int { return cmp.Compare(away(a), away(b)) })
		where := fmt.Sprintf("contacts[%d].", i)
		checks = append(checks, verify.Absolute(where+"point_m", 0, away(g), c.Tol("point_m", 1e-9)),
			verify.Absolute(where+"normal", 0, g.Normal.Sub(e.Normal).Len(), 1e-9),
			verify.Absolute(where+"gap_m", e.Gap, g.Gap, 1e-9))
	}
	return checks
}
