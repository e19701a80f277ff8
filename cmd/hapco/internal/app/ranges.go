package app

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"hapco/physics/files/setting"
)

// quantities are the words of the tag of: what a flag with a unit is.
var quantities = map[string]setting.Quantity{"length": setting.Length, "speed": setting.Speed, "pressure": setting.Pressure}

var durations = reflect.TypeFor[time.Duration]()

// CheckRanges refuses the first number of a command line that is outside of its range. The range of a flag is its tag
// in: values and intervals with | between, as 0|0.5..4; ends count, nan never does. A flag that is a text with a unit
// names its quantity in the tag of, and its range in SI units.
func CheckRanges(k *kong.Context) error {
	for _, f := range k.Flags() {
		if err := checkRange(f.Value); err != nil {
			return BadInput(fmt.Errorf("%s: --%s %w", k.Selected().Path(), f.Name, err))
		}
	}
	return nil
}

func checkRange(v *kong.Value) error {
	text, x, err := number(v)
	switch {
	case err != nil:
		return err
	case text == "":
		return nil
	}
	var cure []string
	for _, interval := range strings.Split(v.Tag.Get("in"), "|") {
		low, high, wide := strings.Cut(interval, "..")
		if !wide {
			high = low
		}
		a, err := end(v, low)
		b, err2 := end(v, high)
		if err != nil || err2 != nil {
			panic("hapco: --" + v.Name + ": tag in: " + interval)
		}
		if x >= a && x <= b {
			return nil
		}
		cure = append(cure, strings.Replace(interval, "..", " to ", 1))
	}
	unit := map[string]string{"length": " m", "speed": " m/s", "pressure": " Pa"}[v.Tag.Get("of")]
	return fmt.Errorf("%s (cure: %s%s)", text, strings.Join(cure, ", or "), unit)
}

// number is the value of a flag, as it is said and as a number; "" where it is none, or was left out.
func number(v *kong.Value) (string, float64, error) {
	switch t := v.Target; {
	case t.Type() == durations:
		return time.Duration(t.Int()).String(), float64(t.Int()), nil
	case t.CanInt():
		return strconv.FormatInt(t.Int(), 10), float64(t.Int()), nil
	case t.CanUint():
		return strconv.FormatUint(t.Uint(), 10), float64(t.Uint()), nil
	case t.CanFloat():
		return strconv.FormatFloat(t.Float(), 'g', -1, 64), t.Float(), nil
	case v.Tag.Has("of") && t.String() != "":
		x, err := Quantity(t.String(), quantities[v.Tag.Get("of")])
		if err != nil {
			return "", 0, fmt.Errorf("%s: %w", t.String(), err)
		}
		return t.String(), x, nil
	}
	return "", 0, nil
}

// Quantity reads a number with its unit; a bare one is SI.
func Quantity(text string, q setting.Quantity) (float64, error) {
	x, err := setting.Measured(setting.CommandLineValue(text), q, setting.Units{Length: "m", Pressure: "Pa"})
	if err != nil {
		return 0, fmt.Errorf("%s (cure: %s)", err.What, err.Cure)
	}
	return x, nil
}

// end is an end of an interval.
func end(v *kong.Value, text string) (float64, error) {
	if v.Target.Type() == durations {
		d, err := time.ParseDuration(text)
		return float64(d), err
	}
	return strconv.ParseFloat(text, 64)
}
