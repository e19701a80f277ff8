package fem

import (
	"fmt"
	"math"
	"strings"
)

// Material is an isotropic, linear elastic material.
type Material struct {
	Name    string  // the preset's, or "custom"
	Young   float64 // E, Pa
	Poisson float64 // nu, -
	Density float64 // kg/m^3, for gravity
}

// The materials of the thesis's benches (section 3.1), softest first. The thesis gives no Poisson's ratio of rubber and
// no densities; these are usual values.
var presets = []Material{
	{Name: "tissue", Young: 0.02e6, Poisson: 0.40, Density: 1060},
	{Name: "rubber", Young: 2350e6, Poisson: 0.45, Density: 1100},
	{Name: "aluminium", Young: 69e9, Poisson: 0.33, Density: 2700},
}

// Presets lists the materials known by name, softest first.
func Presets() []Material { return append([]Material(nil), presets...) }

// Preset finds a material by its name.
func Preset(name string) (Material, error) {
	names := make([]string, 0, len(presets))
	for _, m := range presets {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Material{}, fmt.Errorf("fem: material %q is unknown (use %s, or give E and nu)", name, strings.Join(names, ", "))
}

// Validate checks E > 0, -1 < nu < 0.5 and density >= 0; NaN fails.
func (m Material) Validate() error {
	if !(m.Young > 0) || math.IsInf(m.Young, 0) {
		return fmt.Errorf("fem: Young's modulus E = %g Pa (give a value above 0)", m.Young)
	}
	if err := checkPoisson(m.Poisson); err != nil {
		return err
	}
	if !(m.Density >= 0) || math.IsInf(m.Density, 0) {
		return fmt.Errorf("fem: density = %g kg/m^3 (give 0 or more)", m.Density)
	}
	return nil
}

// checkPoisson checks -1 < nu < 0.5, outside of which K is not positive.
func checkPoisson(nu float64) error {
	if !(nu > -1 && nu < 0.5) {
		return fmt.Errorf("fem: Poisson's ratio nu = %g (give a value above -1 and below 0.5)", nu)
	}
	return nil
}

// lame gives the Lame constants at E = 1 Pa, in Pa (1.5).
func lame(nu float64) (lambda, mu float64) {
	return nu / ((1 + nu) * (1 - 2*nu)), 1 / (2 * (1 + nu))
}
