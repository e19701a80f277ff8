package scene

import "hapco/physics/numerics/fem"

// Custom is the material's name of a body that gives E or nu itself.
const Custom = "custom"

// materialNames lists the presets.
func materialNames() []string {
	var names []string
	for _, m := range fem.Presets() {
		names = append(names, m.Name)
	}
	return names
}
