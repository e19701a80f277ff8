package verify

import (
	"encoding/json"
	"fmt"
	"math"

	"hapco/physics/machinery/refusal"
)

// Check is one expected number beside ours.
type Check struct {
	Name      string // what and where: "samples[3].position_m[0][2]"
	Expected  float64
	Ours      float64
	Error     float64 // in the measure of the tolerance: absolute, or a share of some scale
	Tolerance float64
}

// Passed tells whether the error is within the tolerance; one that is no number is not.
func (k Check) Passed() bool { return k.Error <= k.Tolerance }

// Absolute is a check whose error is the distance from the expected number.
func Absolute(name string, want, got, tol float64) Check {
	return Check{Name: name, Expected: want, Ours: got, Error: math.Abs(got - want), Tolerance: tol}
}

// Over is the check with its error as a share of a scale.
func (k Check) Over(scale float64) Check {
	k.Error /= scale
	return k
}

// CompareNumbers holds every number of c.Expected against the number at the same place of the outputs. The error of a
// number is its distance from the expected one over the largest number of the same named result, at most
// tolerance.relative (1e-9 where the case says nothing); where all of a result are 0, the distance itself, at most
// 1e-12. A result that is missing, or of another shape, is an error.
func CompareNumbers(c *Case, outputs any) []Check {
	members, _ := Plain(outputs).(map[string]any)
	tol := c.Tol("relative", 1e-9)
	var checks []Check
	for _, name := range sorted(c.Expected) {
		first := len(checks)
		pairUp(c.Expected[name], members[name], name, &checks)
		scale(checks[first:], tol)
	}
	return checks
}

// scale turns the absolute errors of one result into shares of its largest expected number and sets their tolerance.
// Where all are 0 the errors stay absolute, at most 1e-12.
func scale(checks []Check, tol float64) {
	scale := 0.0
	for _, k := range checks {
		scale = math.Max(scale, math.Abs(k.Expected))
	}
	for i := range checks {
		if scale > 0 {
			checks[i].Error /= scale
			checks[i].Tolerance = tol
		} else {
			checks[i].Tolerance = 1e-12
		}
	}
}

// Plain is what encoding/json makes of a value's JSON.
func Plain(v any) (out any) {
	refusal.Need(json.Unmarshal(refusal.Must(json.Marshal(v)), &out))
	return out
}

// pairUp appends a check, with its absolute error, for each number of want.
func pairUp(want, got any, path string, checks *[]Check) {
	mismatch := refusal.Of("%s: %s is expected, which this kind does not give (it gives %s)", path, what(want), what(got))
	switch want := want.(type) {
	case float64:
		x, ok := got.(float64)
		if !ok {
			panic(mismatch)
		}
		*checks = append(*checks, Check{Name: path, Expected: want, Ours: x, Error: math.Abs(x - want)})
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			panic(mismatch)
		}
		for i := range want {
			pairUp(want[i], list[i], fmt.Sprintf("%s[%d]", path, i), checks)
		}
	case map[string]any:
		members, ok := got.(map[string]any)
		if !ok {
			panic(mismatch)
		}
		for _, key := range sorted(want) {
			pairUp(want[key], members[key], join(path, key), checks)
		}
	case nil:
	default: // a word or a truth value: the same or not
		if got == nil {
			panic(mismatch)
		}
		k := Check{Name: path}
		if got != want {
			k = Check{Name: fmt.Sprintf("%s (%s expected, %s here)", path, what(want), what(got)), Expected: math.NaN(), Ours: math.NaN(), Error: math.Inf(1)}
		}
		*checks = append(*checks, k)
	}
}
