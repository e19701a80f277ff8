package setting

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"hapco/physics/files/mesh"
)

// Quantity says what a number measures, and with it the unit it is written in.
type Quantity uint8

const (
	Pure Quantity = iota
	Length
	Pressure
	Angle
	Force
	Stiffness
	Damping
	Density
	Acceleration
	Seconds
	PerSecond
	Mass
	Speed
	Viscosity
	Energy
	Area
	Inertia
	Rigidity  // a force on an area, as a charge's is that a wall repels with K/y^2
	Tolerance // pure, or a length when the criterion is Physical
)

// quantities are what is known of each: its unit inside the program; the name that Keys shows, where that is another;
// the units that a value may name, in SI, but for lengths; and the powers of a length, a time and a mass by which its
// number changes where all of a scene's do.
var quantities = [...]struct {
	si, shown          string
	units              map[string]float64
	length, time, mass int
}{
	Length:       {"m", "units.length", nil, 1, 0, 0},
	Pressure:     {"Pa", "units.pressure", Pressures, -1, -2, 1},
	Angle:        {"rad", "degree", map[string]float64{"deg": math.Pi / 180, "degree": math.Pi / 180, "degrees": math.Pi / 180, "rad": 1}, 0, 0, 0},
	Force:        {"N", "", map[string]float64{"N": 1, "mN": 1e-3, "kN": 1e3, "MN": 1e6}, 1, -2, 1},
	Stiffness:    {"N/m", "", map[string]float64{"N/m": 1, "N/mm": 1e3, "kN/m": 1e3}, 0, -2, 1},
	Damping:      {"N s/m", "", map[string]float64{"N s/m": 1, "Ns/m": 1, "N s/mm": 1e3, "Ns/mm": 1e3}, 0, -1, 1},
	Density:      {"kg/m^3", "", map[string]float64{"kg/m^3": 1, "kg/m3": 1, "g/cm^3": 1e3, "g/cm3": 1e3}, -3, 0, 1},
	Acceleration: {"m/s^2", "", map[string]float64{"m/s^2": 1, "m/s2": 1}, 1, -2, 0},
	Seconds:      {"s", "", map[string]float64{"s": 1, "ms": 1e-3, "us": 1e-6}, 0, 1, 0},
	PerSecond:    {"1/s", "", map[string]float64{"1/s": 1, "1/ms": 1e3}, 0, -1, 0},
	Mass:         {"kg", "", map[string]float64{"kg": 1, "t": 1e3, "g": 1e-3, "mg": 1e-6}, 0, 0, 1},
	Speed:        {"m/s", "", map[string]float64{"m/s": 1, "mm/s": 1e-3}, 1, -1, 0},
	Viscosity:    {"Pa s", "", map[string]float64{"Pa s": 1, "mPa s": 1e-3}, -1, -1, 1},
	Energy:       {"J", "", map[string]float64{"J": 1, "kJ": 1e3, "MJ": 1e6, "mJ": 1e-3, "uJ": 1e-6, "nJ": 1e-9, "pJ": 1e-12}, 2, -2, 1},
	Area:         {"m^2", "", map[string]float64{"m^2": 1, "m2": 1}, 2, 0, 0},
	Inertia:      {"kg m^2", "", map[string]float64{"kg m^2": 1, "kg m2": 1}, 2, 0, 1},
	Rigidity:     {"N m^2", "", map[string]float64{"N m^2": 1, "N m2": 1}, 3, -2, 1},
	Tolerance:    {"", "- or units.length", nil, 0, 0, 0},
}

// unit is the name that Keys shows.
func (q Quantity) unit() string { return cmp.Or(quantities[q].shown, quantities[q].si) }

// Pressures are the units of pressure, Pa.
var Pressures = map[string]float64{"Pa": 1, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9}

// SI is the unit that a value has inside the program.
func (q Quantity) SI() string { return quantities[q].si }

// name is the unit that a number of this quantity has where it names none; "" for a pure number.
func (u Units) name(q Quantity) string {
	switch q {
	case Length, Tolerance:
		return u.Length
	case Pressure:
		return u.Pressure
	}
	return q.unit()
}

// named is the factor to SI of a unit that a value names, and the units that it may name.
func (q Quantity) named(unit string) (factor float64, known string) {
	units := quantities[q].units
	known = strings.Join(slices.Sorted(maps.Keys(units)), ", ")
	switch q {
	case Length:
		factor, _ = mesh.LengthUnit(unit)
		return factor, "m, cm, mm, um or in"
	case Pressure:
		known = "Pa, kPa, MPa or GPa"
	case Pure:
		known = "a number without unit"
	}
	return units[unit], known
}

// Measured is a number in SI: in the file's unit, or a text such as "6 kPa" with a unit of its own.
func Measured(v any, q Quantity, u Units) (float64, *Error) {
	s, isText := v.(string)
	if !isText {
		x, err := ReadNumber(v)
		if err != nil {
			return 0, err
		}
		x = Times(x, u.ToSI(q))
		return x, bounded(x, v)
	}
	for end := min(len(s), 40); end > 0; end-- { // the longest beginning that is a number
		x, err := strconv.ParseFloat(s[:end], 64)
		if err != nil || math.IsNaN(x) {
			continue
		}
		unit := strings.TrimSpace(s[end:])
		factor, known := q.named(unit)
		if factor == 0 {
			return 0, Fault("", known, "%q is no unit that fits here", unit)
		}
		x = Times(x, factor)
		return x, bounded(x, v)
	}
	return 0, WrongType(v, "a number")
}

// ToSI is the factor that brings a number of this quantity from the file's units to SI.
func (u Units) ToSI(q Quantity) float64 {
	switch q {
	case Length:
		if f, err := mesh.LengthUnit(u.Length); err == nil {
			return f
		}
	case Pressure:
		if f, ok := Pressures[u.Pressure]; ok {
			return f
		}
	case Angle:
		return math.Pi / 180
	}
	return 1
}
