package setting

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
)

// The functions below turn one TOML value into a Go value. Their errors are Errors without a place; the caller knows
// the key.

// WrongType is the error of a value that is no want.
func WrongType(v any, want string) *Error {
	return Fault("", "give "+want, "%s does not fit", describe(v))
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

// Largest and Least bound the numbers of scene files, in SI units; 0 is allowed as well. Products of ten of them are
// doubles, and no world is larger than 1e15 m or heavier than 1e15 kg.
const (
	largestNumber = 1e15
	leastNumber   = 1e-30
)

// ReadNumber reads a number: within the bounds, or inf where the key has a meaning for it, which its range says.
func ReadNumber(v any) (float64, *Error) {
	switch x := v.(type) {
	case int64:
		return float64(x), bounded(float64(x), v)
	case float64:
		if math.IsNaN(x) {
			return 0, Fault("", "give a number", "nan is not a number")
		}
		return x, bounded(x, v)
	}
	return 0, WrongType(v, "a number")
}

// bounded refuses numbers that no world has, in SI units; inf is left to the range.
func bounded(x float64, written any) *Error {
	if a := math.Abs(x); a > largestNumber && !math.IsInf(x, 0) {
		return Fault("", fmt.Sprintf("at most %g in SI units", largestNumber), "%v is too large", written)
	} else if a < leastNumber && a != 0 {
		return Fault("", fmt.Sprintf("0, or at least %g in SI units", leastNumber), "%v is too small", written)
	}
	return nil
}

// ReadInteger reads a whole number.
func ReadInteger(v any) (int, *Error) {
	x, ok := v.(int64)
	if !ok {
		return 0, WrongType(v, "a whole number")
	}
	if x > math.MaxInt32 || x < math.MinInt32 {
		return 0, Fault("", fmt.Sprintf("at most %d", math.MaxInt32), "%d is too large", x)
	}
	return int(x), nil
}

func readBool(v any) (bool, *Error) {
	if b, ok := v.(bool); ok {
		return b, nil
	}
	return false, WrongType(v, "true or false")
}

// ReadText reads a text.
func ReadText(v any) (string, *Error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", WrongType(v, "a text in quotes")
}

// ReadList reads a list of n values, of any number where n is negative.
func ReadList(v any, n int, want string) ([]any, *Error) {
	l, ok := v.([]any)
	if !ok || n >= 0 && len(l) != n {
		return nil, WrongType(v, want)
	}
	return l, nil
}

// ReadVector reads three numbers, times scale.
func ReadVector(v any, scale float64) (mgl64.Vec3, *Error) {
	l, err := ReadList(v, 3, "three numbers, [x, y, z]")
	if err != nil {
		return mgl64.Vec3{}, err
	}
	var out mgl64.Vec3
	for i := range out {
		if out[i], err = ReadNumber(l[i]); err != nil {
			return mgl64.Vec3{}, err
		}
		out[i] = Times(out[i], scale)
		if err := bounded(out[i], l[i]); err != nil {
			return mgl64.Vec3{}, err
		}
		if math.IsInf(out[i], 0) {
			return mgl64.Vec3{}, Fault("", "give three finite numbers", "a number of %v is infinite", l)
		}
	}
	return out, nil
}

// Times multiplies by a unit. A factor below 1 divides by its inverse: 35 mm is then 0.035 to the last bit, which
// 35*0.001 is not.
func Times(x, scale float64) float64 {
	if scale > 0 && scale < 1 {
		if inverse := math.Round(1 / scale); inverse > 0 && math.Abs(inverse*scale-1) < 1e-12 {
			return x / inverse
		}
	}
	return x * scale
}

// ReadWord picks one of a few words.
func ReadWord[T any](v any, words []string, values []T) (T, *Error) {
	var zero T
	s, err := ReadText(v)
	if err != nil {
		return zero, err
	}
	i := slices.Index(words, s)
	if i < 0 {
		return zero, Fault("", "one of "+strings.Join(words, ", "), "unknown word %q", s)
	}
	return values[i], nil
}

// ReadColor reads [r, g, b] with 0..1, or "#rrggbb".
func ReadColor(v any) (mgl64.Vec3, *Error) {
	s, ok := v.(string)
	if !ok {
		return ReadVector(v, 1)
	}
	var r, g, b uint8
	if n, _ := fmt.Sscanf(s, "#%02x%02x%02x", &r, &g, &b); n != 3 || len(s) != 7 {
		return mgl64.Vec3{}, Fault("", `"#rrggbb", or [r, g, b] with 0 to 1`, "unknown colour %q", s)
	}
	return mgl64.Vec3{float64(r), float64(g), float64(b)}.Mul(1.0 / 255), nil
}

// ReadRotation reads angles in degrees about the fixed axes x, then y, then z.
func ReadRotation(v any) (mgl64.Quat, *Error) {
	a, err := ReadVector(v, math.Pi/180)
	if err != nil {
		return mgl64.Quat{}, err
	}
	x := mgl64.QuatRotate(a[0], mgl64.Vec3{1, 0, 0})
	y := mgl64.QuatRotate(a[1], mgl64.Vec3{0, 1, 0})
	z := mgl64.QuatRotate(a[2], mgl64.Vec3{0, 0, 1})
	return z.Mul(y).Mul(x).Normalize(), nil
}

// Positive tells whether all numbers are above 0 and within the bounds of scene files: sizes, masses and moduli, by
// which worlds divide. Their fifth powers are doubles as well.
func Positive(xs ...float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return !(x >= leastPositive && x <= largestNumber) })
}

const leastPositive = 1e-15

// Need turns a failed check into an Error about the value of a key.
func Need(ok bool, key string, value any, cure string) *Error {
	if ok {
		return nil
	}
	return Fault(key, cure, "%s = %v is out of range", place.ReplaceAllString(key, ""), value)
}

// Unless is a Fault where something is not right.
func Unless(right bool, key, cure, format string, args ...any) *Error {
	if right {
		return nil
	}
	return Fault(key, cure, format, args...)
}

// place is what stands before a key's own words: a table's name and index.
var place = regexp.MustCompile(`^(body|pair|probes)\.[^.]*\.|^path\.[^.]*\.[^.]*\.`)

// First is the first error of a list, or nil.
func First(errs ...*Error) *Error { return cmp.Or(errs...) }
