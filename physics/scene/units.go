package scene

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"hapco/physics/mesh"
)

// quantity says what a number measures, and with it the unit it is written in.
type quantity uint8

const (
	pure quantity = iota
	length
	pressure
	angle
	force
	stiffness
	damping
	density
	acceleration
	seconds
	tolerance // pure, or a length when the criterion is Physical
)

// unit is the name that Keys shows.
func (q quantity) unit() string {
	return [...]string{"", "units.length", "units.pressure", "degree", "N", "N/m", "N s/m", "kg/m^3", "m/s^2", "s", "- or units.length"}[q]
}

var pressures = map[string]float64{"Pa": 1, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9}

// name is the unit that a number of this quantity has where it names none; "" for
// a pure number.
func (u Units) name(q quantity) string {
	switch q {
	case length, tolerance:
		return u.Length
	case pressure:
		return u.Pressure
	}
	return q.unit()
}

// unitNames are the units that a value may name, in SI, but for lengths and pressures.
var unitNames = [...]map[string]float64{
	angle:        {"deg": math.Pi / 180, "degree": math.Pi / 180, "degrees": math.Pi / 180, "rad": 1},
	force:        {"N": 1, "mN": 1e-3, "kN": 1e3},
	stiffness:    {"N/m": 1, "N/mm": 1e3, "kN/m": 1e3},
	damping:      {"N s/m": 1, "Ns/m": 1, "N s/mm": 1e3, "Ns/mm": 1e3},
	density:      {"kg/m^3": 1, "kg/m3": 1, "g/cm^3": 1e3, "g/cm3": 1e3},
	acceleration: {"m/s^2": 1, "m/s2": 1},
	seconds:      {"s": 1, "ms": 1e-3},
	tolerance:    nil,
}

// named is the factor to SI of a unit that a value names, and the units that it
// may name.
func (q quantity) named(unit string) (factor float64, known string) {
	switch q {
	case length:
		factor, _ = mesh.LengthUnit(unit)
		return factor, "m, cm, mm, um or in"
	case pressure:
		return pressures[unit], "Pa, kPa, MPa or GPa"
	case pure:
		return 0, "a number without unit"
	}
	names := slices.Sorted(maps.Keys(unitNames[q]))
	return unitNames[q][unit], strings.Join(names, ", ")
}

// measured is a number in SI: in the file's unit, or a text such as "6 kPa" with
// a unit of its own.
func measured(v any, q quantity, u Units) (float64, *Error) {
	s, isText := v.(string)
	if !isText {
		x, err := number(v)
		return times(x, u.toSI(q)), err
	}
	for end := min(len(s), 40); end > 0; end-- { // the longest beginning that is a number
		x, err := strconv.ParseFloat(s[:end], 64)
		if err != nil || math.IsNaN(x) {
			continue
		}
		unit := strings.TrimSpace(s[end:])
		factor, known := q.named(unit)
		if factor == 0 {
			return 0, fault("", known, "%q is no unit that fits here", unit)
		}
		return times(x, factor), nil
	}
	return 0, wrongType(v, "a number")
}

// toSI is the factor that brings a number of this quantity from the file's units to SI.
func (u Units) toSI(q quantity) float64 {
	switch q {
	case length:
		if f, err := mesh.LengthUnit(u.Length); err == nil {
			return f
		}
	case pressure:
		if f, ok := pressures[u.Pressure]; ok {
			return f
		}
	case angle:
		return math.Pi / 180
	}
	return 1
}
