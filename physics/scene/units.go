package scene

import (
	"math"

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
	tolerance // pure, or a length when the criterion is Physical
)

// unit is the name that Keys shows.
func (q quantity) unit() string {
	return [...]string{"", "units.length", "units.pressure", "degree", "N", "N/m", "N s/m", "kg/m^3", "m/s^2", "- or units.length"}[q]
}

var pressures = map[string]float64{"Pa": 1, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9}

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
