package tissue

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
)

// scaled are results that may vanish, such as the stress of a rotation: they are compared on the scale of the
// material's stiffness.
type scaled struct {
	values map[string]any
	young  float64 // Pa
}

// MarshalJSON writes the values.
func (s scaled) MarshalJSON() ([]byte, error) { return json.Marshal(s.values) }

// roundOff is a sum of forces that cancel: a result without digits, null in JSON.
type roundOff struct{ scale float64 } // of the forces, N

// MarshalJSON writes null.
func (roundOff) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// compare holds each array of numbers against the one expected at its place: the largest difference, and the root of
// the sum of squares, each over that of what is expected. Words are remarks. The tolerance may be that of a formula.
func compare(c *verify.Case, outputs any) []verify.Check {
	k := comparison{tolerance: c.Tol("relative", c.Tol("relative_formula", 1e-6))}
	if s, ok := outputs.(scaled); ok {
		k.young, outputs = s.young, s.values
	}
	k.walk("", "", any(c.Expected), outputs)
	return k.checks
}

type comparison struct {
	tolerance float64
	young     float64
	checks    []verify.Check
}

// walk compares the members of objects and lists, down to arrays of numbers.
func (k *comparison) walk(path, name string, want, got any) {
	if zero, ok := got.(roundOff); ok {
		for i, v := range numbers(want) {
			check := verify.Absolute(fmt.Sprintf("%s[%d]", path, i), v, 0, 1e-9)
			k.checks = append(k.checks, check.Over(zero.scale))
		}
		return
	}
	if _, ok := got.(map[string]any); !ok {
		got = plain(got)
	}
	if list := numbers(want); list != nil {
		k.pair(path, name, list, numbers(got))
		return
	}
	switch want := want.(type) {
	case map[string]any:
		members, _ := got.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(want)) {
			at := key
			if path != "" {
				at = path + "." + key
			}
			k.walk(at, key, want[key], members[key])
		}
	case []any:
		list, _ := got.([]any)
		refusal.If(len(list) != len(want), "%s: %d results expected, this kind gives %d", path, len(want), len(list))
		for i := range want {
			k.walk(fmt.Sprintf("%s[%d]", path, i), name, want[i], list[i])
		}
	}
}

// pair compares two arrays.
func (k *comparison) pair(path, name string, want, got []float64) {
	refusal.If(len(want) != len(got), "%s: %d numbers expected, this kind gives %d", path, len(want), len(got))
	most, norm, off := 0.0, 0.0, 0.0
	for i, v := range want {
		most = math.Max(most, math.Abs(v))
		norm += v * v
		off += (v - got[i]) * (v - got[i])
	}
	floor := 0.0
	switch {
	case strings.HasSuffix(name, "_Pa"):
		floor = 1e-4 * k.young
	case strings.HasPrefix(name, "W_"):
		floor = 1e-5 * k.young
	}
	most, norm = math.Max(most, floor), math.Max(math.Sqrt(norm), floor)
	tolerance := k.tolerance
	if most == 0 {
		most, norm, tolerance = 1, 1, 1e-12
	}
	for i, v := range want {
		where := path
		if len(want) > 1 {
			where = fmt.Sprintf("%s[%d]", path, i)
		}
		k.checks = append(k.checks, verify.Absolute(where, v, got[i], tolerance).Over(most))
	}
	if len(want) > 1 {
		k.checks = append(k.checks, verify.Check{Name: path + " (norm)", Expected: norm, Ours: norm, Error: math.Sqrt(off) / norm, Tolerance: tolerance})
	}
}

// numbers flattens an array of nothing but numbers; nil for anything else.
func numbers(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []any:
		var out []float64
		for _, x := range v {
			part := numbers(x)
			if part == nil {
				return nil
			}
			out = append(out, part...)
		}
		return out
	}
	return nil
}

// plain turns a result into what its JSON reads as; lists of objects keep theirs, for the sake of roundOff.
func plain(v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case []map[string]any:
		out := make([]any, len(v))
		for i, m := range v {
			out[i] = m
		}
		return out
	case []any:
		if slices.ContainsFunc(v, func(x any) bool { _, ok := x.(roundOff); return ok }) {
			return v
		}
	}
	return verify.Plain(v)
}
