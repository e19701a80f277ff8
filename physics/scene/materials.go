package scene

import (
	"fmt"
	"slices"
	"strings"
)

// Material is a preset of elastic constants.
type Material struct {
	Name    string
	Young   float64 // E, Pa
	Poisson float64 // nu, -
	Density float64 // kg/m^3
}

// Custom is the material's name of a body that gives E or nu itself.
const Custom = "custom"

// Materials are the presets: those of the thesis (table of section 3.2; it gives
// no nu for rubber), with usual densities.
func Materials() []Material {
	return []Material{
		{"aluminium", 69e9, 0.33, 2700},
		{"rubber", 2350e6, 0.45, 1100},
		{"tissue", 0.02e6, 0.40, 1000},
	}
}

// MaterialByName finds a preset.
func MaterialByName(name string) (Material, error) {
	all := Materials()
	i := slices.IndexFunc(all, func(m Material) bool { return m.Name == name })
	if i < 0 {
		return Material{}, fmt.Errorf("unknown material %q (%s, or give E and nu)", name, strings.Join(materialNames(), ", "))
	}
	return all[i], nil
}

func materialNames() []string {
	var names []string
	for _, m := range Materials() {
		names = append(names, m.Name)
	}
	return names
}
