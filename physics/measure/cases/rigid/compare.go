package rigid

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
)

// compareSamples compares the samples, and closed forms beside them.
func compareSamples(c *verify.Case, outputs any) []verify.Check {
	ours, _ := verify.Plain(outputs).(map[string]any)
	tol := c.Tol("converged_adaptive_or_high_order", 1e-8)
	var checks []verify.Check
	for _, name := range []string{"samples", "contact_events"} {
		if want, ok := c.Expected[name]; ok {
			compareTree(want, ours[name], name, tol, &checks)
		}
	}
	if want, ok := c.Expected["scalars"]; ok {
		// The turning points of a steadily precessing top are a double root, which double precision knows to half its
		// digits.
		const scalars = 1e-7
		first := len(checks)
		compareTree(want, ours["scalars"], "scalars", scalars, &checks)
		relative(checks[first:])
	}
	return checks
}

// compareRuns compares the runs of a discrete case.
func compareRuns(c *verify.Case, outputs any) []verify.Check {
	ours, _ := verify.Plain(outputs).(map[string]any)
	var checks []verify.Check
	compareTree(c.Expected["runs"], ours["runs"], "runs", c.Tol("", 1e-9), &checks)
	return checks
}

// compareTree appends a check for each number of want. Words must agree but for formulas; quaternions are compared up
// to their sign, by the angle between them.
func compareTree(want, got any, path string, tol float64, checks *[]verify.Check) {
	switch want := want.(type) {
	case float64:
		x, ok := got.(float64)
		refusal.Unless(ok, "expected.%s is a number that this case does not give", path)
		*checks = append(*checks, verify.Check{Name: path, Expected: want, Ours: x, Error: math.Abs(x - want), Tolerance: tol})
	case []any:
		list, ok := got.([]any)
		refusal.If(!ok || len(list) != len(want),
			"expected.%s has %d entries, which this case does not give", path, len(want))
		if strings.HasSuffix(path, ".quaternion") && len(want) == 4 {
			if product(want, list) < 0 {
				list = slices.Clone(list)
				for k := range list {
					list[k] = -list[k].(float64)
				}
			}
		}
		for i := range want {
			compareTree(want[i], list[i], fmt.Sprintf("%s[%d]", path, i), tol, checks)
		}
	case map[string]any:
		members, ok := got.(map[string]any)
		refusal.Unless(ok, "expected.%s is an object that this case does not give", path)
		for _, key := range slices.Sorted(maps.Keys(want)) {
			compareTree(want[key], members[key], path+"."+key, tol, checks)
		}
	case bool:
		refusal.If(got != want, "expected.%s is %v, here %v", path, want, got)
	}
	// words are remarks: names, types, formulas
}

func product(a, b []any) (s float64) {
	for k := range a {
		x, _ := a[k].(float64)
		y, _ := b[k].(float64)
		s += x * y
	}
	return s
}

// relative turns errors into shares of the expected numbers, where these are not 0.
func relative(checks []verify.Check) {
	for i := range checks {
		checks[i] = checks[i].Over(cmp.Or(math.Abs(checks[i].Expected), 1))
	}
}

// compareScalars compares closed forms relative to themselves, and frequencies of the finite elements to the tolerances
// of bending and torsion.
func compareScalars(c *verify.Case, outputs any) []verify.Check {
	ours, _ := verify.Plain(outputs).(map[string]any)
	want, _ := c.Expected["scalars"].(map[string]any)
	theirs, _ := ours["scalars"].(map[string]any)
	var checks []verify.Check
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if key == "fem_3d_meshes" { // how the reference converged
			continue
		}
		first := len(checks)
		compareTree(want[key], theirs[key], "scalars."+key, c.Tol("Euler_Bernoulli_relative", 1e-9), &checks)
		relative(checks[first:])
		if key != "fem_3d" {
			continue
		}
		for i := first; i < len(checks); i++ {
			checks[i].Tolerance = c.Tol("FEM_bending_relative", 1e-3)
			if place := strings.TrimSuffix(strings.TrimPrefix(checks[i].Name, "scalars.fem_3d."), ".f_Hz"); isTorsion(want[key], place) {
				checks[i].Tolerance = c.Tol("FEM_torsion_relative", 3e-3)
			}
		}
	}
	return checks
}

// isTorsion tells whether the frequency at a place such as "free_free_Hz[7]" is that of a torsion mode.
func isTorsion(fem any, place string) bool {
	var k int
	name, index, ok := strings.Cut(place, "[")
	if _, err := fmt.Sscanf(index, "%d]", &k); !ok || err != nil {
		return false
	}
	members, _ := fem.(map[string]any)
	list, _ := members[name].([]any)
	if k >= len(list) {
		return false
	}
	mode, _ := list[k].(map[string]any)
	return mode["type"] == "torsion"
}
