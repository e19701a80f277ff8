package setting

import (
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

// unit is the name that Keys shows.
func (q Quantity) unit() string {
	return [...]string{"", "units.length", "units.pressure", "degree", "N", "N/m", "N s/m", "kg/m^3", "m/s^2", "s", "1/s", "kg", "m/s", "Pa s", "J", "m^2", "kg m^2", "N m^2", "- or units.length"}[q]
}

// Pressures are the units of pressure, Pa.
var Pressures = map[string]float64{"Pa": 1, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9}

// SI is the unit that a value has inside the program.
func (q Quantity) SI() string {
	switch q {
	case Length:
		return "m"
	case Pressure:
		return "Pa"
	case Angle:
		return "rad"
	case Tolerance:
		return ""
	}
	return q.unit()
}

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

// unitNames are the units that a value may name, in SI, but for lengths and Pressures.
var unitNames = [...]map[string]float64{
	Angle:        {"deg": math.Pi / 180, "degree": math.Pi / 180, "degrees": math.Pi / 180, "rad": 1},
	Force:        {"N": 1, "mN": 1e-3, "kN": 1e3, "MN": 1e6},
	Stiffness:    {"N/m": 1, "N/mm": 1e3, "kN/m": 1e3},
	Damping:      {"N s/m": 1, "Ns/m": 1, "N s/mm": 1e3, "Ns/mm": 1e3},
	Density:      {"kg/m^3": 1, "kg/m3": 1, "g/cm^3": 1e3, "g/cm3": 1e3},
	Acceleration: {"m/s^2": 1, "m/s2": 1},
	Seconds:      {"s": 1, "ms": 1e-3, "us": 1e-6},
	PerSecond:    {"1/s": 1, "1/ms": 1e3},
	Mass:         {"kg": 1, "t": 1e3, "g": 1e-3, "mg": 1e-6},
	Speed:        {"m/s": 1, "mm/s": 1e-3},
	Viscosity:    {"Pa s": 1, "mPa s": 1e-3},
	Energy:       {"J": 1, "kJ": 1e3, "MJ": 1e6, "mJ": 1e-3, "uJ": 1e-6, "nJ": 1e-9, "pJ": 1e-12},
	Area:         {"m^2": 1, "m2": 1},
	Inertia:      {"kg m^2": 1, "kg m2": 1},
	Rigidity:     {"N m^2": 1, "N m2": 1},
	Tolerance:    nil,
}

// dimension is the power of a length, a time and a mass that the quantity has: its number changes like that where all
// lengths, times and masses of a scene do.
func (q Quantity) dimension() (length, time, mass int) {
	d := [...][3]int{Length: {1, 0, 0}, Pressure: {-1, -2, 1}, Force: {1, -2, 1}, Stiffness: {0, -2, 1}, Damping: {0, -1, 1}, Density: {-3, 0, 1},
		Acceleration: {1, -2, 0}, Seconds: {0, 1, 0}, PerSecond: {0, -1, 0}, Mass: {0, 0, 1}, Speed: {1, -1, 0}, Viscosity: {-1, -1, 1}, Energy: {2, -2, 1},
		Area: {2, 0, 0}, Inertia: {2, 0, 1}, Rigidity: {3, -2, 1}, Tolerance: {}}[q]
	return d[0], d[1], d[2]
}

// named is the factor to SI of a unit that a value names, and the units that it may name.
func (q Quantity) named(unit string) (factor float64, known string) {
	switch q {
	case Length:
		factor, _ = mesh.LengthUnit(unit)
		return factor, "m, cm, mm, um or in"
	case Pressure:
		return Pressures[unit], "Pa, kPa, MPa or GPa"
	case Pure:
		return 0, "a number without unit"
	}
	names := slices.Sorted(maps.Keys(unitNames[q]))
	return unitNames[q][unit], strings.Join(names, ", ")
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
