package scene

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
)

// The functions below turn one TOML value into a Go value. Their errors are
// Errors without a place; the caller knows the key.

func wrongType(v any, want string) *Error {
	return fault("", "give "+want, "%s does not fit", describe(v))
}

// describe names a value the way a user would.
func describe(v any) string {
	switch x := v.(type) {
	case string:
		if len(x) > 40 {
			x = x[:40] + "..."
		}
		return fmt.Sprintf("the text %q", x)
	case bool:
		return fmt.Sprintf("%v", x)
	case int64, float64:
		return fmt.Sprintf("the number %v", x)
	case []any:
		return fmt.Sprintf("a list of %d", len(x))
	case []map[string]any:
		return "a list of tables"
	case map[string]any:
		return "a table"
	}
	return fmt.Sprintf("a value of type %T", v)
}

func number(v any) (float64, *Error) {
	switch x := v.(type) {
	case int64:
		return float64(x), nil
	case float64:
		if math.IsNaN(x) {
			return 0, fault("", "give a number", "nan is not a number")
		}
		return x, nil
	}
	return 0, wrongType(v, "a number")
}

func integer(v any) (int, *Error) {
	x, ok := v.(int64)
	if !ok {
		return 0, wrongType(v, "a whole number")
	}
	if x > math.MaxInt32 || x < math.MinInt32 {
		return 0, fault("", fmt.Sprintf("at most %d", math.MaxInt32), "%d is too large", x)
	}
	return int(x), nil
}

func boolean(v any) (bool, *Error) {
	if b, ok := v.(bool); ok {
		return b, nil
	}
	return false, wrongType(v, "true or false")
}

func text(v any) (string, *Error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", wrongType(v, "a text in quotes")
}

func list(v any, n int, want string) ([]any, *Error) {
	l, ok := v.([]any)
	if !ok || n >= 0 && len(l) != n {
		return nil, wrongType(v, want)
	}
	return l, nil
}

func vector(v any, scale float64) (mgl64.Vec3, *Error) {
	l, err := list(v, 3, "three numbers, [x, y, z]")
	if err != nil {
		return mgl64.Vec3{}, err
	}
	var out mgl64.Vec3
	for i := range out {
		if out[i], err = number(l[i]); err != nil {
			return mgl64.Vec3{}, err
		}
		out[i] = times(out[i], scale)
	}
	return out, nil
}

// times multiplies by a unit. A factor below 1 divides by its inverse: 35 mm is
// then 0.035 to the last bit, which 35*0.001 is not.
func times(x, scale float64) float64 {
	if scale > 0 && scale < 1 {
		if inverse := math.Round(1 / scale); inverse > 0 && math.Abs(inverse*scale-1) < 1e-12 {
			return x / inverse
		}
	}
	return x * scale
}

// word picks one of a few words.
func word[T any](v any, words []string, values []T) (T, *Error) {
	var zero T
	s, err := text(v)
	if err != nil {
		return zero, err
	}
	i := slices.Index(words, s)
	if i < 0 {
		return zero, fault("", "one of "+strings.Join(words, ", "), "unknown word %q", s)
	}
	return values[i], nil
}

// color reads [r, g, b] with 0..1, or "#rrggbb".
func color(v any) (mgl64.Vec3, *Error) {
	s, ok := v.(string)
	if !ok {
		return vector(v, 1)
	}
	var r, g, b uint8
	if n, _ := fmt.Sscanf(s, "#%02x%02x%02x", &r, &g, &b); n != 3 || len(s) != 7 {
		return mgl64.Vec3{}, fault("", `"#rrggbb", or [r, g, b] with 0 to 1`, "unknown colour %q", s)
	}
	return mgl64.Vec3{float64(r), float64(g), float64(b)}.Mul(1.0 / 255), nil
}

// rotation reads angles in degrees about the fixed axes x, then y, then z.
func rotation(v any) (mgl64.Quat, *Error) {
	a, err := vector(v, math.Pi/180)
	if err != nil {
		return mgl64.Quat{}, err
	}
	for _, x := range a {
		if math.IsInf(x, 0) {
			return mgl64.Quat{}, fault("", "give three finite angles", "an angle is infinite")
		}
	}
	x := mgl64.QuatRotate(a[0], mgl64.Vec3{1, 0, 0})
	y := mgl64.QuatRotate(a[1], mgl64.Vec3{0, 1, 0})
	z := mgl64.QuatRotate(a[2], mgl64.Vec3{0, 0, 1})
	return z.Mul(y).Mul(x).Normalize(), nil
}

var sideWords = []string{"left", "right", "bottom", "top", "back", "front", "end"}
var sideValues = []Side{Left, Right, Bottom, Top, Back, Front, Left}

// String is the word of the scene file.
func (s Side) String() string {
	if int(s) < 6 {
		return sideWords[s]
	}
	return "unknown"
}

// selector reads a side, "default", "all", "none" or the name of a node set;
// or a table with one of side, set, nodes, or min and max.
func selector(v any, u Units) (Selector, *Error) {
	const want = `"bottom" or another side, "default", the name of a node set, or { min = [x, y, z], max = [x, y, z] }`
	if s, ok := v.(string); ok {
		if i := slices.Index(sideWords, s); i >= 0 {
			return Selector{Kind: SelectSide, Side: sideValues[i]}, nil
		}
		switch s {
		case "none":
			return Selector{Kind: SelectNone}, nil
		case "all":
			return Selector{Kind: SelectAll}, nil
		case "default":
			return Selector{Kind: SelectDefault}, nil
		case "":
			return Selector{}, fault("", want, "the name is empty")
		}
		return Selector{Kind: SelectSet, Set: s}, nil
	}
	t, ok := v.(map[string]any)
	if !ok {
		return Selector{}, wrongType(v, want)
	}
	for k := range t {
		if !slices.Contains([]string{"side", "set", "nodes", "min", "max"}, k) {
			return Selector{}, fault(k, "it has side, set, nodes, or min and max", "unknown key %q", k)
		}
	}
	var out Selector
	var err *Error
	_, hasMin := t["min"]
	_, hasMax := t["max"]
	switch {
	case len(t) == 2 && hasMin && hasMax:
		out.Kind = SelectBox
		if out.Min, err = vector(t["min"], u.toSI(length)); err != nil {
			return Selector{}, err
		}
		out.Max, err = vector(t["max"], u.toSI(length))
	case len(t) != 1 || hasMin || hasMax:
		return Selector{}, fault("", "side, set or nodes alone, or min and max together", "a selection needs one way to select")
	case t["side"] != nil:
		out.Kind = SelectSide
		out.Side, err = word(t["side"], sideWords, sideValues)
	case t["set"] != nil:
		out.Kind = SelectSet
		if out.Set, err = text(t["set"]); err == nil && out.Set == "" {
			err = fault("", "give the name of a node set", "the name is empty")
		}
	default:
		out.Kind = SelectNodes
		var l []any
		if l, err = list(t["nodes"], -1, "a list of node numbers"); err != nil {
			break
		}
		for _, n := range l {
			id, err := integer(n)
			if err != nil {
				return Selector{}, err
			}
			if id < 0 {
				return Selector{}, fault("", "numbers start at 0", "node %d does not exist", id)
			}
			out.Nodes = append(out.Nodes, int32(id))
		}
		slices.Sort(out.Nodes)
		out.Nodes = slices.Compact(out.Nodes)
	}
	if err != nil {
		return Selector{}, err
	}
	return out, nil
}
